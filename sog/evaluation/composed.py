"""The composed policy of a search agent, and its exact exploitability.

A search depends on the searches before it, so a search agent has no policy one could look up. It is
composed (Student of Games, Figure 3): fix a seed, visit the public states breadth-first, at each
decision run the mover's search, conditioned on the searches of his own chain on the way, exactly as
in play. Together these policies are one policy of the whole game, and its exploitability is exact.

The searches of one depth of the tree, of all seeds, form batches.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.resolving import next_root
from gtcfr.root import NO_EVENT, SearchRoot, start_of_game
from gtcfr.search import SearchResult, check_result, search
from gtcfr.settings import SearchSettings
from sog.games.core import CHANCE
from sog.tabular import CompiledGame, PublicTree, evaluate_policy, uniform_policy
from sog.tabular.enumerated_game import EnumeratedGame


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class ComposedPolicies:
    """The policies of some seeds."""

    policy: np.ndarray
    """[seed, node, S, A], nodes as in the enumerated tree."""
    exploitability: np.ndarray
    """[seed], in the game's own units."""
    value: np.ndarray
    """[seed]: expected utility of player 0 when the policy plays itself."""
    num_searches: int
    num_full: int
    """Searches whose tree ran out of room."""
    compile_seconds: float
    seconds: float
    """Of the searches and the evaluations."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Job:
    """A search of one player's chain at one public state; all seeds have the same jobs."""

    node: int
    player: int
    parent: int
    """The job before it in the chain, or _FIRST."""
    path: tuple[int, ...]
    """Public events from that job's state to this one; from the start of the game for the first."""


_FIRST: Final = -1
_Task = tuple[int, int]
"""The number of a job, and of a seed counted from 0."""
_SECONDS_BETWEEN_LOOKS: Final = 0.02


def compose(
    compiled: CompiledGame,
    evaluator: Evaluator | Sequence[Evaluator],
    settings: SearchSettings,
    *,
    seeds: int,
    first_seed: int = 0,
    batch_size: int = 64,
    search_everywhere: bool = False,
    safe: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> ComposedPolicies:
    """Composes the policy of a search agent for several seeds and evaluates it exactly.

    evaluator: sees the public states of `EnumeratedGame(tree=compiled.tree)`; or one for each seed,
    all of the same shape. search_everywhere: a chain also searches at the opponent's decisions (as
    the paper does), not only at its own. safe: False re-solves without the gadget, see
    `gtcfr.resolving`. progress: called with the batches done and to do, which take as long as each
    other, for the first time when all is compiled. Raises ValueError for impossible settings or
    values that are not finite.
    """
    if seeds < 1:
        raise ValueError(f"seeds must be >= 1, got {seeds}.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be >= 1, got {batch_size}.")
    began = time.perf_counter()
    groups = _share_evaluators(evaluator, seeds)
    tree = compiled.tree
    jobs = _plan(tree, search_everywhere)
    levels = list(_levels(tree, jobs))
    most = max((len(level) for level in levels), default=1) * len(groups[0][1])
    program = _Program(tree, settings, jobs, first_seed, min(batch_size, most), safe)
    program.compile(groups[0][0])
    compiled_at = time.perf_counter()
    policy = np.repeat(uniform_policy(compiled)[None], seeds, axis=0)
    roots: dict[_Task, Any] = {}
    num_full = 0
    batches = list(_batches(levels, groups, batch_size))
    if progress is not None:
        progress(0, len(batches))
    for done, (asked, batch) in enumerate(batches, start=1):
        result = program.search(asked, batch, [roots.pop(task, None) for task in batch])
        found = np.asarray(result.policy)
        num_full += int(np.asarray(result.is_full)[: len(batch)].sum())
        for place, (number, seed) in enumerate(batch):
            job = jobs[number]
            if tree.node_actor[job.node] == job.player:
                policy[seed, job.node] = found[place]
        roots.update(program.next_roots(batch, result))
        if progress is not None:
            progress(done, len(batches))
    evaluations = [evaluate_policy(compiled, one) for one in policy]
    return ComposedPolicies(
        policy=policy,
        exploitability=np.array([float(one.exploitability[0]) for one in evaluations]),
        value=np.array([float(one.value[0]) for one in evaluations]),
        num_searches=len(jobs) * seeds,
        num_full=num_full,
        compile_seconds=compiled_at - began,
        seconds=time.perf_counter() - compiled_at,
    )


def _share_evaluators(
    evaluator: Evaluator | Sequence[Evaluator], seeds: int
) -> list[tuple[Evaluator, list[int]]]:
    """Evaluators, each with the seeds that ask it: only those can share a batch."""
    if not isinstance(evaluator, Sequence):
        return [(evaluator, list(range(seeds)))]
    if len(evaluator) != seeds:
        raise ValueError(f"there must be an evaluator per seed, {seeds}, got {len(evaluator)}.")
    return [(one, [seed]) for seed, one in enumerate(evaluator)]


def _batches(
    levels: list[list[int]], groups: list[tuple[Evaluator, list[int]]], batch_size: int
) -> Iterator[tuple[Evaluator, list[_Task]]]:
    """All searches, those of a chain in its order."""
    for evaluator, seeds in groups:
        for level in levels:
            tasks = [(number, seed) for number in level for seed in seeds]
            for start in range(0, len(tasks), batch_size):
                yield evaluator, tasks[start : start + batch_size]


def _plan(tree: PublicTree, search_everywhere: bool) -> list[_Job]:
    """All searches that a composition needs, parents first."""
    chooses = (tree.node_actor < CHANCE) & tree.has_choice.any(axis=1)
    jobs: list[_Job] = []
    last: dict[tuple[int, int], int] = {}  # the job at (node, player)
    for node in np.flatnonzero(chooses).tolist():
        players = (0, 1) if search_everywhere else (int(tree.node_actor[node]),)
        for player in players:
            above, path = node, []
            parent = _FIRST
            while above != 0 and parent == _FIRST:
                path.append(int(tree.node_outcome[above]))
                above = int(tree.node_parent[above])
                parent = last.get((above, player), _FIRST)
            last[node, player] = len(jobs)
            jobs.append(_Job(node=node, player=player, parent=parent, path=tuple(path[::-1])))
    return jobs


def _levels(tree: PublicTree, jobs: list[_Job]) -> Iterator[list[int]]:
    """The numbers of the jobs, depth by depth."""
    depths = np.array([tree.node_depth[job.node] for job in jobs])
    for depth in np.unique(depths):
        yield np.flatnonzero(depths == depth).tolist()


class _Program:
    """The compiled search, for batches of one size."""

    def __init__(
        self,
        tree: PublicTree,
        settings: SearchSettings,
        jobs: list[_Job],
        first_seed: int,
        batch_size: int,
        safe: bool,
    ) -> None:
        self.game = EnumeratedGame(tree=tree)
        self.jobs, self.first_seed, self.batch_size = jobs, first_seed, batch_size
        self.path_length = max((len(job.path) for job in jobs), default=0)
        self.children: dict[int, list[int]] = {}
        for number, job in enumerate(jobs):
            self.children.setdefault(job.parent, []).append(number)
        self._settings, self._safe = settings, safe
        self._run: Any = None
        self._take: Any = None

    def compile(self, evaluator: Evaluator) -> None:
        """Compiles everything for evaluators of this shape, so that its time is known."""
        if not self.jobs:
            return
        inputs = {"evaluator": evaluator, **self._inputs([(0, 0)], [None])}
        shapes = jax.eval_shape(lambda given: given, inputs)
        leaves, structure = jax.tree.flatten(shapes)
        self._run, self._take = _compile(
            self.game, self._settings, self._safe, structure, tuple(leaves)
        )

    def search(self, evaluator: Evaluator, batch: list[_Task], roots: list[Any]) -> SearchResult:
        """Runs a batch of tasks; roots: of the chain, or None for the start of the game."""
        result: SearchResult = self._run(evaluator=evaluator, **self._inputs(batch, roots))
        policy: Any = result.policy
        while not policy.is_ready():  # Ctrl-C is heard here, but not while JAX blocks
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        check_result(self.game, result)
        return result

    def _inputs(self, batch: list[_Task], roots: list[Any]) -> dict[str, Any]:
        """The arguments of the compiled search, filled up to the size of a batch."""
        size = self.batch_size
        paths = [self._pad(self.jobs[number].path) for number, _ in batch]
        start = jax.tree.map(
            np.asarray, start_of_game(self.game, path=np.array(paths[:1], np.int32))
        )
        rows = [
            jax.tree.map(lambda leaf: leaf[0], dataclasses.replace(start, path=np.array([path])))
            if root is None
            else root
            for root, path in zip(roots, paths, strict=True)
        ]
        rows += rows[:1] * (size - len(rows))
        stacked: SearchRoot = jax.tree.map(lambda *leaves: jnp.asarray(np.stack(leaves)), *rows)
        ids = [(self.first_seed + seed, number) for number, seed in batch]
        ids += ids[:1] * (size - len(ids))
        return {"root": stacked, "key": _keys(jnp.array(ids, jnp.uint32))}

    def next_roots(self, batch: list[_Task], result: SearchResult) -> dict[_Task, Any]:
        """The roots of the searches that come after those of a batch."""
        wanted = [
            (place, child, seed)
            for place, (number, seed) in enumerate(batch)
            for child in self.children.get(number, [])
        ]
        found: dict[_Task, Any] = {}
        for start in range(0, len(wanted), self.batch_size):
            part = wanted[start : start + self.batch_size]
            padded = part + part[:1] * (self.batch_size - len(part))
            paths = np.array([self._pad(self.jobs[child].path) for _, child, _ in padded])
            players = np.array([self.jobs[child].player for _, child, _ in padded], np.int32)
            places = np.array([place for place, _, _ in padded], np.int32)
            roots = jax.tree.map(np.asarray, self._take(result, places, paths, players))
            for place, (_, child, seed) in enumerate(part):
                found[child, seed] = jax.tree.map(lambda leaf, place=place: leaf[place], roots)
        return found

    def _pad(self, path: tuple[int, ...]) -> np.ndarray:
        padded = np.full(self.path_length, NO_EVENT, np.int32)
        padded[: len(path)] = path
        return padded


@functools.lru_cache(maxsize=16)  # networks of one run, one after the other, share programs
def _compile(
    game: EnumeratedGame,
    settings: SearchSettings,
    safe: bool,
    structure: Any,
    shapes: tuple[jax.ShapeDtypeStruct, ...],
) -> tuple[Any, Any]:
    """The compiled search, and what takes the next roots from its results.

    structure, shapes: of the arguments of the search, by name, as `jax.tree.flatten` gives them.
    """
    inputs = jax.tree.unflatten(structure, shapes)
    run: Any = jax.jit(functools.partial(search, game, settings=settings))
    take: Any = jax.jit(functools.partial(_take_next, game, safe=safe))
    lowered = run.lower(**inputs)
    path = inputs["root"].path
    places = jax.ShapeDtypeStruct(path.shape[:1], jnp.int32)
    taking = take.lower(lowered.out_info, places, path, places)
    return lowered.compile(), taking.compile()


def _take_next(
    game: EnumeratedGame,
    result: SearchResult,
    places: Array,
    paths: Array,
    players: Array,
    *,
    safe: bool,
) -> SearchRoot:
    taken = jax.tree.map(lambda leaf: leaf[places], result)
    return next_root(game, taken, paths, players, safe=safe)


@jax.jit
def _keys(ids: Array) -> Array:
    """[batch] keys from (seed, job) pairs, so that a search does not depend on its batch."""

    def key(pair: Array) -> Array:
        return jax.random.fold_in(jax.random.key(pair[0]), pair[1])

    return jax.vmap(key)(ids)
