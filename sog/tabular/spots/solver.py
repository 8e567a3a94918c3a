"""Solving spots: builds the arrays, runs CFR in short calls, measures on the way."""

import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.memory import bytes_of, check_memory
from sog.tabular.cfr import Rule
from sog.tabular.solver import find_rule
from sog.tabular.spots import boards as cards_of
from sog.tabular.spots.passes import (
    Cards,
    Layout,
    Memory,
    all_in_equities,
    empty_memory,
    evaluate,
    iterate,
)
from sog.tabular.spots.spot import Spot


class SpotSolver:
    """CFR on a spot, or on several that differ in the board and the ranges only.

    ranges: [root, 2, hand of the deck], any non-negative weights.
    """

    def __init__(
        self,
        spot: Spot,
        ranges: np.ndarray,
        rule: str | Rule = "cfr+",
        *,
        boards: Sequence[tuple[int, ...]] | None = None,
        chunk: int = 1,
    ) -> None:
        self.spot = spot
        self.rule = find_rule(rule) if isinstance(rule, str) else rule
        self.iteration = 0
        deck = spot.deck
        roots = [spot.board] if boards is None else list(boards)
        ranges = np.asarray(ranges, np.float32)
        on_board = deck.holds()
        dead = np.stack([on_board[:, list(board)].any(axis=1) for board in roots])
        ranges = np.where(dead[:, None], 0, ranges)
        self.hands = cards_of.list_hands(deck, ranges)
        streets = spot.streets()
        levels = [cards_of.root_boards(self.hands, roots)]
        symmetric = ranges[0] if len(roots) == 1 else None
        for street in range(1, spot.num_streets):
            size = chunk if street == spot.num_streets - 1 else 1
            levels.append(cards_of.deal(self.hands, levels[-1], symmetric, size))
        self.boards = tuple(levels)
        dealt = range(len(spot.board), cards_of.NUM_CARDS)
        self.layout = Layout(
            streets=streets,
            unseen=tuple(deck.num_cards - number - 4 for number in dealt),
            chunk=chunk,
        )
        self.cards = _on_device(self.hands, self.boards)
        self.reach = tuple(jnp.asarray(ranges[:, p, self.hands.number[p]]) for p in (0, 1))
        self.equities = jax.jit(all_in_equities, static_argnums=0)(self.layout, self.cards)
        self.memory = tuple(empty_memory(self.layout, self.cards, p, self.rule) for p in (0, 1))
        pairs = jnp.einsum("ri,ij,rj->r", self.reach[0], self.cards.compatible, self.reach[1])
        self.num_pairs = np.asarray(pairs, np.float64)

    def run(self, iterations: int) -> None:
        first, count = jnp.int32(self.iteration + 1), jnp.int32(iterations)
        self.memory = _run(
            self.layout, self.cards, self.equities, self.reach, self.rule, self.memory, first, count
        )
        jax.block_until_ready(self.memory)
        self.iteration += iterations

    def value(self, player: int, aim: str) -> np.ndarray:
        cfvs = _evaluate(self.layout, self.cards, self.equities, self.reach, self.memory, player, aim)
        total = np.sum(np.asarray(cfvs, np.float64) * np.asarray(self.reach[player]), axis=1)
        return total / self.num_pairs

    def exploitability(self) -> np.ndarray:
        return (self.value(0, "best response") + self.value(1, "best response")) / 2


def _on_device(hands: cards_of.Hands, levels: Sequence[cards_of.Boards]) -> Cards:
    rank = cards_of.strengths(hands, levels[-1].cards)

    def by_street(of: Callable[[cards_of.Boards], np.ndarray]) -> tuple[Array, ...]:
        return tuple(jnp.asarray(of(level)) for level in levels)

    return Cards(
        start=by_street(lambda level: level.start),
        mask=(by_street(lambda b: b.mask[0]), by_street(lambda b: b.mask[1])),
        image=(by_street(lambda b: b.image[0]), by_street(lambda b: b.image[1])),
        rank=(jnp.asarray(rank[0]), jnp.asarray(rank[1])),
        holds=(jnp.asarray(hands.holds[0]), jnp.asarray(hands.holds[1])),
        same=(jnp.asarray(hands.same[0]), jnp.asarray(hands.same[1])),
        compatible=jnp.asarray(hands.compatible),
    )


@functools.partial(jax.jit, static_argnums=(0, 4), donate_argnums=(5,))
def _run(
    layout: Layout,
    cards: Cards,
    equities: Any,
    reach: Any,
    rule: Rule,
    memory: Any,
    first: Array,
    count: Array,
) -> Any:
    def body(number: Array, memory: Any) -> Any:
        return iterate(layout, cards, equities, reach, rule, memory, first + number)

    return jax.lax.fori_loop(0, count, body, memory)


_evaluate = jax.jit(evaluate, static_argnums=(0, 5, 6))
