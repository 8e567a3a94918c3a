"""Random spots of hold'em, solved exactly, to measure or train networks."""

import dataclasses
from fractions import Fraction
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.holdem.game import Holdem
from sog.holdem.no_limit import DENOMINATOR, FIRST_SIZE, BettingState, Menu, Size, pick
from sog.holdem.spots.betting import SpotDecision
from sog.holdem.spots.random_spots import (
    apply_to_all,
    can_be_solved,
    random_actions,
    random_spots,
)
from sog.holdem.spots.solver import SpotSolver
from sog.holdem.spots.spot import Spot

NAMES: Final = {0: "river", 1: "turn"}
"""Names of streets, by the number of later ones."""
_RULE: Final = "dcfr"
"""Errors of values: on rivers 0.14% of the pot after 60 iterations and 0.07% after 120 (CFR+: 200);
on turns 0.13% after 100 (CFR+: 0.27%)."""
_ITERATIONS: Final = {"river": 120, "turn": 100}
_TREMBLE: Final = 1e-3
"""Share of all hands mixed into ranges at a later decision, as in `SolverSettings`: networks also
learn the values of hands that rarely get there."""
_LEAST_REACH: Final = 1e-30


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SolvedSpots:
    """Spots of one line of bets, perhaps with as many later decisions, and the values of hands."""

    name: str
    states: Any  # [spot, ...]: public states
    ranges: Array  # [spot, player, S]
    values: Array  # [spot, player, S], in utility units
    mask: Array  # [spot, player, S]: where a value is defined
    policy: Array  # [spot, S, A]: of the player to act; 0 for hands outside the range
    pot: float  # in utility units, at the start of the street


def solve_random_spots(
    game: Holdem,
    left: int,
    count: int,
    random: np.random.Generator,
    calls: float | None = None,
    iterations: int | None = None,
    later: bool = False,
) -> SolvedSpots:
    """Solves random spots of one line of bets, on the street before `left` others (see `NAMES`).

    calls: see `random_spots`. iterations: of DCFR; None for as many as measurements use. later:
    also appends a later decision of each spot, after random actions, with ranges like a search's:
    own reach by the average policies of some iterations, plus a little of all hands; only on the
    last street. Raises ValueError if later cards are not dealt one at a time.
    """
    if not can_be_solved(game, left):
        raise ValueError(f"{game.name}: deals must be one card at a time there, got {game.deals}.")
    name = NAMES[left]
    if iterations is None:
        iterations = _ITERATIONS[name]
    states, boards, ranges = random_spots(game, left, count, random, calls)
    solver = _solver(game, states, boards, ranges)
    after: list[tuple[Any, ...]] = []
    if later:
        begun = int(np.exp(random.uniform(0, np.log(iterations))))
        solver.run(begun)
        at_states, at_ranges = _walked(game, solver, states, ranges, random)
        at = _solver(game, at_states, boards, at_ranges)
        at.run(iterations)
        after = [_solved(game, at, at_states, at_ranges)]
    solver.run(iterations - solver.iteration)
    parts = [_solved(game, solver, states, ranges), *after]
    states, ranges, values, mask, policy = jax.tree.map(lambda *a: np.concatenate(a), *parts)
    return SolvedSpots(
        name=name,
        states=states,
        ranges=jnp.asarray(ranges, jnp.float32),
        values=jnp.asarray(values, jnp.float32),
        mask=jnp.asarray(mask),
        policy=jnp.asarray(policy, jnp.float32),
        pot=solver.spot.pot / game.chips_per_unit,
    )


def _solver(game: Holdem, states: Any, boards: np.ndarray, ranges: np.ndarray) -> SpotSolver:
    """CFR from public states [spot, ...] of one line of bets; the player to act is its player 0."""
    betting: BettingState = pick(states.betting, 0)
    matched, rules = int(betting.matched), game.betting
    stack = int(betting.stacks.min()) - matched
    players = _players(states)
    own, other = (min(int(betting.stakes[player]) - matched, stack) for player in players)
    spot = Spot(
        board=tuple(boards[0].tolist()),
        pot=game.pot + 2 * matched,
        stack=stack,
        menus=tuple(_drawn_menu(menu, betting) for menu in rules.menus[int(betting.street) :]),
        smallest_bet=rules.smallest_bet,
        deck=game.deck,
        hole_cards=game.hole_cards,
        stakes=(own, other),
        words=("check",) * int(betting.has_acted) + ("bet",) * int(betting.num_raises),
    )
    all_boards = [tuple(board) for board in boards.tolist()]
    return SpotSolver(spot, ranges[:, players], _RULE, boards=all_boards)


def _players(states: Any) -> tuple[int, int]:
    """The player to act in public states [spot, ...], and the other."""
    first = int(states.betting.stage[0])
    return first, 1 - first


def _solved(
    game: Holdem, solver: SpotSolver, states: Any, ranges: np.ndarray
) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """States, ranges, values, their mask and the policy as in `SolvedSpots`."""
    values, mask = np.zeros(ranges.shape), np.zeros(ranges.shape, bool)
    for number, player in enumerate(_players(states)):
        hands = solver.hands.number[number]
        others = ranges[:, 1 - player] @ game.hands.pairs
        live = others[:, hands] > 0
        cfvs = solver.cfvs(number) / np.where(live, others[:, hands], 1)
        values[:, player, hands] = cfvs / game.chips_per_unit
        mask[:, player, hands] = live & (ranges[:, player, hands] > 0)
    start = solver.layout.streets[0].starts[0]
    policy = np.zeros((*ranges[:, 0].shape, game.num_actions))
    actions = spot_actions(game, states)[: len(start.actions)]
    policy[:, :, actions] = _policies(solver, start, ranges.shape[2])
    policy *= ranges[:, _players(states)[0], :, None] > 0
    return jax.tree.map(np.asarray, states), ranges, values, mask, policy


def spot_actions(game: Holdem, states: Any) -> list[int]:
    """The game's legal actions in the order of a spot's. Several sizes beyond the shorter stack may
    all correspond to the spot's last one."""
    betting = pick(states.betting, 0)
    legal = np.flatnonzero(game.betting.legal(betting))
    # A drawn size may be smaller than one before it.
    stakes = [0] * FIRST_SIZE + game.betting.raised_stakes(betting)[0].tolist()
    return sorted(legal.tolist(), key=lambda action: (stakes[action], action))


def _policies(solver: SpotSolver, at: SpotDecision, num_hands: int) -> np.ndarray:
    """[spot, S, action]: the average policy at a decision; 0 for hands outside all ranges."""
    policy = np.zeros((len(solver.num_pairs), num_hands, len(at.actions)))
    for spot, of_spot in enumerate(policy):
        of_spot[solver.hands.number[at.level % 2]] = solver.average_policy(0, at, spot).T
    return policy


def _walked(
    game: Holdem, solver: SpotSolver, states: Any, ranges: np.ndarray, random: np.random.Generator
) -> tuple[Any, np.ndarray]:
    """States and ranges at a later decision. states and ranges: at the start."""
    at, reach = solver.layout.streets[0].starts[0], ranges.copy()
    for action in random_actions(game, states, random):
        number = min(spot_actions(game, states).index(action), len(at.actions) - 1)
        reach[:, at.level % 2] *= _policies(solver, at, ranges.shape[2])[..., number]
        child = at.children[number]
        assert isinstance(child, SpotDecision)
        at = child
        states = apply_to_all(game, states, jnp.full(len(ranges), action, jnp.int32))
    live = np.asarray(jax.vmap(game.infostate_mask)(states))
    reach = reach / np.maximum(reach.sum(axis=2, keepdims=True), _LEAST_REACH)
    mixed = (1 - _TREMBLE) * reach + _TREMBLE * live / live.sum(axis=2, keepdims=True)
    return states, mixed / mixed.sum(axis=2, keepdims=True)


def _drawn_menu(menu: Menu, state: BettingState) -> Menu:
    """The menu with the drawn size filled in; sizes ascend."""
    drawn = Size(part=Fraction(int(state.part), DENOMINATOR))

    def known(sizes: tuple[Size, ...]) -> tuple[Size, ...]:
        known = (drawn if size.is_drawn else size for size in sizes)
        return tuple(sorted(known, key=lambda size: (size.chips, size.part)))

    return dataclasses.replace(menu, bets=known(menu.bets), raises=known(menu.raises))
