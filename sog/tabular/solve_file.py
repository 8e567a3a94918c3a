"""Saves a solve for resumption: numbers and one JSON text in an npz file.

    save_solver("leduc.solve", solve(compiled, iterations=500).solver)
    solve(compiled, iterations=1000, solver=load_solver("leduc.solve", compiled))

The result is that of 1000 iterations in one go, bit for bit, unless the rule has a schedule, which
plans for the iterations of each call. A file has one game, one rule and one precision, and a solve
in float32 can go on in float64; nothing in it is executed.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.files import parse_json, replacing
from sog.npz import read_array, reading_npz
from sog.tabular.rules import RULES, Rule
from sog.tabular.sequence_form import CompiledGame
from sog.tabular.solver import Precision, Solver

FORMAT: Final = "sog-solve-1"
_WHAT: Final = "a saved solve"
_NOTES: Final = {"game": str, "rule": str, "precision": str, "digest": str, "iteration": int}
_MOST_BYTES: Final = 2**36  # of a file
_MOST_OF_NOTES: Final = 2**20
_MOST_ITERATIONS: Final = 2**30  # 32-bit counters
_ROUNDING: Final = 1e-4


class SolveFileError(ValueError):
    """The file is not a saved solve, is damaged, or belongs to another game, rule or precision."""


def save_solver(path: str | os.PathLike[str], solver: Solver) -> None:
    """Writes a solver's state for resumption, atomically."""
    notes = {
        "format": FORMAT,
        "game": str(solver.compiled.tree.game),
        "rule": _name(solver.rule),
        "precision": solver.precision,
        "iteration": solver.iteration,
        "digest": _digest(solver),
    }
    numbers = np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(solver.state)])
    with replacing(Path(path), f".{os.getpid()}.new") as file:
        np.savez(file, numbers=numbers, notes=np.array(json.dumps(notes)))


def read_notes(
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
    notes = _read(path, 0)[0]
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
    notes = read_notes(path, str(compiled.tree.game), rule=rule, precision=precision)
    if rule is None and notes["rule"] not in RULES:
        raise SolveFileError(f"{path}: its rule must be given, it is {notes['rule']}.")
    if notes["precision"] not in ("float32", "float64"):
        raise _damaged(path)
    saved: Precision = notes["precision"]
    solver = Solver(compiled, rule or notes["rule"], precision=precision or saved)
    if notes["digest"] != _digest(solver):
        raise SolveFileError(f"{path}: is a solve of {notes['game']} with other rules or payoffs.")
    leaves, structure = jax.tree.flatten(solver.state)
    count = sum(leaf.size for leaf in leaves)
    kept = np.dtype(saved)
    numbers = _read(path, count * kept.itemsize)[1]
    if numbers is None or (numbers.shape, numbers.dtype) != ((count,), kept):
        raise _damaged(path)
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


def _read(
    path: str | os.PathLike[str], most_bytes: int
) -> tuple[dict[str, Any], np.ndarray | None]:
    """The notes, and the numbers, of at most `most` bytes each; None to skip the numbers."""
    with reading_npz(path, most=_MOST_BYTES, what=_WHAT, error=SolveFileError) as archive:
        text = read_array(archive, "notes", kinds="U", most=_MOST_OF_NOTES)
        notes = parse_json(str(text))
        if notes["format"] != FORMAT:
            raise SolveFileError(f"{path}: is not a saved solve of this version ({FORMAT}).")
        for name, kind in _NOTES.items():
            if type(notes[name]) is not kind:
                raise ValueError(name)
        if not 0 <= notes["iteration"] < _MOST_ITERATIONS:
            raise ValueError("iteration")
        if most_bytes == 0:
            return notes, None
        return notes, read_array(archive, "numbers", kinds="f", most=most_bytes)


def _damaged(path: str | os.PathLike[str]) -> SolveFileError:
    return SolveFileError(f"{path}: is not {_WHAT}, or is damaged.")
