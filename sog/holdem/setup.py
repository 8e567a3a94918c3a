"""The public state and parameters of hold'em, and the tables that follow from them."""

import abc
import dataclasses
import functools
import math
import re
from typing import Final

import numpy as np
from jax import Array

from sog.games.core import MOST_EXACT, Game, param
from sog.holdem import bet_menus
from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import suit_masks
from sog.holdem.no_limit import DRAWN, MOST_RAISES, Betting, BettingState, Menu
from sog.holdem.showdown import Hands
from sog.parameters import check_params
from sog.pytree import pytree

NO_EVENT: Final = -1
_NONE: Final = bet_menus.NONE
_MOST_DEALS_SEARCHED: Final = 16  # of a street; there are 22,100 flops
_MOST_BOARD: Final = 5
_MOST_STREETS: Final = 5


@pytree
class HoldemState:
    """Public state of hold'em."""

    betting: BettingState
    board: Array  # int8[most public cards]: those of a street ascend; then N
    events: Array  # int8[most bets]: actions so far, for texts; then NO_EVENT
    num_events: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class HoldemSetup(Game[HoldemState], abc.ABC):
    """Parameters of hold'em, checked, and the static tables that follow from them.

    Infostates are the hands of the deck (`sog.holdem.deck`). An outcome is the action, or at a
    chance state the number of the set of cards dealt, see `sog.holdem.deck`: a turn or a
    river is a card, and the six orders of a flop are one event.
    """

    ranks: int = param(13, "ranks in the deck, the highest ones", minimum=2, maximum=13)
    suits: int = param(4, "suits in the deck", minimum=1, maximum=4)
    hole_cards: int = param(2, "private cards of each player", minimum=1, maximum=2)
    deals: str = param("3/1/1", "public cards dealt before each street but the first")
    board: str = param(_NONE, "public cards to begin with, such as KsTh7s4d, or 'none'")
    blinds: str = param("50/100", "small and big blind, or 'none'; with a board there are none")
    pot: int = param(
        0, "chips in the pot at the start, beside blinds", minimum=0, maximum=MOST_EXACT - 1
    )
    stack: str = param("20000", "chips of each player at the start, or of player 0/of player 1")
    bets: str = param(
        "0.5/1/allin", "sizes: parts of the pot, chips as 2c, min, allin, none; | by street"
    )
    raises: str = param("same", "sizes of raises, or 'same' as bets")
    caps: str = param(_NONE, "most bets and raises of a street, blinds not counted, or 'none'")
    draw_stacks: str = param(_NONE, "stacks of both, one of which chance draws first, or 'none'")
    draw_bets: str = param(_NONE, "parts of the pot, one of which chance draws as 'drawn' in bets")

    def __post_init__(self) -> None:
        check_params(self.name, self)
        self._check_cards()
        self._check_chips()
        super().__post_init__()
        for street, most in enumerate(self.betting.most_raises):
            if most > MOST_RAISES:
                raise ValueError(
                    f"{self.name}: caps must be set where more than {MOST_RAISES} bets and raises "
                    f"are possible on a street, as on street {street + 1} here."
                )

    def _check_cards(self) -> None:
        if not re.fullmatch(r"[1-5](/[1-5])*|none", self.deals):
            self._reject("deals", "be numbers of cards joined by /, or none", self.deals)
        dealt = self._deal_sizes
        if sum(dealt) > _MOST_BOARD:
            self._reject("deals", f"add up to at most {_MOST_BOARD} cards", self.deals)
        if len(dealt) >= _MOST_STREETS:
            self._reject("deals", f"be at most {_MOST_STREETS - 1}", self.deals)
        needed = sum(dealt) + 2 * self.hole_cards
        if self.ranks * self.suits < needed:
            cards = f"{needed} cards, but ranks={self.ranks} and suits={self.suits}"
            raise ValueError(
                f"{self.name}: deals and hole_cards need {cards} make {self.ranks * self.suits}."
            )
        try:
            board = self._start_board
        except ValueError as error:
            raise ValueError(f"{self.name}: board: {error}") from None
        lengths = [sum(dealt[:street]) for street in range(len(dealt) + 1)]
        if len(board) not in lengths:
            wanted = ", ".join(map(str, lengths[1:]))
            rule = (
                f"have as many cards as are dealt ({wanted})" if dealt else "be none without deals"
            )
            self._reject("board", rule, self.board)
        if not board and self.board != _NONE:
            self._reject("board", "be cards such as KsTh7s4d, or none", repr(self.board))

    def _check_chips(self) -> None:
        try:
            small, big = self._blinds
            stacks = self._stacks
            betting = self.betting
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        if small > big:
            self._reject("blinds", "be the small one/the big one", self.blinds)
        drawn = [setup.stack for setup in betting.setups]
        name, value = ("draw_stacks", self.draw_stacks) if drawn else ("stack", self.stack)
        if min(drawn or stacks) < max(big, 1):
            self._reject(name, f"be at least {max(big, 1)}", value)
        self._check_drawn()
        if self.pot == 0 and big == 0:
            self._reject("pot", "be at least 1 where nobody posts a blind", str(self.pot))
        if betting.most_won > MOST_EXACT:
            self._reject(name, f"be at most {MOST_EXACT} with half of the pot", value)

    def _check_drawn(self) -> None:
        menus = [sizes for menu in self.betting.menus for sizes in (menu.bets, menu.raises)]
        is_given = self.draw_bets != _NONE
        if is_given != any(DRAWN in sizes for sizes in menus):
            rule = "be none where no" if is_given else "be given where"
            self._reject("draw_bets", f"{rule} bets are 'drawn'", self.draw_bets)

    def _reject(self, name: str, rule: str, value: str) -> None:
        raise ValueError(f"{self.name}: {name} must {rule}, got {value}.")

    @functools.cached_property
    def deck(self) -> Deck:
        """The cards."""
        return Deck(self.ranks, self.suits)

    @functools.cached_property
    def hands(self) -> Hands:
        """The infostates."""
        return Hands(self.deck, self.hole_cards)

    @property
    def _deal_sizes(self) -> tuple[int, ...]:
        if self.deals == _NONE:
            return ()
        return tuple(int(part) for part in self.deals.split("/"))

    @functools.cached_property
    def _start_board(self) -> tuple[int, ...]:
        return () if self.board == _NONE else self.deck.parse_cards(self.board)

    @functools.cached_property
    def _deals_left(self) -> tuple[int, ...]:
        """Cards dealt before each remaining street except the present one."""
        sizes, there = list(self._deal_sizes), len(self._start_board)
        while there > 0:
            there -= sizes.pop(0)
        return tuple(sizes)

    @functools.cached_property
    def num_public(self) -> tuple[int, ...]:
        """Cards on the board, by street."""
        start = len(self._start_board)
        return tuple(
            start + sum(self._deals_left[:street]) for street in range(len(self._deals_left) + 1)
        )

    @property
    def _blinds(self) -> tuple[int, int]:
        if self.blinds == _NONE:
            return 0, 0
        chips = bet_menus.read_chips("blinds", self.blinds, MOST_EXACT)
        if len(chips) < 2:
            raise ValueError(f"blinds must be the small one/the big one, got {self.blinds!r}.")
        return (chips[0], chips[1]) if self.board == _NONE else (0, 0)

    @property
    def _stacks(self) -> tuple[int, int]:
        stacks = bet_menus.read_chips("stack", self.stack, MOST_EXACT)
        return stacks[0], stacks[-1]

    @functools.cached_property
    def betting(self) -> Betting:
        """The rules of betting."""
        blinds = self._blinds
        streets = len(self._deals_left) + 1
        menus = bet_menus.read_menus(self.bets, self.raises, self.caps, streets, MOST_RAISES)
        stacks = self._stacks
        setups = bet_menus.read_setups(self.draw_stacks, self.draw_bets, min(stacks))
        if setups:
            stacks = (max(setup.stack for setup in setups),) * 2
        return Betting(
            pot=self.pot,
            stacks=stacks,
            blinds=blinds,
            smallest_bet=max(blinds[1], 1),
            menus=menus,
            setups=setups,
            num_silent=self._num_silent(menus),
        )

    def _num_silent(self, menus: tuple[Menu, ...]) -> int:
        """Streets before the first one with bet sizes, if there are no blinds: players could only
        check, as in a game that begins with the deal of a river."""
        if self.board != _NONE or max(self._blinds) > 0:
            return 0
        has_sizes = [bool(menu.bets or menu.raises) for menu in menus]
        return has_sizes.index(True) if any(has_sizes) else 0

    @property
    def unit(self) -> str:  # type: ignore[override]
        """See `chips_per_unit`."""
        return "big blinds" if max(self._blinds) else "chips"

    @property
    def milli_unit(self) -> str:  # type: ignore[override]
        """A thousandth of the unit."""
        return "mbb" if max(self._blinds) else "milli-chips"

    @property
    def chips_per_unit(self) -> int:
        """Utilities are in big blinds if there are blinds, else in chips."""
        return max(self._blinds[1], 1)

    @functools.cached_property
    def _weights(self) -> np.ndarray:
        """float64[street]: the joint weight of two hands that share no card with each other or the
        board, before stacks and sizes are drawn."""
        unseen, hole = self.deck.num_cards - len(self._start_board), self.hole_cards
        weights = [1 / (math.comb(unseen, hole) * math.comb(unseen - hole, hole))]
        unseen -= 2 * hole
        for dealt in self._deals_left:
            weights.append(weights[-1] / math.comb(unseen, dealt))
            unseen -= dealt
        return np.array(weights)

    @functools.cached_property
    def _alike_suits(self) -> np.ndarray:
        """int32[suits]: equal for suits with the same ranks on the initial board."""
        cards = np.array([*self._start_board, self.deck.num_cards])
        masks = suit_masks(cards, self.deck, np)
        return np.unique(masks, return_inverse=True)[1].astype(np.int32)

    @property
    def has_public_actions(self) -> bool:
        return True

    @property
    def has_chance(self) -> bool:
        return bool(self._deals_left or self.betting.setups)

    @property
    def num_infostates(self) -> int:
        return self.deck.num_hands(self.hole_cards)

    @property
    def num_actions(self) -> int:
        return self.betting.num_actions

    @property
    def num_chance_outcomes(self) -> int:
        unseen = [self.deck.num_cards - there for there in self.num_public]
        pairs = zip(unseen, self._deals_left, strict=False)
        events = [math.comb(cards, dealt) for cards, dealt in pairs]
        return max([len(self.betting.setups), *events])

    @property
    def num_outcomes(self) -> int:
        events = [math.comb(self.deck.num_cards, dealt) for dealt in self._deals_left]
        return max([self.num_actions, len(self.betting.setups), *events])

    @property
    def num_searched_outcomes(self) -> int:
        kept = max(self.num_decision_outcomes, _MOST_DEALS_SEARCHED)
        return min(kept, self.num_outcomes)

    @property
    def max_depth(self) -> int:
        drawing = 1 if self.betting.setups else 0
        return drawing + self.betting.most_bets + len(self._deals_left)

    @property
    def max_utility(self) -> float:
        return self.betting.most_won / self.chips_per_unit
