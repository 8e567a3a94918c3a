"""What may be typed as a player, and who reads it: a method, the network of a run, an agent.

Methods are listed in `methods.py`; another kind of player, as an engine behind a protocol, is an
entry of `PLAYERS` with a reader of its own. The help of commands and the pages take their lists
from here. Imports nothing heavy: what an entry names is imported when it is asked for.
"""

import re
from typing import TYPE_CHECKING, Final

from sog.domain import domains
from sog.parameters import near_name
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.entry import Entry
from sog.players.methods import METHODS, rule_form
from sog.players.overrides import Overridden, read_overrides, split_overrides
from sog.players.runs import load_run, near_run, split_step

if TYPE_CHECKING:
    from sog.players.player import Candidate, Host


def read_network(text: str, host: "Host") -> "Candidate":
    """Of a run or of the package; also says what was probably meant where it is neither."""
    if text.startswith(AGENT_PREFIX) or (text and split_step(text)[0].is_dir()):
        trained = load_run(text)
        for damaged in trained.skipped:
            host.notify(damaged)
        return trained
    from sog.games.registry import GAMES, is_game  # heavy, and for mistakes only

    near = near_run(text) or near_name(text, METHODS)
    if near is not None:
        hint = f"did you mean {near}?"
    elif text in read_agents():
        hint = (
            f"it is a game, which {host.option('game')} {text} says; a trained agent is "
            f"{AGENT_PREFIX}{text}."
        )
    elif text.endswith(".npz"):
        hint = f"of a policy file, policy:{text} plays it and sog policy {text} shows it."
    elif form := rule_form(text):
        hint = f"a rule of CFR is typed {form}."
    elif is_game(text):
        hint = f"it is a game, which {host.option('game')} {text} says."
    elif near := near_name(text, GAMES):
        agent = f" or {AGENT_PREFIX}{near}" if near in read_agents() else ""
        hint = f"did you mean the game {near}{agent}?"
    else:
        forms = ", ".join(entry.form for entry in METHODS.values())
        hint = f"neither a run folder nor one of {forms}."
    raise ValueError(f"{text!r} is no player: {hint}")


_NETWORK: Final = "run"
PLAYERS: Final[dict[str, Entry]] = {
    _NETWORK: Entry(
        form="RUN",
        summary="the folder of a training run: search with its last network",
        reader="sog.players.table:read_network",
        searches=True,
        has_network=True,
    ),
    "step": Entry(
        form="RUN@STEP",
        summary="the same, with the network of a certain step",
        reader="sog.players.table:read_network",
        searches=True,
        has_network=True,
    ),
    "agent": Entry(
        form="agent:NAME",
        summary="the same, with a network that comes with the package, see sog agents",
        reader="sog.players.table:read_network",
        searches=True,
        has_network=True,
    ),
    "policy": Entry(
        form="policy:FILE",
        summary="the policy of a file of sog solve --save, or of a table (FILE.csv)",
        reader="sog.players.policies:read_policy_player",
        plays_a_table=True,
    ),
    **METHODS,
    **{name: entry for domain in domains() for name, entry in domain.players.items()},
}
"""By the word that a text of the kind begins with, before a bracket or a colon. What begins with
none of them is the path of a run."""


def entry_of(text: str) -> Entry:
    """The kind of player that a text names."""
    match = re.match(r"(\w+)\s*(?=$|[(:?])", text)
    return PLAYERS.get(match[1] if match else _NETWORK, PLAYERS[_NETWORK])


def read_player(text: str, host: "Host") -> "Candidate":
    """Who is named by a text; ValueError, in one line, if nobody is."""
    entry, (base, told) = entry_of(text), split_overrides(text)
    if not (told and entry.takes_overrides):
        return entry.read(text, host)
    candidate = entry.read(base, host)
    if not entry.searches:
        raise ValueError(f"{base} cannot be told how to search, as by ?{told}.")
    try:
        return Overridden(candidate=candidate, text=told, changes=read_overrides(told))
    except ValueError as error:
        raise ValueError(f"{base}?{told}: {error}") from None
