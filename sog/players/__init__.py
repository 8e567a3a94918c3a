"""The room where a text becomes an agent: `from sog.players.seating import seat`.

`table.py` lists what may be typed, and a later kind of player is one more entry of it. `player.py`
says what all kinds have in common; `searching.py` is about those that search, and `trained.py` and
`shipped.py` load the networks of runs and those that come with the package (`agents/`). `engines/`
starts programs of others.
"""

import sog.shadow_check  # noqa: F401 (first of all)
