"""Saves and loads a policy: an npz file of numbers and one JSON text; nothing is executed.

The zip container has checksums, which detect truncated or damaged files. The game is only a text
here: `sog.games.foreign` decides whether it may be made.
"""

import contextlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from sog.files import replacing
from sog.npz import ArrayError, notes_of, read_array, read_notes, reading_npz
from sog.tabular.policy import check_policy
from sog.tabular.public_tree import PublicTree

FORMAT: Final = "sog-policy-1"
_TOLERANCE: Final = 1e-4  # probabilities may have been saved from 32-bit numbers
_MOST_BYTES: Final = 2**30  # of a file
_MOST_TRIED: Final = 2**26


class PolicyFileError(ValueError):
    """The file is not a policy, is damaged, or belongs to another game."""


def save_policy(
    path: str | os.PathLike[str], tree: PublicTree, policy: np.ndarray, **notes: Any
) -> None:
    """Writes the policy [node, S, A] of a game atomically.

    notes: JSON values to keep beside it, such as the rule and the number of iterations. Raises
    ValueError for an invalid policy, see `check_policy`.
    """
    policy = check_policy(tree, policy)
    metadata = notes_of(FORMAT, **{**notes, "game": str(tree.game)})
    legal = tree.decisions
    with replacing(Path(path), f".{os.getpid()}.new") as file:
        np.savez_compressed(file, probabilities=policy[legal], metadata=metadata)


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON notes of a policy file, including `game`; raises PolicyFileError for any damage.

    The size of the numbers is checked when they are loaded, when the right size is known.
    """
    with _opened(path) as (archive, metadata):
        unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked <= _MOST_TRIED and archive.testzip() is not None:
            raise ValueError("a checksum is wrong.")
        return metadata


def load_policy(path: str | os.PathLike[str], tree: PublicTree) -> np.ndarray:
    """Reads the policy [node, S, A] of this game. Raises PolicyFileError with the reason."""
    legal = tree.decisions
    expected = int(legal.sum())
    with _opened(path) as (archive, metadata):
        if metadata["game"] != str(tree.game):
            raise PolicyFileError(f"{path}: is a policy of {metadata['game']}, not of {tree.game}.")
        try:
            probabilities = read_array(archive, "probabilities", kinds="f", most=8 * expected)
            if probabilities.shape != (expected,):
                raise ArrayError(f"{probabilities.dtype}{probabilities.shape}")
        except ArrayError as error:
            raise PolicyFileError(
                f"{path}: {expected} probabilities expected for {tree.game}, got {error}."
            ) from None
    policy = np.zeros(legal.shape, np.float64)
    policy[legal] = probabilities
    total = policy.sum(axis=-1)[legal.any(axis=-1)]
    # Such that NaN fails as well.
    if not ((policy >= 0).all() and (abs(total - 1) <= _TOLERANCE).all()):
        raise PolicyFileError(f"{path}: probabilities must be >= 0 and add up to 1.")
    return policy


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """A policy file and its notes; errors in the body count as damage."""
    with reading_npz(
        path, most=_MOST_BYTES, what="a policy file", error=PolicyFileError
    ) as archive:
        yield archive, read_notes(archive, "metadata", FORMAT, {"game": str})
