"""Saving and loading a policy: an npz file of numbers and one JSON text; nothing is executed.

The zip container holds checksums, so a truncated or damaged file is noticed.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np

from sog.tabular.policy import check_policy
from sog.tabular.public_tree import PublicTree

FORMAT: Final = "sog-policy-1"
_TOLERANCE: Final = 1e-4  # probabilities may have been saved from 32-bit numbers
_MOST_BESIDE: Final = 2**20  # bytes of the notes, and of what numpy writes in front of an array


class PolicyFileError(ValueError):
    """The file is not a policy, is damaged, or belongs to another game."""


def save_policy(
    path: str | os.PathLike[str], tree: PublicTree, policy: np.ndarray, **notes: Any
) -> None:
    """Writes the policy [node, S, A] of a game; whole or not at all.

    notes: JSON values to keep beside it, such as the rule and the number of iterations. Raises
    ValueError for what is no policy, see `check_policy`.
    """
    policy = check_policy(tree, policy)
    target = Path(path)
    metadata = {**notes, "format": FORMAT, "game": str(tree.game)}
    legal = _decisions(tree)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            np.savez_compressed(
                file, probabilities=policy[legal], metadata=np.array(json.dumps(metadata))
            )
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON notes of a policy file, `game` among them; PolicyFileError for any damage."""
    return _read(path, most_numbers=0)[0]


def load_policy(path: str | os.PathLike[str], tree: PublicTree) -> np.ndarray:
    """Reads the policy [node, S, A] of this game. Raises PolicyFileError with the reason."""
    legal = _decisions(tree)
    metadata, probabilities = _read(path, most_numbers=int(legal.sum()))
    if metadata["game"] != str(tree.game):
        raise PolicyFileError(f"{path}: is a policy of {metadata['game']}, not of {tree.game}.")
    expected = f"{path}: {legal.sum()} probabilities expected for {tree.game}"
    if probabilities is None:
        raise PolicyFileError(f"{expected}, got more.")
    if probabilities.shape != (legal.sum(),) or probabilities.dtype.kind != "f":
        raise PolicyFileError(f"{expected}, got {probabilities.dtype}{probabilities.shape}.")
    policy = np.zeros(legal.shape, np.float64)
    policy[legal] = probabilities
    total = policy.sum(axis=-1)[legal.any(axis=-1)]
    # Written so that NaN fails as well.
    if not ((policy >= 0).all() and (abs(total - 1) <= _TOLERANCE).all()):
        raise PolicyFileError(f"{path}: probabilities must be >= 0 and add up to 1.")
    return policy


def _decisions(tree: PublicTree) -> np.ndarray:
    """[node, S, A] bool: the entries of a policy that mean something."""
    return np.asarray(tree.node_legal & (tree.node_actor < 2)[:, None, None])


def _read(
    path: str | os.PathLike[str], *, most_numbers: int
) -> tuple[dict[str, Any], np.ndarray | None]:
    """The notes, and the probabilities unless there are more than that.

    So no file, which may unpack to a thousand times its size, fills the memory.
    """
    try:
        # Opened here because `np.load` leaves a damaged file open.
        with Path(path).open("rb") as handle, np.load(handle, allow_pickle=False) as file:
            sizes = {member.filename: member.file_size for member in file.zip.infolist()}
            if file.zip.testzip() is not None or sizes["metadata.npy"] > _MOST_BESIDE:
                raise ValueError
            metadata = json.loads(str(file["metadata"]))
            fits = sizes["probabilities.npy"] <= 8 * most_numbers + _MOST_BESIDE
            probabilities = file["probabilities"] if fits else None
    except FileNotFoundError:
        raise PolicyFileError(f"{path}: no such file.") from None
    except Exception:
        # Damage shows in many ways: zip, zlib, numpy and json each raise their own.
        raise PolicyFileError(f"{path}: is not a policy file, or is damaged.") from None
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT or "game" not in metadata:
        raise PolicyFileError(f"{path}: is not a policy file of this version ({FORMAT}).")
    return metadata, probabilities
