"""Student of Games in JAX: search, learning and exact tools for two-player zero-sum games.

Importing this package loads nothing else; start with `sog.games` (the games and their contract) and
`sog.tabular` (exact solvers and exploitability), or with the command `sog --help`.
"""

__all__ = ["__version__"]

__version__ = "0.2.0"
