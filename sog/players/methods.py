"""The methods that can be typed as players, by name.

Includes those of domains (`sog.domain`). Imports nothing heavy: entries are loaded on use.
"""

import re
from typing import TYPE_CHECKING, Final

from sog.domain import load_part, with_domains
from sog.parameters import read_parameters, split_call, unknown_name
from sog.players.entry import Entry

if TYPE_CHECKING:
    from sog.players.method import Method
    from sog.players.player import Host


def make_method(text: str) -> "Method":
    """Reads a method from `NAME(key=value,...):BUDGET`, as `str(method)` prints it.

    Brackets and budget are optional. Raises ValueError that names the method, the parameter, the
    value and the rule.
    """
    text = text.strip()
    before, colon, budget = text.rpartition(":")
    call = split_call(before.rstrip() if colon else text)
    if call is None:
        if name := re.split(r"[(:]", text)[0].strip():
            method_class(name)  # whose message has a suggestion
        raise ValueError(
            f"a method must look like 'name', 'name:budget' or 'name(key=value,...):budget', "
            f"got {text!r}."
        )
    name, arguments = call
    cls = method_class(name)
    if colon:
        arguments += f",budget={budget}"
    return cls(**read_parameters(cls, name, arguments))


def read_method(text: str, host: "Host") -> "Method":
    """The same as a reader of `Entry`."""
    return make_method(text)


def method_class(name: str) -> "type[Method]":
    """The class of a method; ValueError for a name that is not in `METHODS`."""
    if name not in METHODS:
        form = rule_form(name)
        meant = form and f"unknown method {name!r}: a rule of CFR is typed {form}."
        raise ValueError(meant or unknown_name("method", name, METHODS))
    found: type[Method] = load_part(METHODS[name].method)
    return found


def rule_form(name: str) -> str | None:
    """The text of a CFR rule as a method; None if it is not a rule."""
    from sog.tabular.rules import RULES  # heavy, and for errors only

    return f"tabular(rule={name.lower()})" if name.lower() in RULES else None


_CORE: Final = {
    "zero": Entry(
        method="sog.players.leaf_search:Zero",
        form="zero",
        summary="search with leaf values of 0: from the rules alone",
        searches=True,
    ),
    "uniform": Entry(
        method="sog.players.leaf_search:Uniform",
        form="uniform",
        summary="search with exact values of random play at leaves; for small games",
        searches=True,
    ),
    "exact": Entry(
        method="sog.players.leaf_search:Exact",
        form="exact",
        summary="search with leaves solved by CFR; for games small enough to enumerate",
        searches=True,
    ),
    "rollout": Entry(
        method="sog.players.leaf_search:Rollout",
        form="rollout",
        summary="search with the mean of random games at leaves",
        searches=True,
    ),
    "tabular": Entry(
        method="sog.players.simple:Tabular",
        form="tabular",
        summary="no search: the average policy of CFR over the whole game",
        plays_a_table=True,
    ),
    "random": Entry(
        method="sog.players.simple:Random",
        form="random",
        summary="every legal action equally likely",
    ),
    "cdbr": Entry(
        method="sog.players.cdbr:DepthLimitedResponse",
        form="cdbr",
        summary="best response by search: sees the other's policy, to bound its exploitability",
    ),
}
METHODS: Final[dict[str, Entry]] = {
    name: entry for name, entry in with_domains(_CORE, "players").items() if entry.method
}
"""In the order of the help, those of domains at the end."""
