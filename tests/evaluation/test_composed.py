"""The composed policy of a search agent."""

import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.evaluation import compose
from tests.tabular.small_games import compiled_game


def _exploitability(text: str, updates: int, safe: bool = True) -> float:
    compiled = compiled_game(text)
    settings = SearchSettings(
        num_simulations=updates, lookahead=WHOLE_GAME, grow=False, capacity=compiled.tree.num_nodes
    )
    composed = compose(
        compiled,
        ZeroEvaluator(),
        settings,
        seeds=1,
        batch_size=16,
        search_everywhere=True,
        safe=safe,
    )
    assert composed.num_full == 0
    return float(composed.exploitability[0]) * 1000


def test_resolving_kuhn_matches_the_plain_oracle() -> None:
    # 47.3 is what tests/gtcfr/plain_search.py composes, in NumPy and node by node.
    assert _exploitability("kuhn", 30) == pytest.approx(47.3, abs=0.2)


def test_safe_resolving_gains_from_updates_and_unsafe_resolving_does_not() -> None:
    safe = [_exploitability("kuhn", updates) for updates in (30, 300)]
    unsafe = _exploitability("kuhn", 300, safe=False)
    assert safe[1] < safe[0] / 2
    assert unsafe > 3 * safe[1]


@pytest.mark.slow
def test_resolving_leduc_gives_the_figures_of_a_chain_per_player() -> None:
    # 45.9 in the plain oracle; rounding of the ranges alone moves it by about 1.
    assert _exploitability("leduc", 100) == pytest.approx(46, rel=0.06)
    assert _exploitability("leduc", 100, safe=False) > 200
