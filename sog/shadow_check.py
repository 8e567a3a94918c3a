"""Importing this checks that no file of the user shadows our packages `networks` and `selfplay`.

A script's folder comes first in Python's module path.
"""

import importlib.util
from pathlib import Path

for _name in ("gtcfr", "networks", "selfplay"):
    _spec = importlib.util.find_spec(_name)
    if _spec is not None and not _spec.submodule_search_locations:
        raise ImportError(
            f"{_spec.origin} hides the package {_name!r} that is installed with sog, and which "
            f"{Path(__file__).parent} needs; rename that file."
        )
