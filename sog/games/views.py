"""What the picture of a public state shows, as data: `Game.view` makes it, its `drawer` draws it.

`choices` are the actions that a page may let one click, by the place where one clicks for them.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

Choices = Mapping[int, Sequence[int]]

Place = int | tuple[int, int]
"""A cell, a point, a station; or the cells where a move begins and ends."""
PASS: Final = -1
"""The place of what is done nowhere on a board, as a pass of Go."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class View:
    """One of the kinds below, or a kind of a domain."""

    drawer: ClassVar[str]
    """What draws it, as module:function, called with the view and a `sog.drawing.look.Look`."""
    title: str

    def places(self) -> Mapping[Place, Sequence[int]]:
        """The actions by the place on the board where they are marked; none without a board."""
        return {}

    def colored(self) -> str:
        """The board in the 256 colors of a terminal; empty if it has no such picture."""
        return ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BoardView(View):
    """A board with pieces; cells are counted row by row from the top left."""

    drawer = "sog.drawing.board:draw_board"
    rows: int
    columns: int
    row_names: Sequence[str]
    """From the top; empty where rows have none."""
    column_names: Sequence[str]
    pieces: Mapping[int, tuple[int, str]]
    """By cell: whose it is, and its mark."""
    won: frozenset[int]
    """The cells that have decided the game."""
    landing: frozenset[int]
    """Empty cells that a piece may come to."""
    choices: Choices
    """By cell."""
    told: Sequence[str]
    """[cell]: what pointing at it shows."""
    is_rhombus: bool = False
    """Every row begins half a cell further right than the one above it, as in Hex, where the top
    and the bottom are sides of player 0 and the others of player 1."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By cell."""
        return {cell: self.choices[cell] for cell in sorted(self.landing)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class CardsView(View):
    """A table with cards in front of each player, and public cards; None lies face down."""

    drawer = "sog.drawing.cards:draw_cards"
    cards: tuple[Sequence[str | None], Sequence[str | None]]
    public_cards: Sequence[str]
    num_public_cards: int
    """In the whole game."""
    chips: tuple[int, int]
    """What each has put in."""
    pot: int
    actor: int
    folder: int | None
    is_over: bool
    behind: tuple[int, int] | None = None
    """What each has left to bet, if that is bounded."""
    dealer: int | None = None
    """Who has the button, where that matters."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class DiceView(View):
    """Dice of both players and the bids on them, each as (quantity, face)."""

    drawer = "sog.drawing.dice:draw_dice"
    hands: tuple[Sequence[int | None], Sequence[int | None]]
    """The faces; None under the cup."""
    faces: int
    """Of a die; the highest is wild."""
    bids: Sequence[tuple[int, int]]
    """All there are, in their order."""
    made: frozenset[int]
    last: int | None
    """The number of the last bid."""
    is_called: bool
    choices: frozenset[int]
    """Bids, whose numbers are those of the actions."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PrizesView(View):
    """Point cards that are won one after the other, and the cards that one may bid for them."""

    drawer = "sog.drawing.cards:draw_prizes"
    points: Sequence[int]
    """Of each round; 0 lies face down."""
    winners: Sequence[int | None]
    """Of the rounds that are over; None where nobody has won."""
    now: int | None
    """The round that is played."""
    choices: Mapping[int, str]
    """By action: what pointing at its card shows; the card is the action plus 1."""
