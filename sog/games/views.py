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
class SquaresView(View):
    """Squares and pieces that go from one to another; cells are counted row by row from the top."""

    drawer = "sog.boards.squares:draw_squares"
    status: str
    """Who is to move, or how the game has ended."""
    rows: int
    columns: int
    row_names: Sequence[str]
    """From the top."""
    column_names: Sequence[str]
    pieces: Mapping[int, tuple[int, str]]
    """By cell: whose it is, and its sign."""
    last: frozenset[int]
    """The cells of the last move."""
    in_check: frozenset[int]
    """Cells of pieces that are threatened so that something must be done."""
    moves: Mapping[int, Choices]
    """By the cell where a move begins: its choices by the cell where it ends."""
    told: Sequence[str]
    """[cell]: what pointing at it shows."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By the cells where a move begins and ends."""
        return {
            (start, end): actions
            for start, ends in self.moves.items()
            for end, actions in ends.items()
        }


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


@dataclasses.dataclass(frozen=True, kw_only=True)
class GoView(View):
    """A board of Go; points are counted row by row from the top left."""

    drawer = "sog.boards.goban:draw_goban"
    size: int
    """Lines, each way."""
    column_names: Sequence[str]
    row_names: Sequence[str]
    """From the top."""
    stars: Sequence[int]
    """Points with a dot."""
    stones: Mapping[int, int]
    """By point: whose it is."""
    mover: int
    """Who puts the next stone, if anybody does."""
    last: int | None
    """The stone that was put last, if the last move put one."""
    owners: Mapping[int, int]
    """By empty point: for whom it counts, once the game is over."""
    captured: tuple[int, int]
    """Stones that each player has taken."""
    choices: Choices
    """By point."""
    passes: Sequence[int]
    """Actions that put no stone."""
    told: Sequence[str]
    """[point]: what pointing at it shows."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By point, and the pass."""
        points: dict[Place, Sequence[int]] = {**dict(self.choices.items())}
        return {**points, PASS: self.passes} if self.passes else points
