"""Exit codes, errors of the user, and checks that find them before the work begins."""

import argparse
import contextlib
import importlib.util
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from sog.cli.lines import print_note
from sog.files import replace_file

SUCCESS: Final = 0
MISTAKE: Final = 2
INTERRUPTED: Final = 130  # 128 + SIGINT

PICTURES: Final = (".png", ".pdf", ".svg")
_BEGINNING: Final = 256  # bytes
_MARKS: Final = {
    ".csv": b"probability",  # of `sog policy --csv`, --table and --openspiel
    ".json": b'"game":',  # of `sog play --save`
    ".jsonl": b'"sog tournament"',  # of `sog tournament --save`
    ".npz": b"probabilities.npy",  # of `sog solve --save`
    ".pdf": b"%PDF-",
    ".png": b"\x89PNG",
    ".solve": b"numbers.npy",  # of `sog solve --save-state`
    ".svg": b"svg",
}
"""A mark within the first bytes of each kind of file that commands write."""
_EXTRAS: Final = {"matplotlib": "plot", "tensorboardX": "tensorboard", "ray": "processes"}
"""Our extras in pyproject.toml, by the package that needs one."""


class CommandError(Exception):
    """An error of the user, printed as one line; the command exits with code 2."""


@contextlib.contextmanager
def mistakes(where: str = "") -> Iterator[None]:
    """Turns a ValueError of the library in its body into an error of the user."""
    try:
        yield
    except ValueError as error:
        raise CommandError(f"{where}{error}") from None


@contextlib.contextmanager
def writing(path: Path, what: str = "", failures: list[str] | None = None) -> Iterator[None]:
    """Turns an OSError in its body into an error of the user: the file cannot be written.

    what: names the content in the note on stderr when the file is written. failures: collects the
    error instead of raising it, where there is more to do.
    """
    try:
        yield
    except OSError as error:
        failure = f"cannot write {path}: {reason(error)}."
        if failures is None:
            raise CommandError(failure) from None
        failures.append(failure)
        return
    if what:
        print_note(f"wrote {what} to {path}.")


def write_file(path: Path, content: str | bytes, what: str = "") -> None:
    """Replaces a file; see `writing`."""
    with writing(path, what):
        replace_file(path, content)


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether a device ran out of memory; importing JAX for its error class takes long."""
    return "RESOURCE_EXHAUSTED" in str(error)


def reason(error: OSError) -> str:
    """The system's reason, as "No space left on device"."""
    return error.strerror or str(error)


def require_package(option: str, package: str) -> None:
    """Raises CommandError if a package that `option` needs is not installed."""
    if importlib.util.find_spec(package) is None:
        extra = _EXTRAS.get(package, "web")
        raise CommandError(f"{option} needs {package}: pip install 'sog[{extra}]'.")


def check_plot(path: Path | None, option: str = "--plot") -> None:
    """Raises CommandError unless a picture can be drawn and written to `path`."""
    if path is not None:
        check_target(option, path, PICTURES)
        require_package(option, "matplotlib")


def given(arguments: argparse.Namespace, *names: str) -> Iterator[tuple[str, Any]]:
    """Yields those of the named options that were given, as users type them, with their values."""
    for name in names:
        value = getattr(arguments, name, None)
        if value is not None and value is not False and value != []:
            yield f"--{name.replace('_', '-')}", value


def reject(arguments: argparse.Namespace, names: Sequence[str], why: str) -> None:
    """Raises CommandError if one of the named options was given, which has no effect for `why`."""
    for option, _ in given(arguments, *names):
        raise CommandError(f"{option} has no effect {why}.")


def check_target(
    option: str, path: Path | None, endings: Sequence[str], *, mark: bytes | None = None
) -> None:
    """Raises CommandError unless a file can be written at `path`, the value of `option`.

    path: None if the option was not given. endings: the allowed extensions. A file is replaced only
    by one of its kind, recognized by its mark (default: that of `_MARKS`).
    """
    if path is None:
        return
    if path.is_dir():
        raise CommandError(f"{option}: {path} is a folder; a file name is needed.")
    ending = path.suffix.lower()
    if ending not in endings:
        known = f"{'one of ' if len(endings) > 1 else ''}{', '.join(endings)}"
        raise CommandError(f"{option}: the name must end in {known}, got {path.name}.")
    if path.exists() and not path.is_file():
        raise CommandError(f"{option}: {path} is not a regular file.")
    if not path.parent.is_dir():
        raise CommandError(f"{option}: folder {path.parent} does not exist.")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        if path.exists():
            with path.open("rb+") as file:
                beginning = file.read(_BEGINNING)
            if beginning and (mark or _MARKS[ending]) not in beginning:
                raise CommandError(
                    f"{option}: {path} is not replaced, since it holds something else; choose "
                    f"another name."
                )
    except OSError as error:
        raise CommandError(f"{option}: cannot write {path}: {reason(error)}.") from None
