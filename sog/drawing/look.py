"""What a picture shows besides its `sog.games.views.View`."""

import dataclasses

from sog.drawing.marks import Marks


@dataclasses.dataclass(frozen=True, kw_only=True)
class Look:
    """The second argument of every drawer, which uses the fields that its picture has."""

    names: tuple[str, str] = ("player 0", "player 1")
    """What the players are called."""
    bottom: int = 0
    """The player whose place it is."""
    marks: Marks = dataclasses.field(default_factory=dict)
    """What is known of the actions, on boards and maps, see `sog.drawing.marks.read_marks`."""
    title: str | None = None
    """Of a map, which has room for one; None for that of the view."""
