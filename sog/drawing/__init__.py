"""What searches, strategies and boards look like: what is shown of them, and as SVG.

The terminal, files and the browser show the same pictures.
"""

import sog.shadow_check  # noqa: F401 (first of all)
