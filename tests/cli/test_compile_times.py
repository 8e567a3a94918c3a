from collections.abc import Iterator
from pathlib import Path

import pytest

from sog.cli.compilation_cache import keep_time, last_time
from sog.games import make
from sog.kept_programs import keep_in

KUHN, LEDUC = make("kuhn"), make("leduc")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    keep_in(tmp_path)
    yield tmp_path
    keep_in(None)


def test_what_compiling_took_is_told_the_next_time_of_the_same_game_and_part() -> None:
    assert last_time(KUHN, "search") == ""
    keep_time(KUHN, "search", 90.0)
    keep_time(KUHN, "search", 24.2)
    keep_time(KUHN, "training", 150.0)
    assert last_time(KUHN, "search") == " (24 s last time)"
    assert last_time(KUHN, "training") == " (2 min last time)"
    assert last_time(LEDUC, "search") == ""


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"kuhn(ranks=3): search": "\\u001b[2J"}'])
def test_a_damaged_file_of_times_says_nothing_and_is_replaced(folder: Path, text: str) -> None:
    (folder / "seconds.json").write_text(text)
    assert last_time(KUHN, "search") == ""
    keep_time(KUHN, "search", 3.0)
    assert last_time(KUHN, "search") == " (3 s last time)"


def test_without_a_folder_no_time_is_kept() -> None:
    keep_in(None)
    keep_time(KUHN, "search", 3.0)
    assert last_time(KUHN, "search") == ""
