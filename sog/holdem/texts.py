"""Hold'em for people: texts and pictures of cards, bets and stakes; runs on the host."""

import dataclasses
import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sog.games.core import CHANCE, TERMINAL
from sog.games.shown import Seen
from sog.games.views import CardsView
from sog.holdem.deck import combinations
from sog.holdem.no_limit import (
    DENOMINATOR,
    NO_FOLDER,
    BettingState,
    Setup,
    bet_name,
    on_host,
)
from sog.holdem.ranges import class_name, class_of_hands
from sog.holdem.setup import HoldemSetup, HoldemState


@dataclasses.dataclass(frozen=True, kw_only=True)
class HoldemTexts(HoldemSetup):
    """Texts and pictures of hold'em."""

    def describe_state(self, state: HoldemState) -> str:
        words = [f"{self.deck.cards_name(self._start_board)}:"] if self._start_board else []
        node, streets = self.betting.start(), int(state.betting.street)
        events = np.asarray(state.events)[: int(state.num_events)].tolist()
        if self.betting.setups and int(state.betting.stacks[0]):
            drawn = Setup(
                int(state.betting.stacks[0]), Fraction(int(state.betting.part), DENOMINATOR)
            )
            number = self.betting.setups.index(drawn)
            words.append(self._describe_setup(number))
            node = self.betting.draw(node, np.int32(number))
        while events or int(node.street) < streets:
            if int(node.stage) == CHANCE:
                words.append(self._dealt(state, int(node.street)))
                node = self.betting.next_street(node)
            else:
                action = events.pop(0)
                words.append(self._describe_bet(node, action))
                node = self.betting.bet(node, np.int32(action))
        first, second = state.betting.stakes.tolist()
        return f"{' '.join(words) or 'start'} (stakes {first}-{second})"

    def draw(self, state: HoldemState, ranges: np.ndarray | None = None) -> str:
        betting, names = state.betting, self._public_names(state)
        missing = self.num_public[-1] - len(names)
        stakes, stacks = self._stakes(state), betting.stacks.tolist()
        lines = [
            f"board     {' '.join([*names, *['--'] * missing])}",
            f"pot       {self.pot + sum(stakes)}",
        ]
        for player in (0, 1):
            marks = " to act" if int(betting.stage) == player else ""
            marks = " folded" if int(betting.folder) == player else marks
            behind = max(stacks[player] - stakes[player], 0)  # nothing until stacks are drawn
            lines.append(f"player {player}  {stakes[player]} put in, {behind} behind{marks}")
        if int(betting.stage) == TERMINAL and int(betting.folder) == NO_FOLDER:
            lines.append("showdown")
        return "\n".join([*lines, self.describe_state(state)])

    def _stakes(self, state: HoldemState) -> list[int]:
        """Each player's stake; at the end without the uncalled part."""
        stakes: list[int] = state.betting.stakes.tolist()
        is_over = int(state.betting.stage) == TERMINAL
        return [min(stakes)] * 2 if is_over else stakes

    def describe_seat(self, player: int) -> str:
        if max(self.betting.blinds) == 0:
            return "you open every street" if player == 0 else ""
        return "you are the big blind" if player == 0 else "you are the small blind, the dealer"

    def describe_infostate(self, state: HoldemState, player: int, infostate: int) -> str:
        return self.deck.cards_name(self.hands.cards[infostate].tolist())

    def describe_kind(self, state: HoldemState, player: int, infostate: int) -> str:
        """A class such as "AKs" preflop; later suits matter."""
        text = self.describe_infostate(state, player, infostate)
        if self.hole_cards == 1:
            return text[0]
        row, column = class_of_hands(self.deck)[infostate].tolist()
        return text if self._public_names(state) else class_name(row, column, self.deck)

    def view(
        self,
        state: HoldemState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> CardsView:
        hidden: list[str | None] = [None] * self.hole_cards
        hands = [
            hidden if hand is None else self._names(self.hands.cards[hand].tolist())
            for hand in infostates
        ]
        betting = state.betting
        stakes, stacks = self._stakes(state), betting.stacks.tolist()
        return CardsView(
            title=self.describe_state(state),
            cards=(hands[0], hands[1]),
            public_cards=self._public_names(state),
            num_public_cards=self.num_public[-1],
            chips=(stakes[0], stakes[1]),
            pot=self.pot + sum(stakes),
            actor=int(betting.stage),
            folder=None if int(betting.folder) == NO_FOLDER else int(betting.folder),
            is_over=int(betting.stage) == TERMINAL,
            behind=(max(stacks[0] - stakes[0], 0), max(stacks[1] - stakes[1], 0)),
            dealer=1 if max(self.betting.blinds) > 0 else None,
        )

    def describe_action(self, state: HoldemState, infostate: int, action: int) -> str:
        return self._describe_bet(state.betting, action)

    def describe_outcome(self, state: HoldemState, outcome: int) -> str:
        if int(state.betting.stage) == CHANCE:
            if self.betting.setups and not int(state.betting.stacks[0]):
                return self._describe_setup(outcome)
            dealt = self._deals_left[int(state.betting.street)]
            cards = combinations(self.deck.num_cards, dealt)[outcome]
            return f"[{self.deck.cards_name(cards.tolist())}]"
        return self._describe_bet(state.betting, outcome)

    def _describe_bet(self, betting: BettingState, action: int) -> str:
        """Names bets and raises by the player's chips on this street afterwards."""
        now = on_host(betting)
        player, after = int(now.stage), self.betting.bet(now, action)
        before, then = ((state.stakes - now.matched).tolist() for state in (now, after))
        return bet_name(action, before, then, player, int(now.stacks[player] - now.matched))

    def _describe_setup(self, number: int) -> str:
        setup = self.betting.setups[number]
        return f"[{setup.stack}:{float(setup.part):g}]" if setup.part else f"[{setup.stack}]"

    def _dealt(self, state: HoldemState, street: int) -> str:
        first, last = self.num_public[street : street + 2]
        return f"[{self.deck.cards_name(np.asarray(state.board)[first:last].tolist())}]"

    def _public_names(self, state: HoldemState) -> list[str]:
        """Cards street by street; a spot's board in the order written."""
        board, ends = np.asarray(state.board).tolist(), self.num_public
        cards = list(self._start_board)
        for first, last in itertools.pairwise(ends[: int(state.betting.street) + 1]):
            cards += self.deck.in_order(board[first:last])
        return list(map(self.deck.card_name, cards))

    def _names(self, hand: list[int]) -> list[str | None]:
        return [self.deck.card_name(card) for card in self.deck.in_order(hand)]
