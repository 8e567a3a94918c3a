"""Random spots of hold'em, solved to their end: what networks are measured by, or taught.

A spot is the start of a street that a random line of bets leads to, or a later decision there, with
a random board and random ranges: of each player, weights that are random and rise or fall with the
strength of the hand by a random slope. Both ranges are known.
"""

import dataclasses
import functools
from fractions import Fraction
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.cards.colex import number_of
from sog.games.cards.hand_ranks import strength, suit_masks
from sog.games.cards.holdem import Holdem
from sog.games.cards.no_limit import CALL, DENOMINATOR, Betting, BettingState, Menu, Size
from sog.games.core import CHANCE
from sog.tabular.spots.betting import Decision
from sog.tabular.spots.solver import SpotSolver
from sog.tabular.spots.spot import Spot

NAMES: Final = {0: "river", 1: "turn"}
"""Of streets, by how many follow."""
_RULE: Final = "dcfr"
"""Values of rivers are off by 0.14% of the pot after 60 iterations, by 0.07% after 120, where CFR+
needs 200; those of turns by 0.13% after 100, and by 0.27% by CFR+."""
_ITERATIONS: Final = {"river": 120, "turn": 100}
_LARGEST_SLOPE: Final = 3.0
_TREMBLE: Final = 1e-3
"""Share of all hands in a range at a later decision, as in `selfplay.settings.SolverSettings`: else
nobody would learn what hands are worth that do not come there yet."""
_LEAST_REACH: Final = 1e-30
_LINES: Final = 100
"""Random lines of bets that are tried for one that ends in a street with chips to bet."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SolvedSpots:
    """Spots of one line of bets, and what their hands are worth."""

    name: str
    states: Any  # [spot, ...]: public states
    ranges: Array  # [spot, player, S]
    values: Array  # [spot, player, S], in utility units
    mask: Array  # [spot, player, S]: where a value is defined
    policy: Array  # [spot, S, A]: of the player to act; 0 for hands that are not there
    pot: float  # in utility units, at the start of the street


def has_spots(game: Holdem, left: int) -> bool:
    """Whether there can be spots of the street that so many follow."""
    street = len(game.betting.menus) - 1 - left
    return street >= (0 if game.board != "none" else max(game.betting.num_silent, 1))


def random_spots(
    game: Holdem,
    left: int,
    count: int,
    random: np.random.Generator,
    calls: float | None = None,
    later: bool = False,
) -> tuple[Any, np.ndarray, np.ndarray]:
    """So many spots of one line of bets, as in `solve_random_spots`, without their solution.

    later: instead of the start of the street, a later decision there. Returns public states
    [spot, ...], boards [spot, card], and ranges [spot, player, S].
    """
    street = len(game.betting.menus) - 1 - left
    line = _random_line(game, street, random, calls)
    states, boards = _states(game, line, street, count, random)
    if later:
        for action in _random_actions(game, states, random):
            states = _apply(game, states, jnp.full(count, action, jnp.int32))
    return states, boards, _random_ranges(game, boards, random)


def solve_random_spots(
    game: Holdem,
    left: int,
    count: int,
    random: np.random.Generator,
    calls: float | None = None,
    iterations: int | None = None,
    later: bool = False,
) -> SolvedSpots:
    """So many spots of one line of bets, on the street that `left` others follow (see `NAMES`).

    calls: how likely calls and checks are in the line; None: as likely as each bet. iterations: of
    DCFR; None: as many as networks are measured with. later: after the spots a later decision of
    each as well, to which random actions lead, with the ranges that a search might ask about: what
    comes there by the average policies of some iterations, and a little of all hands. Of the last
    street only.
    """
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
    """CFR from public states [spot, ...] of one line of bets on; who acts there is its player 0."""
    betting: BettingState = jax.tree.map(lambda leaf: np.asarray(leaf)[0], states.betting)
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
    """Who acts first in public states [spot, ...], and the other."""
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
    policy[:, :, _actions(game, states, start)] = _policies(solver, start, 0, ranges.shape[2])
    policy *= ranges[:, _players(states)[0], :, None] > 0
    return jax.tree.map(np.asarray, states), ranges, values, mask, policy


def _actions(game: Holdem, states: Any, at: Decision) -> np.ndarray:
    """The game's actions that are those of a decision: both have the same order. Beyond the shorter
    stack the game may have several sizes, which are one in a spot."""
    legal = _legal(game.betting, jax.tree.map(lambda leaf: leaf[0], states.betting))
    return np.flatnonzero(legal)[: len(at.actions)]


def _policies(solver: SpotSolver, at: Decision, player: int, num_hands: int) -> np.ndarray:
    """[spot, S, action]: the average policy at a decision; 0 for hands in no spot's range."""
    policy = np.zeros((len(solver.num_pairs), num_hands, len(at.actions)))
    for spot, of_spot in enumerate(policy):
        average = solver.average_policy(0, at.group, player, spot)[:, at.place]
        of_spot[solver.hands.number[player]] = average.T
    return policy


def _walked(
    game: Holdem, solver: SpotSolver, states: Any, ranges: np.ndarray, random: np.random.Generator
) -> tuple[Any, np.ndarray]:
    """States and ranges at a later decision. states and ranges: of the start."""
    at, reach = solver.layout.streets[0].starts[0], ranges.copy()
    for action in _random_actions(game, states, random):
        legal = _legal(game.betting, jax.tree.map(lambda leaf: leaf[0], states.betting))
        number = min(int(np.sum(legal[:action])), len(at.actions) - 1)  # see `_actions`
        reach[:, at.level % 2] *= _policies(solver, at, at.level % 2, ranges.shape[2])[..., number]
        child = at.children[number]
        assert isinstance(child, Decision)
        at = child
        states = _apply(game, states, jnp.full(len(ranges), action, jnp.int32))
    live = np.asarray(jax.vmap(game.infostate_mask)(states))
    reach = reach / np.maximum(reach.sum(axis=2, keepdims=True), _LEAST_REACH)
    mixed = (1 - _TREMBLE) * reach + _TREMBLE * live / live.sum(axis=2, keepdims=True)
    return states, mixed / mixed.sum(axis=2, keepdims=True)


def _drawn_menu(menu: Menu, state: BettingState) -> Menu:
    """The same with the size that was drawn."""
    drawn = Size(part=Fraction(int(state.part), DENOMINATOR))

    def known(sizes: tuple[Size, ...]) -> tuple[Size, ...]:
        return tuple(drawn if size.is_drawn else size for size in sizes)

    return dataclasses.replace(menu, bets=known(menu.bets), raises=known(menu.raises))


def _random_line(
    game: Holdem, street: int, random: np.random.Generator, calls: float | None
) -> list[int | None]:
    """Public events that lead to the start of a street, where both have chips; None for a deal."""
    rules = game.betting
    start, drawn = rules.start(), list[int | None]()
    if rules.setups:
        drawn = [int(random.integers(len(rules.setups)))]
        start = rules.draw(start, jnp.int32(drawn[0]))
    for attempt in range(_LINES + 1):
        state, line = start, [*drawn]
        while int(state.street) < street:
            if int(state.stage) == CHANCE:
                state = _next_street(rules, state)
                line.append(None)
                continue
            legal = np.flatnonzero(_legal(rules, state))
            legal = legal[legal >= CALL]
            if attempt == _LINES or (calls is not None and random.random() < calls):
                legal = legal[:1]
            elif calls is not None and len(legal) > 1:
                legal = legal[1:]
            action = random.choice(legal)
            state = _bet(rules, state, jnp.int32(action))
            line.append(int(action))
        if (np.asarray(state.stakes) < np.asarray(state.stacks)).all():
            return line
    raise AssertionError("calls alone leave chips to bet")


def _random_actions(game: Holdem, states: Any, random: np.random.Generator) -> list[int]:
    """One or more from the start of a street on, to a decision of that street. states: [spot, ...]
    of one line of bets."""
    rules, drawn = game.betting, list[int]()
    state = jax.tree.map(lambda leaf: leaf[0], states.betting)
    while not drawn or random.random() < 0.5:
        legal = np.flatnonzero(_legal(rules, state))
        after = {int(action): _bet(rules, state, jnp.int32(action)) for action in legal}
        goes_on = [action for action, state in after.items() if int(state.stage) < CHANCE]
        if not goes_on:
            break
        drawn.append(int(random.choice(goes_on)))
        state = after[drawn[-1]]
    return drawn


# Compiled: operation by operation a line takes a second.
_legal: Any = jax.jit(Betting.legal, static_argnums=0)
_bet: Any = jax.jit(Betting.bet, static_argnums=0)
_next_street: Any = jax.jit(Betting.next_street, static_argnums=0)


def _states(
    game: Holdem, line: list[int | None], street: int, count: int, random: np.random.Generator
) -> tuple[Any, np.ndarray]:
    """Public states [spot, ...] at the end of a line, and their boards [spot, card]."""
    begun = () if game.board == "none" else game.deck.parse_cards(game.board)
    left = np.setdiff1d(np.arange(game.deck.num_cards), begun)
    num_dealt = game.num_public[street] - len(begun)
    dealt = np.stack([random.permutation(left)[:num_dealt] for _ in range(count)])
    root = game.root()
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), root)
    at = 0
    for event in line:
        outcome = jnp.full(count, event or 0, jnp.int32)
        if event is None:
            number = int(states.betting.street[0])
            size = game.num_public[number + 1] - game.num_public[number]
            outcome = number_of(jnp.asarray(dealt[:, at : at + size]), game.deck.num_cards)
            at += size
        states = _apply(game, states, outcome)
    first = np.broadcast_to(np.asarray(begun, np.int64), (count, len(begun)))
    return states, np.concatenate([first, dealt], axis=1)


@functools.partial(jax.jit, static_argnums=0)
def _apply(game: Holdem, states: Any, outcomes: Array) -> Any:
    return jax.vmap(game.apply)(states, outcomes)


def _random_ranges(game: Holdem, boards: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """[spot, player, S]; those of a player sum to 1."""
    board = suit_masks(boards, game.deck, np)  # [spot, suits]
    masks = game.hands.masks
    live = np.all(masks[None] & board[:, None] == 0, axis=2)
    strengths = strength(masks[None] | board[:, None], game.deck, np)
    place = np.argsort(np.argsort(strengths, axis=1), axis=1) / strengths.shape[1] - 0.5
    shape = (len(boards), 2, 1)
    slope = random.uniform(-_LARGEST_SLOPE, _LARGEST_SLOPE, shape)
    weight = random.exponential(size=(len(boards), 2, len(masks)))
    weight = weight * np.exp(slope * place[:, None]) * live[:, None]
    ranges: np.ndarray = weight / weight.sum(axis=2, keepdims=True)
    return ranges
