"""Reads arrays of npz files from untrusted sources, checked before decompression.

A zip file may unpack to a thousand times its size, and its directory may list millions of members.
So the size and type of every array are first checked against its reader's expectation.
"""

import contextlib
import json
import math
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final

import numpy as np

from sog.files import open_to_read, parse_json

_MOST_OF_NOTES: Final = 2**20
_MOST_LISTED: Final = 2**20  # bytes of a directory
_MOST_BEFORE: Final = 2**14  # bytes of numpy's header of an array
_END: Final = struct.Struct("<4s4H2LH")
"""The end record of a zip file, with the sizes of its directory and comment."""
_LARGE_END: Final = b"PK\x06\x07"
"""Before it, in a zip file of more than 4 GB."""


class FormatError(ValueError):
    """The notes of a file are of another format, or of another version of it."""


class ArrayError(ValueError):
    """An array has an unexpected type or is too large; the message has its type and shape."""


@contextlib.contextmanager
def opened_npz(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Opens an npz file as written by `numpy.savez`; raises various errors for other files."""
    file.seek(-_END.size, os.SEEK_END)
    mark, *_, listed, _, remark = _END.unpack(file.read())
    if mark != b"PK\x05\x06" or listed > _MOST_LISTED or remark:
        raise ValueError("not a zip file, or one of too much.")
    file.seek(-_END.size - 20, os.SEEK_END)
    if file.read(4) == _LARGE_END:
        raise ValueError("too large.")
    with zipfile.ZipFile(file) as archive:
        yield archive


@contextlib.contextmanager
def reading_npz(
    path: str | os.PathLike[str], *, most: int, what: str, error: type[ValueError]
) -> Iterator[zipfile.ZipFile]:
    """Opens an npz file of at most `most` bytes, from any source.

    what: its kind for messages, as "a saved solve". Any failure, also in the body, raises an
    `error` of one line that begins with the path; an `error` from the body passes unchanged.
    """
    try:
        file = open_to_read(path, most)
    except FileNotFoundError:
        raise error(f"{path}: no such file.") from None
    except OSError as problem:  # for instance a device
        raise error(f"{path}: {problem.strerror}.") from None
    try:
        with file, opened_npz(file) as archive:
            yield archive
    except error:
        raise
    except FormatError as other:
        raise error(f"{path}: is not {what} of this version ({other}).") from None
    except Exception:
        # Damage raises many errors: zip, zlib, numpy and json have their own.
        raise error(f"{path}: is not {what}, or is damaged.") from None


def notes_of(form: str, /, **notes: Any) -> np.ndarray:
    """JSON notes as an array to save, for `read_notes`. form: the format and its version."""
    return np.array(json.dumps({**notes, "format": form}))


def read_notes(
    archive: zipfile.ZipFile, name: str, form: str, kinds: Mapping[str, type]
) -> dict[str, Any]:
    """The notes in the array of that name, of the expected types, as for `reading_npz`.

    Raises FormatError if they are of another format, and various errors if they are damaged.
    """
    notes: dict[str, Any]
    notes = parse_json(str(read_array(archive, name, kinds="U", most=_MOST_OF_NOTES)))
    if not isinstance(notes, dict) or notes.get("format") != form:
        raise FormatError(form)
    wrong = [name for name, kind in kinds.items() if type(notes[name]) is not kind]
    if wrong:
        raise ValueError(f"{wrong[0]} has an unexpected type.")
    return notes


def read_array(archive: zipfile.ZipFile, name: str, *, kinds: str, most: int) -> np.ndarray:
    """One array, read-only. kinds: numpy's, as "f"; most: bytes.

    Raises ArrayError if it is of another kind or larger, KeyError if it is missing, and various
    errors if it is damaged.
    """
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} has a compression that numpy does not use.")
    with archive.open(entry) as member:
        headers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        shape, is_fortran, kind = headers[np.lib.format.read_magic(member)](member)
        size = math.prod(shape) * kind.itemsize
        if kind.kind not in kinds or not 0 <= size <= most:
            raise ArrayError(f"{kind}{shape}")
        if entry.file_size > size + _MOST_BEFORE:
            raise ValueError(f"{name} contains more than an array.")
        content = member.read()  # to its end, which verifies the checksum
    return np.ndarray(shape, kind, content, order="F" if is_fortran else "C")
