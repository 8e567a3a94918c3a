"""Fixtures of tests of OpenSpiel."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import _never_ended as _never_ended
from tests.cli.conftest import sog as sog


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], str]:
    """A function that writes a game as a Gambit file and returns OpenSpiel's text for it."""

    def write(tree: str) -> str:
        path = tmp_path / "game.efg"
        path.write_text(tree)
        return f"efg_game(filename={path})"

    return write
