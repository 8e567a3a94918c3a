"""What the pages of `sog serve` may ask for: games, players and runs that were named at the start.

Nothing that a visitor sends becomes a path or is read as a file: every text is one of these lists.
"""

import argparse
import dataclasses
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from gtcfr.settings import SearchSettings
from selfplay.metrics import read_metrics
from selfplay.run_folder import RunFolder
from selfplay.trained import trained_steps
from sog.agents import AGENT_PREFIX, read_agents
from sog.cli.catalog import read_catalog
from sog.cli.display import quiet_work
from sog.cli.errors import CommandError
from sog.cli.evaluators import choose_evaluator
from sog.cli.loading import load_game
from sog.cli.match_options import add_player_options
from sog.cli.players import read_player, seat_players
from sog.cli.room import check_room
from sog.cli.runs import load_run, near_run, split_step
from sog.cli.search_numbers import read_search
from sog.games import Game
from sog.methods.registry import METHODS
from sog.web.host import Heed, Mistake, Opponent, RunState, Searcher

EVALUATORS: Final = ("uniform", "zero", "exact", "rollout")
_NEEDS_A_MAP: Final = "scotland_yard"  # a file; --game names one
_FIRST: Final = ("kuhn", "leduc", "liars_dice", "glasses", "tic_tac_toe", "connect_four")
_FIRST_AGENT: Final = f"{AGENT_PREFIX}leduc"
_DEFAULT_SEARCH: Final = "100,1"
_MOST_SIMULATIONS: Final = 20_000
_MOST_UPDATES: Final = 100_000
_MOST_OF_AN_UPDATE: Final = 100
_MOST_PREPARED: Final = 32

Prepared = TypeVar("Prepared")


class ServeHost:
    """A `sog.web.host.Host`."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        """Raises CommandError for runs and games that are not there."""
        self.named: Sequence[str] = tuple(dict.fromkeys(arguments.runs))
        self._agents = {f"{AGENT_PREFIX}{name}": entry for name, entry in read_agents().items()}
        for text in self.named:
            if text.startswith(AGENT_PREFIX) and text not in self._agents:
                load_run(text)  # which says that it is not there
        self.runs: Sequence[str] = tuple(text for text in self.named if text not in self._agents)
        self._folders = [_run_folder(text) for text in self.runs]
        ours = sorted(self._agents, key=lambda text: text != _FIRST_AGENT)
        self.networks: Sequence[str] = tuple(dict.fromkeys([*self.named, *ours]))
        listed = [entry["name"] for entry in read_catalog() if entry["name"] != _NEEDS_A_MAP]
        named = sorted(listed, key=lambda name: name not in _FIRST)
        self._given = {str(load_game(text)): text for text in arguments.game}
        self.games: Sequence[str] = (*self._given, *named)
        for text in arguments.player:
            read_player(text)
        # Not all of them can play every game, which the page says then.
        self.players: Sequence[str] = tuple(dict.fromkeys([*METHODS, *arguments.player]))
        self.evaluators: Sequence[str] = EVALUATORS
        self._prepared: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.Lock()

    def game(self, text: str) -> Game[Any]:
        """A game, or that of a network."""
        if text in self._agents:
            return self._told(load_game, self._agents[text].game)
        if text in self.runs:
            return self._told(load_game, self._folders[self.runs.index(text)].config.game)
        if text not in self.games:
            raise Mistake(f"{text!r} is no game of this server.")
        return self._told(load_game, self._given.get(text, text))

    def opponent(self, game: str, player: str, search: str, heed: Heed) -> Opponent:
        """Prepares a player."""
        options = argparse.ArgumentParser()
        add_player_options(options)
        arguments = options.parse_args([])
        arguments.seed, arguments.search = 0, search or None
        if player in self.networks:
            if game and self.game(game) != self.game(player):
                raise Mistake(f"{player} plays its own game: choose 'that of the network'.")
        elif player not in self.players:
            raise Mistake(f"{player!r} is no player of this server.")
        elif game not in self.games:
            unknown = f"{game!r} is no game of this server."
            raise Mistake(unknown if game else f"Choose a game: {player} can play any.")
        else:
            arguments.game = self._given.get(game, game)
        if search:
            _check_search(self._told(read_search, search))

        def prepare() -> Opponent:
            seating = seat_players([player], arguments, quiet_work(heed))
            (found,) = seating.players
            return Opponent(
                game=seating.game, name=found.name, make=found.make, facts=found.as_json()
            )

        return self._once(("opponent", game, player, search, self._step(player)), prepare)

    def searcher(
        self, game: str, evaluator: str, search: str, path_length: int, heed: Heed
    ) -> Searcher:
        """Prepares a search."""
        shown = self.game(game)
        if evaluator not in self.evaluators:
            raise Mistake(f"{evaluator!r} is no evaluator of this server.")

        def prepare() -> Searcher:
            if game in self.networks:
                trained = load_run(game)
                name = f"{trained.name} at step {trained.step:,}"
                return Searcher(
                    game=trained.game,
                    shown=trained.game,
                    evaluator=trained.evaluator,
                    name=name,
                    settings=trained.settings,
                )
            wanted = argparse.Namespace(evaluator=evaluator, seed=0, max_nodes=None)
            chosen = choose_evaluator(shown, wanted, quiet_work(heed), asked=evaluator)
            return Searcher(
                game=chosen.game,
                shown=shown,
                evaluator=chosen.evaluator,
                name=chosen.name,
                settings=SearchSettings(),
            )

        asked = "" if game in self.networks else evaluator
        key = (game, asked, self._step(game))
        found = self._once(("searcher", *key), prepare)
        settings = self._told(read_search, search or _DEFAULT_SEARCH, _plain(found.settings))
        _check_search(settings)
        if settings.simulations_per_update > _MOST_OF_AN_UPDATE:
            raise Mistake(
                f"An update may have {_MOST_OF_AN_UPDATE} simulations here, as searches take turns "
                f"between updates; `sog search` knows no such bound."
            )
        heed()
        room = functools.partial(
            check_room, found.game, found.evaluator, settings, path_length, hint="s,c"
        )
        self._once(("room", *key, settings, path_length), room)
        return dataclasses.replace(found, settings=settings)

    def run_state(self, number: int) -> RunState:
        """How far a run is."""
        if not 0 <= number < len(self.runs):
            raise KeyError(number)
        folder, text = self._folders[number], self.runs[number]
        return RunState(name=text, game=self.game(text), lines=read_metrics(folder.metrics))

    def _step(self, text: str) -> int | None:
        """The newest step of a run, which goes on training."""
        if text not in self.runs:
            return None
        path, step = split_step(text)
        steps = [step] if step is not None else self._told(trained_steps, path)
        if not steps:
            raise Mistake(f"{text} has no checkpoint yet: wait until it has trained for a while.")
        return max(steps)

    def _once(self, key: tuple[Any, ...], prepare: Callable[[], Prepared]) -> Prepared:
        """What was prepared before, so that it is compiled once."""
        with self._lock:
            if key in self._prepared:
                kept: Prepared = self._prepared[key]
                return kept
        made = self._told(prepare)  # without the lock: it may take long
        with self._lock:
            self._prepared[key] = made
            while len(self._prepared) > _MOST_PREPARED:
                self._prepared.pop(next(iter(self._prepared)))
        return made

    @staticmethod
    def _told(make: Callable[..., Prepared], *arguments: Any) -> Prepared:
        """Turns mistakes as commands tell them into those of pages."""
        try:
            return make(*arguments)
        except (CommandError, ValueError) as error:
            raise Mistake(str(error)) from None


def _run_folder(text: str) -> RunFolder:
    path, _ = split_step(text)
    near = None if path.exists() else near_run(text)
    if near is not None:
        raise CommandError(f"run folder {path} does not exist: did you mean {near}?")
    try:
        return RunFolder.read(path)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _plain(settings: SearchSettings) -> SearchSettings:
    """Without what is for training."""
    return dataclasses.replace(settings, num_queries=0, capacity=None)


def _check_search(settings: SearchSettings) -> None:
    if settings.num_simulations > _MOST_SIMULATIONS or settings.num_updates > _MOST_UPDATES:
        raise Mistake(
            f"A search may have {_MOST_SIMULATIONS:,} simulations and {_MOST_UPDATES:,} updates "
            f"here; `sog search` and `sog play` know no such bound."
        )
