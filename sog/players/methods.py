"""The methods that may be typed as players, by name.

Those of domains are among them (`sog.domain`). Imports nothing heavy: what an entry names is
imported when it is asked for.
"""

import re
from typing import TYPE_CHECKING, Final

from sog.domain import domains, load_part
from sog.parameters import read_parameters, split_call, unknown_name
from sog.players.entry import Entry

if TYPE_CHECKING:
    from sog.players.method import Method
    from sog.players.player import Host


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


def read_method(text: str, host: "Host") -> "Method":
    """The same as a reader of `Entry`; a method is ready before it knows its host."""
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
    """How a rule of CFR is typed as a method; None where it is none."""
    from sog.tabular.cfr import RULES  # heavy, and for mistakes only

    return f"tabular(rule={name.lower()})" if name.lower() in RULES else None


METHODS: Final[dict[str, Entry]] = {
    "zero": Entry(
        method="sog.players.leaf_search:Zero",
        form="zero",
        summary="search whose leaves are worth nothing: from the rules alone",
        searches=True,
    ),
    "uniform": Entry(
        method="sog.players.leaf_search:Uniform",
        form="uniform",
        summary="search whose leaves have the exact worth of random play; for games small enough",
        searches=True,
    ),
    "exact": Entry(
        method="sog.players.leaf_search:Exact",
        form="exact",
        summary="search whose leaves are solved by CFR; for games small enough to enumerate",
        searches=True,
    ),
    "rollout": Entry(
        method="sog.players.leaf_search:Rollout",
        form="rollout",
        summary="search whose leaves are worth the mean of random games from there on",
        searches=True,
    ),
    "tabular": Entry(
        method="sog.players.simple:Tabular",
        form="tabular",
        summary="no search: the average policy of CFR over the whole game",
        plays_a_table=True,
    ),
    "ismcts": Entry(
        method="sog.baselines.online.is_mcts:IsMcts",
        form="ismcts:N",
        summary="information set Monte Carlo tree search, N simulations per move",
    ),
    "oos": Entry(
        method="sog.baselines.online.online_outcome_sampling:OnlineOutcomeSampling",
        form="oos:N",
        summary="online outcome sampling: sound Monte Carlo search, N simulations per move",
    ),
    "uct": Entry(
        method="sog.players.simple:Uct",
        form="uct:N",
        summary="UCT of N simulations with random rollouts; perfect information, needs OpenSpiel",
    ),
    "outcome_sampling": Entry(
        method="sog.baselines.learners.outcome_sampling:OutcomeSampling",
        form="outcome_sampling:N",
        summary="Monte Carlo CFR from single sampled games, N iterations before the first game",
        learns=True,
    ),
    "external_sampling": Entry(
        method="sog.baselines.learners.external_sampling:ExternalSampling",
        form="external_sampling:N",
        summary="Monte Carlo CFR with all actions of a player, N iterations before the first game",
        learns=True,
    ),
    "extensive_uct": Entry(
        method="sog.baselines.learners.smooth_uct:ExtensiveUct",
        form="extensive_uct:N",
        summary="UCT over infostates in self-play, N iterations before the first game",
        learns=True,
    ),
    "smooth_uct": Entry(
        method="sog.baselines.learners.smooth_uct:SmoothUct",
        form="smooth_uct:N",
        summary="extensive_uct mixed with the average policy, N iterations before the first game",
        learns=True,
    ),
    "sm_mcts": Entry(
        method="sog.baselines.simultaneous.learner:SimultaneousMcts",
        form="sm_mcts:N",
        summary="tree search for simultaneous moves, N iterations before the first game",
        learns=True,
    ),
    "q_learning": Entry(
        method="sog.baselines.learners.q_learning:QLearning",
        form="q_learning:N",
        summary="tabular Q-learning in self-play, N games before the first one; no equilibrium",
        learns=True,
    ),
    "dqn": Entry(
        method="sog.baselines.learners.dqn:Dqn",
        form="dqn:N",
        summary="deep Q-learning in self-play, N times 8 games before the first one; the same",
        learns=True,
    ),
    "a2c": Entry(
        method="sog.baselines.learners.a2c:A2c",
        form="a2c:N",
        summary="advantage actor-critic in self-play, N times 16 games before the first one",
        learns=True,
    ),
    "backward_induction": Entry(
        method="sog.baselines.simultaneous.backward_induction:BackwardInduction",
        form="backward_induction",
        summary="exact, from the end of a game of simultaneous moves; by default DO-alpha-beta",
        solves=True,
    ),
    "sm_search": Entry(
        method="sog.baselines.simultaneous.search:SimultaneousSearch",
        form="sm_search:N",
        summary="tree search for simultaneous moves in Goofspiel of any size, N simulations a move",
    ),
    "perfect": Entry(
        method="sog.baselines.perfect:Perfect",
        form="perfect",
        summary="perfect play where nothing is hidden; for small games, and Hex up to 5 x 5",
    ),
    "always_call": Entry(
        method="sog.holdem.bots.bots:AlwaysCall",
        form="always_call",
        summary="in games of betting: calls any bet and makes none",
    ),
    "always_raise": Entry(
        method="sog.holdem.bots.bots:AlwaysRaise",
        form="always_raise",
        summary="in games of betting: raises while it may, by the smallest size; size=largest",
    ),
    "always_fold": Entry(
        method="sog.holdem.bots.bots:AlwaysFold",
        form="always_fold",
        summary="in games of betting: folds to any bet, else checks",
    ),
    "equity": Entry(
        method="sog.holdem.bots.bots:Equity",
        form="equity",
        summary="in games of betting: by equity against any hand, and the odds of the pot",
    ),
    "lbr": Entry(
        method="sog.holdem.bots.local_best_response:LocalBestResponse",
        form="lbr",
        summary="local best response: sees how the other plays, to tell how exploitable he is",
    ),
    "random": Entry(
        method="sog.players.simple:Random",
        form="random",
        summary="every legal action equally likely",
    ),
}
"""In the order of the help, those of domains at the end."""
for _domain in domains():
    METHODS.update((n, entry) for n, entry in _domain.players.items() if entry.method)
