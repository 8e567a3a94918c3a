"""A spot: a board, chips and bet menus; ranges are given apart from it."""

import dataclasses
from typing import Any, TypeGuard

from sog.games.core import Game
from sog.games.parts import SolvedApart
from sog.holdem.deck import Deck
from sog.holdem.game import Holdem
from sog.holdem.no_limit import Menu
from sog.holdem.spots.betting import BettingLine, Street, build_street
from sog.tabular.sizes import can_be_counted


@dataclasses.dataclass(frozen=True, kw_only=True)
class Spot:
    """Heads-up poker from the start of a street on, or from a later decision on the last street.

    Player 0 acts first on every street; one card is dealt between streets.
    """

    board: tuple[int, ...]
    """Cards of the deck."""
    pot: int
    """Chips at the start of the street."""
    stack: int
    """Chips behind each player then: the effective stack."""
    menus: tuple[Menu, ...]
    """By street, from the one that the spot begins on."""
    smallest_bet: int
    deck: Deck
    hole_cards: int
    stakes: tuple[int, int] = (0, 0)
    """Bets on the street before the spot begins, the player to act first."""
    words: tuple[str, ...] = ()
    """The actions on the street before the spot begins."""

    def __post_init__(self) -> None:
        if (self.words or any(self.stakes)) and len(self.menus) > 1:
            raise ValueError(
                f"a spot must begin with a street, or on the last one, got words {self.words} and "
                f"stakes {self.stakes} before it."
            )

    @property
    def unseen(self) -> tuple[int, ...]:
        """By street: cards neither on the board nor in the two hands."""
        unseen = self.deck.num_cards - len(self.board) - 2 * self.hole_cards
        return tuple(unseen - street for street in range(len(self.menus)))

    def streets(self) -> tuple[Street, ...]:
        """The betting of each street; none for streets that are reached only all-in."""
        streets: list[Street] = []
        lines: tuple[BettingLine, ...] = (
            BettingLine(self.pot, self.stack, self.stakes, self.words),
        )
        for number, menu in enumerate(self.menus):
            last = number == len(self.menus) - 1
            streets.append(build_street(lines, menu, smallest_bet=self.smallest_bet, last=last))
            lines = streets[-1].next_lines
        return tuple(streets)


def is_spot(game: Game[Any]) -> TypeGuard[Holdem]:
    """Whether a game is solved as a spot, if at all: there are no blinds, and it begins with a
    board or is too large to enumerate."""
    if not isinstance(game, Holdem) or max(game.betting.blinds) > 0:
        return False
    return game.board != "none" or game.deals == "none" or not can_be_counted(game)


def own_solver(game: Holdem) -> SolvedApart | None:
    """The special solver of `sog solve` for a game of hold'em, if any, see `sog.games.parts`."""
    if not is_spot(game):
        return None
    try:
        spot_of(game)
    except ValueError:
        return SolvedApart("", "")
    return SolvedApart("as a spot, street by street", "--until-pot 0.3")


def spot_of(game: Holdem) -> Spot:
    """The spot that a game begins with; ValueError, one line, if there is none."""
    betting = game.betting
    if max(betting.blinds) > 0:
        raise ValueError(
            f"{game.name}: board must be given to solve a spot, such as board=KsTh7s4d; from the "
            f"blinds on the game is too large."
        )
    if betting.setups:
        name = "draw_stacks" if game.draw_stacks != "none" else "draw_bets"
        value = getattr(game, name)
        raise ValueError(f"{game.name}: {name} must be none to solve a spot, got {value}.")
    if any(dealt > 1 for dealt in game._deals_left):
        if game.board == "none":
            raise ValueError(f"{game.name}: board must have a flop at least, got none.")
        raise ValueError(
            f"{game.name}: deals must be one card at a time after the board to solve a spot, got "
            f"{game.deals}."
        )
    return Spot(
        board=game._start_board,
        pot=betting.pot,
        stack=min(betting.stacks),
        menus=betting.menus,
        smallest_bet=betting.smallest_bet,
        deck=game.deck,
        hole_cards=game.hole_cards,
    )
