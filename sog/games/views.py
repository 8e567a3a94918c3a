"""The data of a public state's picture: `Game.view` makes it, its `drawer` draws it.

`choices` are the actions that a page makes clickable, by their place on the board.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

Choices = Mapping[int, Sequence[int]]

Place = int | tuple[int, int]
"""A cell, a point, a station; or the first and last cell of a move."""
PASS: Final = -1
"""The place of an action off the board, as a pass in Go."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class View:
    """One of the kinds below, or a kind of a domain."""

    drawer: ClassVar[str]
    """What draws it, as module:function, called with the view and a `sog.drawing.picture.Look`."""
    title: str

    def places(self) -> Mapping[Place, Sequence[int]]:
        """The actions by their place on the board; empty without a board."""
        return {}

    def colored(self) -> str:
        """The board in the 256 colors of a terminal; empty if there is none."""
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
    """By cell: the owner, and the mark."""
    won: frozenset[int]
    """The cells that decided the game, as a winning line."""
    landing: frozenset[int]
    """Empty cells that a piece can reach."""
    choices: Choices
    """By cell."""
    told: Sequence[str]
    """[cell]: tooltips."""
    is_rhombus: bool = False
    """Every row begins half a cell further right than the one above it, as in Hex, where the top
    and the bottom are sides of player 0 and the others of player 1."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By cell."""
        return {cell: self.choices[cell] for cell in sorted(self.landing)}


@dataclasses.dataclass(frozen=True, kw_only=True)
class CardsView(View):
    """Each player's cards, and public cards; None is face down."""

    drawer = "sog.drawing.cards:draw_cards"
    cards: tuple[Sequence[str | None], Sequence[str | None]]
    public_cards: Sequence[str]
    num_public_cards: int
    """Of the whole game."""
    chips: tuple[int, int]
    """Each player's chips in the pot."""
    pot: int
    actor: int
    folder: int | None
    is_over: bool
    behind: tuple[int, int] | None = None
    """Each player's remaining chips, if bounded."""
    dealer: int | None = None
    """The player with the button, if there is one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class DiceView(View):
    """Both players' dice, and the bids, each as (quantity, face)."""

    drawer = "sog.drawing.dice:draw_dice"
    hands: tuple[Sequence[int | None], Sequence[int | None]]
    """The faces; None is hidden."""
    faces: int
    """Faces of a die; the highest is wild."""
    bids: Sequence[tuple[int, int]]
    """All bids, in ascending order."""
    made: frozenset[int]
    last: int | None
    """The number of the last bid."""
    is_called: bool
    choices: frozenset[int]
    """Bids; their numbers are those of the actions."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PrizesView(View):
    """Point cards, won one after the other, and the cards to bid for them."""

    drawer = "sog.drawing.cards:draw_prizes"
    points: Sequence[int]
    """Of each round; 0 is face down."""
    winners: Sequence[int | None]
    """Winners of finished rounds; None for a tie."""
    now: int | None
    """The current round."""
    choices: Mapping[int, str]
    """By action: the tooltip of its card; the card is the action plus 1."""
