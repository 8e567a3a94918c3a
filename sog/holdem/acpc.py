"""Hold'em as the protocol of the Annual Computer Poker Competition writes it (version 2.0.0).

A match state is "MATCHSTATE:position:hand:betting:cards". Position 0 is the big blind, our player
0. Betting has c for calls and checks, f, r for bets and raises, and slashes between streets; in
no-limit games the number after r is the player's total stake in the hand. Cards are the hands by
position, unknown ones empty, then public ones after slashes: "|KsTd/7h8d2c".

Other programs may make bets outside our menu. Such a bet counts as the menu's size that the
pseudo-harmonic mapping (Ganzfried and Sandholm 2013) chooses more often, in parts of the pot. Our
player's bet becomes the same part of the real pot, or exactly the same chips if all bets so far
were in the menu. Everything here runs on the host.
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from sog.games.core import CHANCE, TERMINAL, Game
from sog.holdem.deck import combinations, number_of
from sog.holdem.game import Holdem
from sog.holdem.no_limit import ALL_IN, CALL, FIRST_SIZE, FOLD, BettingState, on_host
from sog.play.rules import after, first_state, situation

VERSION: Final = "VERSION:2.0.0"
_STATE: Final = re.compile(
    r"MATCHSTATE:([01]):(\d{1,18}):((?:c|f|r\d{0,9}|/)*):([^:|/]*)\|([^:|/]*)((?:/[^:|/]+)*)"
)
_ACTION: Final = re.compile(r"c|f|r\d{0,9}|/")


def acpc_game(game: Game[Any]) -> Holdem:
    """The game, if the protocol supports it; else ValueError."""
    if not isinstance(game, Holdem):
        raise ValueError(f"{game.name} cannot be played by ACPC, which is for holdem.")
    small, big = game.betting.blinds
    stacks = {setup.stack for setup in game.betting.setups} or set(game.betting.stacks)
    plain = game.hole_cards == 2 and game.pot == 0
    if not plain or not 0 < small < big or len(stacks) > 1:
        raise ValueError(
            f"ACPC needs holdem from the deal on, with a small and a big blind, equal stacks that "
            f"are not drawn and two cards each, got {game}."
        )
    return game


def is_limit(game: Holdem) -> bool:
    """Whether each street has one size in chips: then r has no number."""
    menus = game.betting.menus
    lists = [sizes for menu in menus for sizes in (menu.bets, menu.raises)]
    return all(len(sizes) == 1 and sizes[0].chips and sizes[0] != ALL_IN for sizes in lists)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchState:
    """The state of a hand in one line."""

    position: int
    hand: int
    betting: str
    cards: tuple[str, str]
    """By position; "" if unknown."""
    board: tuple[str, ...]
    """The cards dealt before each street except the first."""

    @classmethod
    def read(cls, line: str) -> "MatchState":
        """Reads a line; ValueError, one line, if it is invalid."""
        match = _STATE.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"a match state must look like MATCHSTATE:0:7:cr300c/:AsKd|/7h8d2c, "
                f"got {line[:120]!r}."
            )
        position, hand, betting, first, second, board = match.groups()
        return cls(
            position=int(position),
            hand=int(hand),
            betting=betting,
            cards=(first, second),
            board=tuple(board.split("/")[1:]),
        )

    def extends(self, betting: str) -> bool:
        """Whether its betting continues the given one; r300 does not continue r30."""
        rest = self.betting.removeprefix(betting)
        is_number = betting[-1:].isdigit() and rest[:1].isdigit()
        return self.betting.startswith(betting) and not is_number

    def __str__(self) -> str:
        cards = "|".join(self.cards) + "".join(f"/{dealt}" for dealt in self.board)
        return f"MATCHSTATE:{self.position}:{self.hand}:{self.betting}:{cards}"


class AcpcHand:
    """A hand in progress: its real betting, and the corresponding game with our menu."""

    def __init__(self, game: Holdem) -> None:
        """Begins at the deal, before a bet size is drawn for the hand if the game draws one."""
        self.game, self.is_limit = game, is_limit(game)
        rules = game.betting
        begun: dict[str, Any] = {
            "stage": np.int8(rules.first_to_act),
            "stacks": np.array(rules.stacks, np.int32),
        }
        self.real: BettingState = dataclasses.replace(rules.start(), **begun)
        """The real betting, with bets of any size."""
        self.betting, self.board = "", list[str]()
        self.state: Any = first_state(game)
        self.outcomes: list[int] = []
        """The public events of our game."""

    @property
    def actor(self) -> int:
        """Who is to act in our game, see `Game.actor`."""
        return int(self.state.betting.stage)

    @property
    def real_actor(self) -> int:
        """Who is to act in the real hand."""
        return int(self.real.stage)

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The real minimum and maximum to raise to; None if a raise is illegal."""
        most, stack = int(self.real.stakes.max()), self.game.betting.stacks[0]
        least = most + max(int(self.real.last_raise), self.game.betting.smallest_bet)
        return None if most >= stack else (min(least, stack), stack)

    @property
    def is_drawing(self) -> bool:
        """Whether a size is to be drawn first, which match states do not show."""
        return bool(self.game.betting.setups) and not self.outcomes

    def draw(self, random: np.random.Generator) -> None:
        """Draws the bet size of this hand, if the game has one to draw."""
        if self.is_drawing:
            self.observe(int(random.integers(len(self.game.betting.setups))))

    def follow(self, target: MatchState) -> None:
        """Advances to a match state. ValueError, one line, if it is invalid or does not continue
        the hand; the same betting always leads to the same events."""
        if not target.extends(self.betting) or list(target.board[: len(self.board)]) != self.board:
            raise ValueError(f"{target} does not come after {self.betting!r}.")
        for action in _ACTION.findall(target.betting[len(self.betting) :]):
            if self.real_actor == TERMINAL or (self.real_actor == CHANCE) != (action == "/"):
                raise ValueError(f"{action!r} cannot come after {self.betting!r} in {target}.")
            if action == "/":
                if len(self.board) == len(target.board):
                    raise ValueError(f"public cards are missing in {target}.")
                self._deal(target.board[len(self.board)], target)
            else:
                self._act(action, target)
            self.betting += action

    def observe(self, outcome: int) -> None:
        """Advances by an event of our game; all bets so far must be in our menu."""
        if self.is_drawing:
            self._step(outcome)
            return
        if self.actor == CHANCE:
            sets = combinations(self.game.deck.num_cards, self._num_dealt)
            self.board.append(self.game.deck.cards_name(sets[outcome].tolist()))
            self.betting += "/"
            self.real = self.game.betting.next_street(self.real)
        else:
            text = self.text_of(outcome)
            self.betting += text
            self._move(text, int(text[1:] or self._only_size()) if text[0] == "r" else 0)
        self._step(outcome)

    def action_of(self, text: str) -> int:
        """The action of our game for an answer such as "c" or "r300"; ValueError for any other."""
        if not _ACTION.fullmatch(text) or text == "/":
            raise ValueError(f"{text!r} is not an action.")
        if text == "c":
            return CALL
        if text == "f":  # a fold where checking is free counts as a check
            return FOLD if self.real.stakes[0] != self.real.stakes[1] else CALL
        size = self.size_of(self.read_raise(text))
        return CALL if size is None else size

    def _act(self, action: str, target: MatchState) -> None:
        player, ours, chips = self.real_actor, CALL, 0
        if action == "f":
            ours = FOLD
        elif action != "c":
            try:
                chips = self.read_raise(action)
            except ValueError as error:
                raise ValueError(f"{str(error)[:-1]} in {target}.") from None
            size = self.size_of(chips) if self.actor == player else None
            ours = CALL if size is None else size
        self._move(action, chips)
        if self.actor == player:
            is_legal = self.game.betting.legal(on_host(self.state.betting))[ours]
            self._step(ours if is_legal else CALL)

    def _move(self, text: str, chips: int) -> None:
        action = {"f": FOLD, "c": CALL}.get(text, FIRST_SIZE)
        self.real = self.game.betting.bet_chips(self.real, action, np.int32(chips))

    def _raises(self) -> tuple[np.ndarray, np.ndarray]:
        """See `Betting.raised_stakes`, in our game."""
        return self.game.betting.raised_stakes(on_host(self.state.betting))

    def _only_size(self) -> int:
        """In a limit game, the stake after the bet or raise; 0 if it is illegal."""
        afterwards, legal = self._raises()
        return int(afterwards[0]) if legal[0] else 0

    def read_raise(self, text: str) -> int:
        """The player's stake after a raise such as "r300", or "r" in a limit game; ValueError for
        an illegal one."""
        bounds = self.bounds
        if self.is_limit:
            only = self._only_size() if self.actor == self.real_actor else 0
            if text == "r" and only:
                return only
            rule = "r is possible" if only else "no raise is possible"
        else:
            if bounds and text != "r" and bounds[0] <= int(text[1:]) <= bounds[1]:
                return int(text[1:])
            possible = "no raise" if bounds is None else f"r{bounds[0]} to r{bounds[1]}"
            rule = f"{possible} is possible"
        raise ValueError(f"{text!r} is illegal where {rule}.")

    def _deal(self, cards: str, target: MatchState) -> None:
        self.real = self.game.betting.next_street(self.real)
        self.board.append(cards)
        while self.actor < CHANCE:  # our betting is not over yet
            self._step(CALL)
        if self.actor == TERMINAL:
            return
        try:
            dealt: Any = np.sort(np.array(self.game.deck.parse_cards(cards)))
        except ValueError as error:
            raise ValueError(f"{error} ({target})") from None
        wanted = self._num_dealt
        if len(dealt) != wanted:
            raise ValueError(f"{wanted} cards must be dealt, got {cards!r} in {target}.")
        number = int(number_of(dealt, self.game.deck.num_cards))
        if not situation(self.game, self.state).legal_outcomes[number]:
            raise ValueError(f"a card is dealt twice in {target}.")
        self._step(number)

    @property
    def _num_dealt(self) -> int:
        """The number of public cards to be dealt next."""
        return self.game._deals_left[int(self.state.betting.street)]

    def _step(self, outcome: int) -> None:
        self.outcomes.append(outcome)
        self.state = after(self.game, self.state, outcome)

    def size_of(self, chips: int) -> int | None:
        """The action of our game for a real raise to so many chips; None if it has no raise."""
        afterwards, legal = self._raises()
        sizes = np.flatnonzero(legal)
        if not len(sizes):
            return None
        sizes = sizes[np.argsort(afterwards[sizes], kind="stable")]  # a drawn size has any place
        ours = _parts(self.state.betting.stakes.tolist(), afterwards[sizes].tolist())
        if chips == self.game.betting.stacks[0]:
            return FIRST_SIZE + int(sizes[-1])
        (part,) = _parts(self.real.stakes.tolist(), [chips])
        return FIRST_SIZE + int(sizes[_nearest(ours, part)])

    def text_of(self, action: int) -> str:
        """The answer in the real hand for an action of our game."""
        if action == FOLD:
            return "f"
        bounds = self.bounds
        if action == CALL or bounds is None:
            return "c"
        if self.is_limit:
            return "r"
        afterwards, _ = self._raises()
        chips = int(afterwards[action - FIRST_SIZE])
        stakes = self.state.betting.stakes.tolist()
        if chips >= self.game.betting.stacks[0]:
            return f"r{bounds[1]}"
        if stakes != self.real.stakes.tolist():
            (part,) = _parts(stakes, [chips])
            most = int(self.real.stakes.max())
            chips = most + round(part * 2 * most)
        return f"r{min(max(chips, bounds[0]), bounds[1])}"


def _parts(stakes: Sequence[int], afterwards: Sequence[int]) -> list[float]:
    """Each raise as a part of the pot after a call."""
    most = max(stakes)
    return [(chips - most) / (2 * most) for chips in afterwards]


def _nearest(parts: Sequence[float], part: float) -> int:
    """The one of ascending parts of the pot that pseudo-harmonic mapping chooses more often.

    Between a and b it chooses a with probability (b - x) (1 + a) / ((b - a) (1 + x)).
    """
    above = int(np.searchsorted(parts, part))
    if above in (0, len(parts)):
        return min(above, len(parts) - 1)
    a, b = parts[above - 1], parts[above]
    return above - ((b - part) * (1 + a) > 0.5 * (b - a) * (1 + part))
