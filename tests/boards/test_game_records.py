"""Files of several games as people keep them: PGN and SGF."""

from pathlib import Path
from typing import Final

import pytest

from sog.boards.record_formats import PGN, SGF
from sog.files import read_any_text
from sog.games import make
from sog.play.game_records import RecordFormat, format_at, format_of, has_format, write_record

LADDER_PGN: Final = """\
{a file of two}
[White "Ann"]
[Black "?"]
[Result "1-0"]

1. e4 {[Event "none"] 2. d4} e5 1-0

[White "Bob; the (second)"]
[Result "*"]

1. d4 0-1
"""
LADDER_SGF: Final = """\
(;GM[1]SZ[2]KM[1]PB[Ann]PW[Bob]C[not the end: ) \\] (;]RE[W+Resign];B[aa](;W[bb])(;W[ab]))
(;SZ[2:2]PB[?]RE[B+3.5];B[bb])
"""


def known(text: str) -> RecordFormat:
    found = format_of(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LADDER_PGN, PGN),
        (LADDER_SGF, SGF),
        ("a comment (;C[1. e4])", SGF),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", None),
        ("B2 pass", None),
    ],
)
def test_a_text_is_known_by_its_format(text: str, found: RecordFormat | None) -> None:
    assert format_of(text) is found
    assert (format_at(".pgn"), format_at(".sgf"), format_at(".txt")) == (PGN, SGF, None)


@pytest.mark.parametrize("text", [LADDER_PGN, LADDER_SGF], ids=["PGN", "SGF"])
def test_a_file_is_split_into_its_games(text: str) -> None:
    """Brackets, tags and results in comments are none."""
    first, second = known(text).split(text)
    assert first.endswith(('1. e4 {[Event "none"] 2. d4} e5 1-0', ";B[aa](;W[bb])(;W[ab]))"))
    assert (
        first + second
        == text.removeprefix("{a file of two}\n")
        .replace("1-0\n\n[W", "1-0[W")
        .replace("\n(", "(")
        .strip()
    )
    assert known(first).split(first) == [first]


def test_heads_tell_names_and_who_lost_without_the_board_saying_so() -> None:
    """A PGN does not say why."""
    found = [
        known(text).read(text)
        for file in (LADDER_PGN, LADDER_SGF)
        for text in known(file).split(file)
    ]
    assert [one.names for one in found] == [
        ("Ann", ""),
        ("Bob; the (second)", ""),
        ("Ann", "Bob"),
        ("", ""),
    ]
    assert [one.result for one in found] == [1, -1, -1, 1]
    assert [one.is_scored for one in found] == [False, False, False, True]


@pytest.mark.parametrize(
    ("said", "result", "is_scored"),
    [
        ("W+T", -1, False),
        ("W+0.5", -1, True),
        ("B+12,5", 1, True),
        ("Jigo", 0, False),
        ("Void", None, False),
    ],
)
def test_a_result_in_sgf_says_who_won_and_whether_by_a_score(
    said: str, result: float | None, is_scored: bool
) -> None:
    found = SGF.read(f"(;SZ[2]RE[{said}])")
    assert (found.result, found.is_scored) == (result, is_scored)


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ('[Variant "Standard"]\n\n*', "chess"),
        ('[Variant "gardner"]\n\n*', "gardner_chess"),
        ("(;SZ[9]KM[5.5])", "go9(komi=5.5)"),
        ("(;KM[650]AP[foxwq])", "go19(komi=6.5)"),
        ("(;SZ[9]KM[much])", "go9"),
        ("(;SZ[4:4]KM[-2])", "go(size=4,komi=-2)"),
    ],
)
def test_a_head_says_of_which_game_it_is(text: str, game: str) -> None:
    assert known(text).game_of(text) == game
    assert make(game)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[Variant "atomic"]\n\n*', "the tag Variant must be one of .*, got 'atomic'"),
        ("(;SZ[9:7])", "SGF: SZ must be one number, the size of a square board, got '9:7'"),
    ],
)
def test_another_game_is_told(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        known(text).game_of(text)


def test_a_file_that_was_cut_off_is_split_in_time() -> None:
    """The last game is left for its reader to refuse."""
    cut = "(;B[aa])(;" + "C[" * 100_000 + "\\"
    assert known(cut).split(cut) == ["(;B[aa])", cut.removeprefix("(;B[aa])")]
    with pytest.raises(ValueError, match="unexpected end"):
        known(cut).read(known(cut).split(cut)[1])


@pytest.mark.parametrize(
    ("said", "charset", "name"),
    [
        ("CA[Shift_JIS]", "shift_jis", "\u8868 \u30bd"),  # their second bytes are backslashes
        ("CA[gb18030]", "gb18030", "\u67ef\u6d01"),
        ("", "utf-8", "\u67ef\u6d01"),
        ("", "latin-1", "J\u00fcrgen"),
        ("CA[UTF-8]", "latin-1", "J\u00fcrgen"),  # it says so, and is not
        ("CA[nothing]", "latin-1", "J\u00fcrgen"),
    ],
)
def test_a_text_is_read_in_the_charset_that_it_says(
    tmp_path: Path, said: str, charset: str, name: str
) -> None:
    (tmp_path / "game.sgf").write_bytes(f"(;GM[1]{said}PB[{name}]SZ[5];B[cc])".encode(charset))
    text = read_any_text(tmp_path / "game.sgf", 1000)
    assert known(text).read(text).names[0] == name
    assert make("go5").parse(text) == (12,)


def test_what_is_written_says_its_game_and_who_gave_up() -> None:
    go = make("go(size=3,komi=2)")
    assert has_format(go, ".sgf")
    assert not has_format(go, ".pgn")
    assert not has_format(make("tic_tac_toe"), ".sgf")
    text = write_record(go, ".sgf", [4], names=("a", "b"), resigned=1)
    assert known(text).game_of(text) == "go(size=3,komi=2)"
    assert (known(text).read(text).names, known(text).read(text).result) == (("a", "b"), 1)
    text = write_record(go, ".sgf", [4], names=("a", "b"), resigned=0, agreed=True)
    assert (known(text).read(text).result, known(text).read(text).is_scored) == (-1, True)
    text = write_record(go, ".sgf", [4], names=("a", "b"), agreed=True)
    assert known(text).read(text).result == 0
    chess = make("gardner_chess")
    text = write_record(chess, ".pgn", [], names=("a", "b"), resigned=0)
    assert known(text).game_of(text) == "gardner_chess"
    assert (known(text).read(text).names, known(text).read(text).result) == (("a", "b"), -1)
    text = write_record(chess, ".pgn", [], names=("a", "b"), agreed=True)
    assert known(text).read(text).result == 0
