"""Saving a solved spot, to read it without solving it again, or to resume the solve.

    save_spot("turn.spot", solver, game, ranges)
    saved = load_spot("turn.spot")
    walk(saved.solver, ["check"])
    solve_spot(saved.solver, iterations=500)

A resumed solve is bitwise equal to one that was never stopped. A file is an npz file of the ranges,
CFR's tables, and JSON metadata; boards and betting are rebuilt from the game that it names. Nothing
in it is executed.
"""

import dataclasses
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.files import replacing
from sog.games.foreign import check_named_by_file
from sog.games.registry import make
from sog.holdem.game import Holdem
from sog.holdem.spots.solver import SpotSolver
from sog.holdem.spots.spot import spot_of
from sog.memory import bytes_of, in_bytes
from sog.npz import notes_of, read_array, read_notes, reading_npz
from sog.tabular.rules import RULES, Rule

FORMAT: Final = "sog-spot-1"
ENDING: Final = ".spot"
"""The file name suffix."""
_NOTES: Final = {"game": str, "rule": str, "precision": str, "iteration": int, "chunk": int}
_MOST_BYTES: Final = 2**32  # of a file
_MOST_KEPT: Final = 2**32 - 2**24  # bytes of arrays
_MOST_ITERATIONS: Final = 2**30  # counted in 32 bits
_MOST_TOGETHER: Final = 2**10  # boards


class SpotFileError(ValueError):
    """The file is not a saved spot, is damaged, or belongs to another game."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SavedSpot:
    """The contents of a file."""

    game: Holdem
    ranges: np.ndarray
    """[player, hand of the deck] float64, as given."""
    solver: SpotSolver


def save_spot(
    path: str | os.PathLike[str], solver: SpotSolver, game: Holdem, ranges: np.ndarray
) -> None:
    """Writes a file to read the spot and resume its solve; atomically.

    ranges: [player, hand of the deck], as given to the solver. Raises ValueError, see
    `check_saved`.
    """
    check_saved(solver)  # before creating a file
    with replacing(Path(path), f".{os.getpid()}.new") as file:
        write_spot(file, solver, game, ranges)


def write_spot(file: BinaryIO, solver: SpotSolver, game: Holdem, ranges: np.ndarray) -> None:
    """The same into an open file. Raises ValueError, see `check_saved`."""
    check_saved(solver)
    notes = notes_of(
        FORMAT,
        game=str(game),
        rule=_name(solver.rule),
        precision=solver.precision,
        iteration=solver.iteration,
        chunk=solver.layout.chunk,
    )
    kept = zip(jax.tree.leaves(solver.memory), _held(solver), strict=True)
    arrays = {
        f"kept{number}": np.asarray(leaf)[..., held] for number, (leaf, held) in enumerate(kept)
    }
    np.savez(
        file,
        ranges=np.asarray(ranges, np.float64),
        notes=notes,
        **arrays,  # type: ignore[arg-type]
    )


def check_saved(solver: SpotSolver) -> None:
    """Raises ValueError if it cannot be saved: several spots, too large, an unnamed rule."""
    if len(solver.boards[0].cards) != 1:
        raise ValueError("only a solver of one spot can be saved.")
    _name(solver.rule)
    size = bytes_of(solver.memory)
    if size > _MOST_KEPT:
        raise ValueError(
            f"a spot's file may have at most {in_bytes(_MOST_KEPT)}, but this one would have "
            f"{in_bytes(size)}."
        )


def load_spot(path: str | os.PathLike[str]) -> SavedSpot:
    """Reads a file of `save_spot`. Raises SpotFileError with the reason, also if it does not fit in
    this machine's memory."""
    with reading_npz(path, most=_MOST_BYTES, what="a saved spot", error=SpotFileError) as archive:
        notes = _notes(archive)
        game = _game_of(path, notes["game"])
        size = game.deck.num_hands(game.hole_cards)
        ranges = read_array(archive, "ranges", kinds="f", most=2 * 8 * size)
        if ranges.shape != (2, size):
            raise ValueError("ranges are of another shape.")
        try:
            spot = spot_of(game)
            options = {"precision": notes["precision"], "chunk": notes["chunk"]}
            solver = SpotSolver(spot, ranges, notes["rule"], **options)
        except ValueError as error:
            raise SpotFileError(f"{path}: {error}") from None
        expected, structure = jax.tree.flatten(solver.memory)
        kept = []
        for number, (old, held) in enumerate(zip(expected, _held(solver), strict=True)):
            one = read_array(archive, f"kept{number}", kinds="fi", most=old.nbytes)
            if one.shape != (*old.shape[:-1], held.sum()) or one.dtype != old.dtype:
                raise ValueError(f"kept{number} is of another shape.")
            if not np.isfinite(one).all():
                raise SpotFileError(f"{path}: its numbers must be finite.")
            old.delete()  # frees memory for its replacement
            whole = np.zeros(old.shape, old.dtype)
            whole[..., held] = one
            kept.append(jnp.asarray(whole))
    solver.memory, solver.iteration = jax.tree.unflatten(structure, kept), notes["iteration"]
    for memory in solver.memory:
        if any((np.asarray(table) < 0).any() for table in jax.tree.leaves(memory.policy_sum)):
            raise SpotFileError(f"{path}: sums of policies must be >= 0.")
    return SavedSpot(game=game, ranges=ranges, solver=solver)


def _held(solver: SpotSolver) -> Iterator[np.ndarray]:
    """Which entries of the last axis are kept, for each array of the memory: those of hands in a
    range, or a scale."""
    for memory, held in zip(solver.memory, solver.hands.is_held, strict=True):
        for leaf in jax.tree.leaves(memory):
            yield held if leaf.shape[-1] == len(held) else np.ones(leaf.shape[-1], bool)


def _name(rule: Rule) -> str:
    for name, known in RULES.items():
        if known == rule:
            return name
    raise ValueError("only a solve by a named rule can be saved.")


def _game_of(path: str | os.PathLike[str], text: str) -> Holdem:
    try:
        check_named_by_file(text, path)
        if text.partition("(")[0] != Holdem.name:
            raise ValueError(f"{path} is of {text}, not a spot of {Holdem.name}.")
        game = make(text)
    except ValueError as error:
        raise SpotFileError(str(error)) from None
    assert isinstance(game, Holdem)
    return game


def _notes(archive: zipfile.ZipFile) -> dict[str, Any]:
    """The checked metadata."""
    notes = read_notes(archive, "notes", FORMAT, _NOTES)
    is_known = notes["rule"] in RULES and 0 <= notes["iteration"] < _MOST_ITERATIONS
    if not (is_known and 1 <= notes["chunk"] <= _MOST_TOGETHER):
        raise ValueError("its notes are impossible.")
    return notes
