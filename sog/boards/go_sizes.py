"""Usual board sizes of Go, each with a suitable komi.

5 x 5 is solved, +25 for Black (E. van der Werf, https://erikvanderwerf.tengen.nl/5x5/5x5solved.html);
players and programs believe that Black leads by 9 points on 7 x 7 and by 7 on 9 x 9.
"""

import dataclasses
from typing import Any

from sog.boards.go import Go


def _preset(name: str, default: Any) -> Any:
    """Redeclares a parameter of `Go` with another default."""
    return dataclasses.field(default=default, metadata=Go.__dataclass_fields__[name].metadata)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go5(Go):
    """The smallest interesting board: from the center Black takes all of it (+25)."""

    name = "go5"
    summary = "Go on 5 x 5, where Black must take every point"

    size: int = _preset("size", 5)
    komi: float = _preset("komi", 24.5)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go7(Go):
    """7 x 7 with a komi believed fair, 9 points."""

    name = "go7"
    summary = "Go on 7 x 7, komi 9: believed a draw with best play"

    size: int = _preset("size", 7)
    komi: float = _preset("komi", 9.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go9(Go):
    """9 x 9, as on computer Go servers."""

    name = "go9"
    summary = "Go on 9 x 9, komi 7"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Go19(Go):
    """The standard board."""

    name = "go19"
    summary = "Go on the standard board of 19 x 19, komi 7.5"

    size: int = _preset("size", 19)
    komi: float = _preset("komi", 7.5)
