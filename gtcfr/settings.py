"""What a search is told to do: SoG(s, c) and its knobs, checked when they are made."""

import dataclasses
import math
from typing import Any, Final

from gtcfr.layout import Layout, layout_of
from gtcfr.mesh import is_accelerated
from gtcfr.tree import TreeShape
from sog.games.core import Game
from sog.tabular.cfr import RULES, Rule

DEEPEST: Final = "deepest"
REPLY: Final = "reply"
FIRST_CHILD: Final = "first_child"
RESOLVE_FROM: Final = (DEEPEST, REPLY, FIRST_CHILD)
"""Where a re-solve can start, see `gtcfr.resolving`."""
WHOLE_GAME: Final = 2**30 + 1
"""A `lookahead` without end: the tree holds the rest of the game before the first update."""
_CHUNK_SIZE: Final = 4
_CHUNK_SIZE_OF_AN_ACCELERATOR: Final = 16
_SMALL_NODE: Final = 1024  # entries [A, S]; more are array operation enough by themselves
_MOST_EMPTY: Final = 2**15  # entries [A, S] of slots that deep trees leave empty in their chunks
_LEAST_DEPTH: Final = 16
_COUNTS: Final = (
    *("num_children", "max_actions", "max_outcomes", "first_outcomes", "capacity", "chunk_size"),
)
_MOST_UPDATES: Final = 2_000_000_000  # they are counted in 32 bits


@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """A search SoG(s, c): s simulations, c of them per regret update phase. Hashable.

    There are s / ceil(c) iterations, each of ceil(1 / c) CFR updates and ceil(c) simulations. So
    SoG(100, 1) is 100 times (1 update, 1 simulation), SoG(8000, 10) is 800 times (1 update, 10
    simulations), SoG(10, 0.01) is 10 times (100 updates, 1 simulation).
    """

    num_simulations: int = 100
    """s: simulations of a search."""
    simulations_per_update: float = 1.0
    """c: simulations per regret update; below 1, there are 1 / c updates per simulation."""
    num_children: int | None = None
    """k: children that an expansion adds, the best by the prior; from the game's number of actions
    on, all of them. None for 1 where information is perfect (but where there are no simulations to
    add others, or outcomes of chance come one by one), and else for all, which games with hidden
    information need."""
    max_actions: int | None = None
    """Actions of a state that are considered, the best by the prior; None for all of them, which
    games with hidden information need. A tree keeps numbers of these only, so where there are
    thousands this is what makes a search fit."""
    c_puct: float = 1.25
    """How much PUCT explores."""
    prior_temperature: float = 1.0
    """The evaluator's logits are divided by it."""
    virtual_loss: float = 1.0
    """How many lost visits a simulation counts as while others of its phase run."""
    alpha: float = 0.5
    """Share of the gadget's range in the opponent's root range; the rest is his last range."""
    resolve_from: str = FIRST_CHILD
    """Where a re-solve starts on the way from the last search: always at the `first_child`, right
    after its move; before the opponent's `reply` to its move, or after chance if that came later;
    or at the `deepest` state that its tree holds (the paper). See `gtcfr.resolving`."""
    leaf_averaging: float = 0.0
    """Share of the players' average ranges of the search so far in the ranges that leaves are asked
    about; the rest are those of the update. The paper's is 0."""
    rule: str | Rule = "sog"
    """How regrets and averages are updated, see `sog.tabular.RULES`."""
    lookahead: int = 1
    """Public events below the root that the tree holds from the start."""
    grow: bool = True
    """False: no simulations, the tree stays what `lookahead` makes it."""
    max_outcomes: int | None = None
    """Chance nodes with more outcomes than this keep a sample of so many; at least what
    `least_outcomes` says of the game."""
    first_outcomes: int | None = None
    """Outcomes that a chance node begins with where it has more. Simulations that come to it add
    others, one each, while it has fewer than these plus the square root of the visits, up to
    `max_outcomes` (progressive widening). On the way of a re-solve, where none come, it has those
    from the start. None for all of them at once. What a node that grows so is worth is right on
    average only if visits do not depend on the sample: a choice that a bad sample speaks against is
    visited less, and the sample stays as it is, so gambles are worth too little."""
    capacity: int | None = None
    """Public states that a tree has room for; None for as many as the simulations can add, if at
    most every second of them comes to a chance node. Below the state that is searched it has room
    for as many levels as a tree of so many simulations comes to, 16 and twice their square root. A
    result says if that was too little."""
    kept_simulations: int = 0
    """Simulations of earlier searches whose nodes the tree has room for, see `gtcfr.keeping`."""
    num_queries: int = 0
    """How many of its leaf queries a search returns, drawn at random from all of them."""
    chunk_size: int | None = None
    """Nodes that are processed as one array operation; for speed and memory only. None for what
    `chunk_size_of` says, or fewer in trees that may be deep."""

    def __post_init__(self) -> None:
        for name in ("num_simulations", "lookahead"):
            _at_least(name, getattr(self, name), 1)
        for name in _COUNTS:
            if getattr(self, name) is not None:
                _at_least(name, getattr(self, name), 1)
        for name in ("kept_simulations", "num_queries"):
            _at_least(name, getattr(self, name), 0)
        for name in ("simulations_per_update", "prior_temperature"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} must be > 0 and finite, got {value}.")
        for name in ("c_puct", "virtual_loss"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be >= 0 and finite, got {value}.")
        for name in ("alpha", "leaf_averaging"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)}.")
        # 1 / c may be too large for an integer.
        updates = self.num_simulations * max(1 / self.simulations_per_update, 1)
        if updates > _MOST_UPDATES:
            raise ValueError(
                f"num_simulations and the updates must be at most {_MOST_UPDATES}, "
                f"got {updates:g} updates."
            )
        if self.num_simulations % self.simulations_per_phase:
            raise ValueError(
                f"num_simulations must be a multiple of ceil(simulations_per_update) = "
                f"{self.simulations_per_phase}, got {self.num_simulations}."
            )
        if self.resolve_from not in RESOLVE_FROM:
            raise ValueError(
                f"resolve_from must be one of {', '.join(RESOLVE_FROM)}, got {self.resolve_from!r}."
            )
        if isinstance(self.rule, str) and self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}.")

    @property
    def simulations_per_phase(self) -> int:
        """ceil(c)."""
        return math.ceil(self.simulations_per_update)

    @property
    def updates_per_phase(self) -> int:
        """ceil(1 / c)."""
        # 1 / 0.1 and the like must not be rounded up past the whole number that is meant.
        return math.ceil(1 / self.simulations_per_update - 1e-9)

    @property
    def num_phases(self) -> int:
        """s / ceil(c)."""
        return self.num_simulations // self.simulations_per_phase

    @property
    def num_updates(self) -> int:
        """CFR updates in all."""
        return self.num_phases * self.updates_per_phase

    @property
    def cfr_rule(self) -> Rule:
        """The rule itself."""
        return RULES[self.rule] if isinstance(self.rule, str) else self.rule

    def children_added(self, game: Game[Any]) -> int | None:
        """Children that an expansion adds, the best by the prior; None for all of them."""
        if self.num_children is not None:
            return self.num_children if self.num_children < game.num_actions else None
        one_by_one = self.grow and self.first_outcomes is None and _names_children(game)
        return 1 if one_by_one else None

    def shape(self, game: Game[Any], path_length: int) -> TreeShape:
        """The sizes of a tree for this game; ValueError where they cannot be.

        path_length: the most public events between a root and the state that growth starts from.
        """
        self._check_game(game)
        grows_samples = self.first_outcomes is not None
        layout = layout_of(game, self.max_actions, self.max_outcomes, grows_samples=grows_samples)
        capacity = self.capacity
        if capacity is None:
            if self.lookahead > 1:
                raise ValueError("capacity must be given when lookahead is more than 1.")
            capacity = 1 + self._most_added(game, layout, path_length)
        elif capacity < 1 + (path_length + 1) * 2:
            raise ValueError(
                f"capacity must be at least {1 + (path_length + 1) * 2} for the root's branch and "
                f"children, got {capacity}."
            )
        simulations = self.num_simulations + self.kept_simulations
        interior = min(capacity, 1 + path_length + simulations)
        depth = 1 + path_length + _LEAST_DEPTH + 2 * math.isqrt(simulations)
        if self.lookahead > 1:
            interior = depth = capacity
        depth = min(depth, game.max_depth + 1, interior)
        chunk_size = self.chunk_size or chunk_size_of(game, layout.num_actions)
        if self.chunk_size is None:
            numbers = layout.num_actions * game.num_infostates
            most = interior + _MOST_EMPTY // numbers
            while chunk_size > 1 and chunk_size * _num_chunks(interior, depth, chunk_size) > most:
                chunk_size //= 2
        return TreeShape(
            layout=layout,
            num_chunks=_num_chunks(interior, depth, chunk_size),
            chunk_size=chunk_size,
            depth=depth,
            num_leaves=capacity,
            num_terminals=capacity,
        )

    def _most_added(self, game: Game[Any], layout: Layout, path_length: int) -> int:
        """Nodes that expansions can add to the root, if half of them are of chance nodes."""
        added, everything = self.children_added(game), layout.num_children
        decision = min(added or game.num_decision_outcomes, everything)
        chance = min(self.first_outcomes or game.num_chance_outcomes, everything)
        on_the_way = decision if added and not game.has_chance else everything
        expansions = self.num_simulations + self.kept_simulations
        wider = max(chance - decision, 0) * (expansions - expansions // 2)
        return everything + path_length * on_the_way + expansions * decision + wider

    def _check_game(self, game: Game[Any]) -> None:
        least, why = least_outcomes(game)
        if self.max_outcomes is not None and self.max_outcomes < least:
            raise ValueError(
                f"max_outcomes must be at least {least} in {game}, for {why}, got "
                f"{self.max_outcomes}."
            )
        if self.first_outcomes is not None and self.num_children is not None:
            raise ValueError(
                f"first_outcomes must be None where num_children is set, got {self.first_outcomes}."
            )
        for name in ("num_children", "max_actions"):
            if getattr(self, name) is None:
                continue
            if game.num_infostates > 1:
                raise ValueError(
                    f"{name} must be None (all of them) in a game with hidden information such "
                    f"as {game}: an infostate could be left without an action; "
                    f"got {getattr(self, name)}."
                )
            if game.num_outcomes < game.num_actions:
                raise ValueError(
                    f"{name} must be None in {game}, whose outcomes are not its actions."
                )
        if self.max_actions is not None and game.has_chance:
            raise ValueError(
                f"max_actions must be None in {game}, where chance may act; got {self.max_actions}."
            )


def _names_children(game: Game[Any]) -> bool:
    """Whether information is perfect, and each action an outcome: a node can have some of all."""
    return game.num_infostates == 1 and game.num_outcomes >= game.num_actions


def least_outcomes(game: Game[Any]) -> tuple[int, str]:
    """The least that `max_outcomes` may be in a game, and what they are for."""
    least = game.num_decision_outcomes
    if least == 1 < game.num_outcomes and game.has_chance:
        return 2, "what chance did on the way of a re-solve and one that stands for the rest"
    return least, "all outcomes of a decision"


def chunk_size_of(
    game: Game[Any], num_actions: int | None = None, *, accelerated: bool | None = None
) -> int:
    """Small nodes that are processed at once: 4, on accelerators 16; or 1 large one.

    num_actions: of a node in the tree, None for all of the game's. accelerated: None for what is
    here.
    """
    if (num_actions or game.num_actions) * game.num_infostates > _SMALL_NODE:
        return 1
    on_accelerator = is_accelerated() if accelerated is None else accelerated
    return _CHUNK_SIZE_OF_AN_ACCELERATOR if on_accelerator else _CHUNK_SIZE


def _num_chunks(interior: int, depth: int, chunk_size: int) -> int:
    """Chunks that a tree of that depth can fill with so many interior nodes.

    Below a chunk with room come only nodes whose parents are in it or below: at most `depth` chunks
    are not full, and each of them holds a node.
    """
    return depth + (interior - depth) // chunk_size


def _at_least(name: str, value: int, least: int) -> None:
    if value != int(value) or value < least:
        raise ValueError(f"{name} must be an integer >= {least}, got {value}.")
