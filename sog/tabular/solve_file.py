"""Saves a solve for resumption: numbers and one JSON text in an npz file.

    save_solver("leduc.solve", solve(compiled, iterations=500).solver)
    solve(compiled, iterations=1000, solver=load_solver("leduc.solve", compiled))

The result is that of 1000 iterations in one go, bit for bit, unless the rule has a schedule, which
plans for the iterations of each call. A file has one game, one rule and one precision, and a solve
in float32 can go on in float64; nothing in it is executed.
"""

import contextlib
import hashlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.files import replacing
from sog.npz import notes_of, read_array, read_notes, reading_npz
from sog.tabular.rules import RULES, Rule
from sog.tabular.sequence_form import CompiledGame
from sog.tabular.solver import Precision, Solver

FORMAT: Final = "sog-solve-1"
_NOTES: Final = {"game": str, "rule": str, "precision": str, "digest": str, "iteration": int}
_MOST_BYTES: Final = 2**36  # of a file
_MOST_ITERATIONS: Final = 2**30  # 32-bit counters
_ROUNDING: Final = 1e-4


class SolveFileError(ValueError):
    """The file is not a saved solve, is damaged, or belongs to another game, rule or precision."""


def save_solver(path: str | os.PathLike[str], solver: Solver) -> None:
    """Writes a solver's state for resumption, atomically."""
    notes = notes_of(
        FORMAT,
        game=str(solver.compiled.tree.game),
        rule=_name(solver.rule),
        precision=solver.precision,
        iteration=solver.iteration,
        digest=_digest(solver),
    )
    numbers = np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(solver.state)])
    with replacing(Path(path), f".{os.getpid()}.new") as file:
        np.savez(file, numbers=numbers, notes=notes)


def read_solve_notes(
    path: str | os.PathLike[str],
    game: str,
    *,
    rule: str | Rule | None = None,
    precision: str | None = None,
) -> dict[str, Any]:
    """The notes of a saved solve, including its `rule`, `precision` and `iteration`.

    rule, precision: the required ones; None for any. A solve in float32 can go on in float64.
    Raises SolveFileError with the reason.
    """
    with _opened(path) as (_, notes):
        pass
    if precision == "float64" and notes["precision"] == "float32":
        precision = None
    wanted_rule = _name(rule) if isinstance(rule, Rule) else rule
    for word, name, wanted in (
        ("of", "game", game),
        ("by", "rule", wanted_rule),
        ("in", "precision", precision),
    ):
        if wanted is not None and notes[name] != wanted:
            raise SolveFileError(f"{path}: is a solve {word} {notes[name]}, not {word} {wanted}.")
    return notes


def load_solver(
    path: str | os.PathLike[str],
    compiled: CompiledGame,
    rule: Rule | None = None,
    precision: Precision | None = None,
) -> Solver:
    """A solver that continues a saved one. Raises SolveFileError with the reason.

    rule: needed only if it is not one of `RULES`. precision: "float64" continues a solve in float32
    in 64 bits; by default that of the file.
    """
    notes = read_solve_notes(path, str(compiled.tree.game), rule=rule, precision=precision)
    if rule is None and notes["rule"] not in RULES:
        raise SolveFileError(f"{path}: its rule must be given, it is {notes['rule']}.")
    saved: Precision = notes["precision"]
    solver = Solver(compiled, rule or notes["rule"], precision=precision or saved)
    if notes["digest"] != _digest(solver):
        raise SolveFileError(f"{path}: is a solve of {notes['game']} with other rules or payoffs.")
    leaves, structure = jax.tree.flatten(solver.state)
    count = sum(leaf.size for leaf in leaves)
    kept = np.dtype(saved)
    with _opened(path) as (archive, _):
        numbers = read_array(archive, "numbers", kinds="f", most=count * kept.itemsize)
        if (numbers.shape, numbers.dtype) != ((count,), kept):
            raise ValueError("its numbers are of another size or precision.")
    if not np.isfinite(numbers).all():
        raise SolveFileError(f"{path}: its numbers must be finite.")
    parts = np.split(numbers, np.cumsum([leaf.size for leaf in leaves])[:-1])
    with jax.enable_x64(solver.precision == "float64"):
        taken = [
            jnp.asarray(part, old.dtype).reshape(old.shape)
            for part, old in zip(parts, leaves, strict=True)
        ]
    state = jax.tree.unflatten(structure, taken)
    shares = jax.tree.leaves((state.policy, state.sequences))
    if any((np.asarray(x) < 0).any() for x in [*shares, *state.policy_sum]) or any(
        (np.asarray(x) > 1 + _ROUNDING).any() for x in shares
    ):
        raise SolveFileError(f"{path}: policies must be from 0 to 1, and their sums at least 0.")
    solver.state, solver.iteration = state, notes["iteration"]
    return solver


def _name(rule: Rule) -> str:
    return next((name for name, known in RULES.items() if known == rule), repr(rule))


def _digest(solver: Solver) -> str:
    """A digest of the game, as a different one may have the same name. Payoffs are rounded."""
    digest = hashlib.sha256()
    for leaf in jax.tree.leaves((solver.compiled.form, solver.root_reach)):
        array = np.asarray(leaf)
        rounded = array.astype(np.float32) if array.dtype.kind == "f" else array
        digest.update(repr((rounded.shape, rounded.dtype.str)).encode())
        digest.update(rounded.tobytes())
    return digest.hexdigest()


@contextlib.contextmanager
def _opened(
    path: str | os.PathLike[str],
) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """A saved solve and its notes; errors in the body count as damage."""
    with reading_npz(path, most=_MOST_BYTES, what="a saved solve", error=SolveFileError) as archive:
        notes = read_notes(archive, "notes", FORMAT, _NOTES)
        if not 0 <= notes["iteration"] < _MOST_ITERATIONS:
            raise ValueError("its iteration is impossible.")
        if notes["precision"] not in ("float32", "float64"):
            raise ValueError("its precision is unknown.")
        yield archive, notes
