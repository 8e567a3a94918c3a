"""Draws card games: betting games with chips, and Goofspiel with bids."""

import xml.etree.ElementTree as ElementTree
from typing import Final

from sog.drawing.picture import Look
from sog.drawing.svg import as_text, choice, circle, cut, document, line, rectangle, text
from sog.games.views import CardsView, PrizesView

_WIDTH, _HEIGHT = 640.0, 430.0  # of the table of a betting game
_CARD, _TALL, _MARGIN, _GAP = 74.0, 104.0, 22.0, 8.0
_CLOTH, _RIM, _PAPER, _BACK = "#2e5e4e", "#244b3e", "#fdfaf2", "#33558b"
_WORDS, _SOFT_WORDS, _GOLD = "#ffffff", "#cfe3da", "#f2b632"
_SUITS: Final = {"s": ("♠", "#1d2733"), "h": ("♥", "#c92a2a"), "d": ("♦", "#1864ab")}
_CLUB: Final = ("♣", "#2b6e33")
_MOST_CHIPS_DRAWN: Final = 12
_TO_CHIPS: Final = 19.0  # from the cards
_CHIP: Final = 13.0
_MOST_IN_ROW: Final = 13
_MOST_BESIDE_CHIPS: Final = 3  # public cards
_LABELS: Final = 170.0  # width of the labels on the left
_MOST_IN_NAME: Final = 20  # letters
_AT: Final = " at "
"""Precedes the step of a network in a player's name."""


def draw_cards(view: CardsView, look: Look) -> str:
    """Cards and chips on a table, as SVG text."""
    names, bottom = look.names, look.bottom
    svg = document(view.title, _WIDTH, _HEIGHT, background=None)
    rectangle(svg, 0, 0, _WIDTH, _HEIGHT, fill=_CLOTH, rx="20", stroke=_RIM)
    middle = _WIDTH / 2
    for player, y in ((1 - bottom, _MARGIN), (bottom, _HEIGHT - _MARGIN - _TALL)):
        is_above = player != bottom
        group = ElementTree.SubElement(svg, "g")
        if view.folder == player:
            group.set("opacity", "0.45")
        left = middle - (len(view.cards[player]) * (_CARD + _GAP) - _GAP) / 2
        for number, card in enumerate(view.cards[player]):
            draw_card(group, left + number * (_CARD + _GAP), y, card)
        name, _, step = names[player].partition(_AT)
        label = cut(name, _MOST_IN_NAME) + (", folded" if view.folder == player else "")
        below = y + _TALL / 2
        text(svg, _MARGIN, below, label, size=18, weight="bold", color=_WORDS)
        if step:
            below += 22
            text(svg, _MARGIN, below, f"at {step}", size=14, color=_SOFT_WORDS)
        if view.behind is not None:
            below += 22
            text(svg, _MARGIN, below, f"{view.behind[player]:,} behind", size=14, color=_SOFT_WORDS)
        if view.actor == player:
            text(svg, _MARGIN, below + 22, "to act", size=14, color=_GOLD)
        if view.dealer == player:
            _button(svg, middle + _CARD + 40, y + _TALL / 2)
        above_or_below = y + _TALL + _TO_CHIPS if is_above else y - _TO_CHIPS
        _chips(svg, middle, above_or_below, view.chips[player], max(view.chips), names[player])
    _public_cards(svg, view)
    pot = f"pot {view.pot:,}"
    text(svg, _MARGIN, _HEIGHT / 2 + 6, pot, size=18, weight="bold", color=_GOLD)
    if view.is_over:
        how = "showdown" if view.folder is None else "folded"
        text(svg, _MARGIN, _HEIGHT / 2 + 28, how, size=14, color=_SOFT_WORDS)
    return as_text(svg)


def _public_cards(svg: ElementTree.Element, view: CardsView) -> None:
    """The dealt cards, and the places of those to come."""
    count = view.num_public_cards
    if not count:
        return
    beside_chips = count <= _MOST_BESIDE_CHIPS
    room = _WIDTH / 2 - _MARGIN - _CARD if beside_chips else _WIDTH - _MARGIN - _LABELS
    step = min(_CARD + 10, room / count)
    left, top = _WIDTH - _MARGIN - _CARD / 2 - (count - 0.5) * step, _HEIGHT / 2 - _TALL / 2
    for number in range(count):
        x = left + number * step
        if number < len(view.public_cards):
            draw_card(svg, x, top, view.public_cards[number])
        else:
            size, stroke = (_CARD, _TALL), _SOFT_WORDS
            rectangle(svg, x, top, *size, fill="none", stroke=stroke, rx="8", dashed=True)
    if not beside_chips:
        return  # a row across the table has no room for a name
    name = "public card" if count == 1 else "public cards"
    middle = left + ((count - 1) * step + _CARD) / 2
    text(svg, middle, top + _TALL + 20, name, size=13, color=_SOFT_WORDS, anchor="middle")


def draw_prizes(view: PrizesView, look: Look) -> str:
    """Point cards, who won them, and the cards to bid, as SVG text."""
    count = len(view.points)
    in_row = min(count, _MOST_IN_ROW)
    step = _CARD * 0.8 + 10
    width = max(2 * _MARGIN + in_row * step, 460.0)
    rows = -(-count // in_row)
    hand_top = 46 + rows * (_TALL + 34) + 26
    hand_rows = -(-len(view.choices) // in_row)
    height = hand_top + ((_TALL + 40) * hand_rows if view.choices else 10)
    svg = document(view.title, width, height, background=None)
    rectangle(svg, 0, 0, width, height, fill=_CLOTH, rx="16")
    text(svg, _MARGIN, 30, "points to win", size=16, weight="bold", color=_WORDS)
    for number, card in enumerate(view.points):
        x, y = _place(number, in_row, step, 46)
        is_now = number == view.now
        label = "now" if is_now else ""
        group = ElementTree.SubElement(svg, "g")
        if number < len(view.winners):
            group.set("opacity", "0.6")
            winner = view.winners[number]
            label = "nobody" if winner is None else look.names[winner]
        draw_card(group, x, y, str(card) if card else None, width=_CARD * 0.8, is_lit=is_now)
        text(svg, x + 0.4 * _CARD, y + _TALL + 16, label, size=12, color=_WORDS, anchor="middle")
    if view.choices:
        text(svg, _MARGIN, hand_top, "your cards", size=16, weight="bold", color=_WORDS)
    for number, (action, label) in enumerate(view.choices.items()):
        x, y = _place(number, in_row, step, hand_top + 14)
        group = choice(svg, [action], label)
        draw_card(group, x, y, str(action + 1), width=_CARD * 0.8)
    return as_text(svg)


def draw_card(
    parent: ElementTree.Element,
    x: float,
    y: float,
    name: str | None,
    *,
    width: float = _CARD,
    is_lit: bool = False,
) -> None:
    """A card with its upper left corner at (x, y).

    name: its rank, perhaps with the letter of its suit; None for a card face down.
    """
    group = choice(parent, (), name or "a hidden card")
    stroke = _GOLD if is_lit else "#1d2733"
    rectangle(group, x, y, width, _TALL, fill=_PAPER, stroke=stroke, rx="8")
    if is_lit:
        rectangle(group, x - 3, y - 3, width + 6, _TALL + 6, fill="none", stroke=_GOLD, rx="10")
    if name is None:
        rectangle(group, x + 5, y + 5, width - 10, _TALL - 10, fill=_BACK, rx="5")
        for number in range(1, 4):
            at = y + 5 + number * (_TALL - 10) / 4
            line(group, (x + 9, at), (x + width - 9, at), color="#6f8fc4", width=2)
        return
    rank, suit = (name[:-1], name[-1]) if name[-1:] in ("s", "h", "d", "c") else (name, "")
    sign, color = _SUITS.get(suit, _CLUB) if suit else ("", "#1d2733")
    size = 22 if len(rank) < 3 else 14
    text(group, x + 8, y + 26, rank, size=size, weight="bold", color=color)
    if sign:
        text(group, x + 9, y + 46, sign, size=19, color=color)
    large, below = (sign, 46) if sign else (rank, 34 if len(rank) < 3 else 20)
    middle, base = x + width / 2, y + _TALL - 20
    text(group, middle, base, large, size=below, weight="bold", color=color, anchor="middle")


def _place(number: int, in_row: int, step: float, top: float) -> tuple[float, float]:
    """The upper left corner of a card in a grid of rows."""
    row, column = divmod(number, in_row)
    return _MARGIN + column * step, top + row * (_TALL + 34)


def _button(parent: ElementTree.Element, x: float, y: float) -> None:
    group = choice(parent, (), "the dealer")
    circle(group, x, y, 14, fill=_PAPER, stroke="#7a5a00", width=2)
    text(group, x, y + 5.5, "D", size=15, weight="bold", anchor="middle")


def _chips(
    parent: ElementTree.Element, x: float, y: float, count: int, most: int, name: str
) -> None:
    """A row of chips, scaled so that `most` chips fill it if there are too many to draw."""
    unit = "chip" if count == 1 else "chips"
    group = choice(parent, (), f"{name}: {count:,} {unit} put in")
    scale = max(most / _MOST_CHIPS_DRAWN, 1)
    drawn = min(max(round(count / scale), 1), count)
    left = x - (drawn - 1) * _CHIP / 2
    for number in range(drawn):
        circle(group, left + number * _CHIP, y, 10, fill=_GOLD, stroke="#7a5a00", width=2)
        circle(group, left + number * _CHIP, y, 5, fill="none", stroke="#7a5a00", width=1)
    label = f"{count:,} {unit}"
    text(group, left + drawn * _CHIP + 8, y + 5, label, size=14, weight="bold", color=_WORDS)
