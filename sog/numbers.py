"""Types of numeric options, for argparse."""

import argparse
import functools
import math
from typing import Final

MOST: Final = 2_000_000_000  # iterations are counted in 32 bits
MOST_SEED: Final = 2**32 - 1
MOST_PORT: Final = 2**16 - 1
_LARGEST: Final = 1e18  # sums and products of two such numbers are finite in float32


def integer(text: str, *, least: int, most: int) -> int:
    """An integer from `least` to `most`."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer, got {text!r}") from None
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(f"must be from {least} to {most}, got {text}")
    return value


def _number(text: str, *, from_zero: bool) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not math.isfinite(value) or value < 0 or (value == 0 and not from_zero):
        rule = ">= 0" if from_zero else "> 0"
        raise argparse.ArgumentTypeError(f"must be a finite number {rule}, got {text}")
    if value > _LARGEST:
        raise argparse.ArgumentTypeError(f"must be at most {_LARGEST:g}, got {text}")
    return value


positive_integer: Final = functools.partial(integer, least=1, most=MOST)
port_number: Final = functools.partial(integer, least=0, most=MOST_PORT)
"""0 for any free port."""
seed: Final = functools.partial(integer, least=0, most=MOST_SEED)
positive_number: Final = functools.partial(_number, from_zero=False)
number_from_zero: Final = functools.partial(_number, from_zero=True)
