"""What the learning curves of a training run show, whoever draws them."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from selfplay.runs.metrics import Metrics
from sog.games import Game


@dataclasses.dataclass(frozen=True, kw_only=True)
class Curves:
    """Curves of one picture."""

    title: str
    named: tuple[tuple[str, str], ...]
    """Metrics, and what they are called."""
    scale: float = 1.0


def learning_curves(game: Game[Any], lines: Sequence[Metrics]) -> tuple[Curves, Curves, Curves]:
    """Exploitability, errors of values and losses, which need not have been measured.

    Errors are those at held-out belief states, or at solved spots (`SpotMeasure`) where the run
    measures those.
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
