"""Who plays: from the text of a command line to agents, and the game that they play."""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.agents import AGENT_PREFIX, read_agents
from sog.cli.display import Work
from sog.cli.errors import CommandError
from sog.cli.evaluate.options import DEFAULT_SEARCH
from sog.cli.loading import load_game
from sog.cli.room import check_room
from sog.cli.runs import load_run, near_run, split_step
from sog.cli.search_numbers import read_method, read_search
from sog.cli.sizes import can_be_counted
from sog.cli.tree import TOO_LARGE, enumerate_whole_game, explain_too_large
from sog.games import Game
from sog.games.registry import is_game
from sog.memory import available_bytes
from sog.methods.leaf_search import LeafSearch, search_agents
from sog.methods.method import Host, Method
from sog.methods.registry import METHODS, make_method, name_of, rule_form
from sog.parameters import near_name
from sog.play.arena import AgentFactory
from sog.play.chained_search import usual_path
from sog.tabular import PublicTree

if TYPE_CHECKING:
    from selfplay.trained import Trained

RANDOM: Final = "random"
_MAX_NODES: Final = 1_000_000
_SHARE_OF_MEMORY: Final = 0.5  # for batches of searches


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Player:
    """An agent that was asked for, before it knows which player of the game it is."""

    name: str
    make: AgentFactory
    search: SearchSettings | None
    """How it searches, if it does."""
    seconds: float | None = None
    """How long a search may take."""
    network: Evaluator | None = None
    """A trained player's."""

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
    search_bytes: int
    """What the largest search of a player takes; 0 where nobody's was counted."""

    def batch_size(self, most: int) -> int:
        """Searches at once for which there is memory: a batch, and a last search of both players in
        each of the games that go on, twice as many."""
        free = available_bytes()
        if free is None or self.search_bytes == 0:
            return most
        return max(1, min(most, int(_SHARE_OF_MEMORY * free) // (5 * self.search_bytes)))


def seat_players(texts: Sequence[str], arguments: argparse.Namespace, work: Work) -> Seating:
    """Loads and prepares the players; mistakes are told before anything takes long.

    arguments: `game`, `search`, `rule`, `leaf_averaging`, `max_outcomes`, `seconds`, `seed` and
    `max_nodes`, as the options are called.
    """
    methods = {text: read_player(text) for text in texts if name_of(text) is not None}
    runs = {text: _load_run(text) for text in texts if text not in methods}
    game = _common_game(runs, arguments.game, texts, work)
    host = CommandHost(arguments, work)
    players = [
        _trained(runs[text], arguments, host)
        if text in runs
        else _by_method(text, methods[text], game, host)
        for text in texts
    ]
    return Seating(game=game, players=tuple(players), search_bytes=host.search_bytes)


def check_searches(texts: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raises CommandError if what is said about searches cannot be, or nobody searches."""
    if arguments.search is not None:
        read_search(arguments.search)
    read_method(arguments)
    names = [name_of(text) for text in texts]
    if any(name is None or METHODS[name].searches for name in names):
        return
    for option in ("search", "rule", "leaf_averaging", "max_outcomes", "resolve_from", "seconds"):
        value = getattr(arguments, option)
        if value is not None:
            who = " and ".join(dict.fromkeys(texts))
            raise CommandError(
                f"--{option.replace('_', '-')} {value} has no effect: {who} cannot be told how to "
                f"search."
            )


def read_player(text: str) -> Method:
    """The method that a user typed."""
    try:
        return make_method(text)
    except ValueError as error:
        raise CommandError(str(error)) from None


# The game.


def _load_run(text: str) -> "Trained":
    """A network from PATH, or PATH@STEP."""
    if text.startswith(AGENT_PREFIX) or (text and split_step(text)[0].is_dir()):
        return load_run(text)
    near = near_run(text) or near_name(text, METHODS)
    if near is not None:
        hint = f"did you mean {near}?"
    elif text in read_agents():
        hint = f"it is a game, which --game {text} says; a trained agent is {AGENT_PREFIX}{text}."
    elif text.endswith(".npz"):
        hint = f"of a policy file, sog policy {text} shows what it plays."
    elif form := rule_form(text):
        hint = f"a rule of CFR is typed {form}."
    elif is_game(text):
        hint = f"it is a game, which --game {text} says."
    else:
        forms = ", ".join(entry.form for entry in METHODS.values())
        hint = f"neither a run folder nor one of {forms}."
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


class CommandHost(Host):
    """Prepares methods as the options say, and shows how far it is."""

    def __init__(self, arguments: argparse.Namespace, work: Work) -> None:
        """arguments: as of `seat_players`."""
        self.seed, self.seconds = arguments.seed or 0, getattr(arguments, "seconds", None)
        self._arguments, self._work = arguments, work
        self.search_bytes = 0

    def enumerate(self, game: Game[Any]) -> PublicTree:
        """The whole game, if it is small enough."""
        if not can_be_counted(game):
            raise ValueError(f"{game.name} is made for search, too large to enumerate.")
        try:
            return enumerate_whole_game(game, self._arguments.max_nodes or _MAX_NODES, self._work)
        except TOO_LARGE as error:
            raise CommandError(explain_too_large(game, error)) from None

    def search_settings(self, game: Game[Any]) -> SearchSettings:
        """As --search and the options beside it say."""
        arguments = self._arguments
        settings = read_search(arguments.search or DEFAULT_SEARCH, read_method(arguments))
        _check_sizes(game, settings)
        return settings

    def check_room(self, game: Game[Any], evaluator: Evaluator, settings: SearchSettings) -> None:
        """CommandError where there is too little memory for a search."""
        parts = check_room(game, evaluator, settings, usual_path(game), hint="--search s,c")
        self.search_bytes = max(self.search_bytes, sum(parts.values()))

    def begin(self, doing: str, total: int | None = None) -> None:
        """Shows it."""
        self._work.begin(doing, total)

    def update(self, detail: str, completed: int | None = None) -> None:
        """Shows it."""
        self._work.update(detail, completed)


def _by_method(text: str, method: Method, game: Game[Any], host: CommandHost) -> Player:
    if isinstance(method, LeafSearch):
        search, seconds = host.search_settings(game), host.seconds
    else:
        search, seconds = None, None
    try:
        method.check(game)
        make = method.agents(game, host)
    except ValueError as error:
        raise CommandError(f"{text}: {error}") from None
    return Player(name=text, make=make, search=search, seconds=seconds)


def _trained(run: "Trained", arguments: argparse.Namespace, host: CommandHost) -> Player:
    settings = dataclasses.replace(run.settings, num_queries=0)  # those are for training
    settings = read_method(arguments, settings)
    if arguments.search is not None:
        # Room was made for the simulations of training.
        capacity = None if settings.lookahead == 1 else settings.capacity
        settings = dataclasses.replace(settings, capacity=capacity)
        settings = read_search(arguments.search, settings)
    name = f"{run.name} at step {run.step:,}"
    _check_sizes(run.game, settings)
    host.check_room(run.game, run.evaluator, settings)
    make = search_agents(run.game, run.evaluator, settings, host.seconds)
    return Player(
        name=name, make=make, search=settings, seconds=host.seconds, network=run.evaluator
    )


def _check_sizes(game: Game[Any], settings: SearchSettings) -> None:
    try:
        settings.shape(game, usual_path(game))
    except ValueError as error:
        raise CommandError(str(error)) from None
