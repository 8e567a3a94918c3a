"""Makes the players and the searches that the options of a command name."""

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.display import Work, note
from sog.cli.errors import CommandError, given, mistakes
from sog.cli.loading import explaining_size, load_game
from sog.games import Game
from sog.games.registry import is_game
from sog.parameters import split_call
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.judges import agents_of
from sog.players.player import MOST_NODES, Host
from sog.players.runs import is_run
from sog.players.searching import changed, read_simulations
from sog.players.seating import Seating, seat
from sog.players.table import entry_of

_ANYWHERE: Final = "rollout"
"""Plays any game, some of them well, without training."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CommandHost(Host):
    """Shows progress of players on stderr, and names parameters by their options."""

    work: Work
    game_from: str = "--game"
    """The option that names the game."""

    def begin(self, doing: str, total: int | None = None) -> None:
        """Shows it."""
        self.work.begin(doing, total)

    def update(self, detail: str, completed: int | None = None) -> None:
        """Shows it."""
        self.work.update(detail, completed)

    def notify(self, text: str) -> None:
        """Prints it."""
        note(text)

    def option(self, parameter: str) -> str:
        """`--game` for `game`."""
        if parameter == "game":
            return self.game_from
        return f"--{parameter.replace('_', '-')}"


def host_of(arguments: argparse.Namespace, work: Work) -> CommandHost:
    """A host with the option `seed`, and `seconds` and `max_nodes` where the command has them."""
    return CommandHost(
        seed=arguments.seed or 0,
        seconds=getattr(arguments, "seconds", None),
        max_nodes=getattr(arguments, "max_nodes", None) or MOST_NODES,
        work=work,
    )


def seat_players(
    texts: Sequence[str],
    arguments: argparse.Namespace,
    work: Work,
    *,
    game: Game[Any] | None = None,
    game_from: str = "--game",
) -> Seating:
    """Seats players by the options of a command. Raises CommandError.

    game: of --game unless given. game_from: what names it, in messages.
    """
    if game is None and arguments.game is not None:
        game = load_game(arguments.game, work)
    host = dataclasses.replace(host_of(arguments, work), game_from=game_from)
    search = read_changes(arguments.search, arguments.set)
    with mistakes(), explaining_size():
        return seat(texts, game=game, search=search, host=host)


def check_even(games: int | None) -> None:
    """Raises CommandError for an odd number of --games."""
    if games is not None and games % 2:
        raise CommandError(f"--games must be even, since every deal is played twice, got {games}.")


def check_searches(texts: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raises CommandError if search options are invalid, or no player searches."""
    read_changes(arguments.search, arguments.set)
    if any(entry_of(text).searches for text in texts):
        return
    for option, value in given(arguments, "search", "set", "seconds"):
        names = list(dict.fromkeys(texts))
        who, takes = " and ".join(names), "takes" if len(names) == 1 else "take"
        one = value[0] if isinstance(value, list) else value
        raise CommandError(f"{option} {one} has no effect: {who} {takes} no search settings.")


def read_changes(search: str | None, settings: Sequence[str]) -> dict[str, Any]:
    """The settings that --search and --set change; --set counts last.

    Names of settings may be written as in configurations, with their table.
    """
    bare = {text for text in settings if "." not in text.partition("=")[0] and "=" in text}
    with mistakes():
        changes = {} if search is None else read_simulations(search, "--search")
        if not settings:
            return changes
        from selfplay.runs.config import read_changes_of  # heavy

        full = [f"search.{text}" if text in bare else text for text in settings]
        return changes | read_changes_of("search", full)


def read_settings(arguments: argparse.Namespace, base: SearchSettings) -> SearchSettings:
    """`base` with the changes of `read_changes`."""
    with mistakes():
        return changed(base, read_changes(arguments.search, arguments.set))


def name_of(search: SearchSettings) -> str:
    """The paper's notation: SoG(100, 1)."""
    return f"SoG({search.num_simulations}, {search.simulations_per_update:g})"


def describe_search(search: SearchSettings) -> str:
    """The name of a search, with its differences from the default."""
    return ", ".join([name_of(search), *method_words(search)])


def method_words(search: SearchSettings) -> list[str]:
    """The settings of updates and of re-solving that differ from the default."""
    words = {
        "leaf_averaging": f"leaf averaging {search.leaf_averaging:g}",
        "leaf_smoothing": f"leaf smoothing {search.leaf_smoothing:g}",
        "leaf_interval": f"leaf interval {search.leaf_interval}",
        "rule": f"rule {search.rule}",
        "resolve_from": f"re-solved from {search.resolve_from}",
    }
    if search.grow:
        words["growth_share"] = f"growth share {search.growth_share:g}"
        words["grow_from"] = f"grown from the {search.grow_from}"
    usual = SearchSettings()
    return [text for name, text in words.items() if getattr(search, name) != getattr(usual, name)]


def find_opponent(arguments: argparse.Namespace) -> None:
    """Replaces a game in `arguments.agent` by its shipped agent, or, with a note, by one that plays
    any game."""
    text = arguments.agent
    call = split_call(text.strip())
    if call is None or is_run(Path(text)):
        return
    if text in read_agents():
        arguments.agent = f"{AGENT_PREFIX}{text}"
    elif arguments.game is None and is_game(call[0]):
        agents = agents_of(load_game(text))
        if agents:
            arguments.agent = agents[0]
            return
        arguments.agent, arguments.game = _ANYWHERE, text
        display.note(
            f"no agent for {text} is shipped: you play against {_ANYWHERE}, which evaluates by "
            f"random games."
        )
