"""Exit codes, mistakes of the user, and checks that find them before the work begins."""

import tempfile
from pathlib import Path
from typing import Final

SUCCESS: Final = 0
MISTAKE: Final = 2
INTERRUPTED: Final = 130  # 128 + SIGINT


class CommandError(Exception):
    """A mistake of the user, told in one line; the command ends with exit code 2."""


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether a device had no memory; JAX has an error of its own, and takes long to import."""
    return "RESOURCE_EXHAUSTED" in str(error)


def reason(error: OSError) -> str:
    """Why the system refused, as "No space left on device"."""
    return error.strerror or str(error)


def check_target(option: str, path: Path) -> None:
    """Makes sure that a file can be written at `path`, the value of `option`."""
    if path.is_dir():
        raise CommandError(f"{option}: {path} is a folder; a file name is needed.")
    if path.exists() and not path.is_file():
        raise CommandError(f"{option}: {path} is not a regular file.")
    if not path.parent.is_dir():
        raise CommandError(f"{option}: folder {path.parent} does not exist.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        if path.exists():
            path.open("ab").close()
    except OSError as error:
        raise CommandError(f"{option}: cannot write {path}: {reason(error)}.") from None
