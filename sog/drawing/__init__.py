"""Views of searches, strategies and boards, as data and as SVG.

The terminal, files and the browser show the same pictures.
"""

import sog.shadow_check  # noqa: F401 (must come first)
