"""Lines that fit: texts folded between words, never inside one, and notices on stderr."""

import argparse
import itertools
import os
import re
import sys
import textwrap
from typing import Any, Final

from sog.files import printable

_NARROWEST: Final = 24  # columns for a description
_MARGIN: Final = 2


def fold(text: str, columns: int) -> str:
    """A text whose lines are no longer than `columns`, words and unspaced phrases apart.

    Paragraphs are filled anew where a line is too long. Lines that begin with blanks stay lines;
    what does not fit goes on below where the second of their columns begins, if they have any.
    """
    parts = itertools.groupby(text.split("\n"), key=lambda line: line[:1].strip() != "")
    folded: list[str] = []
    for is_paragraph, group in parts:
        lines = list(group)
        if is_paragraph and max(map(len, lines)) > columns:
            lines = [" ".join(lines)]
        folded += [piece for line in lines for piece in _fold_line(line, columns)]
    return "\n".join(folded)


def _fold_line(line: str, columns: int) -> list[str]:
    if len(line) <= columns:
        return [line]
    margin = len(line) - len(line.lstrip())
    match = re.match(r" *(?:\S+ )*\S+ {2,}(?=\S)", line)
    begin = match.end() if match else margin
    if margin and (begin > columns - _NARROWEST or (begin < _NARROWEST and not match)):
        begin = min(margin, _MARGIN) + _MARGIN
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
        return fold(text, width)

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
