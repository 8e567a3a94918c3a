"""A blueprint and its file: buckets, regrets and policy sums as arrays, and JSON metadata.

    blueprint = begin(make("holdem(stack=2000,bets=1/allin)"), [169, 1000, 500, 200])
    blueprint.train(calls=100)
    save_blueprint("small.blueprint", blueprint)

A loaded blueprint continues exactly as if it had never been stopped. Nothing in a file is executed,
and everything is checked against the game that it names.
"""

import dataclasses
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.files import replacing
from sog.games.foreign import check_named_by_file
from sog.games.registry import make
from sog.holdem.blueprint.betting_tree import BettingTree, make_betting_tree
from sog.holdem.blueprint.buckets import MOST_KEPT, Buckets, check_whole, make_buckets
from sog.holdem.blueprint.public_chance import BOARDS, Tables, Trainer, average_policy, iterate
from sog.holdem.board_classes import suit_classes
from sog.holdem.game import Holdem
from sog.memory import check_memory
from sog.npz import notes_of, read_array, read_notes, reading_npz

FORMAT: Final = "sog-blueprint-1"
MOST_DECISIONS: Final = 200_000
_NOTES: Final = {"game": str, "sizes": list, "seed": int, "num_boards": int, "seconds": float}
_MOST_BYTES: Final = 2**34  # of a file
MOST_BOARDS: Final = 2**24  # counted in float32
_PASSES: Final = 6  # arrays of all actions and live hands in a pass over a board, about


class BlueprintFileError(ValueError):
    """The file is not a blueprint, or is damaged."""


@dataclasses.dataclass(kw_only=True, eq=False)
class Blueprint:
    """A strategy of a whole game over buckets, with its training state."""

    trainer: Trainer
    tables: Tables
    seed: int
    num_boards: int = 0
    """Boards drawn; each is an iteration of both players."""
    seconds: float = 0.0
    """Training time, for the file's metadata."""

    @property
    def game(self) -> Holdem:
        """The game that it is for."""
        return self.trainer.buckets.game

    def train(self, calls: int = 1) -> Array:
        """Trains on `calls` times `BOARDS` boards; float32[calls], player 0's mean gain meanwhile.

        Raises ValueError beyond the number of boards that can be counted.
        """
        values = []
        for _ in range(calls):
            if self.num_boards >= MOST_BOARDS:
                raise ValueError(f"a blueprint is trained on at most {MOST_BOARDS:,} boards.")
            drawn = self.trainer.draw(self.seed, self.num_boards // BOARDS)
            before = jnp.int32(self.num_boards)
            self.tables, value = iterate(self.trainer, self.tables, drawn, before)
            self.num_boards += BOARDS
            values.append(value)
        return jnp.stack(values)

    def policy(self) -> list[np.ndarray]:
        """The average policy, by level, see `average_policy`."""
        return average_policy(self.tables, self.trainer.tree.levels)


def begin(
    game: Holdem,
    sizes: Sequence[int],
    *,
    seed: int = 0,
    progress: Callable[[str], None] = lambda doing: None,
) -> Blueprint:
    """An untrained blueprint. sizes, progress: see `make_buckets`.

    Raises ValueError for a game that is unsupported or too large.
    """
    check_whole(game)
    tree = make_betting_tree(game, MOST_DECISIONS)
    _check_memory(game, tree, sizes)
    trainer = Trainer(tree=tree, buckets=make_buckets(game, sizes, progress))
    return Blueprint(trainer=trainer, tables=trainer.empty(), seed=seed)


def save_blueprint(path: str | os.PathLike[str], blueprint: Blueprint) -> None:
    """Writes the file atomically."""
    buckets, tables = blueprint.trainer.buckets, blueprint.tables
    notes = notes_of(
        FORMAT,
        game=str(blueprint.game),
        sizes=buckets.sizes,
        seed=blueprint.seed,
        num_boards=blueprint.num_boards,
        seconds=blueprint.seconds,
    )
    arrays = {"edges": buckets.edges}
    arrays |= {f"bucket{street}": table for street, table in enumerate(buckets.tables)}
    for level, (regret, summed) in enumerate(zip(tables.regret, tables.policy_sum, strict=True)):
        arrays |= {f"regret{level}": np.asarray(regret), f"policy{level}": np.asarray(summed)}
    with replacing(Path(path), f".{os.getpid()}.new") as file:
        np.savez(file, blueprint=notes, **arrays)  # type: ignore[arg-type]


def load_blueprint(path: str | os.PathLike[str]) -> Blueprint:
    """Reads a file. Raises BlueprintFileError with the reason."""
    with reading_npz(
        path, most=_MOST_BYTES, what="a blueprint", error=BlueprintFileError
    ) as archive:
        return _read(path, archive)


def _read(path: str | os.PathLike[str], archive: zipfile.ZipFile) -> Blueprint:
    notes = read_notes(archive, "blueprint", FORMAT, _NOTES)
    try:
        text = notes["game"]
        check_named_by_file(text, path)
        if text.partition("(")[0] != Holdem.name:
            raise ValueError(f"{path}: is of {text}, which is not hold'em.")
        game = make(text)
        assert isinstance(game, Holdem)
        check_whole(game)
        tree = make_betting_tree(game, MOST_DECISIONS)
    except ValueError as error:
        raise BlueprintFileError(str(error)) from None
    sizes, seed, num_boards = notes["sizes"], notes["seed"], notes["num_boards"]
    is_right = (
        len(sizes) == len(game.num_public)
        and all(type(size) is int for size in sizes)
        and min([*sizes, num_boards + 1, seed + 1]) >= 1
        and max(sizes) <= 2**16
        and num_boards <= MOST_BOARDS
        and num_boards % BOARDS == 0
    )
    if not is_right:
        raise ValueError("its notes are impossible.")
    try:
        _check_memory(game, tree, sizes)
    except ValueError as error:
        raise BlueprintFileError(f"{path}: {error}") from None
    buckets = _read_buckets(archive, game, sizes)
    trainer = Trainer(tree=tree, buckets=buckets)
    regret, policy_sum = list[Array](), list[Array]()
    for number, like in enumerate(trainer.empty().regret):
        for name, found in (("regret", regret), ("policy", policy_sum)):
            array = read_array(archive, f"{name}{number}", kinds="f", most=4 * like.size)
            if array.shape != like.shape or array.dtype != np.float32:
                raise ValueError(f"{name}{number} has another size.")
            if not np.isfinite(array).all() or (name == "policy" and array.min() < 0):
                raise BlueprintFileError(f"{path}: its numbers must be finite, sums at least 0.")
            found.append(jnp.asarray(array))
    return Blueprint(
        trainer=trainer,
        tables=Tables(regret=regret, policy_sum=policy_sum),
        seed=seed,
        num_boards=num_boards,
        seconds=notes["seconds"],
    )


def _read_buckets(archive: zipfile.ZipFile, game: Holdem, sizes: Sequence[int]) -> Buckets:
    tables = []
    for street, (there, size) in enumerate(zip(game.num_public, sizes, strict=True)):
        table = read_array(archive, f"bucket{street}", kinds="u", most=2 * MOST_KEPT)
        rows = 0 if street == len(sizes) - 1 else 1
        if len(table) or rows:  # computing the classes takes a moment
            rows = len(suit_classes(game.deck, there).key)
        is_right = table.dtype == np.uint16 and table.shape == (rows, game.num_infostates)
        if not is_right or table.max(initial=0) >= size:
            raise ValueError(f"bucket{street} is impossible.")
        tables.append(table)
    edges = read_array(archive, "edges", kinds="i", most=4 * sizes[-1])
    wanted = 0 if len(tables[-1]) else sizes[-1] - 1
    if edges.dtype != np.int32 or edges.shape != (wanted,) or (np.diff(edges) < 0).any():
        raise ValueError("edges are impossible.")
    return Buckets(game=game, sizes=tuple(sizes), tables=tuple(tables), edges=edges)


def _check_memory(game: Holdem, tree: BettingTree, sizes: Sequence[int]) -> None:
    """Raises ValueError if a blueprint needs more memory than there is."""
    entries = sum(
        level.child.size * size
        for level in tree.levels
        for street, size in enumerate(sizes)
        if street == level.street
    )
    hands = game.num_infostates
    needed: dict[str, Any] = {
        f"the tables of {game.name}": 2 * 4 * entries,
        "a pass over its betting": _PASSES * 4 * hands * tree.child.size,
        "the buckets of hands": 4 * hands * sum(sizes),
    }
    check_memory(needed)
