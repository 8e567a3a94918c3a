"""The composed policy of a search agent, and its exact exploitability.

A search depends on earlier searches, so a search agent has no policy to look up. It is composed
(Student of Games, Figure 3): fix a seed, visit the public states breadth-first, and at each
decision run the acting player's search, conditioned on the earlier ones of that player's chain,
exactly as in play. Together these policies are one policy of the whole game, and its exploitability
is exact.

The searches of one depth of the tree, of all seeds, form batches.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator
from gtcfr.mesh import batch_mesh, first_devices
from gtcfr.settings import SearchSettings
from sog.evaluation.program import FIRST, Job, Program, Task
from sog.games.core import CHANCE
from sog.precision import in_32_bits
from sog.tabular import CompiledGame, PublicTree, evaluate_policy, uniform_policy


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class ComposedPolicies:
    """The composed policies of several seeds."""

    policy: np.ndarray
    """[seed, node, S, A] float32, nodes as in the enumerated tree."""
    exploitability: np.ndarray
    """[seed], in the game's own units."""
    value: np.ndarray
    """[seed]: expected utility of player 0 when the policy plays itself."""
    num_searches: int
    num_full: int
    """Searches whose tree ran out of room."""
    compile_seconds: float
    seconds: float
    """The time of the searches and the evaluations."""


@in_32_bits
def compose(
    compiled: CompiledGame,
    evaluator: Evaluator | Sequence[Evaluator],
    settings: SearchSettings,
    *,
    seeds: int,
    first_seed: int = 0,
    batch_size: int = 64,
    mesh: Mesh | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ComposedPolicies:
    """Composes the policy of a search agent for several seeds and evaluates it exactly.

    evaluator: for the public states of `EnumeratedGame(tree=compiled.tree)`; or one for each seed,
    all of the same shape. batch_size: rounded up to a multiple of the devices of the mesh, which
    share the searches (see `gtcfr.mesh`); one device unless given. progress: called with the
    batches done and in all, which take equally long, first after compilation. Raises ValueError for
    impossible settings or non-finite values.
    """
    if seeds < 1:
        raise ValueError(f"seeds must be >= 1, got {seeds}.")
    if batch_size < 1:
        raise ValueError(f"batch_size must be >= 1, got {batch_size}.")
    began = time.perf_counter()
    groups = _share_evaluators(evaluator, seeds)
    tree = compiled.tree
    jobs = _plan(tree, settings.search_everywhere)
    levels = list(_levels(tree, jobs))
    most = max((len(level) for level in levels), default=1) * len(groups[0][1])
    batch_size = min(batch_size, most)
    mesh = batch_mesh(1) if mesh is None else first_devices(mesh, batch_size)
    batch_size = -(-batch_size // mesh.size) * mesh.size
    program = Program(tree, settings, jobs, first_seed, batch_size, mesh)
    program.compile(groups[0][0])
    compiled_at = time.perf_counter()
    policy = np.repeat(uniform_policy(compiled, np.float32)[None], seeds, axis=0)
    roots: dict[Task, Any] = {}
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
    """Evaluators, each with its seeds: only those can share a batch."""
    if not isinstance(evaluator, Sequence):
        return [(evaluator, list(range(seeds)))]
    if len(evaluator) != seeds:
        raise ValueError(f"there must be an evaluator per seed, {seeds}, got {len(evaluator)}.")
    return [(one, [seed]) for seed, one in enumerate(evaluator)]


def _batches(
    levels: list[list[int]], groups: list[tuple[Evaluator, list[int]]], batch_size: int
) -> Iterator[tuple[Evaluator, list[Task]]]:
    """All searches, in the order of their chains."""
    for evaluator, seeds in groups:
        for level in levels:
            tasks = [(number, seed) for number in level for seed in seeds]
            for start in range(0, len(tasks), batch_size):
                yield evaluator, tasks[start : start + batch_size]


def _plan(tree: PublicTree, search_everywhere: bool) -> list[Job]:
    """All searches that a composition needs, parents first."""
    chooses = (tree.node_actor < CHANCE) & tree.has_choice.any(axis=1)
    jobs: list[Job] = []
    last: dict[tuple[int, int], int] = {}  # the job at (node, player)
    for node in np.flatnonzero(chooses).tolist():
        players = (0, 1) if search_everywhere else (int(tree.node_actor[node]),)
        for player in players:
            above, path = node, []
            parent = FIRST
            while above != 0 and parent == FIRST:
                path.append(int(tree.node_outcome[above]))
                above = int(tree.node_parent[above])
                parent = last.get((above, player), FIRST)
            last[node, player] = len(jobs)
            jobs.append(Job(node=node, player=player, parent=parent, path=tuple(path[::-1])))
    return jobs


def _levels(tree: PublicTree, jobs: list[Job]) -> Iterator[list[int]]:
    """The numbers of the jobs, depth by depth."""
    depths = np.array([tree.node_depth[job.node] for job in jobs])
    for depth in np.unique(depths):
        yield np.flatnonzero(depths == depth).tolist()
