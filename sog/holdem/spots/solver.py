"""Solving spots: builds the arrays, runs CFR in short calls, and measures exploitability.

The host-side driver of `passes.py`: it jits, reads clocks and handles interrupts.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import SingleDeviceSharding

from sog.accelerators import is_accelerated
from sog.holdem.showdown import Hands
from sog.holdem.spots.arrays import Equities, Memory, SpotCards, SpotLayout, empty_memory
from sog.holdem.spots.betting import SpotDecision, Street
from sog.holdem.spots.boards import Boards, SpotHands, deal, list_hands, root_boards, strengths
from sog.holdem.spots.passes import Aim, evaluate, iterate
from sog.holdem.spots.showdowns import all_in_equities, sort_hands
from sog.holdem.spots.spot import Spot
from sog.holdem.spots.tables import PRECISIONS, Precision, read
from sog.kept_programs import kept_jit
from sog.memory import bytes_of, check_memory, return_unused_memory
from sog.tabular.rules import Rule, step_of
from sog.tabular.solver import Checkpoint, find_rule

_LONGEST_CALL: Final = 0.5  # seconds, so that Ctrl-C is handled soon
_FIRST_CHECKPOINT: Final = 10
_CHECKPOINT_GROWTH: Final = 1.1  # an evaluation takes about as long as an iteration
_WIDE_CHUNK: Final = 64
_MOST_STREETS: Final = 2  # for which DCFR+ is faster than DCFR
_LEAST_WEIGHT: Final = 1e-6  # relative to the largest one of a range
_MANY_PAIRS: Final = 80_000  # of hands
_WORKING_ROWS: Final = 6  # per action: policy, reach, ends, values, advantage and regret


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpotSolution:
    """The result of `solve_spot`; chips."""

    checkpoints: tuple[Checkpoint, ...]
    compile_seconds: float
    interrupted: bool

    @property
    def last(self) -> Checkpoint:
        """The evaluation of the average policies."""
        return self.checkpoints[-1]


class SpotSolver:
    """CFR on a spot; or on several at once, in one program, that differ only in boards and ranges.

    ranges: [player, hand of the deck], or [spot, player, hand]: non-negative weights. rule: by
    default `usual_rule`. boards: of several spots, instead of `spot.board`. chunk: boards of the
    last street to compute together, by default one on a CPU and many on an accelerator. precision:
    of CFR's tables, see `tables.py`. most_bytes: of memory, by default all of the machine's.

    Raises ValueError for ranges that no deal can have, and if it does not fit this machine.
    """

    def __init__(
        self,
        spot: Spot,
        ranges: np.ndarray,
        rule: str | Rule | None = None,
        *,
        boards: Sequence[tuple[int, ...]] | None = None,
        chunk: int | None = None,
        precision: Precision = "float32",
        most_bytes: int | None = None,
    ) -> None:
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision}.")
        self.spot, self.precision = spot, precision
        rule = usual_rule(spot) if rule is None else rule
        self.rule = find_rule(rule) if isinstance(rule, str) else rule
        self.iteration = 0
        self.planned = 0
        """Iterations in all, for rules with a schedule; 0 if not known, see `step_of`."""
        roots = [spot.board] if boards is None else list(boards)
        weights = _live_ranges(spot, ranges, roots)
        self.hands = list_hands(spot.deck, spot.hole_cards, weights, roots)
        streets = spot.streets()
        if chunk is None:
            chunk = _WIDE_CHUNK if is_accelerated() else 1
        if len(streets) == 1:
            chunk = max(size for size in range(1, chunk + 1) if len(roots) % size == 0)
        self.boards = _deal_all(spot, self.hands, roots, weights, chunk)
        self.layout = SpotLayout(
            streets=streets, unseen=spot.unseen, hole_cards=spot.hole_cards, chunk=chunk
        )
        first, second = (weights[:, player, self.hands.number[player]] for player in (0, 1))
        pairs = np.einsum("ri,ij,rj->r", first, self.hands.compatible, second, dtype=np.float64)
        if not (pairs > 0).all():
            raise ValueError(
                "the ranges must share a pair of hands that can be dealt together, but each hand "
                "of one has a card of the board or of all hands of the other."
            )
        self.num_pairs = pairs
        check_memory(self.memory_parts(), most_bytes)
        self.cards = _on_device(self.hands, self.boards, streets)
        self.reach: tuple[Array, Array] = (jnp.asarray(first), jnp.asarray(second))
        self.equities = _equities(self.layout, self.cards)

    @functools.cached_property
    def memory(self) -> tuple[Memory, Memory]:
        """CFR's tables of each player, zeros at first; allocated when they are needed."""
        empty: tuple[Memory, Memory] = jax.tree.map(
            lambda one: jnp.zeros(one.shape, one.dtype, device=one.sharding), self._shapes()
        )
        return empty

    def memory_parts(self) -> dict[str, int]:
        """Bytes by purpose, for `sog.memory.check_memory`."""
        size_of_matrix = 4 * self.hands.compatible.size
        before_last = sum(level.size for level in self.boards[:-1])
        last = self.boards[-1]
        tables = sum(
            level.image[player].nbytes + level.mask[player].nbytes
            for level in self.boards
            for player in (0, 1)
        )
        if _are_many(self.hands):  # two tables of 16 bits, see `SortedHands`
            most = max(self.hands.compatible.shape)
            tables += 2 * last.size * (self.spot.deck.num_cards**2 + 8 * most)
        together = self.layout.chunk if last.size > 1 else 1
        num_actions = [street.num_actions for street in self.layout.streets]
        rows = _WORKING_ROWS * (sum(num_actions[:-1]) + together * num_actions[-1])
        return {
            "regrets and sums of policies": bytes_of(self._shapes()),
            "a pass through the betting": 4 * rows * max(self.hands.compatible.shape),
            "equities of hands all-in": size_of_matrix * (before_last + 2 * together + 2),
            "boards": 2 * tables,
        }

    def run(self, iterations: int) -> None:
        """Runs more iterations; an interrupt is raised when they are done."""
        if iterations < 0:
            raise ValueError(f"iterations must be >= 0, got {iterations}.")

        def work() -> None:
            numbers = map(jnp.int32, (self.iteration + 1, iterations, self.planned))
            memory = _run(
                self.layout,
                self.cards,
                self.equities,
                self.reach,
                self.rule,
                self.memory,
                *numbers,
            )
            self.memory = jax.block_until_ready(memory)
            self.iteration += iterations

        # The arrays are updated in place, so nothing may interrupt: no signal is raised in another
        # thread, and leaving the pool waits for it.
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(work).result()

    def values(self, player: int, aim: Aim = "value") -> np.ndarray:
        """[spot] float64, chips: a player's expected gain by its average policy, or by a best
        response, against the other's average policy; relative to half of the pot."""
        reach = np.asarray(self.reach[player], np.float64)
        total = np.sum(self.cfvs(player, aim) * reach, axis=1)
        return np.asarray(total / self.num_pairs)

    def cfvs(self, player: int, aim: Aim = "value") -> np.ndarray:
        """[spot, hand] float64: each hand's (`hands.number`) gain in chips as in `values`, times
        the other's range that it can meet."""
        found = _evaluate(
            self.layout, self.cards, self.equities, self.reach, self.memory, player, aim
        )
        return np.asarray(found, np.float64)

    def exploitability(self) -> np.ndarray:
        """[spot] float64, chips: half of the sum of best responses' gains."""
        won = [self.values(player, "best response") for player in (0, 1)]
        half = np.asarray((won[0] + won[1]) / 2)
        return half.clip(min=0)  # rounding may leave a negative number

    def average_policy(self, street: int, at: SpotDecision, board: int) -> np.ndarray:
        """[action, hand] float64 at a decision: uniform where the player's reach is 0."""
        player = at.level % 2
        numbers = [number for number, _ in self.layout.streets[street].groups_of(player)]
        table = self.memory[player].policy_sum[street][numbers.index(at.group)]
        sums = np.asarray(read(table, jnp.int32(board), 1)[0])[:, at.place].astype(np.float64)
        total = sums.sum(axis=0, keepdims=True)
        return np.asarray(np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / len(sums)))

    def warm_up(self) -> None:
        """Compiles iterations and evaluation, in parallel if there are cores.

        This comes before the tables, for which there is then room where the compiler worked.
        """
        known, shapes = (self.layout, self.cards, self.equities, self.reach), self._shapes()
        numbers = [jax.ShapeDtypeStruct((), np.int32)] * 3
        programs = [_run.lower(*known, self.rule, shapes, *numbers)]
        for player in (0, 1):
            programs.append(_evaluate.lower(*known, shapes, player, "best response"))
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda program: program.compile(), programs))
        return_unused_memory()
        self.run(0)  # the first call takes longer

    def _shapes(self) -> tuple[Memory, Memory]:
        """Those of `memory`, on the device where a kept program leaves it, since a program for
        arrays that may be on any device is another one."""
        masks = [[level.mask[player].shape for level in self.boards] for player in (0, 1)]
        shapes: tuple[Memory, Memory] = jax.eval_shape(
            lambda: tuple(
                empty_memory(self.layout, masks[player], player, self.rule, self.precision)
                for player in (0, 1)
            )
        )
        here = SingleDeviceSharding(jax.devices()[0])
        placed: tuple[Memory, Memory]
        placed = jax.tree.map(lambda one: one.update(sharding=here), shapes)
        return placed


def usual_rule(spot: Spot) -> str:
    """A rule that needs few iterations, whatever the target and however many are planned."""
    return "dcfr+" if len(spot.menus) <= _MOST_STREETS else "dcfr"


def solve_spot(
    solver: SpotSolver,
    *,
    iterations: int,
    until: float | None = None,
    on_start: Callable[[], None] | None = None,
    on_checkpoint: Callable[[Checkpoint], None] | None = None,
) -> SpotSolution:
    """Runs CFR on a spot; of several, the worst one counts and `value` is that of the first.

    iterations: in total, including those the solver has made. until: stops early once the
    exploitability (chips) of the average policies is at most this. on_start: called after
    compilation. Ctrl-C stops, too; the solution so far is then marked `interrupted`.
    """
    if iterations < 1:
        raise ValueError(f"iterations must be >= 1, got {iterations}.")
    if until is not None and not until > 0:
        raise ValueError(f"the target exploitability must be > 0, got {until}.")
    began = time.perf_counter()
    solver.planned = iterations if until is None else 0
    solver.warm_up()
    if on_start is not None:
        on_start()
    started = time.perf_counter()
    checkpoints: list[Checkpoint] = []
    interrupted, per_call = False, 1

    def check() -> None:
        checkpoints.append(
            Checkpoint(
                iteration=solver.iteration,
                seconds=time.perf_counter() - started,
                exploitability=float(solver.exploitability().max()),
                value=float("nan"),
            )
        )
        if on_checkpoint is not None:
            on_checkpoint(checkpoints[-1])

    try:
        for target in _checkpoint_iterations(iterations, solver.iteration):
            while solver.iteration < target:
                before = time.perf_counter()
                solver.run(min(per_call, target - solver.iteration))
                if time.perf_counter() - before < _LONGEST_CALL / 2:
                    per_call *= 2
            check()
            if until is not None and checkpoints[-1].exploitability <= until:
                break
    except KeyboardInterrupt:
        interrupted = True
        if not checkpoints or checkpoints[-1].iteration < solver.iteration:
            check()
    value = float(solver.values(0)[0])
    checkpoints[-1] = dataclasses.replace(checkpoints[-1], value=value)
    return SpotSolution(
        checkpoints=tuple(checkpoints),
        compile_seconds=started - began,
        interrupted=interrupted,
    )


def _checkpoint_iterations(iterations: int, made: int = 0) -> Iterator[int]:
    """The iterations to measure at; made: earlier iterations, after which the target may be met."""
    if made:
        yield made
    at = _FIRST_CHECKPOINT
    while at < iterations:
        if at > made:
            yield at
        at += max(_FIRST_CHECKPOINT, int(at * (_CHECKPOINT_GROWTH - 1)))
    if iterations > made:
        yield iterations


def _live_ranges(spot: Spot, ranges: np.ndarray, roots: Sequence[tuple[int, ...]]) -> np.ndarray:
    """[spot, player, hand] float32: ranges without hands that have a card of the board."""
    weights = np.asarray(ranges, np.float64)
    if weights.ndim == 2:
        weights = np.repeat(weights[None], len(roots), axis=0)
    wanted = (len(roots), 2, spot.deck.num_hands(spot.hole_cards))
    if weights.shape != wanted:
        raise ValueError(f"ranges must have shape {wanted}, got {weights.shape}.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("ranges must be finite and non-negative.")
    live = Hands(spot.deck, spot.hole_cards).live(np.asarray(roots, np.int32))
    weights = np.where(live[:, None], weights, 0)
    largest = weights.max(axis=2)
    if ((largest > 0) & (largest < _LEAST_WEIGHT)).any():  # products would be 0 in float32
        raise ValueError(
            f"a range must have a hand with a weight of at least {_LEAST_WEIGHT:g}, got at most "
            f"{largest[largest > 0].min():g}."
        )
    return weights.astype(np.float32)


def _deal_all(
    spot: Spot,
    hands: SpotHands,
    roots: Sequence[tuple[int, ...]],
    weights: np.ndarray,
    chunk: int,
) -> tuple[Boards, ...]:
    levels = [root_boards(hands, roots)]
    for street in range(1, len(spot.menus)):
        together = chunk if street == len(spot.menus) - 1 else 1
        symmetric = weights[0] if len(roots) == 1 else None
        levels.append(deal(hands, levels[-1], symmetric, together))
    return tuple(levels)


def _on_device(hands: SpotHands, levels: Sequence[Boards], streets: Sequence[Street]) -> SpotCards:
    rank = strengths(hands, levels[-1].cards)
    held = [hands.deck.hands(hands.hole_cards)[number].T for number in hands.number]

    def by_street(of: Callable[[Boards], np.ndarray]) -> tuple[Array, ...]:
        return tuple(jnp.asarray(of(level)) for level in levels)

    return SpotCards(
        start=by_street(lambda level: level.start),
        mask=(by_street(lambda level: level.mask[0]), by_street(lambda level: level.mask[1])),
        image=(by_street(lambda level: level.image[0]), by_street(lambda level: level.image[1])),
        rank=(jnp.asarray(rank[0]), jnp.asarray(rank[1])),
        holds=(jnp.asarray(hands.holds[0].T), jnp.asarray(hands.holds[1].T)),
        held=(jnp.asarray(held[0]), jnp.asarray(held[1])),
        same=(jnp.asarray(hands.same[0]), jnp.asarray(hands.same[1])),
        compatible=jnp.asarray(hands.compatible),
        in_order=sort_hands(hands, rank) if _are_many(hands) else None,
        payoff=tuple(jax.tree.map(jnp.asarray, street.payoff) for street in streets),
    )


def _are_many(hands: SpotHands) -> bool:
    """Whether showdowns in sorted order are faster than matrices of all pairs."""
    return not is_accelerated() and hands.compatible.size >= _MANY_PAIRS


def run_iterations(
    layout: SpotLayout,
    cards: SpotCards,
    equities: Equities,
    reach: tuple[Array, Array],
    rule: Rule,
    memory: tuple[Memory, Memory],
    first: Array,
    count: Array,
    planned: Array,
) -> tuple[Memory, Memory]:
    """Runs `count` iterations. first: the number of the first; planned: of all, 0 if not known."""

    def body(number: Array, memory: tuple[Memory, Memory]) -> tuple[Memory, Memory]:
        step = step_of(first + number, planned, reach[0])
        return iterate(layout, cards, equities, reach, rule, memory, step)

    last: tuple[Memory, Memory] = jax.lax.fori_loop(0, count, body, memory)
    return last


_run = kept_jit(run_iterations, static=("layout", "rule"), donated=("memory",))
_evaluate = kept_jit(evaluate, static=("layout", "player", "aim"))
_equities = kept_jit(all_in_equities, static=("layout",))
PROGRAMS: Final = (_run, _evaluate, _equities)
