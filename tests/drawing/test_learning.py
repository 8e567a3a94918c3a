"""What learning curves show: the same for `sog plot` and for the pages of a browser."""

from typing import Any

from sog.drawing.learning import learning_curves
from sog.games import make

EXACT: dict[str, Any] = {"step": 10, "seconds": 1.0, "value_error_exact": 0.2, "value_loss": 0.1}
SPOTS: dict[str, Any] = {"step": 500, "seconds": 9.0, "value_error_river_of_pot": 0.08}


def test_errors_are_those_that_the_run_measures() -> None:
    _, exact, _ = learning_curves(make("leduc"), [EXACT])
    assert exact.title == "error of values against exact ones (chips)"
    assert (exact.scale, exact.named[0][0]) == (1.0, "value_error_exact")
    _, spots, _ = learning_curves(make("holdem"), [{"step": 0, "seconds": 0.0}, SPOTS])
    assert spots.title == "error of values at solved spots (% of the pot)"
    assert spots.scale * SPOTS[spots.named[1][0]] == 8.0


def test_exploitability_is_in_thousandths() -> None:
    shown, _, losses = learning_curves(make("leduc"), [])
    assert (shown.title, shown.scale) == ("exploitability (mbb)", 1000.0)
    assert [label for _, label in losses.named] == ["values (Huber)", "policy (KL)"]
