"""Two networks learn from rivers: the errors that are printed are theirs."""

from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
GAME = "holdem(ranks=5,suits=3,blinds=50/100,stack=600,bets=1/allin,caps=1)"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPTS))
    import relative_values


def rows(steps: int, capsys: pytest.CaptureFixture[str]) -> list[list[float]]:
    """Pot, rivers, and percent of both networks."""
    arguments = ["--game", GAME, "--rivers", "64", "--seeds", "1", "--steps", str(steps)]
    relative_values.main(arguments)
    lines = capsys.readouterr().out.splitlines()
    head = next(number for number, line in enumerate(lines) if line.split()[:1] == ["pot"])
    assert lines[head].split() == ["pot", "rivers", "utility", "stake"]
    cells = [line.replace("%", "").split() for line in lines[head + 1 :]]
    return [[float(row[0]), float(row[1]), float(row[2]), float(row[6])] for row in cells]


@pytest.mark.slow
def test_both_networks_learn_and_every_river_that_is_asked_about_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, after = rows(1, capsys), rows(60, capsys)
    assert sum(row[1] for row in after) == 16
    for first, last in zip(before, after, strict=True):
        assert last[:2] == first[:2]
        assert last[2] < first[2]
        assert last[3] < first[3]


def test_another_game_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        relative_values.main(["--game", "leduc"])
    assert stopped.value.code == 2
    assert "--game must be hold'em with rivers to bet on, got leduc" in capsys.readouterr().err
