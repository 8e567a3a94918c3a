"""How a view is looked at: what every drawer of a `sog.games.views.View` is called with."""

import dataclasses

from sog.drawing.marks import Marks


@dataclasses.dataclass(frozen=True, kw_only=True)
class Look:
    """A drawer takes what it has room for."""

    names: tuple[str, str] = ("player 0", "player 1")
    """What the players are called."""
    bottom: int = 0
    """The player whose place it is."""
    marks: Marks = dataclasses.field(default_factory=dict)
    """What is known of the actions, on boards and maps, see `sog.drawing.marks.read_marks`."""
    title: str | None = None
    """Of a map, which has room for one; None for that of the view."""
