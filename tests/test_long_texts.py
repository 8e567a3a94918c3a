"""Texts of whoever sends them are read in a time that grows as their length does.

A regular expression that looks for its beginning at every letter anew takes hours for a million
letters, while nothing else runs. These tests end at once, or after a minute.
"""

import contextlib
import signal
from collections.abc import Callable, Iterator

import pytest

from selfplay.runs.config_files import parse_toml
from sog.boards.go_sgf import read_rules
from sog.boards.record_formats import PGN, SGF
from sog.games import make
from sog.holdem.ranges import parse_range
from sog.play.game_records import format_of
from sog.tabular.locks import read_locks

LETTERS = 1_000_000
OF_RANGES, OF_EVENTS = 199_000, 99_000  # they are refused if they are longer
PIECES = [*"1+([a .:=-%\"'", "a1", "(;", "1.", "[a", 'a="']
GAMES = ["tic_tac_toe", "gardner_chess", "go5"]


@contextlib.contextmanager
def a_minute() -> Iterator[None]:
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)


def read(door: Callable[[str], object], text: str) -> None:
    with a_minute(), contextlib.suppress(ValueError):
        door(text)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize(
    ("door", "form"),
    [
        (format_of, "{}"),
        (PGN.split, "{}"),
        (SGF.split, "{}"),
        (SGF.split, "(;{}"),
        (PGN.split, '[Event "{}'),
        (PGN.read, '[Event "x"]\n{}'),
        (SGF.read, "(;C[{}])"),
        (read_rules, "(;KM[{}x])"),
        (read_rules, "(;SZ[{}x])"),
        (read_rules, "(;{}"),
        (parse_range, "AA:{}x"),
        (parse_range, "{}x%"),
        (parse_range, "{}"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_files_and_ranges(door: Callable[[str], object], form: str, piece: str) -> None:
    letters = OF_RANGES if door is parse_range else LETTERS
    read(door, form.format(piece * (letters // len(piece))))


@pytest.mark.thorough(but=["gardner_chess"])
@pytest.mark.parametrize("name", GAMES)
def test_positions_and_moves(name: str) -> None:
    game = make(name)
    for piece in PIECES:
        for letters in (OF_EVENTS, LETTERS):
            text = piece * (letters // len(piece))
            read(game.read_position, f"{text}x")


def test_more_events_than_any_game_has_are_refused() -> None:
    with pytest.raises(ValueError, match="events must have at most 100,000 letters, got 100,001"):
        make("leduc").parse("1" * 100_001)


@pytest.mark.thorough(but=["=", "a1"])
@pytest.mark.parametrize("piece", PIECES)
def test_locks(piece: str) -> None:
    text = piece * (OF_EVENTS // len(piece) - 10)
    for form in (text, f": {text}", f": {text}=1", f"check: bet2={text}"):
        read(lambda lock: read_locks(make("leduc"), [lock]), form)


def parse(text: str) -> None:
    parse_toml("mine.toml", text)


@pytest.mark.parametrize(
    "piece", ["a.", "a . ", "'a'.", '"a".', "a", "'", '"', "a ", ".", "[", "{a="]
)
@pytest.mark.parametrize("form", ["{}=1", "[{}]", "a = {{ {}a = 1 }}", "a = '{}'"])
def test_configurations(form: str, piece: str) -> None:
    read(parse, form.format(piece * (LETTERS // len(piece))))


def test_a_key_of_many_parts_is_refused_and_a_text_with_many_points_is_none() -> None:
    with pytest.raises(ValueError, match=r"mine.toml: invalid TOML for us: a\.a\..* many parts"):
        parse("a." * 16 + "a = 1")
    text = "summary = 'One word. Two words. " + "And a sentence. 1.5, 2.5, e.g. this... " * 9 + "'"
    parse(f"{text}\n# {text}\n" + "a." * 15 + "a = [1.5, 2.5]")
