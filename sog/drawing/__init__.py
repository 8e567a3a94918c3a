"""Views of searches, strategies and boards, as data and as SVG.

The terminal, files and the browser show the same pictures.
"""

import sog.rooms  # noqa: F401 (must come first)
