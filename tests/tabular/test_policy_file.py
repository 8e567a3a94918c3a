"""Policy files: a round trip, and one line of reason for whatever is not right."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.tabular import (
    PolicyFileError,
    PublicTree,
    load_policy,
    read_metadata,
    save_policy,
)
from tests.tabular.small_games import compiled_game, random_policy

KUHN = "kuhn(ranks=3)"


@pytest.fixture(scope="module")
def tree() -> PublicTree:
    return compiled_game("kuhn").tree


@pytest.fixture(scope="module")
def policy(tree: PublicTree) -> np.ndarray:
    return random_policy(tree, seed=1)


@pytest.fixture
def saved(tmp_path: Path, tree: PublicTree, policy: np.ndarray) -> Path:
    path = tmp_path / "kuhn.npz"
    save_policy(path, tree, policy, rule="cfr+", iterations=100)
    return path


def reason(path: Path, tree: PublicTree) -> str:
    """Why a file cannot be loaded; one line that begins with the path."""
    with pytest.raises(PolicyFileError) as caught:
        load_policy(path, tree)
    start, _, text = str(caught.value).partition(": ")
    assert start == str(path)
    assert "\n" not in text
    return text


def write(path: Path, **arrays: Any) -> Path:
    """A file as `save_policy` would write it, were it asked to save something else."""
    np.savez_compressed(path, **arrays)
    return path


def metadata(**changes: Any) -> np.ndarray:
    """The metadata of Kuhn poker, changed here and there."""
    return np.array(json.dumps({"format": "sog-policy-1", "game": KUHN, **changes}))


def test_a_policy_comes_back_as_it_was_saved(
    saved: Path, tree: PublicTree, policy: np.ndarray
) -> None:
    loaded = load_policy(saved, tree)
    assert loaded.dtype == np.float64
    np.testing.assert_array_equal(loaded, policy)


def test_notes_are_kept_beside_the_game(saved: Path) -> None:
    assert read_metadata(saved) == {
        "format": "sog-policy-1",
        "game": KUHN,
        "rule": "cfr+",
        "iterations": 100,
    }


def test_notes_cannot_disguise_the_game(tmp_path: Path, tree: PublicTree) -> None:
    path = tmp_path / "kuhn.npz"
    save_policy(path, tree, random_policy(tree, seed=2), game="leduc", format="other")
    assert read_metadata(path) == {"format": "sog-policy-1", "game": KUHN}


def test_a_policy_of_a_game_with_other_parameters_is_refused(saved: Path) -> None:
    other = compiled_game("kuhn(ranks=4)").tree
    assert reason(saved, other) == f"is a policy of {KUHN}, not of {other.game}."


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path, tree: PublicTree) -> None:
    assert reason(tmp_path / "nothing.npz", tree) == "no such file."
    assert reason(tmp_path, tree) == "Is a directory."


@pytest.mark.parametrize("text", ["", "PK\x03\x04", "\x93NUMPY"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, tree: PublicTree, text: str) -> None:
    path = tmp_path / "other.npz"
    path.write_text(text, encoding="latin-1")
    assert reason(path, tree).startswith("is not a policy file, or is damaged")


def test_a_file_cut_short_anywhere_is_refused(saved: Path, tree: PublicTree) -> None:
    content = saved.read_bytes()
    for length in range(0, len(content), 7):
        saved.write_bytes(content[:length])
        assert reason(saved, tree).startswith("is not a policy file, or is damaged")


def loaded_or_reason(path: Path, tree: PublicTree) -> np.ndarray | str:
    try:
        return load_policy(path, tree)
    except PolicyFileError as error:
        return str(error)


@pytest.mark.parametrize("bits", [0x01, 0xFF])
def test_a_flipped_byte_never_changes_the_policy_unnoticed(
    saved: Path, tree: PublicTree, policy: np.ndarray, bits: int
) -> None:
    content, refused = saved.read_bytes(), 0
    for position in range(len(content)):
        damaged = bytearray(content)
        damaged[position] ^= bits
        saved.write_bytes(damaged)
        loaded = loaded_or_reason(saved, tree)
        if isinstance(loaded, str):
            assert "\n" not in loaded
            refused += 1
        else:  # a time, or something that zip files hold twice
            np.testing.assert_array_equal(loaded, policy)
    assert refused > len(content) / 2


def test_pickled_arrays_are_refused_and_not_executed(tmp_path: Path, tree: PublicTree) -> None:
    path = write(
        tmp_path / "pickled.npz",
        probabilities=np.array([Touch(tmp_path / "executed")], object),
        metadata=metadata(),
    )
    assert reason(path, tree) == f"24 probabilities expected for {KUHN}, got object(1,)."
    raw = tmp_path / "raw.npz"
    raw.write_bytes(pickle.dumps(Touch(tmp_path / "executed")))
    assert reason(raw, tree).startswith("is not a policy file, or is damaged")
    assert not (tmp_path / "executed").exists()
    pickle.loads(raw.read_bytes())
    assert (tmp_path / "executed").exists()


class Touch:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def with_probabilities(path: Path, probabilities: np.ndarray) -> Path:
    return write(path, probabilities=probabilities, metadata=metadata())


@pytest.mark.parametrize(
    ("probabilities", "what"),
    [
        (np.ones(23), "float64(23,)"),
        (np.ones(24, bool), "bool(24,)"),
        (np.ones(24, complex), "complex128(24,)"),
    ],
    ids=["too few", "booleans", "complex"],
)
def test_another_number_or_type_of_probabilities_is_refused(
    tmp_path: Path, tree: PublicTree, probabilities: np.ndarray, what: str
) -> None:
    # Twelve infostates with two actions each.
    path = with_probabilities(tmp_path / "bad.npz", probabilities)
    assert reason(path, tree) == f"24 probabilities expected for {KUHN}, got {what}."


@pytest.mark.parametrize(
    "pair",
    [(1.5, -0.5), (np.nan, 0.5), (0.501, 0.5)],
    ids=["negative", "nan", "a little too much"],
)
def test_numbers_that_are_no_probabilities_are_refused(
    tmp_path: Path, tree: PublicTree, pair: tuple[float, float]
) -> None:
    path = with_probabilities(tmp_path / "bad.npz", np.tile([0.5, 0.5], 12))
    load_policy(path, tree)
    with_probabilities(path, np.array([*pair, *[0.5] * 22]))
    assert reason(path, tree) == "probabilities must be >= 0 and add up to 1."


@pytest.mark.parametrize(
    "broken",
    [
        metadata(format="sog-policy-2"),
        np.array(json.dumps([1, 2])),
    ],
    ids=["another format", "no object"],
)
def test_a_file_of_another_version_is_refused(
    tmp_path: Path, tree: PublicTree, policy: np.ndarray, broken: np.ndarray
) -> None:
    probabilities = policy[tree.decisions]
    path = write(tmp_path / "other.npz", probabilities=probabilities, metadata=broken)
    assert reason(path, tree) == "is not a policy file of this version (sog-policy-1)."


@pytest.mark.parametrize(
    "arrays",
    [
        {"metadata": metadata()},
        {"probabilities": np.ones(24), "metadata": np.array("{not json")},
        {"probabilities": np.ones(24), "metadata": np.arange(3)},
        {"probabilities": np.ones(24), "metadata": np.array('{"format": "sog-policy-1"}')},
    ],
    ids=["no probabilities", "bad metadata", "numbers for metadata", "no game"],
)
def test_missing_or_unreadable_parts_are_refused(
    tmp_path: Path, tree: PublicTree, arrays: dict[str, np.ndarray]
) -> None:
    path = write(tmp_path / "parts.npz", **arrays)
    assert reason(path, tree).startswith("is not a policy file")


def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    saved: Path, tree: PublicTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = saved.read_bytes()

    def write_half(file: Any, **arrays: np.ndarray) -> None:
        file.write(content[: len(content) // 2])
        assert len(list(saved.parent.iterdir())) == 2  # beside it: a rename is all or nothing
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", write_half)
    with pytest.raises(KeyboardInterrupt):
        save_policy(saved, tree, random_policy(tree, seed=3))
    assert saved.read_bytes() == content
    assert [file.name for file in saved.parent.iterdir()] == ["kuhn.npz"]


def test_notes_that_are_no_json_are_refused_and_nothing_is_left(
    saved: Path, tree: PublicTree, policy: np.ndarray
) -> None:
    content = saved.read_bytes()
    with pytest.raises(TypeError, match="not JSON serializable"):
        save_policy(saved, tree, policy, started=Path("now"))
    assert saved.read_bytes() == content
    assert [file.name for file in saved.parent.iterdir()] == ["kuhn.npz"]
