"""The result of checking a law, and the error for a broken one."""

import dataclasses
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import Game

RELATIVE_TOLERANCE: Final = 1e-9
"""Far above the rounding of float64, far below that of float32: laws are checked in float64."""


class ConformanceError(AssertionError):
    """A game breaks the contract of `sog.games.core`; the message is one line."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Finding:
    """A broken law in words, and the worst entry of two arrays that should be equal."""

    law: str
    axes: str  # their names, in order
    place: tuple[int, ...]
    expected: float
    got: float


def agree(
    law: str, axes: str, expected: Any, got: Any, *, where: Any = True, scale: float = 0.0
) -> Finding | None:
    """Compares two arrays entry by entry; None when they agree.

    where: bool over leading axes; the other entries are not compared. Entries may differ by
    RELATIVE_TOLERANCE times the largest number in either array, or times `scale` if that is more.
    """
    got, where = np.asarray(got, float), np.asarray(where)
    where = where.reshape(where.shape + (1,) * (got.ndim - where.ndim))
    expected, got = np.where(where, expected, 0.0), np.where(where, got, 0.0)
    with np.errstate(invalid="ignore"):  # inf - inf
        error = np.nan_to_num(np.abs(expected - got), nan=np.inf)
    place = np.unravel_index(np.argmax(error), error.shape)
    size = max(np.abs(expected).max(), np.abs(got).max(), scale)
    if np.isfinite(error[place]) and error[place] <= RELATIVE_TOLERANCE * size:
        return None
    indices = tuple(int(index) for index in place)
    expected, got = float(expected[place]), float(got[place])
    return Finding(law=law, axes=axes, place=indices, expected=expected, got=got)


def one_line(text: str) -> str:
    """The text with line breaks replaced by spaces."""
    return " ".join(text.split())


def broken(game: Game[Any], text: str, state: Any = None, numbers: str = "") -> ConformanceError:
    """The error for a broken law, with the game, the law, the public state and the numbers."""
    message = f"{game} breaks a law of games: {text}"
    if state is not None:
        message += f"; at {game.describe_state(jax.tree.map(jnp.asarray, state))!r}"
    return ConformanceError(one_line(f"{message}{numbers and ': ' + numbers}."))


def found(
    game: Game[Any], finding: Finding, state: Any, followed: Any, worlds: Any
) -> ConformanceError:
    """The error for a finding at one state.

    followed: int[F], the outcomes of an axis "followed". worlds: int[world, 3], infostate of player
    0, of player 1, and action, for an axis "world".
    """
    places = []
    for axis, index in zip(finding.axes.split(), finding.place, strict=True):
        if axis == "world":
            infostate_0, infostate_1, action = worlds[index]
            places.append(f"infostates {infostate_0} and {infostate_1}, action {action}")
        elif axis == "followed":
            places.append(f"outcome {followed[index]}")
        else:
            places.append(f"{axis} {index}")
    where = ", ".join([*places, ""])
    numbers = f"{where}expected {finding.expected:.12g}, got {finding.got:.12g}"
    return broken(game, finding.law, state, numbers)
