"""Everything that can be typed as a player, and its reader: methods, networks of runs, agents.

Methods are listed in `methods.py`; other kinds of players, such as engines behind a protocol, are
entries of `PLAYERS` with readers of their own. Help and pages take their lists from here. Imports
nothing heavy: entries are loaded on use.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sog.domain import with_domains
from sog.parameters import near_name
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.entry import Entry
from sog.players.methods import METHODS, rule_form
from sog.players.runs import load_run, near_run, split_step

if TYPE_CHECKING:
    from sog.players.player import Candidate, Host, SearchChanges


def read_network(text: str, host: "Host") -> "Candidate":
    """Reads a network of a run or of the package; otherwise raises ValueError with a suggestion."""
    if text.startswith(AGENT_PREFIX) or (text and split_step(text)[0].is_dir()):
        trained = load_run(text)
        for damaged in trained.skipped:
            host.notify(damaged)
        return trained
    from sog.games.registry import GAMES, is_game  # heavy, and for errors only

    near = near_run(text) or near_name(text, METHODS)
    if near is not None:
        hint = f"did you mean {near}?"
    elif text in read_agents():
        hint = (
            f"it is a game, which {host.option('game')} {text} sets; a trained agent is "
            f"{AGENT_PREFIX}{text}."
        )
    elif text.endswith(".npz"):
        hint = f"policy:{text} plays a policy file, sog policy {text} shows it."
    elif form := rule_form(text):
        hint = f"a rule of CFR is typed {form}."
    elif is_game(text):
        hint = f"it is a game, which {host.option('game')} {text} sets."
    elif near := near_name(text, GAMES):
        agent = f" or {AGENT_PREFIX}{near}" if near in read_agents() else ""
        hint = f"did you mean the game {near}{agent}?"
    else:
        forms = ", ".join(entry.form for entry in METHODS.values())
        hint = f"neither a run folder nor one of {forms}."
    raise ValueError(f"{text!r} is not a player: {hint}")


_NETWORK: Final = "run"
_SEARCH: Final = "search"
_SHIPPED: Final = "with a network shipped with the package, see sog agents"
_CORE: Final = {
    **{
        name: Entry(
            form=form,
            summary=summary,
            reader="sog.players.table:read_network",
            searches=True,
            has_network=True,
        )
        for name, form, summary in (
            (_NETWORK, "RUN", "the folder of a training run: search with its last network"),
            ("step", "RUN@STEP", "the same, with the network of another step"),
            ("agent", "agent:NAME", f"the same, {_SHIPPED}"),
        )
    },
    "policy": Entry(
        form="policy:FILE",
        summary="the policy of a file of sog solve --save or of a table (FILE.csv)",
        reader="sog.players.policies:read_policy_player",
        plays_a_table=True,
    ),
    **METHODS,
}
PLAYERS: Final[dict[str, Entry]] = with_domains(_CORE, "players")
"""By the first word of a text, before a bracket or a colon. Any other text is the path of a run."""


def entry_of(text: str) -> Entry:
    """The kind of player of a text."""
    match = re.match(r"(\w+)\s*(?=$|[(:?])", text)
    return PLAYERS.get(match[1] if match else _NETWORK, PLAYERS[_NETWORK])


def read_player(text: str, host: "Host") -> "tuple[Candidate, SearchChanges]":
    """Reads the text of a player, and the search settings after it. Raises ValueError, in one line.

    Settings, as in `runs/leduc?search=200,1&c_puct=2`, take precedence over those of all players,
    so players of a tournament can differ.
    """
    entry, (base, overrides) = entry_of(text), split_overrides(text)
    if not (overrides and entry.takes_overrides):
        return entry.read(text, host), {}
    candidate = entry.read(base, host)
    if not entry.searches:
        raise ValueError(f"{base} has no search settings to change by ?{overrides}.")
    try:
        return candidate, _read_overrides(overrides)
    except ValueError as error:
        raise ValueError(f"{base}?{overrides}: {error}") from None


def split_overrides(text: str) -> tuple[str, str]:
    """Splits "PLAYER?name=value&name=value" into player and overrides; "" if there are none."""
    match = re.fullmatch(r"([^?]+)\?([^?]*=[^?]*)", text.strip(), re.DOTALL)
    if match is None or Path(text).exists():
        return text, ""
    return match[1].strip(), match[2].strip()


def _read_overrides(text: str) -> "SearchChanges":
    """Reads changes of a search from "search=200,1&name=value". Raises ValueError."""
    from selfplay.runs.config import read_changes_of  # heavy, as all below
    from sog.players.searching import read_simulations

    changes: dict[str, Any] = {}
    for part in text.split("&"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise ValueError(f"write settings as name=value, got {part!r}.")
        read = (
            read_simulations(value)
            if name == _SEARCH
            else read_changes_of(_SEARCH, [f"{_SEARCH}.{name}={value}"])
        )
        for twice in changes.keys() & read.keys():
            raise ValueError(f"{twice} is given twice.")
        changes |= read
    return changes
