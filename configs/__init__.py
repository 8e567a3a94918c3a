"""Experiments as data: one TOML file each, installed as the data of `sog.configs`.

A file holds the values that differ from the defaults in `selfplay/settings.py`; `sog configs` lists
the files and `sog configs NAME` shows all values of one. `selfplay/runs/config.py` reads them.
"""

__all__: list[str] = []
