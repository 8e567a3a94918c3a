"""Arrays of an npz file that may come from somebody else: looked at before they are unpacked.

A few bytes of a zip file may unpack to a thousand times as many, and its directory may list
millions of members. So the size and the type of every array are compared with what its reader
expects first.
"""

import contextlib
import math
import os
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, Final

import numpy as np

from sog.files import open_to_read

_MOST_LISTED: Final = 2**20  # bytes of a directory
_MOST_BEFORE: Final = 2**14  # bytes that numpy writes in front of an array
_END: Final = struct.Struct("<4s4H2LH")
"""The last bytes of a zip file: among them the length of its directory, and of a remark."""
_LARGE_END: Final = b"PK\x06\x07"
"""Before them, in a zip file of more than 4 GB."""


class ArrayError(ValueError):
    """An array is of another kind than its reader expects, or larger; its type and shape."""


@contextlib.contextmanager
def opened_npz(file: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """An npz file that `numpy.savez` may have written; errors of many kinds if it is not one."""
    file.seek(-_END.size, os.SEEK_END)
    mark, *_, listed, _, remark = _END.unpack(file.read())
    if mark != b"PK\x05\x06" or listed > _MOST_LISTED or remark:
        raise ValueError("no zip file, or one of too much.")
    file.seek(-_END.size - 20, os.SEEK_END)
    if file.read(4) == _LARGE_END:
        raise ValueError("too large.")
    with zipfile.ZipFile(file) as archive:
        yield archive


@contextlib.contextmanager
def reading_npz(
    path: str | os.PathLike[str], *, most: int, what: str, error: type[ValueError]
) -> Iterator[zipfile.ZipFile]:
    """An npz file of at most so many bytes, from anywhere.

    what: it should be, as "a saved solve". Whatever goes wrong, in the body too, is an `error` of
    one line that begins with the path: one that the body raises goes through as it is.
    """
    try:
        file = open_to_read(path, most)
    except FileNotFoundError:
        raise error(f"{path}: no such file.") from None
    except OSError as problem:  # such as a device
        raise error(f"{path}: {problem.strerror}.") from None
    try:
        with file, opened_npz(file) as archive:
            yield archive
    except error:
        raise
    except Exception:
        # Damage shows in many ways: zip, zlib, numpy and json each raise their own.
        raise error(f"{path}: is not {what}, or is damaged.") from None


def read_array(archive: zipfile.ZipFile, name: str, *, kinds: str, most: int) -> np.ndarray:
    """One array, read-only. kinds: of numpy's types, as "f"; most: bytes.

    Raises ArrayError if it is of another kind or larger; KeyError if there is none of that name,
    and errors of many kinds if it is damaged.
    """
    entry = archive.getinfo(f"{name}.npy")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way that numpy does not.")
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
            raise ValueError(f"{name} is more than an array.")
        content = member.read()  # to its end, where the checksum is compared
    return np.ndarray(shape, kind, content, order="F" if is_fortran else "C")
