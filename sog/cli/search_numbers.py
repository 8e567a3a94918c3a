"""The value of --search: how many simulations, and how many of them per regret update."""

import dataclasses
import math

from gtcfr.settings import SearchSettings
from sog.cli.errors import CommandError
from sog.cli.evaluate_options import DEFAULT_SEARCH
from sog.cli.numbers import MOST


def read_search(
    text: str,
    base: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
) -> SearchSettings:
    """SoG(s, c) from "s,c", everything else as in `base`."""
    first, _, second = text.partition(",")
    try:
        simulations, per_update = int(first), float(second)
    except ValueError:
        raise CommandError(
            f"--search must be two numbers s,c such as {DEFAULT_SEARCH}, got {text!r}."
        ) from None
    try:
        search = dataclasses.replace(
            base, num_simulations=simulations, simulations_per_update=per_update
        )
    except ValueError as error:
        raise CommandError(f"--search {text}: {error}") from None
    # 1 / c may be too large for an integer.
    updates = simulations / max(math.ceil(per_update), 1) * max(1 / per_update, 1)
    if max(simulations, updates) > MOST:
        raise CommandError(
            f"--search {text}: s and the updates must be at most {MOST}, got {updates:g} updates."
        )
    return search
