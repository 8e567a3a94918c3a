"""Saving a solved spot, to be walked again without solving it, or to be gone on with.

    save_spot("turn.spot", solver, game, ranges)
    found = load_spot("turn.spot")
    walk(found.solver, ["check"])
    solve_spot(found.solver, iterations=500)

That is the same solve, to the last bit, as one that was never stopped. A file is an npz file of the
ranges, of what CFR keeps, and of one JSON text; boards and betting are made anew from the game that
it names, so nothing in it says where anything lies. Nothing in it is executed.
"""

import contextlib
import dataclasses
import json
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.files import parse_json, replacing
from sog.games.foreign import check_named_by_file
from sog.games.registry import make
from sog.holdem.game import Holdem
from sog.holdem.spots.solver import SpotSolver
from sog.holdem.spots.spot import spot_of
from sog.memory import bytes_of, in_bytes
from sog.npz import read_array, reading_npz
from sog.tabular.cfr import RULES, Rule

FORMAT: Final = "sog-spot-1"
_WHAT: Final = "a saved spot"
ENDING: Final = ".spot"
"""Of the names of such files, as commands want it."""
_NOTES: Final = {"game": str, "rule": str, "precision": str, "iteration": int, "chunk": int}
_MOST_BYTES: Final = 2**32  # of a file
_MOST_KEPT: Final = 2**32 - 2**24  # bytes of arrays
_MOST_OF_NOTES: Final = 2**16
_MOST_ITERATIONS: Final = 2**30  # they are counted in 32 bits
_MOST_TOGETHER: Final = 2**10  # boards


class SpotFileError(ValueError):
    """The file is not a saved spot, is damaged, or belongs to another game."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SavedSpot:
    """What a file holds."""

    game: Holdem
    ranges: np.ndarray
    """[player, hand of the deck] float64, as they were given."""
    solver: SpotSolver


def save_spot(
    path: str | os.PathLike[str], solver: SpotSolver, game: Holdem, ranges: np.ndarray
) -> None:
    """Writes what it takes to walk a spot and to go on with it; whole or not at all.

    ranges: [player, hand of the deck], those that the solver was made with. Raises ValueError, see
    `check_saved`.
    """
    check_saved(solver)  # before a file is begun
    with replacing(Path(path), f".{os.getpid()}.new") as file:
        write_spot(file, solver, game, ranges)


def write_spot(file: BinaryIO, solver: SpotSolver, game: Holdem, ranges: np.ndarray) -> None:
    """The same into a file that is open. Raises ValueError, see `check_saved`."""
    check_saved(solver)
    notes = {
        "format": FORMAT,
        "game": str(game),
        "rule": _name(solver.rule),
        "precision": solver.precision,
        "iteration": solver.iteration,
        "chunk": solver.layout.chunk,
    }
    leaves = jax.tree.leaves(solver.memory)
    arrays = {f"kept{number}": np.asarray(leaf) for number, leaf in enumerate(leaves)}
    np.savez(
        file,
        ranges=np.asarray(ranges, np.float64),
        notes=np.array(json.dumps(notes)),
        **arrays,  # type: ignore[arg-type]
    )


def check_saved(solver: SpotSolver) -> None:
    """Raises ValueError for what cannot be saved: several spots, too much, a rule of no name."""
    if len(solver.boards[0].cards) != 1:
        raise ValueError("only a solver of one spot can be saved.")
    _name(solver.rule)
    size = bytes_of(solver.memory)
    if size > _MOST_KEPT:
        raise ValueError(
            f"a file of a spot holds at most {in_bytes(_MOST_KEPT)}, but this one would have "
            f"{in_bytes(size)}."
        )


def load_spot(path: str | os.PathLike[str]) -> SavedSpot:
    """What `save_spot` wrote. Raises SpotFileError with the reason, also for what does not fit the
    memory of this machine."""
    with _opened(path) as (archive, notes):
        game = _game_of(path, notes["game"])
        size = game.deck.num_hands(game.hole_cards)
        ranges = read_array(archive, "ranges", kinds="f", most=2 * 8 * size)
        if ranges.shape != (2, size):
            raise _damaged(path)
        try:
            spot = spot_of(game)
            options = {"precision": notes["precision"], "chunk": notes["chunk"]}
            solver = SpotSolver(spot, ranges, notes["rule"], **options)
        except ValueError as error:
            raise SpotFileError(f"{path}: {error}") from None
        expected, structure = jax.tree.flatten(solver.memory)
        kept = []
        for number, old in enumerate(expected):
            one = read_array(archive, f"kept{number}", kinds="fi", most=old.nbytes)
            if one.shape != old.shape or one.dtype != old.dtype:
                raise _damaged(path)
            if not np.isfinite(one).all():
                raise SpotFileError(f"{path}: its numbers must be finite.")
            old.delete()  # makes room for what takes its place
            kept.append(jnp.asarray(one))
    solver.memory, solver.iteration = jax.tree.unflatten(structure, kept), notes["iteration"]
    for memory in solver.memory:
        if any((np.asarray(table) < 0).any() for table in jax.tree.leaves(memory.policy_sum)):
            raise SpotFileError(f"{path}: sums of policies must be >= 0.")
    return SavedSpot(game=game, ranges=ranges, solver=solver)


def _name(rule: Rule) -> str:
    for name, known in RULES.items():
        if known == rule:
            return name
    raise ValueError("only a solve by a rule that has a name can be saved.")


def _game_of(path: str | os.PathLike[str], text: str) -> Holdem:
    try:
        check_named_by_file(text, path)
        if text.partition("(")[0] != Holdem.name:
            raise ValueError(f"{path} is of {text}, where a spot of {Holdem.name} is needed.")
        game = make(text)
    except ValueError as error:
        raise SpotFileError(str(error)) from None
    assert isinstance(game, Holdem)
    return game


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """A file and its notes; what goes wrong in the body is its damage."""
    with reading_npz(path, most=_MOST_BYTES, what=_WHAT, error=SpotFileError) as archive:
        notes = parse_json(str(read_array(archive, "notes", kinds="U", most=_MOST_OF_NOTES)))
        if notes["format"] != FORMAT:
            raise SpotFileError(f"{path}: is not a saved spot of this version ({FORMAT}).")
        for name, kind in _NOTES.items():
            if type(notes[name]) is not kind:
                raise TypeError(name)
        is_known = notes["rule"] in RULES and 0 <= notes["iteration"] < _MOST_ITERATIONS
        if not (is_known and 1 <= notes["chunk"] <= _MOST_TOGETHER):
            raise _damaged(path)
        yield archive, notes


def _damaged(path: str | os.PathLike[str]) -> SpotFileError:
    return SpotFileError(f"{path}: is not {_WHAT}, or is damaged.")
