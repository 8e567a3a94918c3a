"""The learning curves of a training run, for every way to draw them."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from selfplay.runs.metrics import Metrics
from sog.games import Game


@dataclasses.dataclass(frozen=True, kw_only=True)
class Curves:
    """The curves of one picture."""

    title: str
    named: tuple[tuple[str, str], ...]
    """Metrics and their labels."""
    scale: float = 1.0


def learning_curves(game: Game[Any], lines: Sequence[Metrics]) -> tuple[Curves, Curves, Curves]:
    """Exploitability, value errors and losses, each of which may be missing.

    Errors are measured at held-out belief states, or at solved spots if the run has `SpotMeasure`.
    """
    spots = Curves(
        title="error of values at solved spots (% of the pot)",
        named=(("value_error_turn_of_pot", "turns"), ("value_error_river_of_pot", "rivers")),
        scale=100.0,
    )
    exact = Curves(
        title=f"error of values against exact ones ({game.unit})",
        named=(
            ("value_error_exact", "mean absolute"),
            ("value_error_exact_rms", "root mean square"),
        ),
    )
    has_spots = any(name in line for line in lines for name, _ in spots.named)
    return (
        Curves(
            title=f"exploitability ({game.milli_unit})",
            named=(("exploitability", "exploitability"),),
            scale=1000.0,
        ),
        spots if has_spots else exact,
        Curves(
            title="losses", named=(("value_loss", "values (Huber)"), ("policy_loss", "policy (KL)"))
        ),
    )
