"""Searches of growing trees, with branches and gadgets, and the oracle led along with them."""

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.gadget import NOBODY
from gtcfr.root import NO_EVENT, SearchRoot, known_root
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from sog.tabular import RULES
from sog.tabular.enumerated_game import EnumeratedState
from tests.gtcfr.grown_trees import (
    LATE_TIC_TAC_TOE,
    Array,
    enumerated,
    expanded_after,
    public_tree,
    run_search,
    table_evaluator,
    tree_number,
)
from tests.gtcfr.plain_search import Gadget, PlainSearch

LEDUC = "leduc(suit_isomorphism=true)"
GOOFSPIEL = "ii_goofspiel(cards=3,order=random)"
GLASSES = "glasses(rounds=2)"


@dataclasses.dataclass(frozen=True)
class Start:
    """One search: from a node, with growth below a path of public events; or with a gadget."""

    root: int
    path: tuple[int, ...] = ()
    opponent: int = NOBODY


@dataclasses.dataclass(frozen=True)
class Case:
    """A batch of searches of a game."""

    text: str
    starts: tuple[Start, ...]
    num_simulations: int
    simulations_per_update: float
    alpha: float = 0.5
    leaf_averaging: float = 0.0
    leaf_smoothing: float = 0.0
    leaf_interval: int = 1
    rule: str = "sog"
    num_children: int | None = None

    @property
    def settings(self) -> SearchSettings:
        return SearchSettings(
            num_simulations=self.num_simulations,
            simulations_per_update=self.simulations_per_update,
            alpha=self.alpha,
            leaf_averaging=self.leaf_averaging,
            leaf_smoothing=self.leaf_smoothing,
            leaf_interval=self.leaf_interval,
            rule=self.rule,
            num_children=self.num_children,
        )


def starts_from(root: int, path: tuple[int, ...]) -> tuple[Start, ...]:
    """With and without a branch, with either player's gadget and without."""
    return (
        Start(root),
        Start(root, path),
        Start(root, opponent=0),
        Start(root, path, opponent=1),
    )


CASES = {
    "poker, SoG(s, 1)": Case(LEDUC, starts_from(0, (1, 2)), 30, 1),
    "poker, leaves asked near average ranges": Case(
        LEDUC, starts_from(0, (1, 2)), 30, 1, alpha=0.25, leaf_averaging=0.3
    ),
    "poker, DCFR": Case(
        LEDUC, starts_from(0, (1, 2)), 24, 1, alpha=0.75, leaf_averaging=0.5, rule="dcfr"
    ),
    # Three updates are six passes, of which the first and the fifth ask.
    "poker, DCFR, leaves asked in every fourth pass, and smoothed": Case(
        LEDUC,
        starts_from(0, (1, 2)),
        10,
        1 / 3,
        leaf_averaging=0.5,
        leaf_smoothing=0.4,
        leaf_interval=4,
        rule="dcfr",
    ),
    # The second player knows of two bids and a card turned up; the branch is a bid and a result.
    "hidden bids and chance, SoG(s, 3)": Case(
        GOOFSPIEL, starts_from(0, (2, 0, 1)), 24, 3, alpha=0.25
    ),
    "a hidden fugitive, SoG(s, 0.5)": Case(GLASSES, starts_from(0, (0, 0)), 12, 0.5, alpha=1.0),
    # All children at once, as elsewhere; there one is added at a time unless told otherwise.
    "perfect information, SoG(s, 2)": Case(
        LATE_TIC_TAC_TOE, starts_from(0, (2,)), 16, 2, num_children=9
    ),
}


def ranges_at(text: str, start: Start, seed: int) -> Array:
    """[2, S]: random ranges."""
    mask = public_tree(text).node_mask[start.root]
    weight = np.random.default_rng(seed).uniform(0.2, 1, mask.shape) * mask
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def terminate_cfvs_at(text: str, seed: int) -> Array:
    """[S]: what terminating pays, near enough to what following pays that both are chosen."""
    game = public_tree(text).game
    return np.random.default_rng(seed).uniform(-0.2, 0.2, game.num_infostates) * game.max_utility


def roots_of(case: Case) -> SearchRoot:
    longest = max(len(start.path) for start in case.starts)
    paths = [start.path + (NO_EVENT,) * (longest - len(start.path)) for start in case.starts]
    seeds = range(len(case.starts))
    ranges = [ranges_at(case.text, start, seed) for seed, start in enumerate(case.starts)]
    root = known_root(
        EnumeratedState(node=jnp.array([start.root for start in case.starts], jnp.int32)),
        jnp.asarray(np.stack(ranges), jnp.float32),
        path=jnp.array(paths, jnp.int32),
    )
    payoffs = np.stack([terminate_cfvs_at(case.text, seed) for seed in seeds])
    return dataclasses.replace(
        root,
        opponent=jnp.array([start.opponent for start in case.starts], jnp.int32),
        terminate_cfvs=jnp.asarray(payoffs, jnp.float32),
    )


@functools.cache
def searched(name: str) -> SearchResult:
    case = CASES[name]
    return run_search(
        enumerated(case.text),
        case.settings,
        root=roots_of(case),
        evaluator=table_evaluator(case.text),
    )


@functools.cache
def replayed(name: str, number: int) -> PlainSearch:
    """The oracle, led along the growth of one search of the batch."""
    case, tree = CASES[name], tree_number(searched(name), number)
    start, public = case.starts[number], public_tree(case.text)
    table = np.asarray(table_evaluator(case.text).coefficients, np.float64)
    ranges, gadget = ranges_at(case.text, start, number), None
    if start.opponent != NOBODY:
        gadget = Gadget(
            opponent=start.opponent,
            prior=ranges[start.opponent],
            terminate_cfvs=terminate_cfvs_at(case.text, number),
            alpha=case.alpha,
            rule=RULES[case.rule],
        )

    def value(leaf: int, ranges: Array) -> Array:
        return np.asarray(table[leaf] @ ranges.reshape(-1))

    oracle = PlainSearch(
        public,
        root=start.root,
        ranges=ranges,
        gadget=gadget,
        leaf_averaging=case.leaf_averaging,
        leaf_smoothing=case.leaf_smoothing,
        leaf_interval=case.leaf_interval,
        rule=RULES[case.rule],
    )
    after = expanded_after(public, tree, start.root, RULES[case.rule])
    per_phase = case.settings.updates_per_phase
    for update in range(1, case.settings.num_updates + 1):
        oracle.update(after < update, value, can_reuse=(update - 1) % per_phase == 0)
    return oracle


BY_DEFAULT = (
    "poker, SoG(s, 1)",
    "poker, DCFR",
    "poker, DCFR, leaves asked in every fourth pass, and smoothed",
    "a hidden fugitive, SoG(s, 0.5)",
)
EVERY_SEARCH = [
    pytest.param(name, number, marks=() if name in BY_DEFAULT else pytest.mark.slow)
    for name, case in CASES.items()
    for number in range(len(case.starts))
]


def node_now(name: str, number: int) -> int:
    """The node that the growth of a search starts from."""
    public, start = public_tree(CASES[name].text), CASES[name].starts[number]
    now = start.root
    for event in start.path:
        now = int(np.flatnonzero((public.node_parent == now) & (public.node_outcome == event))[0])
    return now
