"""Options of a picture besides its `sog.games.views.View`."""

import dataclasses

from sog.drawing.marks import Marks


@dataclasses.dataclass(frozen=True, kw_only=True)
class Look:
    """Second argument of every drawing function, which uses the fields that apply."""

    names: tuple[str, str] = ("player 0", "player 1")
    """The players' names."""
    bottom: int = 0
    """The player drawn at the bottom."""
    marks: Marks = dataclasses.field(default_factory=dict)
    """Marks of actions on boards and maps, see `sog.drawing.marks.read_marks`."""
    title: str | None = None
    """Title of a map; None for that of the view."""
