"""Who plays: from the text of a command line to agents, and the game that they play."""

import argparse
import dataclasses
import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.cli.display import Work, in_milli_units
from sog.cli.errors import CommandError
from sog.cli.evaluate.options import DEFAULT_SEARCH
from sog.cli.evaluators import choose_evaluator
from sog.cli.loading import load_game
from sog.cli.room import check_room
from sog.cli.runs import load_run, near_run, split_step
from sog.cli.search_numbers import read_method, read_search
from sog.cli.sizes import can_be_counted
from sog.cli.tree import compile_whole_game
from sog.games import Game
from sog.games.registry import GAMES
from sog.play.agent import SearchAgent, usual_path
from sog.play.arena import AgentFactory
from sog.play.simple_agents import RandomAgent, TabularAgent
from sog.tabular import Checkpoint, solve
from sog.tabular.enumerated_game import EnumeratedGame

if TYPE_CHECKING:
    from selfplay.trained import Trained

RANDOM: Final = "random"
TABULAR: Final = "tabular"
UCT: Final = "uct:N"
NAMES: Final = (RANDOM, TABULAR, UCT, "zero", "uniform", "exact", "rollout")
_UCT: Final = re.compile("uct:([0-9]{1,18})")
_ITERATIONS: Final = 1000  # of CFR+, for tabular
_MAX_NODES: Final = 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Player:
    """An agent that was asked for, before it knows which player of the game it is."""

    name: str
    make: AgentFactory
    search: SearchSettings | None
    """How it searches, if it does."""
    seconds: float | None = None
    """How long a search may take."""

    def as_json(self) -> dict[str, Any]:
        """Its name, and how it searches."""
        search = self.search
        return {
            "name": self.name,
            "search": search and [search.num_simulations, search.simulations_per_update],
            "rule": search and search.rule,
            "leaf_averaging": search and search.leaf_averaging,
            "resolve_from": search and search.resolve_from,
            "seconds": self.seconds,
        }


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Seating:
    """The game, and those who play it."""

    game: Game[Any]
    players: tuple[Player, ...]


def seat_players(texts: Sequence[str], arguments: argparse.Namespace, work: Work) -> Seating:
    """Loads and prepares the players; mistakes are told before anything takes long.

    arguments: `game`, `search`, `rule`, `leaf_averaging`, `seconds`, `seed` and `max_nodes`, as the
    options are called.
    """
    simulations = {text: int(match[1]) for text in texts if (match := _UCT.fullmatch(text))}
    known = {*NAMES, *simulations} - {UCT}
    runs = {text: _load_run(text) for text in texts if text not in known}
    game = _common_game(runs, arguments.game, texts, work)
    players = []
    for text in texts:
        if text in runs:
            player = _trained(runs[text], arguments)
        elif text == RANDOM:
            player = _random(game)
        elif text == TABULAR:
            player = _tabular(game, arguments, work)
        elif text in simulations:
            player = _uct(text, game, simulations[text])
        else:
            player = _searching(text, game, arguments, work)
        players.append(player)
    return Seating(game=game, players=tuple(players))


def check_searches(texts: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raises CommandError if what is said about searches cannot be, or nobody searches."""
    if arguments.search is not None:
        read_search(arguments.search)
    read_method(arguments)
    if any(text not in (RANDOM, TABULAR) and not _UCT.fullmatch(text) for text in texts):
        return
    for option in ("search", "rule", "leaf_averaging", "resolve_from", "seconds"):
        value = getattr(arguments, option)
        if value is not None:
            who = " and ".join(dict.fromkeys(texts))
            raise CommandError(
                f"--{option.replace('_', '-')} {value} has no effect: {who} cannot be told how to "
                f"search."
            )


# The game.


def _load_run(text: str) -> "Trained":
    """A network from PATH, or PATH@STEP."""
    if text and split_step(text)[0].is_dir():
        return load_run(text)
    near = near_run(text) or next(iter(difflib.get_close_matches(text.lower(), NAMES, n=1)), None)
    if near is not None:
        hint = f"did you mean {near}?"
    elif text in GAMES:
        hint = f"it is a game, which --game {text} says."
    else:
        hint = f"neither a run folder nor one of {', '.join(NAMES)}."
    raise CommandError(f"{text!r} is no player: {hint}")


def _common_game(
    runs: dict[str, "Trained"], option: str | None, texts: Sequence[str], work: Work
) -> Game[Any]:
    """What was trained for, or the game of --game; all must agree."""
    games = {text: run.game for text, run in runs.items()}
    if option is not None:
        games["--game"] = load_game(option, work)
    if not games:
        who = " and ".join(dict.fromkeys(texts))
        raise CommandError(f"--game is needed: {who} can play any game.")
    (name, game), *others = games.items()
    for other_name, other in others:
        if str(other) != str(game):
            raise CommandError(
                f"the players must play the same game: {name} plays {game}, "
                f"{other_name} {'is' if other_name == '--game' else 'plays'} {other}."
            )
    return game


# The players.


def _random(game: Game[Any]) -> Player:
    def make(player: int, seed: int) -> RandomAgent:
        return RandomAgent(game, player=player, seed=seed)

    return Player(name=RANDOM, make=make, search=None)


def _tabular(game: Game[Any], arguments: argparse.Namespace, work: Work) -> Player:
    if not can_be_counted(game):
        raise CommandError(f"{TABULAR}: {game.name} is made for search, too large to enumerate.")
    compiled = compile_whole_game(game, arguments.max_nodes or _MAX_NODES, work)
    work.begin(f"solving {game.name}", total=_ITERATIONS)

    def show(checkpoint: Checkpoint) -> None:
        exploitability = in_milli_units(game, checkpoint.exploitability)
        work.update(f"exploitability {exploitability}", checkpoint.iteration)

    solution = solve(compiled, rule="cfr+", iterations=_ITERATIONS, on_checkpoint=show)
    if solution.interrupted:
        raise KeyboardInterrupt
    enumerated, policy = EnumeratedGame(tree=compiled.tree), solution.policy

    def make(player: int, seed: int) -> TabularAgent:
        return TabularAgent(enumerated, policy, player=player, seed=seed)

    return Player(name=TABULAR, make=make, search=None)


def _uct(name: str, game: Game[Any], num_simulations: int) -> Player:
    try:
        from sog.play.uct_agent import UctAgent

        UctAgent(game, num_simulations, player=0)
    except (ImportError, ValueError) as error:
        raise CommandError(f"{name}: {error}") from None

    def make(player: int, seed: int) -> UctAgent:
        return UctAgent(game, num_simulations, player=player, seed=seed)

    return Player(name=name, make=make, search=None)


def _searching(name: str, game: Game[Any], arguments: argparse.Namespace, work: Work) -> Player:
    settings = read_search(arguments.search or DEFAULT_SEARCH, read_method(arguments))
    if is_perfect_information(game) and game.num_outcomes >= game.num_actions:
        settings = dataclasses.replace(settings, num_children=1)
    _check_sizes(game, settings)
    wanted = argparse.Namespace(
        evaluator=name, seed=arguments.seed or 0, max_nodes=arguments.max_nodes
    )
    chosen = choose_evaluator(game, wanted, work, asked=name)
    return _searcher(name, chosen.game, chosen.evaluator, settings, arguments.seconds)


def _trained(run: "Trained", arguments: argparse.Namespace) -> Player:
    settings = dataclasses.replace(run.settings, num_queries=0)  # those are for training
    settings = read_method(arguments, settings)
    if arguments.search is not None:
        # Room was made for the simulations of training.
        capacity = None if settings.lookahead == 1 else settings.capacity
        settings = dataclasses.replace(settings, capacity=capacity)
        settings = read_search(arguments.search, settings)
    name = f"{run.name} at step {run.step:,}"
    return _searcher(name, run.game, run.evaluator, settings, arguments.seconds)


def _searcher(
    name: str,
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    seconds: float | None,
) -> Player:
    _check_sizes(game, settings)
    check_room(game, evaluator, settings, usual_path(game), hint="--search s,c")
    greedy = is_perfect_information(game)

    def make(player: int, seed: int) -> SearchAgent:
        return SearchAgent(
            game,
            evaluator,
            settings,
            player=player,
            seed=seed,
            greedy=greedy,
            seconds=seconds,
        )

    return Player(name=name, make=make, search=settings, seconds=seconds)


def is_perfect_information(game: Game[Any]) -> bool:
    """Whether nothing is ever hidden, so that nobody needs to mix actions."""
    return game.num_infostates == 1


def _check_sizes(game: Game[Any], settings: SearchSettings) -> None:
    try:
        settings.shape(game, usual_path(game))
    except ValueError as error:
        raise CommandError(str(error)) from None
