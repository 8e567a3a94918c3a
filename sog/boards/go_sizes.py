"""Boards of Go that people know by their size, each with a komi that suits it.

5 x 5 is solved, +25 for Black (E. van der Werf, https://erikvanderwerf.tengen.nl/5x5/5x5solved.html);
that Black is 9 points ahead on 7 x 7, and 7 on 9 x 9, is what players and programs believe.
"""

import dataclasses
from typing import Any

from sog.boards.go import Go


def _preset(name: str, default: Any) -> Any:
    """Declares a parameter of `Go` again, with another default."""
    return dataclasses.field(default=default, metadata=Go.__dataclass_fields__[name].metadata)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go5(Go):
    """The smallest board worth playing on: Black takes all of it from the center (+25)."""

    name = "go5"
    summary = "Go on 5 x 5, where Black must take every point"

    size: int = _preset("size", 5)
    komi: float = _preset("komi", 24.5)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go7(Go):
    """7 x 7, with the komi that is believed to be fair: Black is 9 points ahead."""

    name = "go7"
    summary = "Go on 7 x 7, komi 9: a draw with best play, as is believed"

    size: int = _preset("size", 7)
    komi: float = _preset("komi", 9.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go9(Go):
    """9 x 9 as on computer Go servers."""

    name = "go9"
    summary = "Go on 9 x 9, komi 7"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go19(Go):
    """The usual board."""

    name = "go19"
    summary = "Go on the usual board of 19 x 19, komi 7.5"

    size: int = _preset("size", 19)
    komi: float = _preset("komi", 7.5)
