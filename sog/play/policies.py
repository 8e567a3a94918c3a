"""A policy of a whole game from any file that has one: `load_any_policy`."""

import os
from pathlib import Path
from typing import Final

import numpy as np

from sog.domain import load_part, policy_tables
from sog.holdem.blueprint.file import BlueprintFileError, load_blueprint
from sog.holdem.blueprint.position import policy_on
from sog.tabular.policy_file import PolicyFileError, load_policy
from sog.tabular.policy_table import read_policy_table, titles_of
from sog.tabular.public_tree import PublicTree

TABLE: Final = ".csv"
"""How the name of a table ends; but for blueprints, any other file is one of `sog solve --save`."""
BLUEPRINT: Final = ".blueprint"
"""How the name of a blueprint ends."""


def load_any_policy(path: str | os.PathLike[str], tree: PublicTree) -> np.ndarray:
    """The policy [node, S, A] of a file of `save_policy`, of a table of either kind, or of a
    blueprint.

    Raises PolicyFileError, in one line, with the number of the row if it is a table.
    """
    if is_blueprint(path):
        return _of_blueprint(path, tree)
    if not is_table(path):
        return load_policy(path, tree)
    titles = titles_of(path)
    for table in policy_tables().values():
        if table.column in titles:
            policy: np.ndarray = load_part(table.reader)(path, tree)
            return policy
    return read_policy_table(path, tree)


def is_blueprint(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a blueprint by its name."""
    return Path(path).suffix.lower() == BLUEPRINT


def _of_blueprint(path: str | os.PathLike[str], tree: PublicTree) -> np.ndarray:
    try:
        blueprint = load_blueprint(path)
    except BlueprintFileError as error:
        raise PolicyFileError(str(error)) from None
    if str(blueprint.game) != str(tree.game):
        raise PolicyFileError(f"{path}: is a blueprint of {blueprint.game}, not of {tree.game}.")
    return policy_on(blueprint, tree)


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a table by its name."""
    return Path(path).suffix.lower() == TABLE
