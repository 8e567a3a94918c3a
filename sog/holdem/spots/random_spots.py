"""Random spots of hold'em, see `solved_spots`.

A spot is the start of a street after a random line of bets, or a later decision there, with a
random board and random ranges: weights are random, with a random slope in the strength of the hand.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE
from sog.holdem.deck import number_of
from sog.holdem.game import Holdem
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.no_limit import CALL, pick

_LARGEST_SLOPE: Final = 3.0
_LINES: Final = 100
"""Random lines of bets to try until one leaves chips to bet."""


def can_be_solved(game: Holdem, left: int) -> bool:
    """Whether later cards are dealt one at a time, as `SpotSolver` deals."""
    return all(dealt == 1 for dealt in game._deals_left[len(game._deals_left) - left :])


def has_spots(game: Holdem, left: int) -> bool:
    """Whether there can be spots on the street before `left` others."""
    rules, street = game.betting, len(game.betting.menus) - 1 - left
    least = min(*rules.stacks, *(setup.stack for setup in rules.setups))
    has_chips = least > max(rules.blinds)  # after the blinds and calls
    return has_chips and street >= (0 if game.board != "none" else max(rules.num_silent, 1))


def random_spots(
    game: Holdem,
    left: int,
    count: int,
    random: np.random.Generator,
    calls: float | None = None,
    later: bool = False,
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Random spots of one line of bets, on the street before `left` others.

    calls: the probability of calls and checks in the line; None for that of each bet. later: at a
    later decision of the street instead of its start. Returns public states [spot, ...], boards
    [spot, card], and ranges [spot, player, S].
    """
    street = len(game.betting.menus) - 1 - left
    line = _random_line(game, street, random, calls)
    states, boards = _states(game, line, street, count, random)
    if later:
        for action in random_actions(game, states, random):
            states = apply_to_all(game, states, jnp.full(count, action, jnp.int32))
    return states, boards, _random_ranges(game, boards, random)


def _random_line(
    game: Holdem, street: int, random: np.random.Generator, calls: float | None
) -> list[int | None]:
    """Public events to the start of a street where both have chips; None for a deal."""
    rules = game.betting
    start, drawn = rules.start(), list[int | None]()
    if rules.setups:
        drawn = [int(random.integers(len(rules.setups)))]
        start = rules.draw(start, drawn[0])
    for attempt in range(_LINES + 1):
        state, line = start, [*drawn]
        while int(state.street) < street:
            if int(state.stage) == CHANCE:
                state = rules.next_street(state)
                line.append(None)
                continue
            legal = np.flatnonzero(rules.legal(state))
            legal = legal[legal >= CALL]
            if attempt == _LINES or (calls is not None and random.random() < calls):
                legal = legal[:1]
            elif calls is not None and len(legal) > 1:
                legal = legal[1:]
            action = random.choice(legal)
            state = rules.bet(state, action)
            line.append(int(action))
        if (state.stakes < state.stacks).all():
            return line
    raise AssertionError("calls alone leave chips to bet")


def random_actions(game: Holdem, states: Any, random: np.random.Generator) -> list[int]:
    """One or more actions from the start of a street to a decision on it. states: [spot, ...] of
    one line of bets."""
    rules, drawn = game.betting, list[int]()
    state = pick(states.betting, 0)
    while not drawn or random.random() < 0.5:
        after = {int(one): rules.bet(state, one) for one in np.flatnonzero(rules.legal(state))}
        goes_on = [action for action, state in after.items() if int(state.stage) < CHANCE]
        if not goes_on:
            break
        drawn.append(int(random.choice(goes_on)))
        state = after[drawn[-1]]
    return drawn


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
        states = apply_to_all(game, states, outcome)
    first = np.broadcast_to(np.asarray(begun, np.int64), (count, len(begun)))
    return states, np.concatenate([first, dealt], axis=1)


@functools.partial(jax.jit, static_argnums=0)
def apply_to_all(game: Holdem, states: Any, outcomes: Array) -> Any:
    """States [spot, ...] after one event each."""
    return jax.vmap(game.apply)(states, outcomes)


def _random_ranges(game: Holdem, boards: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """[spot, player, S]; those of a player sum to 1."""
    board = suit_masks(boards, game.deck, np)  # [spot, suits]
    masks = game.hands.masks
    live = game.hands.live(boards)
    strengths = strength(masks[None] | board[:, None], game.deck, np)
    place = np.argsort(np.argsort(strengths, axis=1), axis=1) / strengths.shape[1] - 0.5
    shape = (len(boards), 2, 1)
    slope = random.uniform(-_LARGEST_SLOPE, _LARGEST_SLOPE, shape)
    weight = random.exponential(size=(len(boards), 2, len(masks)))
    weight = weight * np.exp(slope * place[:, None]) * live[:, None]
    ranges: np.ndarray = weight / weight.sum(axis=2, keepdims=True)
    return ranges
