"""Compiles for a GPU that this machine lacks, and reads XLA's optimized program.

XLA compiles for an NVIDIA GPU on a machine without one, given JAX's CUDA plugin and a description
of the device. In the optimized program, every instruction outside fused computations that is not
bookkeeping (tuples, constants, bitcasts) is about one kernel or copy; they run sequentially. A
`while` runs its body once per trip, and its condition once more; if XLA does not know the trip
count, the host reads the condition each time.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import jax
from loop_trips import SCOPE

# They only rename or group buffers, or wait for what was counted when it was started.
_NO_KERNELS: Final = (
    *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "opt-barrier"),
    *("after-all", "add-dependency", "partition-id", "replica-id"),
    *("async-update", "async-done", "copy-done"),
)
_COMPUTATION: Final = re.compile(r"(ENTRY )?%([\w.\-]+) \(.*\) -> .* \{")
_INSTRUCTION: Final = re.compile(r"\s+(?:ROOT )?%[\w.\-]+ = (.*)")
_ARRAY: Final = re.compile(r"([a-z]+)(\d*)\[([\d,]*)\]")
_NUMBER: Final = re.compile(rf"{SCOPE}(\d+)/while\"? ?")
_KNOWN: Final = re.compile(r'"known_trip_count":\{"n":"(\d+)"\}')


class TargetError(ValueError):
    """This machine cannot compile for that device."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class While:
    """A loop of the program."""

    number: int | None
    """As in `loop_trips`; None for a loop that XLA made itself."""
    known_trips: int | None
    """Its trip count, if XLA knows it."""
    condition: str
    body: str


@dataclasses.dataclass(kw_only=True)
class Computation:
    """A computation that runs, not fused into a kernel."""

    kernels: list[int] = dataclasses.field(default_factory=list)
    """By kernel, the bytes of its results; 0 if it updates a part of an array in place."""
    loops: list[While] = dataclasses.field(default_factory=list)
    calls: list[str] = dataclasses.field(default_factory=list)
    conditionals: list[list[str]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Program:
    """An optimized program."""

    computations: Mapping[str, Computation]
    entry: str


@dataclasses.dataclass(kw_only=True)
class Cost:
    """The cost of a run of a program."""

    kernels: float = 0.0
    seconds: float = 0.0
    """The sum over kernels."""
    conditions: float = 0.0
    """Conditions that the host reads, unless the loops are in a command buffer."""
    kernels_of_loop: dict[int | None, float] = dataclasses.field(default_factory=dict)
    """Kernels directly in the body and condition of a loop, by its number; None for the rest."""

    def add(self, loop: int | None, kernels: float) -> None:
        """Adds kernels of a loop."""
        self.kernels += kernels
        self.kernels_of_loop[loop] = self.kernels_of_loop.get(loop, 0) + kernels


SecondsOf = Callable[[int], float]
"""The seconds of a kernel, by the bytes of its results."""


def device_of(description: str) -> Any:
    """The device that a text proto (`stream_executor.GpuTargetConfigProto`) describes.

    Raises TargetError if JAX has no CUDA plugin or XLA cannot read the text.
    """
    from jax.experimental import topologies

    try:
        topology = topologies.get_topology_desc(
            platform="cuda", target_config=description, topology="1x1x1"
        )
    except Exception as error:  # the plugin is missing, or rejects the proto
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        raise TargetError(
            f"cannot compile for this GPU here; JAX's CUDA plugin is needed, "
            f'`pip install "jax[cuda12]=={jax.__version__}"`: {reason}'
        ) from None
    return topology.devices[0]


def compile_for(device: Any, function: Callable[..., Any], *shapes: Any) -> Any:
    """Compiles for a device of `device_of`; the program cannot run here."""
    sharding = jax.sharding.SingleDeviceSharding(device)
    jitted = jax.jit(function, in_shardings=sharding, out_shardings=sharding)
    return jitted.lower(*shapes).compile()


def read_program(text: str) -> Program:
    """Reads the text of an optimized program."""
    computations: dict[str, Computation] = {}
    current: Computation | None = None
    entry = ""
    for line in text.splitlines():
        if current is None:
            found = _COMPUTATION.fullmatch(line)
            if found:
                current = computations.setdefault(found[2], Computation())
                entry = found[2] if found[1] else entry
        elif line == "}":
            current = None
        elif instruction := _INSTRUCTION.fullmatch(line):
            _add_instruction(current, instruction[1])
    return Program(computations=computations, entry=entry)


def _add_instruction(computation: Computation, text: str) -> None:
    """text: after the equals sign, as `f32[2]{0} add(%a, %b), metadata={...}`."""
    opcode, attributes = _after_type(text).split("(", 1)
    if opcode == "while":
        number, known = _NUMBER.findall(attributes), _KNOWN.search(attributes)
        computation.loops.append(
            While(
                number=int(number[-1]) if number else None,
                known_trips=int(known[1]) if known else None,
                condition=_named(attributes, "condition"),
                body=_named(attributes, "body"),
            )
        )
    elif opcode == "conditional":
        branches = re.search(r"branch_computations=\{([^}]*)\}", attributes)
        names = (
            branches[1]
            if branches
            else " ".join(_named(attributes, f"{value}_computation") for value in ("true", "false"))
        )
        computation.conditionals.append(re.findall(r"[\w.\-]+", names))
    elif opcode == "call":
        computation.calls.append(_named(attributes, "to_apply"))
    elif opcode not in _NO_KERNELS:
        of_type = text[: len(text) - len(_after_type(text))]
        in_place = "scatter" in attributes or "dynamic_update_slice" in attributes
        computation.kernels.append(0 if in_place else _num_bytes(of_type))


def _num_bytes(of_type: str) -> int:
    """The bytes of an array, or of a tuple of arrays."""
    total = 0
    for _, bits, axes in _ARRAY.findall(of_type):
        total += math.prod(int(axis) for axis in axes.split(",") if axis) * int(bits or 8) // 8
    return total


def _after_type(text: str) -> str:
    """Removes the leading type, which may be a tuple of types."""
    if not text.startswith("("):
        return text.split(" ", 1)[1]
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[position + 2 :]
    raise ValueError(f"an instruction without an end: {text[:80]}")


def _named(attributes: str, name: str) -> str:
    found = re.search(rf"\b{name}=%([\w.\-]+)", attributes)
    if found is None:
        raise ValueError(f"an instruction without {name}: {attributes[:80]}")
    return found[1]


def cost_of(program: Program, trips: Mapping[int, float], seconds_of: SecondsOf) -> Cost:
    """The cost of one run. trips: of each numbered loop, per start."""
    cost = Cost()
    _Count(program, trips, seconds_of).add(cost, program.entry, 1.0, None)
    return cost


@dataclasses.dataclass(frozen=True)
class _Count:
    program: Program
    trips: Mapping[int, float]
    seconds_of: SecondsOf

    def add(self, cost: Cost, name: str, times: float, inside: int | None) -> None:
        """Adds a computation that runs `times` times inside the loop of this number."""
        computation = self.program.computations[name]
        cost.add(inside, times * len(computation.kernels))
        cost.seconds += times * sum(map(self.seconds_of, computation.kernels))
        for loop in computation.loops:
            number = inside if loop.number is None else loop.number
            turns = self._turns(loop)
            self.add(cost, loop.body, times * turns, number)
            if loop.known_trips is None:
                self.add(cost, loop.condition, times * (turns + 1), number)
                cost.conditions += times * (turns + 1)
        for called in computation.calls:
            self.add(cost, called, times, inside)
        for branches in computation.conditionals:
            cost.conditions += times
            self._add_longest(cost, branches, times, inside)

    def _turns(self, loop: While) -> float:
        if loop.known_trips is not None:
            return loop.known_trips
        if loop.number is None:
            raise ValueError("XLA added a loop with unknown trip count to the program.")
        return self.trips[loop.number]

    def _add_longest(
        self, cost: Cost, branches: list[str], times: float, inside: int | None
    ) -> None:
        """Adds the branch with the most kernels: the branch taken is unknown."""
        costs = []
        for branch in branches:
            costs.append(Cost())
            self.add(costs[-1], branch, times, inside)
        longest = max(costs, key=lambda found: found.kernels)
        cost.conditions += longest.conditions
        cost.seconds += longest.seconds
        for number, kernels in longest.kernels_of_loop.items():
            cost.add(number, kernels)
