"""From the text of a player to its agents: `from sog.players.seating import seat`.

`table.py` lists what can be typed; a new kind of player is an entry there. `player.py` has what all
kinds share, `searching.py` what searching players share. `trained.py` and `shipped.py` load the
networks of runs and of the package (`agents/`).
"""

import sog.shadow_check  # noqa: F401 (must come first)
