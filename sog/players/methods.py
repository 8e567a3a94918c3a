"""The methods that may be typed as players, by name.

To add one, write it in a file of `sog.methods` and add its entry to `METHODS`. Imports nothing
heavy: what an entry names is imported when it is asked for.
"""

import dataclasses
import importlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sog.parameters import read_parameters, split_call, unknown_name

if TYPE_CHECKING:
    from sog.players.method import Method
    from sog.players.player import Candidate, Host


def make_method(text: str) -> "Method":
    """A method from `NAME(key=value,...):BUDGET`, as `str(method)` prints it.

    Brackets and budget may be left out. Raises ValueError that names the method, the parameter, the
    value and the rule.
    """
    text = text.strip()
    before, colon, budget = text.rpartition(":")
    call = split_call(before.rstrip() if colon else text)
    if call is None:
        if name := re.split(r"[(:]", text)[0].strip():
            method_class(name)  # which knows what was probably meant
        raise ValueError(
            f"a method must look like 'name', 'name:budget' or 'name(key=value,...):budget', "
            f"got {text!r}."
        )
    name, arguments = call
    cls = method_class(name)
    if colon:
        arguments += f",budget={budget}"
    return cls(**read_parameters(cls, name, arguments))


def method_class(name: str) -> "type[Method]":
    """The class of a method; ValueError for a name that is not in `METHODS`."""
    if name not in METHODS:
        form = rule_form(name)
        meant = form and f"unknown method {name!r}: a rule of CFR is typed {form}."
        raise ValueError(meant or unknown_name("method", name, METHODS))
    entry = METHODS[name]
    found: type[Method] = getattr(importlib.import_module(entry.module), entry.attribute)
    return found


def rule_form(name: str) -> str | None:
    """How a rule of CFR is typed as a method; None where it is none."""
    from sog.tabular.cfr import RULES  # heavy, and for mistakes only

    return f"tabular(rule={name.lower()})" if name.lower() in RULES else None


def _read_method(text: str, host: "Host") -> "Candidate":
    return make_method(text)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A kind of player."""

    form: str
    """How a user types it."""
    summary: str
    """One line of help."""
    read: "Callable[[str, Host], Candidate]" = _read_method
    """Who reads a text of this kind; ValueError, in one line, for one that names nobody."""
    module: str = ""
    """Of a method: where its class is."""
    attribute: str = ""
    """Of a method: the name of the class."""
    searches: bool = False
    """Whether it is the search of this project, which can be told how to search."""
    learns: bool = False
    """Whether it learns a policy of the whole game by sampling, a `LearningMethod`."""
    solves: bool = False
    """Whether it finds the exact value, in one go."""
    plays_a_table: bool = False
    """Whether it plays a policy of the whole game that was there or found otherwise."""
    has_network: bool = False
    """Whether a network plays, which may also play variants of the game that it was trained on."""
    reads_told: bool = True
    """Whether "?name=value" behind it is about the search, and not for its own reader."""

    @property
    def judges(self) -> bool:
        """Whether its agents know what actions are worth: by a search, or of a whole policy."""
        return self.searches or self.learns or self.solves or self.plays_a_table


METHODS: Final[dict[str, Entry]] = {
    "zero": Entry(
        module="sog.methods.leaf_search",
        attribute="Zero",
        form="zero",
        summary="search whose leaves are worth nothing: from the rules alone",
        searches=True,
    ),
    "uniform": Entry(
        module="sog.methods.leaf_search",
        attribute="Uniform",
        form="uniform",
        summary="search whose leaves have the exact worth of random play; for games small enough",
        searches=True,
    ),
    "exact": Entry(
        module="sog.methods.leaf_search",
        attribute="Exact",
        form="exact",
        summary="search whose leaves are solved by CFR; for games small enough to enumerate",
        searches=True,
    ),
    "rollout": Entry(
        module="sog.methods.leaf_search",
        attribute="Rollout",
        form="rollout",
        summary="search whose leaves are worth the mean of random games from there on",
        searches=True,
    ),
    "tabular": Entry(
        module="sog.methods.simple",
        attribute="Tabular",
        form="tabular",
        summary="no search: the average policy of CFR over the whole game",
        plays_a_table=True,
    ),
    "ismcts": Entry(
        module="sog.methods.online.is_mcts",
        attribute="IsMcts",
        form="ismcts:N",
        summary="information set Monte Carlo tree search, N simulations per move",
    ),
    "oos": Entry(
        module="sog.methods.online.online_outcome_sampling",
        attribute="OnlineOutcomeSampling",
        form="oos:N",
        summary="online outcome sampling: sound Monte Carlo search, N simulations per move",
    ),
    "pimbot": Entry(
        module="sog.scotland_yard.pimbot",
        attribute="PimBot",
        form="pimbot:N",
        summary="determinized tree search for Scotland Yard, N simulations per move",
    ),
    "uct": Entry(
        module="sog.methods.simple",
        attribute="Uct",
        form="uct:N",
        summary="UCT of N simulations with random rollouts; perfect information, needs OpenSpiel",
    ),
    "outcome_sampling": Entry(
        module="sog.methods.learners.outcome_sampling",
        attribute="OutcomeSampling",
        form="outcome_sampling:N",
        summary="Monte Carlo CFR from single sampled games, N iterations before the first game",
        learns=True,
    ),
    "external_sampling": Entry(
        module="sog.methods.learners.external_sampling",
        attribute="ExternalSampling",
        form="external_sampling:N",
        summary="Monte Carlo CFR with all actions of a player, N iterations before the first game",
        learns=True,
    ),
    "extensive_uct": Entry(
        module="sog.methods.learners.smooth_uct",
        attribute="ExtensiveUct",
        form="extensive_uct:N",
        summary="UCT over infostates in self-play, N iterations before the first game",
        learns=True,
    ),
    "smooth_uct": Entry(
        module="sog.methods.learners.smooth_uct",
        attribute="SmoothUct",
        form="smooth_uct:N",
        summary="extensive_uct mixed with the average policy, N iterations before the first game",
        learns=True,
    ),
    "sm_mcts": Entry(
        module="sog.methods.simultaneous.learner",
        attribute="SimultaneousMcts",
        form="sm_mcts:N",
        summary="tree search for simultaneous moves, N iterations before the first game",
        learns=True,
    ),
    "q_learning": Entry(
        module="sog.methods.learners.q_learning",
        attribute="QLearning",
        form="q_learning:N",
        summary="tabular Q-learning in self-play, N games before the first one; no equilibrium",
        learns=True,
    ),
    "dqn": Entry(
        module="sog.methods.learners.dqn",
        attribute="Dqn",
        form="dqn:N",
        summary="deep Q-learning in self-play, N times 8 games before the first one; the same",
        learns=True,
    ),
    "a2c": Entry(
        module="sog.methods.learners.a2c",
        attribute="A2c",
        form="a2c:N",
        summary="advantage actor-critic in self-play, N times 16 games before the first one",
        learns=True,
    ),
    "backward_induction": Entry(
        module="sog.methods.simultaneous.backward_induction",
        attribute="BackwardInduction",
        form="backward_induction",
        summary="exact, from the end of a game of simultaneous moves; by default DO-alpha-beta",
        solves=True,
    ),
    "sm_search": Entry(
        module="sog.methods.simultaneous.search",
        attribute="SimultaneousSearch",
        form="sm_search:N",
        summary="tree search for simultaneous moves in Goofspiel of any size, N simulations a move",
    ),
    "perfect": Entry(
        module="sog.methods.perfect",
        attribute="Perfect",
        form="perfect",
        summary="perfect play where nothing is hidden; for small games, and Hex up to 5 x 5",
    ),
    "always_call": Entry(
        module="sog.methods.poker.bots",
        attribute="AlwaysCall",
        form="always_call",
        summary="in games of betting: calls any bet and makes none",
    ),
    "always_raise": Entry(
        module="sog.methods.poker.bots",
        attribute="AlwaysRaise",
        form="always_raise",
        summary="in games of betting: raises while it may, by the smallest size; size=largest",
    ),
    "always_fold": Entry(
        module="sog.methods.poker.bots",
        attribute="AlwaysFold",
        form="always_fold",
        summary="in games of betting: folds to any bet, else checks",
    ),
    "equity": Entry(
        module="sog.methods.poker.bots",
        attribute="Equity",
        form="equity",
        summary="in games of betting: by equity against any hand, and the odds of the pot",
    ),
    "lbr": Entry(
        module="sog.methods.poker.local_best_response",
        attribute="LocalBestResponse",
        form="lbr",
        summary="local best response: sees how the other plays, to tell how exploitable he is",
    ),
    "random": Entry(
        module="sog.methods.simple",
        attribute="Random",
        form="random",
        summary="every legal action equally likely",
    ),
}
"""In the order of the help."""
