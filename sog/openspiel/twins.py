"""Games of ours that OpenSpiel has too, and how their worlds correspond: `twin_of`.

Both are walked side by side: private chance events come first and give a pair of infostates, later
chance events are public with equal numbers, and the legal actions of a world are in the same order.
"""

import itertools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from sog.games.bidding import BiddingGame
from sog.games.cards.kuhn import Kuhn
from sog.games.cards.leduc import Leduc
from sog.games.core import Game
from sog.games.ii_goofspiel import IIGoofspiel
from sog.games.liars_dice import LiarsDice
from sog.games.registry import GAMES, game_class

Pair = tuple[int, int]
_BOARDS: Final = ("tic_tac_toe", "connect_four", "othello", "hex")
"""In another domain, which may be absent."""


class Twin(NamedTuple):
    """A game of OpenSpiel's with the same worlds as one of ours."""

    spiel: str
    """Its text, with parameters; games with simultaneous moves must be made turn-based."""
    num_deals: int = 0
    """The number of private chance events, which come first."""
    deal: Callable[[tuple[int, ...]], Pair] = lambda _: (0, 0)
    """Our infostates at the root, from the numbers of those events."""


def twin_of(game: Game[Any]) -> Twin:
    """OpenSpiel's version of a game; ValueError if we know of none with these rules."""
    match game:
        case Kuhn(ranks=3):
            return Twin("kuhn_poker", 2, _cards)
        case Leduc() if game == Leduc(suit_isomorphism=game.suit_isomorphism):
            merged = "(suit_isomorphism=True)" if game.suit_isomorphism else ""
            return Twin(f"leduc_poker{merged}", 2, _cards)
        case LiarsDice() if len(set(game.dice_of_players)) == 1:
            text = f"liars_dice(numdice={game.dice},dice_sides={game.faces})"
            return Twin(text, 2 * game.dice, _hands(game.faces))
        case BiddingGame(payoff="wl"):  # OpenSpiel halves the difference in points
            hides = isinstance(game, IIGoofspiel)
            rules = f"num_cards={game.cards},imp_info={hides},points_order={game.order}"
            return Twin(f"goofspiel({rules})")
    boards = (name for name in _BOARDS if name in GAMES)
    board = next((name for name in boards if isinstance(game, game_class(name))), None)
    match board, game.params():
        case "tic_tac_toe", _:
            return Twin("tic_tac_toe")
        case "connect_four", _ if game == game_class("connect_four")():
            return Twin("connect_four")
        case "othello", {"size": 8, "payoff": "wl"}:
            return Twin("othello")
        case "hex", {"size": size, "swap": False}:
            return Twin(f"hex(board_size={size})")
    raise ValueError(f"OpenSpiel has no game with the rules of {game} that we know of.")


def _cards(dealt: tuple[int, ...]) -> Pair:
    return dealt[0], dealt[1]


def _hands(faces: int) -> Callable[[tuple[int, ...]], Pair]:
    """Infostates of liar's dice from the faces rolled, player 0's first."""

    def deal(rolled: tuple[int, ...]) -> Pair:
        dice = len(rolled) // 2
        hands = list(itertools.combinations_with_replacement(range(faces), dice))
        first, second = sorted(rolled[:dice]), sorted(rolled[dice:])
        return hands.index(tuple(first)), hands.index(tuple(second))

    return deal
