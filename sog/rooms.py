"""Importing this makes sure that `networks` and `selfplay` are ours: no file of a user hides them.

A script's folder comes first where Python looks for modules.
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
