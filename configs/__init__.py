"""Experiments as data: one TOML file each, installed as the data of `sog.configs`.

No experiment ships in this version; the first lands with `sog train`.
"""

__all__: list[str] = []
