"""Networks as they are before any training, as if they were read from a run folder."""

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from sog.games import make
from sog.players.trained import Trained

STEP = 7


def untrained(text: str, name: str, settings: NetworkSettings) -> Trained:
    """A network of a game, which says that it was trained for some steps."""
    game = make(text)
    apply_fn, params = make_network(game, settings)
    return Trained(
        game=game,
        evaluator=NetworkEvaluator(apply_fn=apply_fn, params=params, encode_fn=apply_fn.encode),
        settings=SearchSettings(),
        step=STEP,
        name=name,
        skipped=(),
    )
