"""One player's turn of CFR in a spot, or its best response: reach down the betting, values back up.

Pure functions, jitted by the caller (`solver.py`). A player's tables are by street and by group of
its decisions (`betting.py`), as arrays [board, action, decision, hand]; reach and values are [row,
hand]. Streets are processed board by board, so that a board's data stays in the cache; on the last
street several boards at once.

Values are cfvs: a hand's sum, over the other's hands that share no card with it, of their reach
times the chips won, times the probability of the cards dealt.
"""

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.holdem.spots.arrays import Equities, Memory, Slices, SpotCards, SpotLayout, read_slices
from sog.holdem.spots.betting import KINDS, Street
from sog.holdem.spots.showdowns import against, at_showdown
from sog.holdem.spots.tables import Tables, write
from sog.tabular.cfr import add_up, regret_matching
from sog.tabular.rules import Rule, Step, accumulate, add_to_average, predict

Pair = tuple[Array, Array]
"""Of the player of the pass, and of the other."""
Aim = Literal["value", "best response"]
_FIRST: Final = 0  # the street that spots begin on


@dataclasses.dataclass(frozen=True)
class _Pass:
    """The constants of a pass."""

    layout: SpotLayout
    cards: SpotCards
    equities: Equities
    player: int
    met: Memory
    """The other's."""
    rule: Rule | None
    """None to evaluate the average policies without learning."""
    step: Step | None
    aim: Aim = "value"

    def policies(self, known: Slices) -> list[Array]:
        """[board, action, decision, hand] of each group: current ones, or averages."""
        if self.rule is None:
            tables = known.policy_sum
        elif self.rule.prediction:
            tables = [a + b for a, b in zip(known.regret, known.prediction, strict=True)]
        else:
            tables = known.regret
        uniform = [jnp.full((1, 1, 1, 1), 1 / table.shape[1], table.dtype) for table in tables]
        return [regret_matching(t, u, axis=1) for t, u in zip(tables, uniform, strict=True)]


def iterate(
    layout: SpotLayout,
    cards: SpotCards,
    equities: Equities,
    reach: tuple[Array, Array],
    rule: Rule,
    memory: tuple[Memory, Memory],
    step: Step,
) -> tuple[Memory, Memory]:
    """One iteration of both players.

    reach: [root, hand] of each. equities: see `all_in_equities`.
    """
    first = _Pass(layout, cards, equities, 0, memory[1], rule, step)
    _, updated = _visit_roots(first, reach, memory[0])
    # With alternating updates player 1 responds to player 0's updated policy.
    met = updated if rule.alternating else memory[0]
    second = _Pass(layout, cards, equities, 1, met, rule, step)
    _, answered = _visit_roots(second, (reach[1], reach[0]), memory[1])
    return updated, answered


def evaluate(
    layout: SpotLayout,
    cards: SpotCards,
    equities: Equities,
    reach: tuple[Array, Array],
    memory: tuple[Memory, Memory],
    player: int,
    aim: Aim,
) -> Array:
    """[root, hand]: cfvs of a player against the other's average policy.

    aim: of the player's own average policy, or of a best response.
    """
    run = _Pass(layout, cards, equities, player, memory[1 - player], None, None, aim)
    own, met = reach[player], reach[1 - player]
    values, _ = _visit_roots(run, (own, met), memory[player])
    return values


def action_values(
    layout: SpotLayout,
    cards: SpotCards,
    equities: Equities,
    memory: tuple[Memory, Memory],
    street: int,
    board: Array,
    reach: Pair,
    player: int,
) -> list[Array]:
    """[action, decision, hand] of each group on a street: cfvs of a player under the averages.

    reach: [line, hand] of each player when the street begins on a board.
    """
    run = _Pass(layout, cards, equities, player, memory[1 - player], None, None)
    pair = (reach[player][None], reach[1 - player][None])
    _, of_actions, _ = _visit(run, street, board, 1, pair, memory[player])
    return [values[0] for values in of_actions]


def _visit_roots(run: _Pass, reach: Pair, memory: Memory) -> tuple[Array, Memory]:
    """Values [root, hand], and the player's tables."""
    last, chunk = run.layout.last == _FIRST, run.layout.chunk

    def add(number: Array, carry: tuple[Array, Memory]) -> tuple[Array, Memory]:
        values, memory = carry
        size = chunk if last else 1
        at = number * size
        own, met = (jax.lax.dynamic_slice_in_dim(one, at, size)[:, None] for one in reach)
        found, _, memory = _visit(run, _FIRST, at, size, (own, met), memory)
        return jax.lax.dynamic_update_slice_in_dim(values, found[:, 0], at, 0), memory

    num_steps = reach[0].shape[0] // (chunk if last else 1)
    found: tuple[Array, Memory]
    found = jax.lax.fori_loop(0, num_steps, add, (jnp.zeros_like(reach[0]), memory))
    return found


def _visit(
    run: _Pass, street: int, at: Array, size: int, reach: Pair, memory: Memory
) -> tuple[Array, list[Array], Memory]:
    """Values [board, line, hand] of some boards from `at` on, those of all actions by group, and
    the player's tables.

    reach: [board, line, hand] of each; or with a single board, for all of them.
    """
    cards, player, betting = run.cards, run.player, run.layout.streets[street]
    own_mask, met_mask = (
        jax.lax.dynamic_slice_in_dim(cards.mask[who][street], at, size)[:, None]
        for who in (player, 1 - player)
    )
    own, met = reach[0] * own_mask, reach[1] * met_mask
    known = read_slices(memory, street, at, size)
    policies = run.policies(known)
    met_policies = run.policies(read_slices(run.met, street, at, size))
    rows, ends = _descend(betting, player, (own, met), policies, met_policies)
    values: dict[str, Array] = {}
    for kind in KINDS:
        own_end, met_end = ends[kind]
        sign = -1.0 if player == 1 and kind == "fold" else 1.0
        payoff = (sign * cards.payoff[street][kind]).astype(met.dtype)[None, :, None] * own_mask
        if payoff.size == 0:
            values[kind] = jnp.zeros((size, 0, own.shape[2]), own.dtype)
        elif kind == "fold":
            values[kind] = payoff * against(run.layout, run.cards, player, met_end)
        elif kind == "showdown":
            values[kind] = payoff * at_showdown(
                run.layout, run.cards, run.equities, player, street, at, size, met_end
            )
        else:
            values[kind], memory = _deal(run, street, at, (own_end, met_end), memory)
    found, advantages, of_actions = _climb(betting, player, policies, values, run.aim)
    if run.rule is not None:
        memory = _learn(run, street, at, memory, known, rows, advantages)
    return found * own_mask, of_actions, memory


def _deal(run: _Pass, street: int, at: Array, reach: Pair, memory: Memory) -> tuple[Array, Memory]:
    """Values [1, line, hand] before a card is dealt, on one board."""
    below = street + 1
    size = run.layout.chunk if below == run.layout.last else 1
    start = run.cards.start[below]

    def add(number: Array, carry: tuple[Array, Memory]) -> tuple[Array, Memory]:
        total, memory = carry
        first = number * size
        values, _, memory = _visit(run, below, first, size, reach, memory)
        image = jax.lax.dynamic_slice_in_dim(run.cards.image[run.player][below], first, size)
        if image.shape[1]:
            padded = jnp.pad(values, ((0, 0), (0, 0), (0, 1)))
            twins = [
                jnp.take_along_axis(padded, image[:, number, None, :], axis=2, mode="clip")
                for number in range(image.shape[1])
            ]
            values = add_up([values, *twins])
        return total + jnp.sum(values, axis=0, keepdims=True), memory

    bounds = start[at] // size, start[at + 1] // size
    total, memory = jax.lax.fori_loop(*bounds, add, (jnp.zeros_like(reach[0]), memory))
    return total / run.layout.unseen[street], memory


def _descend(
    betting: Street,
    player: int,
    reach: Pair,
    own_policies: Sequence[Array],
    met_policies: Sequence[Array],
) -> tuple[list[Array], dict[str, Pair]]:
    """Both players' reach down the betting of a street.

    Returns the player's own reach after each own action by group, [board, action, decision, hand],
    and both at the ends of each kind, [board, end, hand].
    """
    policies = [list(own_policies), list(met_policies)]  # taken from in order
    rows: list[list[Array]] = [[], []]  # of each player, the lines and then its levels
    for who in (0, 1):
        rows[who].append(reach[who])
    own_rows: list[Array] = []
    ends: dict[str, tuple[list[Array], list[Array]]] = {kind: ([], []) for kind in KINDS}
    for depth, level in enumerate(betting.levels):
        actor = 0 if depth % 2 == player else 1  # of the pair
        parts = []
        for group in level.groups:
            policy = policies[actor].pop(0)
            before = _rows(rows[actor][-1], group.actor_row)
            parts.append(policy * before[:, None])
        if actor == 0:
            own_rows += parts
        flat = [part.reshape(part.shape[0], -1, part.shape[-1]) for part in parts]
        rows[actor].append(jnp.concatenate(flat, axis=1))
        for kind, found in level.ends.items():
            which = (found.actor_row, found.other_row)
            for who in (0, 1):
                ends[kind][who].append(_rows(rows[who][-1], which[who != actor]))
    joined = {
        kind: (jnp.concatenate(own, axis=1), jnp.concatenate(met, axis=1))
        for kind, (own, met) in ends.items()
    }
    return own_rows, joined


def _climb(
    betting: Street, player: int, policies: Sequence[Array], values: dict[str, Array], aim: Aim
) -> tuple[Array, list[Array], list[Array]]:
    """Values [board, line, hand] from those of the ends.

    Also, by group of the player, the advantage of each action over the policy (for a best response,
    over the best action), and by group of both the values of all actions: [board, action, decision,
    hand]. Where the other acts, they include its policy as part of its reach.
    """
    left, stop = list(policies), {kind: values[kind].shape[1] for kind in KINDS}
    advantages: list[Array] = []
    of_actions: list[Array] = []
    below: list[Array] = []
    for depth in range(len(betting.levels) - 1, -1, -1):
        level, candidates = betting.levels[depth], []
        for kind in KINDS:
            num_ends = len(level.ends[kind].actor_row)
            candidates.append(values[kind][:, stop[kind] - num_ends : stop[kind]])
            stop[kind] -= num_ends
        children = jnp.concatenate([*candidates, *below], axis=1)
        own = [left.pop() for _ in level.groups][::-1] if depth % 2 == player else None
        below, found = [], []
        for number, group in enumerate(level.groups):
            shape = (-1, group.num_actions, group.size, children.shape[-1])
            found.append(_rows(children, group.child).reshape(shape))
            actions = [found[-1][:, action] for action in range(group.num_actions)]
            if own is None:
                below.append(add_up(actions))
            elif aim == "best response":
                below.append(functools.reduce(jnp.maximum, actions))
            else:
                below.append(add_up([own[number][:, a] * q for a, q in enumerate(actions)]))
        if own is not None:
            gains = [q - value[:, None] for q, value in zip(found, below, strict=True)]
            advantages = gains + advantages
        of_actions = found + of_actions
    return _rows(jnp.concatenate(below, axis=1), betting.first_row), advantages, of_actions


def _learn(
    run: _Pass,
    street: int,
    at: Array,
    memory: Memory,
    known: Slices,
    own_rows: Sequence[Array],
    advantages: Sequence[Array],
) -> Memory:
    """The player's tables, updated on some boards of a street."""
    rule, step = run.rule, run.step
    assert rule is not None
    assert step is not None

    def change(tables: Tables, new: Iterable[Array]) -> Tables:
        changed = tuple(
            write(table, one, at) for table, one in zip(tables[street], new, strict=True)
        )
        return (*tables[:street], changed, *tables[street + 1 :])

    regrets = tuple(map(functools.partial(accumulate, rule, step=step), known.regret, advantages))
    sums = map(functools.partial(add_to_average, rule, step=step), known.policy_sum, own_rows)
    predicted = map(functools.partial(predict, rule, step=step), regrets, advantages)
    return Memory(
        regret=change(memory.regret, regrets),
        policy_sum=change(memory.policy_sum, sums),
        prediction=change(memory.prediction, predicted) if rule.prediction else (),
    )


def _rows(values: Array, which: np.ndarray) -> Array:
    """[board, row, hand]: some rows."""
    if np.array_equal(which, np.arange(values.shape[1])):
        return values
    return jnp.take(values, which, axis=1, mode="clip")
