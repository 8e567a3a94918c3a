"""A folder of checkpoints."""

from pathlib import Path

import pytest

from selfplay.runs.checkpoint import CheckpointStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints"


@pytest.fixture
def store(folder: Path) -> CheckpointStore:
    return CheckpointStore(folder, keep=3)
