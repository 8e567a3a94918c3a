"""The settings of a search, SoG(s, c), checked on construction."""

import dataclasses
import math
from typing import Final

from sog.parameters import check_fields
from sog.tabular.rules import RULES, Rule, most_iterations

DEEPEST: Final = "deepest"
REPLY: Final = "reply"
FIRST_CHILD: Final = "first_child"
RESOLVE_FROM: Final = (DEEPEST, REPLY, FIRST_CHILD)
"""Where a re-solve may start, see `gtcfr.resolving`."""
SEARCHED: Final = "searched"
RESOLVE_ROOT: Final = "root"
GROW_FROM: Final = (SEARCHED, RESOLVE_ROOT)
"""Where simulations may start."""
WHOLE_GAME: Final = 2**30 + 1
"""An unlimited `lookahead`: the tree holds the rest of the game before the first update."""
_MOST_UPDATES: Final = 2_000_000_000  # 32-bit counters
_ROUNDING: Final = 1e-9  # 1 / 0.1 and the like must not round up past the intended integer


@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """A search SoG(s, c): s simulations, c of them per regret update phase. Hashable.

    There are s / ceil(c) iterations, each of ceil(1 / c) CFR updates and ceil(c) simulations. So
    SoG(100, 1) is 100 times (1 update, 1 simulation), SoG(8000, 10) is 800 times (1 update, 10
    simulations), SoG(10, 0.01) is 10 times (100 updates, 1 simulation). With a `growth_share`
    below 1 there are as many of both, and the simulations come first.
    """

    num_simulations: int = 100
    """s: simulations of a search."""
    simulations_per_update: float = 1.0
    """c: simulations per regret update; below 1, there are 1 / c updates per simulation."""
    growth_share: float = 1.0
    """Share of the updates in which the tree grows, by more simulations in each; in the others it
    stays as it is. Nodes that join late are part of few updates. The paper's is 1."""
    rule: str | Rule = "sog"
    """How regrets and averages are updated, see `sog.tabular.RULES`."""
    c_puct: float = 1.25
    """The exploration constant of PUCT."""
    prior_temperature: float = 1.0
    """Divides the evaluator's logits."""
    leaf_averaging: float = 0.0
    """Share of the search's average ranges so far in the ranges of leaf queries; the rest are those
    of the update. The paper's is 0."""
    leaf_smoothing: float = 0.0
    """Share of a leaf's values so far in its values; the rest are those of this evaluation. Exact
    values jump where ranges change a little, from one equilibrium of the leaf to another. The
    paper's is 0."""
    leaf_interval: int = 1
    """Passes over the tree per evaluation of the leaves, from the first of a phase on; other passes
    reuse the last answers. A phase is ceil(1 / c) updates, and all those after the last simulation;
    an update is one pass, or two with an alternating rule. The paper's is 1."""
    num_queries: int = 0
    """The number of leaf queries that a search returns, drawn at random from all of them."""

    # Which public states a tree holds, see `gtcfr.shape`.
    lookahead: int = 1
    """Levels below the searched state that the tree holds from the start: all states of them, or
    where states get their children one by one (see `num_children`) only the first child of each
    state beyond the first level."""
    grow_from: str = SEARCHED
    """Where simulations start: at the `searched` state (the paper), or at the `root` of a re-solve.
    From the root, the tree holds all states of the searched one's level and above from the start
    (4096 at most, unless `capacity` says otherwise). With equal keys, searches of states of one
    level then solve the same tree. That is better with many updates and worse with few: a leaf
    beside the path knows more than a node whose regrets are young, but its values jump."""
    grow: bool = True
    """False: no simulations; the tree stays as `lookahead` builds it."""
    num_children: int | None = None
    """k: children that an expansion adds, the best by the prior; all of them if k is at least the
    game's number of actions. None: 1 with perfect information (unless there are no simulations to
    add the others, or chance outcomes come one by one), otherwise all, as games with hidden
    information need."""
    max_actions: int | None = None
    """Actions of a state that are considered, the best by the prior; None for the game's default
    (`Game.num_searched_actions`), which is all of them with hidden information. Trees have entries
    for these only, so games with thousands of actions fit into memory."""
    max_outcomes: int | None = None
    """Chance nodes with more outcomes than this keep a sample of this size; at least the game's
    `least_outcomes`. None for the game's default (`Game.num_searched_outcomes`), which is all of
    them where they fit."""
    spread_outcomes: bool = False
    """Systematic sampling of chance outcomes, over the game's order of them
    (`Game.outcomes_in_order`): every L / n-th of L from a random start, where n are kept. Each is
    as likely to be kept as in a plain sample; where neighbors are similar, the node's value varies
    less from sample to sample."""
    widest_chance: int | None = None
    """Simulations do not expand chance nodes with more outcomes than this: below the searched state
    they stay leaves, which the evaluator values, as DeepStack's network does before the flop.
    Better where sampling noise exceeds the evaluator's error. Re-solves that could start at such a
    state start after it, see `gtcfr.resolving`. None to expand all."""

    # How many slots its tables have, see `gtcfr.shape`.
    capacity: int | None = None
    """Public states that a tree has room for; None for as many as it can hold if at most every
    second simulation reaches a chance node. Below the searched state it has room for 16 levels plus
    twice the square root of the number of simulations. A result says if that was too little."""
    kept_simulations: int = 0
    """Simulations of earlier searches whose nodes the tree has room for, see `gtcfr.tree_reuse`.
    Agents then reuse their trees from move to move; for perfect information."""
    chunk_size: int | None = None
    """Nodes that are processed as one array operation; affects speed and memory only. None for the
    result of `chunk_size_of`, or fewer in trees that may be deep."""

    # How the next search of a player's chain starts from the last one's results.
    resolve_from: str = FIRST_CHILD
    """Where a re-solve starts on the path from the last search: always at the `first_child`, right
    after its move; before the opponent's `reply` to its move, or after chance if that came later;
    or at the `deepest` state that its tree holds (the paper). See `gtcfr.resolving`."""
    alpha: float = 0.5
    """Share of the gadget's range in the opponent's root range; the rest is its last range."""
    safe: bool = True
    """False: re-solves have no gadget and trust the last ranges, to measure what that costs."""
    search_everywhere: bool = False
    """A player's chain also searches where the opponent moves, as the paper's agent does."""

    def __post_init__(self) -> None:
        check_fields(self, "an integer >= 1", "num_simulations", "leaf_interval")
        check_fields(self, "an integer >= 0", "num_queries")
        check_fields(self, "an integer >= 1", "lookahead", "num_children", "max_actions")
        check_fields(self, "an integer >= 1", "max_outcomes", "widest_chance")
        check_fields(self, "an integer >= 0", "kept_simulations")
        check_fields(self, "an integer >= 1", "capacity", "chunk_size")
        check_fields(self, "in [0, 1]", "alpha", "leaf_averaging")
        check_fields(self, "in [0, 1)", "leaf_smoothing")
        check_fields(self, "in (0, 1]", "growth_share")
        check_fields(self, "> 0 and finite", "simulations_per_update", "prior_temperature")
        check_fields(self, ">= 0 and finite", "c_puct")
        for name, known in (("resolve_from", RESOLVE_FROM), ("grow_from", GROW_FROM)):
            value = getattr(self, name)
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}.")
        # 1 / c may be too large for an integer.
        updates = self.num_simulations * max(1 / self.simulations_per_update, 1)
        if updates > _MOST_UPDATES:
            raise ValueError(
                f"num_simulations and the updates must be at most {_MOST_UPDATES}, "
                f"got {updates:g} updates."
            )
        least = math.ceil(self.simulations_per_update)
        if self.num_simulations % least:
            raise ValueError(
                f"num_simulations must be a multiple of ceil(simulations_per_update) = "
                f"{least}, got {self.num_simulations}."
            )
        if isinstance(self.rule, str) and self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}.")
        if self.kept_simulations and self.cfr_rule.is_planned:
            raise ValueError(
                f"kept_simulations must be 0 with rule {self.rule}, whose averages are planned for "
                f"one search, got {self.kept_simulations}."
            )
        most = most_iterations(self.cfr_rule, "float32")
        if self.num_updates > most:
            raise ValueError(
                f"rule {self.rule} must make at most {most} updates, whose weights 32 bits can sum "
                f"up, got {self.num_updates}."
            )

    @property
    def simulations_per_phase(self) -> int:
        """ceil(c) while the tree grows through all updates; otherwise, of the multiples of that
        which divide s, the one nearest to what the share wants."""
        step, wanted = math.ceil(self.simulations_per_update), self._simulations_per_growing_update
        most = self.num_simulations // step
        small = [part for part in range(1, math.isqrt(most) + 1) if most % part == 0]
        counts = [step * part for part in (*small, *(most // part for part in reversed(small)))]
        return min(counts, key=lambda count: abs(math.log(count / wanted)))

    @property
    def updates_per_phase(self) -> int:
        """ceil(1 / c), or fewer if the tree grows earlier."""
        return math.ceil(1 / self._simulations_per_growing_update - _ROUNDING)

    @property
    def num_phases(self) -> int:
        """Regret update phases that an expansion phase follows."""
        return self.num_simulations // self.simulations_per_phase

    @property
    def num_updates(self) -> int:
        """CFR updates in all: s / ceil(c) ceil(1 / c)."""
        phases = self.num_simulations // math.ceil(self.simulations_per_update)
        return phases * math.ceil(1 / self.simulations_per_update - _ROUNDING)

    @property
    def num_final_updates(self) -> int:
        """CFR updates after the last expansion phase."""
        return self.num_updates - self.num_phases * self.updates_per_phase

    @property
    def _simulations_per_growing_update(self) -> float:
        return min(self.simulations_per_update / self.growth_share, self.num_simulations)

    @property
    def grows_from_root(self) -> bool:
        """Whether simulations start at the root."""
        return self.grow_from == RESOLVE_ROOT

    @property
    def num_searchers(self) -> int:
        """Players whose chains search at a decision: the acting player, or both."""
        return 2 if self.search_everywhere else 1

    @property
    def cfr_rule(self) -> Rule:
        """The rule itself."""
        return RULES[self.rule] if isinstance(self.rule, str) else self.rule
