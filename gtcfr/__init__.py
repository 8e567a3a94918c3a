"""Growing-tree CFR: batched, sound search for games with hidden information.

    root = gtcfr.start_of_game(game, batch_size=64)
    settings = gtcfr.SearchSettings(num_simulations=100)
    run = jax.jit(functools.partial(gtcfr.search, game, settings=settings))
    result = run(evaluator=gtcfr.ZeroEvaluator(), root=root, key=jax.random.key(0))

`docs/how_it_works.md` gives a reading order of its files. A search takes its leaf evaluator as an
argument and knows nothing of networks. Functions are pure and never compiled here: the caller
applies `jax.jit`.
"""

from gtcfr.evaluator import Evaluator, NetworkEvaluator, ZeroEvaluator
from gtcfr.evaluators.rollout import RolloutEvaluator
from gtcfr.resolving import next_root, summarize
from gtcfr.root import SearchRoot, known_root, start_of_game
from gtcfr.search import SearchResult, advance, begin, check_result, read, search
from gtcfr.settings import SearchSettings

__all__ = [
    "Evaluator",
    "NetworkEvaluator",
    "RolloutEvaluator",
    "SearchResult",
    "SearchRoot",
    "SearchSettings",
    "ZeroEvaluator",
    "advance",
    "begin",
    "check_result",
    "known_root",
    "next_root",
    "read",
    "search",
    "start_of_game",
    "summarize",
]
