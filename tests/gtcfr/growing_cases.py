"""Searches of growing trees, with branches and gadgets, and the oracle led along with them."""

import dataclasses
import functools
from typing import Any

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
    """One search: from the root, with growth below a path of public events; or with a gadget."""

    path: tuple[int, ...] = ()
    opponent: int = NOBODY


@dataclasses.dataclass(frozen=True)
class Case:
    """A batch of searches of a game: with and without a branch, and either player's gadget."""

    text: str
    path: tuple[int, ...]
    settings: SearchSettings

    @property
    def starts(self) -> tuple[Start, ...]:
        return Start(), Start(self.path), Start(opponent=0), Start(self.path, opponent=1)


def _settings(num_simulations: int, per_update: float, **others: Any) -> SearchSettings:
    return SearchSettings(
        num_simulations=num_simulations, simulations_per_update=per_update, **others
    )


CASES = {
    "poker, SoG(s, 1)": Case(LEDUC, (1, 2), _settings(30, 1)),
    "poker, leaves asked near average ranges": Case(
        LEDUC, (1, 2), _settings(30, 1, alpha=0.25, leaf_averaging=0.3)
    ),
    "poker, DCFR": Case(
        LEDUC, (1, 2), _settings(24, 1, alpha=0.75, leaf_averaging=0.5, rule="dcfr")
    ),
    "poker, grown from the root": Case(LEDUC, (1, 2), _settings(30, 1, grow_from="root")),
    # Three updates are six passes, of which the first and the fifth ask.
    "poker, DCFR, leaves asked in every fourth pass, and smoothed": Case(
        LEDUC,
        (1, 2),
        _settings(10, 1 / 3, leaf_averaging=0.5, leaf_smoothing=0.4, leaf_interval=4, rule="dcfr"),
    ),
    # The second player knows of two bids and a card turned up; the branch is a bid and a result.
    "hidden bids and chance, SoG(s, 3)": Case(GOOFSPIEL, (2, 0, 1), _settings(24, 3, alpha=0.25)),
    "a hidden fugitive, SoG(s, 0.5)": Case(GLASSES, (0, 0), _settings(12, 0.5, alpha=1.0)),
    # All children at once, as elsewhere; there one is added at a time unless told otherwise.
    "perfect information, SoG(s, 2)": Case(
        LATE_TIC_TAC_TOE, (2,), _settings(16, 2, num_children=9)
    ),
}


def ranges_at(text: str, seed: int) -> Array:
    """[2, S]: random ranges."""
    mask = public_tree(text).node_mask[0]
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
    ranges = [ranges_at(case.text, seed) for seed in seeds]
    root = known_root(
        EnumeratedState(node=jnp.zeros(len(paths), jnp.int32)),
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
    start, public, settings = case.starts[number], public_tree(case.text), case.settings
    rule = RULES[str(settings.rule)]
    table = np.asarray(table_evaluator(case.text).coefficients, np.float64)
    ranges, gadget = ranges_at(case.text, number), None
    if start.opponent != NOBODY:
        gadget = Gadget(
            opponent=start.opponent,
            prior=ranges[start.opponent],
            terminate_cfvs=terminate_cfvs_at(case.text, number),
            alpha=settings.alpha,
            rule=rule,
        )

    def value(leaf: int, ranges: Array) -> Array:
        return np.asarray(table[leaf] @ ranges.reshape(-1))

    oracle = PlainSearch(
        public,
        ranges=ranges,
        gadget=gadget,
        leaf_averaging=settings.leaf_averaging,
        leaf_smoothing=settings.leaf_smoothing,
        leaf_interval=settings.leaf_interval,
        rule=rule,
    )
    asked = 2 * (len(case.path) + 1) if settings.grow_from == "root" else 1
    after = expanded_after(public, tree, rule, asked)
    per_phase = settings.updates_per_phase
    for update in range(1, settings.num_updates + 1):
        oracle.update(after < update, value, can_reuse=(update - 1) % per_phase == 0)
    return oracle


BY_DEFAULT = (
    "poker, SoG(s, 1)",
    "poker, grown from the root",
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
    return public_tree(CASES[name].text).node_after(CASES[name].starts[number].path)
