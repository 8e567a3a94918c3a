"""Who says at a table what choices were worth."""

from sog.play import PlayedGame
from sog.players.judges import can_judge, usual_judge
from sog.players.player import Player
from sog.web.host import Heed
from sog.web.offers import Offers


def judges_of(offers: Offers) -> list[str]:
    """Players of any game that can judge."""
    return [one for one in offers.players if can_judge(one)]


def find_judge(offers: Offers, opponent: Player, played: PlayedGame, heed: Heed) -> Player:
    """The exact solution of a small game, else the opponent if he can judge, else a network that
    plays the game, else a search; may take long."""
    others = [opponent.name, *offers.playing(str(opponent.game))]
    chosen = usual_judge(opponent.game, others=others, is_from_the_start=played.beginning is None)
    heed()
    return opponent if chosen == opponent.name else offers.judge(opponent.game, chosen, heed)
