"""Games are saved as PGN and SGF, and such files are gone through."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Run, output, refusal
from tests.cli.test_replay import SAVED

GO: Final = "go(size=2,komi=1)"
LADDER: Final = """\
(;SZ[2]KM[1]PB[Ann]PW[Bob];B[aa];W[];B[])

(;SZ[2]KM[1]PB[Bob]PW[Ann]RE[W+R];B[aa];W[bb])

(;SZ[2]KM[1];B[aa];W[bb])
"""
MATE_IN_1: Final = "2k2/5/2K2/5/R4 w - - 0 1"
PGN: Final = f"""\
[White "Ann"]
[Black "Ann"]
[Variant "gardner"]
[FEN "{MATE_IN_1}"]

1. Ra5# 1-0

[Variant "gardner"]
[FEN "{MATE_IN_1}"]

1. Ra2 1-0
"""


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    path = tmp_path / "ladder.sgf"
    path.write_text(LADDER)
    return path


@pytest.mark.thorough
def test_a_game_that_is_saved_as_sgf_is_told_and_judged(
    run_play: Run, sog: Run, tmp_path: Path
) -> None:
    """Player 0 fills nothing and passes; random does what it likes, within eight moves."""
    path = tmp_path / "mine.sgf"
    options = ("random", "--game", GO, "--as", "0", "--games", "1", "--seed", "1")
    output(run_play, "pass\n" * 9, *options, "--save", str(path))
    text = path.read_text()
    assert text.startswith("(;GM[1]FF[4]CA[UTF-8]SZ[2]KM[1]PB[human]PW[random]RE[W+")
    assert text.count("(") == 1
    code, told, err = sog("replay", str(path))
    assert (code, err) == (0, "")
    assert "human against random.\n" in told
    assert "    human: pass\n" in told
    assert told.endswith("  human lost 1 point.\n")
    by = ("--by", "zero", "--search", "2,1", "--json")
    told = output(sog, "review", str(path), *by)
    found = json.loads(told)
    assert (found["human"], found["names"]) == (None, ["human", "random"])
    assert [one["utility"] for one in found["players"]] == [-1.0, 1.0]


def test_a_game_that_was_left_is_saved_without_a_result(
    run_play: Run, sog: Run, tmp_path: Path
) -> None:
    path = tmp_path / "left.sgf"
    options = ("random", "--game", GO, "--as", "0", "--seed", "1")
    run_play("A1\nq\n", *options, "--save", str(path))
    assert "RE[?]\n;B[ab];W[" in path.read_text()
    code, told, _ = sog("replay", str(path))
    assert (code, told.endswith("  The game was left here.\n")) == (0, True)
    error = refusal(run_play, "q\n", *options, "--save", str(path))
    assert error.endswith("exists already; choose another name.")
    error = refusal(run_play, "q\n", *options, "--resume", str(path))
    assert error == "--resume: the name must end in .json, got left.sgf."


@pytest.mark.parametrize(
    ("game", "name", "says"),
    [
        ("kuhn", "x.pgn", "--save: games of kuhn have no PGN format; .json takes any game."),
        (GO, "x.pgn", "--save: games of go have no PGN format; .json takes any game."),
        (GO, "x.txt", "--save: the name must end in one of .json, .pgn, .sgf, got x.txt."),
    ],
)
def test_a_format_that_a_game_has_not_is_refused_before_it_begins(
    sog: Run, tmp_path: Path, game: str, name: str, says: str
) -> None:
    code, out, err = sog("play", "random", "--game", game, "--save", str(tmp_path / name))
    assert (code, out, err) == (2, "", f"sog: error: {says}\n")


def test_each_game_of_a_file_is_told_by_its_number(sog: Run, ladder: Path) -> None:
    """All of 2 x 2 is Black's, 4 points less komi; White won by resignation; the last was left."""
    told = output(sog, "replay", str(ladder))
    games = told.split("\n\n")
    assert [one.splitlines()[0].split(": ")[1] for one in games] == [
        "Ann against Bob.",
        "Bob against Ann.",
        "player 0 against player 1.",
    ]
    assert [one.splitlines()[-1] for one in games] == [
        "  Ann won 1 point.",
        "  Bob lost 1 point: Bob gave up, or lost on time.",
        "  The game was left here.",
    ]
    assert sog("replay", str(ladder), "--number", "2") == (0, f"{games[1]}\n", "")


def test_a_score_counts_where_the_board_does_not_show_the_end(sog: Run, ladder: Path) -> None:
    """Servers leave out the passes."""
    ladder.write_text("(;SZ[2]PW[Bob]RE[W+3.5];B[aa];W[bb])\n")
    told = output(sog, "replay", str(ladder))
    assert told.endswith("\n  player 0 lost 1 point: the players agreed on the score.\n")


@pytest.mark.thorough
def test_a_review_is_of_the_last_game_or_of_that_number(sog: Run, ladder: Path) -> None:
    by = ("--by", "zero", "--search", "2,1")
    told = output(sog, "review", str(ladder), *by)
    assert f"game 3 of {ladder}, judged by zero" in told
    assert "player 1: the game was left; " in told
    told = output(sog, "review", str(ladder), "--number", "2", *by)
    assert [line.split()[1] for line in told.splitlines() if line[:2] in ("1 ", "2 ")] == [
        "Bob",
        "Ann",
    ]
    assert "\nAnn: +1 point = " in told
    code, told, _ = sog("review", str(ladder), *by, "--json")
    assert (code, json.loads(told)["players"][0]["utility"]) == (0, None)


@pytest.mark.parametrize("command", ["replay", "review"])
@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (LADDER, ["--number", "4"], "--number must be from 1 to 3, the games in {file}, got 4."),
        (LADDER, ["--game", "kuhn"], "--game: games of kuhn have no SGF format, the format of "),
        (LADDER, ["--game", "go9"], "{file}: game 3: SGF: SZ must be 9, the size of this board"),
        ("", [], "{file} has no game."),
        (LADDER[:-4], [], "{file}: game 3: SGF: cannot be parsed: unexpected end"),
        ("(;SZ[25];B[aa])", [], "{file}: game 1: go: size must be "),
    ],
)
def test_what_cannot_be_gone_through_is_told_in_a_line(
    sog: Run, ladder: Path, command: str, text: str, options: list[str], says: str
) -> None:
    ladder.write_text(text)
    number = options or ["--number", str(max(1, text.count("(")))]
    third = ["--number", "3"] if "--game" in options else []
    error = refusal(sog, command, str(ladder), *number, *third)
    assert error.startswith(says.format(file=ladder))


def test_a_game_is_told_whatever_its_letters_and_though_a_draw_could_be_claimed(
    sog: Run, tmp_path: Path
) -> None:
    """In Latin-1, the default of PGN; the last position is there for the third time."""
    path = tmp_path / "latin.pgn"
    moves = "1. e4 e5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nf6 5. Ng1 Ng8 6. Nf3"
    path.write_bytes(f'[White "Jos\xe9"]\n\n{moves} *\n'.encode("latin-1"))
    code, told, err = sog("replay", str(path))
    assert (code, err) == (0, "")
    assert told.count("    Jos\xe9: ") == 6
    assert told.endswith("    Jos\xe9: g1f3\n  The game was left here.\n")


def test_a_file_that_says_its_game_is_given_no_other(sog: Run, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(SAVED))
    assert f"--game leduc has no effect: {path} names its game." in refusal(
        sog, "replay", str(path), "--game", "leduc", notes=True
    )


def test_a_pgn_is_of_the_game_that_its_tag_says(sog: Run, tmp_path: Path) -> None:
    """The second is said to be won, at Black's turn, and the third to be drawn."""
    path = tmp_path / "ends.pgn"
    path.write_text(PGN + PGN[PGN.index("\n\n[") + 2 :].replace("1-0", "½"))
    told = output(sog, "replay", str(path))
    first, second, third = told.split("\n\n")
    assert first.startswith("Game 1, gardner_chess(max_moves=512): Ann (player 0) against Ann (")
    assert "    Ann (player 0): a1a5\n  Ann (player 0) won 1 point." in first
    assert second.endswith("  player 0 won 1 point: player 1 gave up, or lost on time.")
    assert third.endswith("  player 0 drew: the players agreed on a draw.\n")
    path.write_text(PGN.replace("Ra5#", "Ra6"))
    assert refusal(sog, "replay", str(path), "--number", "1", notes=True).startswith(
        f"{path}: game 1: move 1. "
    )
