"""Lines that fit: texts folded between words, never inside one, and notices on stderr."""

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
    """A text whose lines are no longer than `columns`, words and unspaced phrases apart.

    Paragraphs are filled anew where a line is too long. Lines that begin with blanks stay lines;
    what does not fit goes on below where the second of their columns begins, if they have any.
    indent: goes before every line, and counts.
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
    """Names with their values beside them, a line for each and more where one does not fit."""
    known = list(pairs)
    begin = len(indent) + max((len(name) for name, _ in known), default=0) + _GAP
    lines = [f"{indent + name:{begin}}{value}".rstrip() for name, value in known]
    return "\n".join(piece for line in lines for piece in _wrap(line, columns, begin))


def _fold_line(line: str, columns: int) -> list[str]:
    margin = len(line) - len(line.lstrip())
    match = re.match(r" *(?:\S+ )*\S+ {2,}(?=\S)", line)
    begin = match.end() if match else margin
    if margin and begin < _NARROWEST and not match:
        begin = min(margin, _MARGIN) + _MARGIN
    return _wrap(line, columns, begin)


def _wrap(line: str, columns: int, begin: int) -> list[str]:
    """begin: the column of the second line, and of all others, if it leaves them enough room."""
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


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help that fits the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return fold(text, width, indent)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _fold_line(" ".join(text.split()), width)


def tell(text: str) -> None:
    """Prints a notice on stderr, in one line where that is no terminal; it may quote a file."""
    line = f"sog: {printable(text)}"
    columns = _columns(sys.stderr)
    print(fold(line, columns) if columns else line, file=sys.stderr)


def _columns(stream: Any) -> int:
    """How many letters a line of a terminal has; 0 for no terminal, or one that does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0
    except (OSError, ValueError):
        return 0
