"""The games, players, networks and runs that `sog serve` offers, fixed at its start.

Nothing that a visitor sends becomes a path or is read as a file: requests name items of lists.
"""

import dataclasses
import functools
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from gtcfr.settings import SearchSettings
from selfplay.runs.metrics import Metrics, read_metrics
from selfplay.runs.run_folder import RunFolder
from sog.catalog import read_catalog
from sog.games import Game, make
from sog.games.foreign import trusted_names
from sog.games.packages import is_class_path
from sog.play import PlayedGame
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.judges import can_judge, usual_judge
from sog.players.leaf_search import choose_evaluator
from sog.players.methods import METHODS, make_method
from sog.players.player import Host, Player
from sog.players.runs import load_run, near_run, split_step
from sog.players.searching import check_room, read_simulations, trained_settings
from sog.players.seating import seat
from sog.players.table import read_player
from sog.players.trained import Trained, trained_steps
from sog.web.interfaces import Poll, RequestError, SearchSetup, request_errors

EVALUATORS: Final = ("rollout", "zero", "uniform", "exact")
_NEEDS_A_MAP: Final = "scotland_yard"  # needs a file; --game names one
_FIRST: Final = ("kuhn", "leduc", "liars_dice", "glasses", "tic_tac_toe", "connect_four")
_FIRST_AGENT: Final = f"{AGENT_PREFIX}leduc"
_DEFAULT_SEARCH: Final = "100,1"
_MOST_SIMULATIONS: Final = 20_000
_MOST_UPDATES: Final = 100_000
_MOST_OF_AN_UPDATE: Final = 100
_MOST_PREPARED: Final = 32

Prepared = TypeVar("Prepared")


@dataclasses.dataclass(frozen=True, kw_only=True)
class CancellableHost(Host):
    """Cancels long preparations that nobody waits for."""

    poll: Poll

    def begin(self, doing: str, total: int | None = None) -> None:
        """Raises what `poll` raises, which ends the work."""
        self.poll()

    def update(self, detail: str, completed: int | None = None) -> None:
        """The same."""
        self.poll()


class Catalog:
    """What this server offers. A text that is in none of these lists raises RequestError."""

    networks: Sequence[str]
    """Trained networks: players of their own games, and evaluators for searches."""
    named: Sequence[str]
    """Networks named on the command line."""
    runs: Sequence[str]
    """Those that are runs, whose training can be watched."""
    games: Sequence[str]
    """All games."""
    players: Sequence[str]
    """Players that can play any game."""
    evaluators: Sequence[str] = EVALUATORS
    """Evaluators for leaves; the first is the default."""

    def __init__(
        self, named: Sequence[str] = (), games: Sequence[str] = (), players: Sequence[str] = ()
    ) -> None:
        """named: RUN, RUN@STEP or agent:NAME. games, players: besides the built-in ones and foreign
        games that files may name (`sog.games.foreign`).

        Raises ValueError for what does not exist.
        """
        self.named = tuple(dict.fromkeys(named))
        self._agents = {f"{AGENT_PREFIX}{name}": entry for name, entry in read_agents().items()}
        for text in self.named:
            if text.startswith(AGENT_PREFIX) and text not in self._agents:
                load_run(text)  # raises that it does not exist
        self.runs = tuple(text for text in self.named if text not in self._agents)
        self._folders = [_run_folder(text) for text in self.runs]
        ours = sorted(self._agents, key=lambda text: text != _FIRST_AGENT)
        self.networks = tuple(dict.fromkeys([*self.named, *ours]))
        listed = [entry["name"] for entry in read_catalog() if entry["name"] != _NEEDS_A_MAP]
        allowed = [name for name in trusted_names() if is_class_path(name)]
        self._given = {str(make(text)): text for text in (*games, *allowed)}
        listed.sort(key=lambda name: name not in _FIRST)
        self.games = tuple(dict.fromkeys([*self._given, *listed]))
        for text in players:
            read_player(text, Host())
        self.players = tuple(dict.fromkeys([*METHODS, *players]))
        self._names: dict[str, str] | None = None
        self._prepared: dict[tuple[Any, ...], Any] = {}
        self._lock = threading.Lock()

    def game(self, text: str) -> Game[Any]:
        """A game by name, or that of a network."""
        if text in self._agents:
            return self._guarded(make, self._agents[text].game)
        if text in self.runs:
            return self._guarded(make, self._folders[self.runs.index(text)].config.game)
        if text not in self.games:
            raise RequestError(f"this server has no game {text!r}.")
        return self._guarded(make, self._given.get(text, text))

    def named_by(self, text: str) -> tuple[str, list[str]]:
        """For a game that a file names with all its parameters: its name here, empty if only
        networks have it, and the networks that play it."""
        if self._names is None:
            self._names = {str(self.game(name)): name for name in reversed(self.games)}
        return self._names.get(text, ""), self.playing(text)

    def playing(self, game: str) -> list[str]:
        """The networks that play a game, named with all its parameters."""
        return [one for one in self.networks if str(self.game(one)) == game]

    def able(self, game: str) -> list[str]:
        """Players and networks that can play a game, without slow checks."""
        made, text = self.game(game), str(self.game(game))
        return [*self.playing(text), *(one for one in self.players if _is_able(one, made))]

    def opponent(self, game: str, player: str, search: str, poll: Poll) -> Player:
        """Prepares a player; may take long. search: "s,c", or empty for the default."""
        played = None
        if player in self.networks:
            if game and self.game(game) != self.game(player):
                raise RequestError(f"{player} plays its own game: choose 'that of the network'.")
        elif player not in self.players:
            raise RequestError(f"this server has no player {player!r}.")
        elif game not in self.games:
            unknown = f"this server has no game {game!r}."
            raise RequestError(unknown if game else f"Choose a game: {player} can play any.")
        else:
            played = self._given.get(game, game)
        changes = self._guarded(read_simulations, search) if search else {}
        asked = SearchSettings(**changes)
        _check_search(asked.num_simulations, asked.num_updates)

        prepare = functools.partial(_seated, player, played, poll, changes)
        return self._once(("opponent", game, player, search, self._step(player)), prepare)

    def must_learn(self, form: Mapping[str, str]) -> bool:
        """Whether the player of a form learns first, so that `opponent` takes minutes."""
        game, player, search = (form.get(name, "") for name in ("game", "player", "search"))
        is_there = ("opponent", game, player, search.strip(), None) in self._prepared
        return learns(player) and not is_there

    @property
    def judges(self) -> list[str]:
        """Players of any game that can judge choices."""
        return [one for one in self.players if can_judge(one)]

    def find_judge(self, opponent: Player, played: PlayedGame, poll: Poll) -> Player:
        """Prepares the judge of a game: the exact solution of a small game, else the opponent if it
        can judge, else a network that plays the game, else a search. May take long."""
        game = opponent.game
        others = [opponent.name, *self.playing(str(game))]
        chosen = usual_judge(game, others=others, is_from_the_start=played.beginning is None)
        poll()

        if chosen == opponent.name:
            return opponent
        prepare = functools.partial(_seated, chosen, game, poll)
        return self._once(("judge", str(game), chosen, self._step(chosen)), prepare)

    def searched(self, game: str, player: str) -> str:
        """The text to search for a table: the network if it has its own game, else the game."""
        return player if player in self.networks else game

    def searcher(
        self, game: str, evaluator: str, search: str, path_length: int, poll: Poll
    ) -> SearchSetup:
        """Prepares a search; may take long. game: or a run. path_length: events before it."""
        shown = self.game(game)
        if game not in self.networks and evaluator not in self.evaluators:
            raise RequestError(f"this server has no evaluator {evaluator!r}.")
        changes = self._guarded(read_simulations, search or _DEFAULT_SEARCH)

        def prepare() -> SearchSetup:
            if game in self.networks:
                trained = load_run(game)
                return SearchSetup(
                    game=trained.game,
                    shown=trained.game,
                    evaluator=trained.evaluator,
                    name=trained.title,
                    settings=trained.settings,
                )
            chosen = choose_evaluator(shown, evaluator, CancellableHost(poll=poll))
            return SearchSetup(
                game=chosen.game,
                shown=shown,
                evaluator=chosen.evaluator,
                name=chosen.name,
                settings=SearchSettings(),
            )

        asked = "" if game in self.networks else evaluator
        key = (game, asked, self._step(game))
        found = self._once(("searcher", *key), prepare, where=asked and f"{asked}: ")
        settings = self._guarded(trained_settings, found.settings, {**changes, "capacity": None})
        _check_search(settings.num_simulations, settings.num_updates)
        if settings.simulations_per_phase > _MOST_OF_AN_UPDATE:
            raise RequestError(
                f"An update may have {_MOST_OF_AN_UPDATE} simulations here, since searches take "
                f"turns between updates; `sog search` has no such limit."
            )
        poll()
        room = functools.partial(
            check_room, found.game, found.evaluator, settings, path_length, hint="s,c"
        )
        self._once(("room", *key, settings, path_length), room)
        return dataclasses.replace(found, settings=settings)

    def with_more(self, searcher: SearchSetup, more: int, path_length: int) -> SearchSetup:
        """The same setup with `more` simulations, rounded up to whole phases.

        The tree grows through all further updates.
        """
        settings = searcher.settings
        phase = math.ceil(settings.simulations_per_update)
        wanted = settings.num_simulations + -(-more // phase) * phase
        settings = dataclasses.replace(settings, num_simulations=wanted, growth_share=1.0)
        _check_search(wanted, settings.num_updates)
        self._guarded(
            functools.partial(
                check_room,
                searcher.game,
                searcher.evaluator,
                settings,
                path_length,
                hint="simulations",
            )
        )
        return dataclasses.replace(searcher, settings=settings)

    def networks_of(self, kind: type[Game[Any]]) -> list[str]:
        """The networks that play a class of games."""
        return [text for text in self.networks if isinstance(self.game(text), kind)]

    def network(self, text: str) -> Trained:
        """Reads a network; may take long."""
        if text not in self.networks:
            raise RequestError(f"this server has no network {text!r}.")
        found: Trained = self._once(
            ("network", text, self._step(text)), functools.partial(load_run, text)
        )
        return found

    def metrics_of(self, run: str) -> list[Metrics]:
        """The metrics so far of one of `runs`."""
        return read_metrics(self._folders[self.runs.index(run)].metrics)

    def _step(self, text: str) -> int | None:
        """The newest step of a run, which may still be training."""
        if text not in self.runs:
            return None
        path, step = split_step(text)
        steps = [step] if step is not None else self._guarded(trained_steps, path)
        if not steps:
            raise RequestError(
                f"{text} has no checkpoint yet: wait until it has trained for a while."
            )
        return max(steps)

    def _once(
        self, key: tuple[Any, ...], prepare: Callable[[], Prepared], where: str = ""
    ) -> Prepared:
        """Prepares once and reuses the result. where: prefix of error messages."""
        with self._lock:
            if key in self._prepared:
                kept: Prepared = self._prepared[key]
                return kept
        made = self._guarded(prepare, where=where)  # without the lock, since it may take long
        with self._lock:
            self._prepared[key] = made
            while len(self._prepared) > _MOST_PREPARED:
                self._prepared.pop(next(iter(self._prepared)))
        return made

    @staticmethod
    def _guarded(do: Callable[..., Prepared], *arguments: Any, where: str = "") -> Prepared:
        """Calls the library, see `request_errors`."""
        with request_errors(where):
            return do(*arguments)


def _seated(player: str, game: Game[Any] | str | None, poll: Poll, search: Any = None) -> Player:
    """Prepares a player that exposes its policy, see `seat`."""
    found = seat([player], game=game, search=search, host=CancellableHost(poll=poll)).players[0]
    found.check_exposes_policy()
    return found


def learns(player: str) -> bool:
    """Whether a player learns or solves the whole game first, which takes long."""
    entry = METHODS.get(re.split("[(:]", player)[0])
    return entry is not None and (entry.learns or entry.solves)


def _is_able(player: str, game: Game[Any]) -> bool:
    if player not in METHODS:
        return True
    try:
        make_method(player).check(game)
    except ValueError:
        return False
    return True


def _run_folder(text: str) -> RunFolder:
    path, _ = split_step(text)
    near = None if path.exists() else near_run(text)
    if near is not None:
        raise ValueError(f"run folder {path} does not exist: did you mean {near}?")
    return RunFolder.read(path)


def _check_search(simulations: int, updates: int) -> None:
    if simulations > _MOST_SIMULATIONS or updates > _MOST_UPDATES:
        raise RequestError(
            f"A search may have {_MOST_SIMULATIONS:,} simulations and {_MOST_UPDATES:,} updates "
            f"here; `sog search` and `sog play` have no such limit."
        )
