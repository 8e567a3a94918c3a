"""Growing-tree CFR: sound search for games in which players hide things, in batches.

    root = gtcfr.start_of_game(game, batch_size=64)
    settings = gtcfr.SearchSettings(num_simulations=100)
    run = jax.jit(functools.partial(gtcfr.search, game, settings=settings))
    result = run(evaluator=gtcfr.ZeroEvaluator(), root=root, key=jax.random.key(0))

`docs/how_it_works.md` says in which order to read its files. A search takes its leaf evaluator as
an argument and knows nothing of networks. Functions are pure and never compiled here: `jax.jit` is
the caller's.
"""

from gtcfr.evaluator import Evaluator, NetworkEvaluator, ZeroEvaluator
from gtcfr.resolving import next_root, summarize
from gtcfr.rollout import RolloutEvaluator
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
