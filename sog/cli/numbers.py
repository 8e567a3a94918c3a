"""Numbers on the command line: the types of options, for argparse."""

import argparse
import math
from typing import Final

MOST: Final = 2_000_000_000  # iterations are counted in 32 bits
MOST_SEED: Final = 2**32 - 1
MOST_PORT: Final = 2**16 - 1
_LARGEST: Final = 1e18  # so that sums and products of a few are finite in 32 bits


def positive_integer(text: str) -> int:
    """An integer from 1 on."""
    return integer(text, 1, MOST)


def port_number(text: str) -> int:
    """A port, or 0 for any."""
    return integer(text, 0, MOST_PORT)


def seed(text: str) -> int:
    """An integer of 32 bits."""
    return integer(text, 0, MOST_SEED)


def integer(text: str, least: int, most: int) -> int:
    """One from `least` to `most`."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer, got {text!r}") from None
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(f"must be from {least} to {most}, got {text}")
    return value


def positive_number(text: str) -> float:
    """A finite number greater than 0."""
    value = _finite_number(text, "> 0")
    if value <= 0:
        raise argparse.ArgumentTypeError(f"must be a finite number > 0, got {text}")
    return value


def number_from_zero(text: str) -> float:
    """A finite number that is not negative."""
    value = _finite_number(text, ">= 0")
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be a finite number >= 0, got {text}")
    return value


def share(text: str) -> float:
    """A number from 0 to 1."""
    value = _finite_number(text, "from 0 to 1")
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 1, got {text}")
    return value


def _finite_number(text: str, wanted: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a finite number {wanted}, got {text}")
    if value > _LARGEST:
        raise argparse.ArgumentTypeError(f"must be at most {_LARGEST:g}, got {text}")
    return value
