"""Safe access to files that may come from somebody else: which to open, how much to read, where to
write, and how to print text to a terminal.

Only regular files up to the reader's limit are opened; no device, no pipe. Every failure is an
OSError with the reason in `strerror`, so that callers report it as they report a full disk. Imports
nothing heavy.
"""

import codecs
import contextlib
import errno
import importlib.resources
import io
import json
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

Parsed = TypeVar("Parsed")
AnyPath = str | os.PathLike[str]
_NOT_PRINTED: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of characters that change how a terminal shows other text."""
_LINES: Final = "\n\t"


def open_to_read(path: AnyPath, most: int, *, follow: bool = True) -> io.BufferedReader:
    """Opens a regular file of at most `most` bytes.

    follow: whether it may be a link; False in a folder from somebody else. Raises OSError.
    """
    _check(path, _status(path, follow), most)
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    number = os.open(path, flags)
    try:
        _check(path, os.fstat(number), most)  # the file may have been replaced
        return open(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_bytes(path: AnyPath, most: int, *, follow: bool = True) -> bytes:
    """Reads a file, see `open_to_read`."""
    with open_to_read(path, most, follow=follow) as file:
        content = file.read(most + 1)  # files in /proc have size 0
    if len(content) > most:
        raise _too_large(path, most)
    return content


def read_text(path: AnyPath, most: int) -> str:
    """Reads a UTF-8 file, with or without a byte order mark."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refusal(path, errno.EILSEQ, "not a file of UTF-8 text") from None


_CHARSET: Final = re.compile(rb"\bCA\s*\[\s*([\w.:-]{1,40})\s*\]")
_CHARSETS: Final = re.compile(r"ascii|utf-8|iso|cp|koi8|mac|shift|euc|gb|big5|hz|johab|tis", re.I)
"""Codecs of texts; some of Python's others are slow."""
_OF_A_HEAD: Final = 4096  # bytes


def read_any_text(path: AnyPath, most: int) -> str:
    """Reads a text in the charset that an SGF declares (CA), else in UTF-8, else in Latin-1, the
    default of PGN and SGF."""
    content = read_bytes(path, most)
    said = _CHARSET.search(content[:_OF_A_HEAD])
    for name in (said[1].decode("ascii", "replace") if said else "", "utf-8-sig"):
        with contextlib.suppress(LookupError, UnicodeError):
            if _CHARSETS.match(codecs.lookup(name).name):
                return content.decode(name)
    return content.decode("latin-1")


def parse_json(content: str | bytes) -> Any:
    """A JSON value with `printable` strings; raises ValueError for any fault."""
    try:
        return _printable_value(json.loads(content))
    except RecursionError:
        raise ValueError("nested too deeply.") from None


def read_shipped(package: str, name: str, parse: Callable[[str], Parsed]) -> Parsed:
    """Parses an installed text file of ours; raises OSError if it is damaged."""
    file = importlib.resources.files(package) / name
    try:
        return parse(file.read_text("utf-8"))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise _refusal(str(file), errno.EBADMSG, "it is damaged; install sog anew") from None


def open_to_append(path: AnyPath) -> BinaryIO:
    """Opens or creates a regular file for appending; never through a link. Raises OSError."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    return open(_open_own(path, flags), "ab")


def open_to_lock(path: AnyPath) -> int:
    """Opens or creates a regular file for locking; never through a link. Raises OSError."""
    return _open_own(path, os.O_RDWR | os.O_CREAT)


@contextlib.contextmanager
def replacing(path: Path, ending: str = ".new") -> Iterator[BinaryIO]:
    """A file for writing that atomically replaces `path` at the end of the body, synced to disk.

    At any moment the old or the new file exists, also if the body raises. Never writes through a
    link, neither at the file's name nor at the temporary one, which adds `ending`.
    """
    new = path.with_name(f"{path.name}{ending}")
    new.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        with open(os.open(new, flags, 0o666), "wb") as file:
            yield file
        force_to_disk(new)
        new.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise
    force_to_disk(path.parent)


def replace_file(path: Path, content: str | bytes) -> None:
    """Replaces a file, see `replacing`; a text as UTF-8."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def force_to_disk(path: Path) -> None:
    """Syncs a file or folder to disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def printable(text: str) -> str:
    """Escapes control characters, except newlines and tabs, so that a text is safe for a
    terminal."""
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode()
        if one not in _LINES and unicodedata.category(one) in _NOT_PRINTED
        else one
        for one in text
    )


def _printable_value(value: Any) -> Any:
    """A JSON value with printable strings and keys."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_printable_value(one) for one in value]
    if isinstance(value, dict):
        return {printable(name): _printable_value(one) for name, one in value.items()}
    return value


def _status(path: AnyPath, follow: bool) -> os.stat_result:
    try:
        return os.stat(path, follow_symlinks=follow)
    except ValueError:  # a null character
        raise _refusal(path, errno.EINVAL, "not a valid file name") from None


def _check(path: AnyPath, status: os.stat_result, most: int) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise _refusal(path, errno.ELOOP, "it is a link, which is not followed")
    if stat.S_ISDIR(status.st_mode):
        raise _refusal(path, errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise _refusal(path, errno.EINVAL, "not a regular file")
    if status.st_size > most:
        raise _too_large(path, most)


def _open_own(path: AnyPath, flags: int) -> int:
    with contextlib.suppress(FileNotFoundError):
        _check(path, os.stat(path, follow_symlinks=False), most=2**63)
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)


def _too_large(path: AnyPath, most: int) -> OSError:
    return _refusal(path, errno.EFBIG, f"larger than {most:,} bytes")


def _refusal(path: AnyPath, code: int, problem: str) -> OSError:
    return OSError(code, problem, os.fspath(path))
