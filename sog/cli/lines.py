"""Text wrapping, between words only, and notices on stderr."""

import argparse
import itertools
import os
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import Any, Final

from sog.files import printable

_NARROWEST: Final = 24  # columns for a description
_MARGIN: Final = 2
_GAP: Final = 2
_ESCAPE: Final = "\033"


def fold(text: str, columns: int, indent: str = "") -> str:
    """Wraps a text to lines of at most `columns`, longer words excepted.

    Paragraphs with a line that is too long are refilled. Lines that begin with blanks stay lines;
    their continuation is aligned with their second column, if they have one.
    indent: prefix of every line, included in `columns`.
    """
    columns -= len(indent)
    parts = itertools.groupby(text.split("\n"), key=lambda line: line[:1].strip() != "")
    folded: list[str] = []
    for is_paragraph, group in parts:
        lines = list(group)
        if is_paragraph and max(map(len, lines)) > columns:
            lines = [" ".join(lines)]
        folded += [piece for line in lines for piece in _fold_line(line, columns)]
    return textwrap.indent("\n".join(folded), indent)


def name_values(pairs: Iterable[tuple[str, str]], columns: int, indent: str = "") -> str:
    """Names with their values beside them, one pair per line, wrapped to `columns`."""
    known = list(pairs)
    begin = len(indent) + max((len(name) for name, _ in known), default=0) + _GAP
    lines = [f"{indent + name:{begin}}{value}".rstrip() for name, value in known]
    return "\n".join(piece for line in lines for piece in _wrap(line, columns, begin))


def _fold_line(line: str, columns: int) -> list[str]:
    margin = len(line) - len(line.lstrip())
    match = re.match(r" *(?:\S+ )*\S+ {2,}(?=\S)", line)
    if margin == _MARGIN and not match and line.lstrip().startswith("sog "):
        return _wrap_command(line, columns, 2 * _MARGIN)
    begin = match.end() if match else margin
    if margin and begin < _NARROWEST and not match:
        begin = min(margin, _MARGIN) + _MARGIN
    return _wrap(line, columns, begin)


def _wrap(line: str, columns: int, begin: int) -> list[str]:
    """begin: the column where continuation lines start, if that leaves enough room."""
    if len(line) <= columns or _ESCAPE in line:  # a drawing in color
        return [line]
    if begin > max(0, columns - _NARROWEST):
        begin = min(len(line) - len(line.lstrip()), _MARGIN) + _MARGIN
    return textwrap.wrap(
        line,
        columns,
        subsequent_indent=" " * begin,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrap_command(line: str, columns: int, begin: int) -> list[str]:
    """Wraps a command outside of its quotes, with a backslash at each break, so that it can be
    copied into a shell."""
    if len(line) <= columns:
        return [line]
    last = " \\" if line.endswith(" \\") else ""
    line = re.sub(r"'[^']*'|\"[^\"]*\"", lambda quoted: quoted[0].replace(" ", "\0"), line)
    pieces = _wrap(line.removesuffix(" \\"), columns - len(" \\"), begin)
    ends = [*[" \\"] * (len(pieces) - 1), last]
    return [piece.replace("\0", " ") + end for piece, end in zip(pieces, ends, strict=True)]


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Wraps help to the width of the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return fold(text, width, indent)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _fold_line(" ".join(text.split()), width)


def print_note(text: str) -> None:
    """Prints a notice on stderr, escaped; wrapped only in a terminal."""
    line = f"sog: {printable(text)}"
    columns = _columns(sys.stderr)
    print(fold(line, columns) if columns else line, file=sys.stderr)


def _columns(stream: Any) -> int:
    """The width of a terminal in characters; 0 if it is not a terminal or has no known width."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return 0
