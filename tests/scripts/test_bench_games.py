"""How fast games are: what is counted, and what is told where pgx is missing."""

import importlib.util
import json

import bench_games
import pytest


def test_without_pgx_ours_is_measured_alone_and_that_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert bench_games.main(["tic_tac_toe", "--batch", "4", "--steps", "20", "--json"]) == 0
    told = capsys.readouterr()
    assert told.err == "pgx is not installed (pip install pgx): only ours is measured.\n"
    (row,) = json.loads(told.out)["rows"]
    assert row["ours_steps_per_second"] > 0
    assert not {"pgx_steps_per_second", "ratio"} & set(row)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "unknown game 'nothing'"),
        (["--batch", "0"], "--batch and --steps must be at least 1."),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        bench_games.main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_line_of_the_table_has_both_sides_and_the_ratio() -> None:
    row = {"game": "go9", "pgx_game": "go_9x9", "ours_steps_per_second": 3e5}
    assert "times" not in bench_games.row_text(row)
    text = bench_games.row_text(row | {"pgx_steps_per_second": 1e5, "ratio": 3.0})
    assert text.split() == [
        "go9",
        "300,000",
        "steps/s",
        "pgx",
        "100,000",
        "steps/s",
        "3.00",
        "times",
    ]
