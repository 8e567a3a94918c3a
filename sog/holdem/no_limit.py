"""Heads-up betting: blinds, stacks, all-in, no-limit minimum raises, and fixed limits with caps.

Player 0 posts the big blind and opens every street except the first, which the small blind opens;
with equal blinds player 0 opens that, too. Stakes are all chips put in since the start, so the pot
is the initial pot plus both stakes. A raise must be at least as large as the last one and the big
blind, unless it is all-in. A player that is all-in no longer acts, and the uncalled part of the
other's bet is returned: it is never won.

The functions take JAX states, and on the host NumPy states, also batches of them.
"""

import dataclasses
import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import jax
import numpy as np
from jax import Array

from sog.games.core import CHANCE, MOST_EXACT, PLAYER_0, PLAYER_1, TERMINAL
from sog.pytree import pytree

FOLD: Final = 0
CALL: Final = 1
"""Or check."""
FIRST_SIZE: Final = 2
NO_FOLDER: Final = 2
MOST_RAISES: Final = 100
"""On a street, limited by stacks or its cap."""
DENOMINATOR: Final = 1000
"""Of the drawn part of the pot."""


@dataclasses.dataclass(frozen=True)
class Setup:
    """Stacks and bet size that chance may draw for a hand."""

    stack: int
    """Of each player."""
    part: Fraction
    """The drawn size as a part of the pot."""


@dataclasses.dataclass(frozen=True)
class Size:
    """A bet's size beyond a call: a part of the pot after the call, plus chips."""

    part: Fraction = Fraction(0)
    chips: int = 0
    is_drawn: bool = False
    """Whether the part is the one drawn for the hand."""


MIN: Final = Size()
"""The minimum; other sizes are raised to it."""
ALL_IN: Final = Size(chips=2 * MOST_EXACT)
"""All-in; other sizes are cut to it."""
DRAWN: Final = Size(is_drawn=True)
"""The part of the pot drawn for the hand."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Menu:
    """The bet sizes of a street, ascending."""

    bets: tuple[Size, ...]
    raises: tuple[Size, ...]
    cap: int | None = None
    """The most bets and raises, without blinds; None for as many as stacks allow."""


@pytree
class BettingState:
    """The state of the betting."""

    stage: Array  # int8: whose turn: PLAYER_0, PLAYER_1, CHANCE or TERMINAL
    street: Array  # int8: from 0
    stakes: Array  # int32[2]: chips put in since the start, blinds included
    matched: Array  # int32: each player's stake when the street began
    last_raise: Array  # int32: of this street; 0 before one
    num_raises: Array  # int8: bets and raises on this street
    has_acted: Array  # bool: a player has checked or called on this street
    folder: Array  # int8: who folded, or NO_FOLDER
    stacks: Array  # int32[2]: chips at the start, blinds included; 0 until they are drawn
    part: Array  # int32: DENOMINATOR times the drawn part


@dataclasses.dataclass(frozen=True, kw_only=True)
class Betting:
    """The rules of betting, and what follows from them. Chips are integers."""

    pot: int
    """Dead money: antes, or bets before the game begins."""
    stacks: tuple[int, int]
    """Of each player at the start, before the blinds; the largest if they are drawn."""
    blinds: tuple[int, int]
    """Player 1's small one and player 0's big one; 0 for none."""
    smallest_bet: int
    menus: tuple[Menu, ...]
    """By street."""
    setups: tuple[Setup, ...] = ()
    """Chance draws one of them first, uniformly; empty if nothing is drawn."""
    num_silent: int = 0
    """Streets at the start without betting: the next cards are dealt at once."""

    @property
    def num_actions(self) -> int:
        """A: fold, call or check, and the sizes of the longest menu."""
        return FIRST_SIZE + int(self._sizes["exists"].shape[-1])

    @functools.cached_property
    def _sizes(self) -> dict[str, np.ndarray]:
        """[street, bet or raise, size]: num / den of the pot, chips, and whether a size exists."""
        lists = [(menu.bets, menu.raises) for menu in self.menus]
        longest = max(len(sizes) for pair in lists for sizes in pair)
        shape = (len(lists), 2, max(longest, 1))
        tables = {name: np.zeros(shape, np.int32) for name in ("num", "chips")}
        tables["den"] = np.ones(shape, np.int32)
        tables |= {name: np.zeros(shape, bool) for name in ("exists", "is_drawn")}
        for street, pair in enumerate(lists):
            for facing, sizes in enumerate(pair):
                for number, size in enumerate(sizes):
                    at = street, facing, number
                    tables["num"][at], tables["den"][at] = size.part.as_integer_ratio()
                    tables["chips"][at], tables["exists"][at] = size.chips, True
                    tables["is_drawn"][at] = size.is_drawn
        return tables

    @functools.cached_property
    def most_raises(self) -> tuple[int, ...]:
        """By street: bets and raises that stacks and cap allow, at most MOST_RAISES + 1."""
        return tuple(self._longest(street) for street in range(len(self.menus)))

    def _longest(self, street: int) -> int:
        """The most raises on a street: all of minimum size, from the smallest pot."""
        menu, parts = self.menus[street], [setup.part for setup in self.setups]
        most = MOST_RAISES + 1 if menu.cap is None else menu.cap
        stake, last, count = max(self.blinds), 0, 0
        while count < most and stake < min(self.stacks):
            is_raise = count > 0 or (street == 0 and stake > 0)  # a blind is a bet of its street
            sizes = menu.raises if is_raise else menu.bets
            if not sizes:
                break
            pot = self.pot + 2 * stake
            wanted = [
                size.chips + (min(parts) if size.is_drawn else size.part) * pot for size in sizes
            ]
            last = max(last, self.smallest_bet, int(min(wanted)))
            stake += last
            count += 1
        return min(count, most)

    @property
    def most_bets(self) -> int:
        """The most decisions of a hand."""
        return sum(most + 2 for most in self.most_raises[self.num_silent :])

    @property
    def most_won(self) -> float:
        """Half of the pot at the start, and the smaller stack."""
        return self.pot / 2 + min(self.stacks)

    @property
    def first_to_act(self) -> int:
        """The player that opens the first street; player 0 opens all others."""
        return PLAYER_1 if self.blinds[0] != self.blinds[1] else PLAYER_0

    def start(self) -> BettingState:
        """The state after the blinds, as NumPy arrays."""
        small, big = self.blinds
        stacks = np.zeros(2) if self.setups else np.array(self.stacks)
        begun: dict[str, Any] = {
            "stage": np.int8(CHANCE if self.setups or self.num_silent else self.first_to_act),
            "street": np.int8(0),
            "stakes": np.array([big, small], np.int32),
            "matched": np.int32(0),
            "last_raise": np.int32(0),
            "num_raises": np.int8(0),
            "has_acted": np.bool_(False),
            "folder": np.int8(NO_FOLDER),
            "stacks": np.asarray(stacks, np.int32),
            "part": np.int32(0),
        }
        return BettingState(**begun)

    def is_drawing(self, state: BettingState) -> Array:
        """bool: whether chance is to draw the stacks."""
        return state.stacks[..., 0] == 0

    def draw(self, state: BettingState, number: Any) -> BettingState:
        """After chance has drawn the setup of this number."""
        xp = _module_of(state)
        stacks = xp.asarray([setup.stack for setup in self.setups], np.int32)
        parts = xp.asarray([int(setup.part * DENOMINATOR) for setup in self.setups], np.int32)
        at = xp.clip(xp.asarray(number), 0, len(self.setups) - 1)
        opens = CHANCE if self.num_silent else self.first_to_act
        return dataclasses.replace(
            state,
            stage=xp.full_like(state.stage, opens),
            stacks=xp.stack([stacks[at], stacks[at]], axis=-1),
            part=parts[at],
        )

    def raised_stakes(self, state: BettingState) -> tuple[Any, Any]:
        """int32[sizes], the actor's stake after each bet or raise; bool[sizes], if it is legal.

        Of sizes with equal stakes only the last is legal.
        """
        xp = _module_of(state)
        _, other, own_stack, other_stack = self._seen(state)
        is_raise = (state.num_raises > 0) | ((state.street == 0) & (max(self.blinds) > 0))
        row = {
            name: xp.asarray(table)[state.street, is_raise.astype(np.int32)]
            for name, table in self._sizes.items()
        }
        row["num"] = xp.where(row["is_drawn"], state.part[..., None], row["num"])
        row["den"] = xp.where(row["is_drawn"], DENOMINATOR, row["den"])
        pot = (self.pot + 2 * other)[..., None]
        # pot * num / den, half a chip rounded up, without overflowing int32.
        whole, rest = pot // row["den"], pot % row["den"]
        part = whole * row["num"] + (2 * rest * row["num"] + row["den"]) // (2 * row["den"])
        least = xp.maximum(state.last_raise, self.smallest_bet)
        most = xp.maximum(own_stack - other, 0)
        # With numbers up to 2^26 the sums stay in bounds.
        further = xp.clip(part + row["chips"], least[..., None], most[..., None])
        after = xp.minimum(other[..., None] + further, own_stack[..., None])
        capped = xp.asarray([menu.cap or MOST_RAISES for menu in self.menus], np.int32)
        can_raise = (own_stack > other) & (other < other_stack)
        can_raise = can_raise & (state.num_raises < capped[state.street])
        legal = row["exists"] & can_raise[..., None]
        later = np.triu(np.ones((after.shape[-1],) * 2, bool), k=1)
        is_same = after[..., :, None] == after[..., None, :]
        is_again = xp.any(is_same & legal[..., None, :] & later, axis=-1)
        return after, legal & ~is_again

    def legal(self, state: BettingState) -> Any:
        """bool[A] at a decision: folding needs a bet to fold to."""
        xp = _module_of(state)
        own, other, _, _ = self._seen(state)
        _, sizes = self.raised_stakes(state)
        can_fold = (own < other)[..., None]
        return xp.concatenate([can_fold, xp.ones_like(can_fold), sizes], axis=-1)

    def bet(self, state: BettingState, action: Any) -> BettingState:
        """After a legal action at a decision."""
        xp = _module_of(state)
        size = xp.maximum(xp.asarray(action, np.int32) - FIRST_SIZE, 0)
        raised = xp.take_along_axis(self.raised_stakes(state)[0], size[..., None], axis=-1)[..., 0]
        return self.bet_chips(state, action, raised)

    def bet_chips(self, state: BettingState, action: Any, raised: Any) -> BettingState:
        """Likewise; raised: the player's stake after a bet or raise of any size."""
        xp, action = _module_of(state), _module_of(state).asarray(action)
        player = state.stage == PLAYER_1
        own, other, own_stack, _ = self._seen(state)
        folds, calls = action == FOLD, action == CALL
        called = xp.minimum(other, own_stack)
        paid = xp.where(folds, own, xp.where(calls, called, raised))
        is_own = player[..., None] == np.array([False, True])
        stakes = xp.where(is_own, paid[..., None], state.stakes)
        raises = ~folds & ~calls
        closes = calls & (state.has_acted | (state.num_raises > 0) | _is_all_in(state, stakes))
        after = xp.where(closes, CHANCE, xp.where(player, PLAYER_0, PLAYER_1))
        is_last = state.street == len(self.menus) - 1
        after = xp.where(folds | (closes & is_last), TERMINAL, after)
        return dataclasses.replace(
            state,
            stage=after.astype(np.int8),
            stakes=stakes,
            last_raise=xp.where(raises, raised - other, state.last_raise),
            num_raises=xp.minimum(state.num_raises, MOST_RAISES) + raises.astype(np.int8),
            has_acted=state.has_acted | calls,
            folder=xp.where(folds, player, state.folder).astype(np.int8),
        )

    def next_street(self, state: BettingState) -> BettingState:
        """After the cards are dealt; there is no betting after an all-in or on a silent street."""
        xp = _module_of(state)
        street = state.street + np.int8(1)
        is_last = street == len(self.menus) - 1
        no_bets = xp.where(is_last, TERMINAL, CHANCE)
        nobody_acts = _is_all_in(state, state.stakes) | (street < self.num_silent)
        stage = xp.where(nobody_acts, no_bets, PLAYER_0)
        return dataclasses.replace(
            state,
            stage=stage.astype(np.int8),
            street=street,
            matched=xp.min(state.stakes, axis=-1),
            last_raise=xp.zeros_like(state.last_raise),
            num_raises=xp.zeros_like(state.num_raises),
            has_acted=xp.zeros_like(state.has_acted),
        )

    def won(self, state: BettingState) -> Array:
        """float32: the winner's gain, half of the initial pot included."""
        return self.pot / 2 + state.stakes.min(axis=-1).astype(np.float32)

    def _seen(self, state: BettingState) -> tuple[Array, Array, Array, Array]:
        """int32: stakes of the actor and of the other, then their stacks."""
        is_second = state.stage == PLAYER_1
        stakes, stacks = state.stakes, state.stacks
        where = _module_of(state).where
        own, other, own_stack, other_stack = (
            where(is_second, chips[..., 1 - place], chips[..., place])
            for chips in (stakes, stacks)
            for place in (0, 1)
        )
        return own, other, own_stack, other_stack


def bet_name(
    action: int, before: Sequence[int], after: Sequence[int], player: int, stack: int
) -> str:
    """An action, as "fold", "check" or "raise300".

    before, after: chips that each has bet on the street. stack: what the player had when it began.
    """
    own, other = before[player], before[1 - player]
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if own < other else "check"
    chips = after[player]
    return f"{'allin' if chips == stack else 'raise' if other else 'bet'}{chips}"


def on_host(states: Any) -> Any:
    """The states as NumPy arrays."""
    return jax.tree.map(np.asarray, states)


def pick(states: Any, at: Any) -> Any:
    """Indexes a batch of NumPy states."""
    return jax.tree.map(lambda leaf: np.asarray(leaf)[at], states)


def _is_all_in(state: BettingState, stakes: Array) -> Array:
    return (stakes >= state.stacks).any(axis=-1)


def _module_of(state: BettingState) -> Any:
    """The module of the state's arrays: `numpy` or `jax.numpy`."""
    return state.stakes.__array_namespace__()
