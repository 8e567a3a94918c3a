"""The searches of a composition: one compiled program for batches of one size.

It is compiled before the first search, for the devices of a mesh.
"""

import dataclasses
import functools
import time
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator
from gtcfr.mesh import on_all, split_batch
from gtcfr.resolving import next_root, summarize
from gtcfr.root import NO_EVENT, SearchRoot, start_of_game
from gtcfr.search import SearchResult, check_result, search
from gtcfr.settings import SearchSettings
from sog.kept_programs import kept
from sog.tabular import PublicTree
from sog.tabular.enumerated_game import EnumeratedGame

FIRST: Final = -1
"""The parent of a job that is the first of its chain."""
Task = tuple[int, int]
"""The number of a job, and of a seed counted from 0."""
_SECONDS_BETWEEN_LOOKS: Final = 0.02


@dataclasses.dataclass(frozen=True, kw_only=True)
class Job:
    """A search of one player's chain at one public state; all seeds have the same jobs."""

    node: int
    player: int
    parent: int
    """The job before it in the chain, or FIRST."""
    path: tuple[int, ...]
    """Public events from that job's state to this one, or from the start of the game."""


class Program:
    """The compiled search, for batches of one size."""

    def __init__(
        self,
        tree: PublicTree,
        settings: SearchSettings,
        jobs: list[Job],
        first_seed: int,
        batch_size: int,
        mesh: Mesh,
    ) -> None:
        self.game = EnumeratedGame(tree=tree)
        self.jobs, self.first_seed, self.batch_size = jobs, first_seed, batch_size
        self.path_length = max((len(job.path) for job in jobs), default=0)
        self.children: dict[int, list[int]] = {}
        for number, job in enumerate(jobs):
            self.children.setdefault(job.parent, []).append(number)
        self._settings, self._mesh = settings, mesh
        self._on_devices: tuple[Evaluator, Evaluator] | None = None
        self._run: Any = None
        self._take: Any = None

    def compile(self, evaluator: Evaluator) -> None:
        """Compiles for evaluators of this shape, to exclude compilation from timing."""
        if not self.jobs:
            return
        inputs = self._inputs(evaluator, [(0, 0)], [None])
        leaves, structure = jax.tree.flatten(jax.tree.map(_described, inputs))
        self._run, self._take = _compile(
            self.game, self._settings, self._mesh, structure, tuple(leaves)
        )

    def search(self, evaluator: Evaluator, batch: list[Task], roots: list[Any]) -> SearchResult:
        """Runs a batch of tasks; roots: from their chains, or None for the start of the game."""
        result: SearchResult = self._run(**self._inputs(evaluator, batch, roots))
        policy: Any = result.policy
        while not policy.is_ready():  # Ctrl-C works here, but not while JAX blocks
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        check_result(self.game, result)
        if not np.asarray(result.has_arrived).all():
            raise ValueError(
                f"capacity must have room for the path from a player's last search to the next one "
                f"in {self.game}, got {self._settings.capacity}."
            )
        return result

    @functools.cached_property
    def _first_root(self) -> SearchRoot:
        """The start of the game, without a batch axis and without a path."""
        start = jax.jit(functools.partial(start_of_game, self.game))  # one program, not a dozen
        root: SearchRoot = jax.tree.map(lambda leaf: np.asarray(leaf)[0], start())
        return root

    def _inputs(self, evaluator: Evaluator, batch: list[Task], roots: list[Any]) -> dict[str, Any]:
        """The arguments of the compiled search, padded to the batch size."""
        size = self.batch_size
        paths = [self._pad(self.jobs[number].path) for number, _ in batch]
        rows = [
            dataclasses.replace(self._first_root, path=jnp.asarray(path)) if root is None else root
            for root, path in zip(roots, paths, strict=True)
        ]
        rows += rows[:1] * (size - len(rows))
        stacked: SearchRoot = jax.tree.map(lambda *leaves: np.stack(leaves), *rows)
        ids = [(self.first_seed + seed, self._key_number(number)) for number, seed in batch]
        ids += ids[:1] * (size - len(ids))
        inputs = {"root": stacked, "key": _keys(jnp.array(ids, jnp.uint32))}
        if self._on_devices is None or self._on_devices[0] is not evaluator:
            self._on_devices = evaluator, jax.device_put(evaluator, on_all(self._mesh))
        return {
            "evaluator": self._on_devices[1],
            **jax.device_put(inputs, split_batch(self._mesh)),
        }

    def next_roots(self, batch: list[Task], result: SearchResult) -> dict[Task, Any]:
        """The roots of the searches that follow those of a batch."""
        wanted = [
            (place, child, seed)
            for place, (number, seed) in enumerate(batch)
            for child in self.children.get(number, [])
        ]
        assert self._on_devices is not None  # set by `search`
        evaluator, found = self._on_devices[1], dict[Task, Any]()
        for start in range(0, len(wanted), self.batch_size):
            part = wanted[start : start + self.batch_size]
            padded = part + part[:1] * (self.batch_size - len(part))
            paths = np.array([self._pad(self.jobs[child].path) for _, child, _ in padded])
            players = np.array([self.jobs[child].player for _, child, _ in padded], np.int32)
            places = np.array([place for place, _, _ in padded], np.int32)
            taken = self._take(result, places, paths, players, evaluator)
            roots = jax.tree.map(np.asarray, taken)
            for place, (_, child, seed) in enumerate(part):
                found[child, seed] = jax.tree.map(lambda leaf, place=place: leaf[place], roots)
        return found

    def _key_number(self, number: int) -> int:
        """The number that is folded into the seed's key for a job. Where trees grow from the root,
        jobs with the same parent share it and so solve the same tree, as in play: an agent's key
        depends on how often it has moved, not on the state."""
        return self.jobs[number].parent + 1 if self._settings.grows_from_root else number

    def _pad(self, path: tuple[int, ...]) -> np.ndarray:
        padded = np.full(self.path_length, NO_EVENT, np.int32)
        padded[: len(path)] = path
        return padded


@functools.lru_cache(maxsize=16)  # successive networks of a run share programs
def _compile(
    game: EnumeratedGame,
    settings: SearchSettings,
    mesh: Mesh,
    structure: Any,
    shapes: tuple[jax.ShapeDtypeStruct, ...],
) -> tuple[Any, Any]:
    """The compiled search, and the function from its results to the next roots.

    structure, shapes: of the arguments of the search, by name, as `jax.tree.flatten` gives them.
    """
    inputs = jax.tree.unflatten(structure, shapes)
    run: Any = jax.jit(kept(functools.partial(search, game, settings=settings, mesh=mesh)))
    take: Any = jax.jit(functools.partial(_take_next, game, settings))
    lowered = run.lower(**inputs)
    compiled = lowered.compile()
    result = jax.tree.map(
        lambda leaf, where: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=where),
        lowered.out_info,
        compiled.output_shardings,
    )
    path = inputs["root"].path
    places = jax.ShapeDtypeStruct(path.shape[:1], jnp.int32)
    paths = jax.ShapeDtypeStruct(path.shape, jnp.int32)
    return compiled, take.lower(result, places, paths, places, inputs["evaluator"]).compile()


def _described(array: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=array.sharding)


def _take_next(
    game: EnumeratedGame,
    how: SearchSettings,
    result: SearchResult,
    places: Array,
    paths: Array,
    players: Array,
    evaluator: Evaluator,
) -> SearchRoot:
    summary = jax.tree.map(lambda leaf: leaf[places], summarize(result, how.resolve_from))
    return next_root(
        game,
        summary,
        paths,
        players,
        safe=how.safe,
        evaluator=evaluator,
        widest_chance=how.widest_chance,
    )


@jax.jit
def _keys(ids: Array) -> Array:
    """[batch] keys from (seed, job) pairs, so that a search does not depend on its batch."""

    def key(pair: Array) -> Array:
        return jax.random.fold_in(jax.random.key(pair[0]), pair[1])

    return jax.vmap(key)(ids)
