"""Table S5: policies composed of independent searches are measured."""

from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPTS))
    import reproduce_is_mcts


@pytest.mark.thorough
def test_searches_make_policies_that_are_better_than_uniform_play() -> None:
    found = reproduce_is_mcts.construct("kuhn", 200, 1.0, 3)
    assert set(found) == {"mvd", "mvis", "mval"}
    for exploitability in found.values():
        assert len(exploitability) == 3
        assert all(0 < value < 11 / 24 for value in exploitability)  # 11/24 of uniform play
