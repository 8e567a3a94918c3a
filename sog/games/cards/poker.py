"""Betting games with one private card each: the engine of Kuhn, Leduc and generic poker.

A round of betting: the first player checks or bets, and so on until a bet is called, both have
checked, or one folds. Raises per round are limited. Between two rounds a public card is dealt. At
showdown, more public cards of one's own rank win (one makes a pair), then the higher rank;
otherwise the pot is split.
"""

import abc
import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import (
    CHANCE,
    TERMINAL,
    Game,
    draw,
    opponents_weight,
    public_action,
    zero_sum_cfvs,
)
from sog.games.notation import describe_path
from sog.games.on_host import call_rules
from sog.games.shown import Seen
from sog.games.views import CardsView
from sog.pytree import pytree

FOLD, CALL, FIRST_RAISE = 0, 1, 2
NO_FOLDER = 2
NO_EVENT = -1
_SUITS: Final = "shdc"
MOST_CHIPS: Final = 100_000
"""The largest minimum raise: 8 raises of 8 sizes in two rounds are still exact numbers."""


@pytree
class PokerState:
    """Public state of a betting game."""

    stage: Array  # int32: whose turn, as returned by `actor`
    round: Array  # int32: public cards dealt so far
    board: Array  # int32[most public cards]: padded with S
    num_raises: Array  # int32: of this round
    checked: Array  # bool: the first player of this round has checked
    stakes: Array  # int32[2]: chips put in, ante included
    folder: Array  # int32: who folded, or NO_FOLDER
    events: Array  # int32[max_depth]: bets, and A + card for public cards; for display only
    num_events: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class BettingGame(Game[PokerState], abc.ABC):
    """Fixed-limit betting over one private card per player, and public cards dealt one by one.

    Infostates are cards. An outcome is the betting action, or the public card at a chance node.
    """

    unit = "chips"
    milli_unit = "mbb"

    @property
    @abc.abstractmethod
    def ranks_of_cards(self) -> tuple[int, ...]:
        """The rank of each distinguishable card; its length is S."""

    @property
    def copies(self) -> int:
        """The number of indistinguishable copies of each card in the deck."""
        return 1

    @property
    @abc.abstractmethod
    def raise_sizes(self) -> tuple[tuple[int, ...], ...]:
        """Chips of each raise action, a row per betting round."""

    @property
    @abc.abstractmethod
    def raise_limit(self) -> int:
        """Raises allowed per round."""

    @property
    def has_public_actions(self) -> bool:
        return True

    @property
    def num_infostates(self) -> int:
        return len(self.ranks_of_cards)

    @property
    def num_actions(self) -> int:
        return FIRST_RAISE + len(self.raise_sizes[0])

    @property
    def num_outcomes(self) -> int:
        cards = self.num_infostates if len(self.raise_sizes) > 1 else 0
        return max(self.num_actions, cards)

    @property
    def max_depth(self) -> int:
        rounds = len(self.raise_sizes)
        return rounds * (self.raise_limit + 2) + rounds - 1

    @property
    def max_utility(self) -> float:
        return 1.0 + self.raise_limit * sum(max(sizes) for sizes in self.raise_sizes)

    @property
    def most_public_cards(self) -> int:
        """Public cards dealt by the last round."""
        return len(self.raise_sizes) - 1

    @functools.cached_property
    def _deal_weight(self) -> np.ndarray:
        """float64[S, S]: w before a public card is dealt."""
        deck = self.num_infostates * self.copies
        deal = self.copies * (self.copies - np.eye(self.num_infostates)) / (deck * (deck - 1))
        return np.asarray(deal)

    @functools.cached_property
    def _joint_weight(self) -> np.ndarray:
        """float64[S + 1, S, S]: w for each first public card; the last is before it is dealt."""
        size = self.num_infostates
        deck, same, deal = size * self.copies, np.eye(size), self._deal_weight
        left = self.copies - same[:, :, None] - same[:, None, :]  # [board, s0, s1]
        dealt = deal * np.maximum(left, 0) / max(deck - 2, 1)
        return np.asarray(np.concatenate([dealt, deal[None]]))

    def _weight(self, board: Array, dtype: Any) -> Array:
        """[S, S]: w with these public cards."""
        size = self.num_infostates
        weight = jnp.asarray(self._joint_weight, dtype)[board[0]]
        held = jnp.eye(size, dtype=dtype)
        before = jnp.zeros(size + 1, dtype).at[board[0]].add(1)
        for number in range(1, self.most_public_cards):
            card = jnp.minimum(board[number], size - 1)
            left = self.copies - before[card] - held[card][:, None] - held[card][None, :]
            unseen = size * self.copies - 2 - number
            dealt = jnp.maximum(left, 0) / max(unseen, 1)
            weight = weight * jnp.where(board[number] < size, dealt, 1)
            before = before.at[board[number]].add(1)
        return weight

    def _showdown(self, board: Array, dtype: Any) -> Array:
        """[S, S]: 1 where player 0 wins, -1 where player 1 wins, with these public cards."""
        ranks = np.array(self.ranks_of_cards, np.int32)
        public = jnp.asarray(np.append(ranks, -1))[board]
        same = jnp.sum(public[:, None] == ranks[None, :], axis=0, dtype=jnp.int32)
        strength = ranks + same * (int(ranks.max()) + 1)
        return jnp.sign(strength[:, None] - strength[None, :]).astype(dtype)

    def _num_public(self, board: Array) -> Array:
        """[S] int32: the number of public copies of each card."""
        return jnp.sum(
            board[:, None] == jnp.arange(self.num_infostates)[None], axis=0, dtype=jnp.int32
        )

    def root(self) -> PokerState:
        def number(value: int) -> Array:
            return jnp.asarray(value, jnp.int32)

        return PokerState(
            stage=number(0),
            round=number(0),
            board=jnp.full(max(self.most_public_cards, 1), self.num_infostates, jnp.int32),
            num_raises=number(0),
            checked=jnp.bool_(False),
            stakes=jnp.ones(2, jnp.int32),
            folder=number(NO_FOLDER),
            events=jnp.full(self.max_depth, NO_EVENT, jnp.int32),
            num_events=number(0),
        )

    def actor(self, state: PokerState) -> Array:
        return state.stage

    def _legal_bets(self, state: PokerState) -> Array:
        """bool[A] at a decision: folding is legal after a bet, raising up to the raise limit."""
        facing = state.stakes[0] != state.stakes[1]
        can_raise = state.num_raises < self.raise_limit
        raises = jnp.full(self.num_actions - FIRST_RAISE, can_raise)
        return jnp.concatenate([jnp.stack([facing, jnp.bool_(True)]), raises])

    def legal_outcomes(self, state: PokerState) -> Array:
        bets = (
            jnp.zeros(self.num_outcomes, bool).at[: self.num_actions].set(self._legal_bets(state))
        )
        dealt = self.num_infostates if self.most_public_cards else 0
        left = (self._num_public(state.board) < self.copies)[:dealt]
        left = jnp.zeros(self.num_outcomes, bool).at[:dealt].set(left)
        return jnp.where(state.stage == CHANCE, left, bets) & (state.stage != TERMINAL)

    def apply(self, state: PokerState, outcome: Array) -> PokerState:
        outcome = outcome.astype(jnp.int32)
        is_deal = state.stage == CHANCE
        player = jnp.where(is_deal, 0, state.stage)
        folds, calls = ~is_deal & (outcome == FOLD), ~is_deal & (outcome == CALL)
        raises = ~is_deal & (outcome >= FIRST_RAISE)
        event = jnp.where(is_deal, self.num_actions + outcome, outcome)
        sizes = jnp.asarray(self.raise_sizes, jnp.int32)
        size = sizes[state.round, jnp.maximum(outcome - FIRST_RAISE, 0)]
        owed = state.stakes[1 - player]
        paid = jnp.where(raises, owed + size, owed)
        stakes = jnp.where(folds | is_deal, state.stakes, state.stakes.at[player].set(paid))
        closes = calls & (state.checked | (state.num_raises > 0))
        last_round = state.round == len(self.raise_sizes) - 1
        stage = jnp.where(is_deal, 0, 1 - player)
        stage = jnp.where(closes, jnp.where(last_round, TERMINAL, CHANCE), stage)
        stage = jnp.where(folds, TERMINAL, stage)
        return PokerState(
            stage=stage.astype(jnp.int32),
            round=state.round + is_deal,
            board=jnp.where(is_deal, state.board.at[state.round].set(outcome), state.board),
            num_raises=jnp.where(is_deal, 0, state.num_raises + raises),
            checked=jnp.where(is_deal, False, state.checked | calls),
            stakes=stakes,
            folder=jnp.where(folds, player, state.folder),
            events=state.events.at[state.num_events].set(event),
            num_events=state.num_events + 1,
        )

    def infostate_mask(self, state: PokerState) -> Array:
        left = self._num_public(state.board) < self.copies
        return jnp.stack([left, left])

    def legal_actions(self, state: PokerState) -> Array:
        mask = self.infostate_mask(state)[0][:, None]
        only_first = jnp.arange(self.num_actions) == 0
        bets = jnp.where(state.stage == CHANCE, only_first, self._legal_bets(state))
        return mask & bets[None, :] & (state.stage != TERMINAL)

    def advance(
        self, state: PokerState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        reach = public_action(state.stage, outcome, action_reach, other_reach)
        return jnp.where(self.infostate_mask(self.apply(state, outcome)), reach, 0)

    def compatible_reach(self, state: PokerState, reach: Array) -> Array:
        return opponents_weight(self._weight(state.board, reach.dtype), reach)

    def utilities(self, state: PokerState, reach: Array) -> Array:
        weight = self._weight(state.board, reach.dtype)
        showdown = self._showdown(state.board, reach.dtype)
        fold = jnp.where(state.folder == 0, -1, 1).astype(reach.dtype)
        sign = jnp.where(state.folder == NO_FOLDER, showdown, fold)
        return zero_sum_cfvs(weight * sign * jnp.min(state.stakes).astype(reach.dtype), reach)

    def observe(self, state: PokerState) -> Array:
        def one_hot(value: Array, size: int) -> Array:
            return jax.nn.one_hot(value, size, dtype=jnp.float32)

        return jnp.concatenate(
            [
                one_hot(state.stage, 4),
                one_hot(state.round, len(self.raise_sizes)),
                one_hot(state.board, self.num_infostates + 1).reshape(-1),
                one_hot(state.num_raises, self.raise_limit + 1),
                one_hot(state.folder, 3),
                state.checked[None].astype(jnp.float32),
                state.stakes.astype(jnp.float32) / self.max_utility,
            ]
        )

    def random_symmetry(self, key: Array, state: PokerState) -> tuple[PokerState, Array, Array]:
        """Permutes cards of the same rank."""
        shuffled = jax.random.uniform(key, (self.num_infostates,))
        cards = jnp.lexsort((shuffled, jnp.asarray(self.ranks_of_cards))).astype(jnp.int32)
        renamed = jnp.append(jnp.argsort(cards), self.num_infostates).astype(jnp.int32)
        dealt = state.events - self.num_actions
        card = renamed[jnp.clip(dealt, 0, self.num_infostates)]
        events = jnp.where(dealt >= 0, self.num_actions + card, state.events)
        twin = dataclasses.replace(state, board=renamed[state.board], events=events)
        return twin, jnp.stack([cards, cards]), jnp.arange(self.num_actions, dtype=jnp.int32)

    def deal(self, key: Array) -> Array:
        size = self.num_infostates
        weight = jnp.asarray(self._deal_weight.reshape(-1), jnp.float32)
        pair = draw(jax.random.uniform(key), weight)
        return jnp.stack([pair // size, pair % size])

    def transition(
        self, key: Array, state: PokerState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        held = jax.nn.one_hot(infostates, self.num_infostates, dtype=jnp.float32)
        left = self.copies - held[0] - held[1] - self._num_public(state.board)
        card = draw(jax.random.uniform(key), left)
        outcome = jnp.where(state.stage == CHANCE, card, action).astype(jnp.int32)
        return outcome, infostates

    def describe_state(self, state: PokerState) -> str:
        events = np.asarray(state.events)[: int(state.num_events)]
        outcomes = np.where(events < self.num_actions, events, events - self.num_actions)
        words, _ = describe_path(self, call_rules(self, "root")[0], outcomes.tolist())
        return f"{' '.join(words) or 'start'} (stakes {state.stakes[0]}-{state.stakes[1]})"

    def describe_infostate(self, state: PokerState, player: int, infostate: int) -> str:
        return self.describe_card(infostate)

    def describe_kind(self, state: PokerState, player: int, infostate: int) -> str:
        return self.describe_card(infostate).rstrip(_SUITS)

    def view(
        self,
        state: PokerState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> CardsView:
        first, second = (None if card is None else self.describe_card(card) for card in infostates)
        board = np.asarray(state.board)[: self.most_public_cards]
        return CardsView(
            title=self.describe_state(state),
            cards=([first], [second]),
            public_cards=[self.describe_card(int(c)) for c in board if c < self.num_infostates],
            num_public_cards=self.most_public_cards,
            chips=(int(state.stakes[0]), int(state.stakes[1])),
            pot=int(state.stakes.sum()),
            actor=int(state.stage),
            folder=None if int(state.folder) == NO_FOLDER else int(state.folder),
            is_over=int(state.stage) == TERMINAL,
        )

    def describe_action(self, state: PokerState, infostate: int, action: int) -> str:
        return self._describe_bet(state, action)

    def describe_outcome(self, state: PokerState, outcome: int) -> str:
        if int(state.stage) == CHANCE:
            return f"[{self.describe_card(outcome)}]"
        return self._describe_bet(state, outcome)

    def _describe_bet(self, state: PokerState, action: int) -> str:
        facing = int(state.stakes[0]) != int(state.stakes[1])
        if action == FOLD:
            return "fold"
        if action == CALL:
            return "call" if facing else "check"
        size = self.raise_sizes[int(state.round)][action - FIRST_RAISE]
        return f"{'raise' if facing else 'bet'}{size}"

    def describe_card(self, card: int) -> str:
        """A card as text: rank letter, then a suit letter where suits are distinguished."""
        ranks = self.ranks_of_cards
        letters = "AKQJT98765432"
        rank, top = ranks[card], max(ranks)
        # Three ranks read J, Q, K as in the literature; longer decks end in the ace.
        offset = 1 if top <= 2 else 0
        position = top - rank + offset
        text = letters[position] if position < len(letters) else f"<{rank}>"
        suits = len(ranks) // (top + 1)
        return text + (_SUITS[card % suits] if 1 < suits <= 4 else "")
