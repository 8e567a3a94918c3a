"""Loads a policy of a whole game from any supported file: `load_any_policy`."""

import os
from pathlib import Path
from typing import Final

import numpy as np

from sog.domain import load_part, policy_tables, with_domains
from sog.tabular.policy_file import load_policy
from sog.tabular.policy_table import read_policy_table, titles_of
from sog.tabular.public_tree import PublicTree

TABLE: Final = ".csv"
"""File extension of a table."""


def load_any_policy(path: str | os.PathLike[str], tree: PublicTree) -> np.ndarray:
    """The policy [node, S, A] of a table, a file that a domain reads, or one of `save_policy`.

    Raises PolicyFileError, in one line, with the number of the row if it is a table.
    """
    if reader := _readers().get(Path(path).suffix.lower()):
        return np.asarray(load_part(reader)(path, tree))
    if not is_table(path):
        return load_policy(path, tree)
    titles = titles_of(path)
    for table in policy_tables().values():
        if table.column in titles:
            return np.asarray(load_part(table.reader)(path, tree))
    return read_policy_table(path, tree)


def is_of_a_domain(path: str | os.PathLike[str]) -> bool:
    """Whether a domain reads such a file, by its extension."""
    return Path(path).suffix.lower() in _readers()


def _readers() -> dict[str, str]:
    return with_domains({}, "policies")


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a table, by its extension."""
    return Path(path).suffix.lower() == TABLE
