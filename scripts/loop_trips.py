"""Numbers the loops of a JAX function: names them in its program, and counts their trips.

A function is traced once, with every `vmap` in it resolved, and its equations are then evaluated
one by one. Each loop (`while` or `scan`) gets a number and, in the program that is compiled, a
scope of this name, which XLA keeps with every instruction. Counting carries an array through all
loops, in which each counts its starts and the runs of its body.
"""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal

SCOPE: Final = "numbered_loop_"
_STARTS, _TRIPS = 0, 1

Path_ = tuple[int, ...]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Loop:
    """A loop of the function."""

    number: int
    parent: int | None
    """The enclosing loop."""
    function: str
    """Its source location as known to JAX: `update.py push_reach`."""


class NumberedLoops:
    """A function of arrays (pytrees) whose loops have numbers.

    Keyword arguments are not supported; static arguments must be bound already.
    """

    def __init__(self, function: Callable[..., Any], *shapes: Any) -> None:
        """shapes: of the arguments, as `jax.ShapeDtypeStruct` or arrays."""
        self._jaxpr: ClosedJaxpr
        self._jaxpr, shape = jax.make_jaxpr(function, return_shape=True)(*shapes)
        self._structure = jax.tree.structure(shape)
        self._loops: dict[Path_, Loop] = {}
        jax.eval_shape(self.named, *shapes)
        self.loops = list(self._loops.values())

    def named(self, *arguments: Any) -> Any:
        """The function itself, with each loop in a scope of its name."""
        return self._run(arguments, None)[0]

    def counted(self, *arguments: Any) -> tuple[Any, Array]:
        """The result and int32[loop, 2]: starts of each loop, and runs of its body."""
        return self._run(arguments, jnp.zeros((len(self.loops), 2), jnp.int32))

    def _run(self, arguments: Any, counts: Array | None) -> tuple[Any, Any]:
        leaves = jax.tree.leaves(arguments)
        out, counts = self._evaluate(
            self._jaxpr.jaxpr, self._jaxpr.consts, leaves, counts, (), None
        )
        return jax.tree.unflatten(self._structure, out), counts

    def _evaluate(
        self,
        jaxpr: Jaxpr,
        consts: Sequence[Any],
        arguments: Sequence[Any],
        counts: Array | None,
        path: Path_,
        parent: int | None,
    ) -> tuple[list[Any], Any]:
        """path: equation numbers to this jaxpr, which distinguish two uses of the same one."""
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *arguments], strict=True))

        def read(atom: Any) -> Any:
            return atom.val if isinstance(atom, Literal) else values[atom]

        for number, equation in enumerate(jaxpr.eqns):
            inputs = [read(atom) for atom in equation.invars]
            out, counts = self._equation(equation, inputs, counts, (*path, number), parent)
            values.update(zip(equation.outvars, out, strict=True))
        return [read(atom) for atom in jaxpr.outvars], counts

    def _equation(
        self,
        equation: JaxprEqn,
        inputs: list[Any],
        counts: Any,
        path: Path_,
        parent: int | None,
    ) -> tuple[list[Any], Any]:
        name, params = equation.primitive.name, equation.params
        if name in ("while", "scan"):
            loop = self._loops.setdefault(
                path,
                Loop(number=len(self._loops), parent=parent, function=_written_in(equation)),
            )
            if counts is not None:
                counts = counts.at[loop.number, _STARTS].add(1)
            with jax.named_scope(f"{SCOPE}{loop.number}"):
                run = self._while if name == "while" else self._scan
                return run(params, inputs, counts, path, loop.number)
        if name == "cond":
            branches = [
                self._branch(branch, (*path, number), parent)
                for number, branch in enumerate(params["branches"])
            ]
            out, counts = jax.lax.switch(inputs[0], branches, inputs[1:], counts)
            return out, counts
        inner = params.get("jaxpr", params.get("call_jaxpr"))
        if isinstance(inner, ClosedJaxpr):  # of a call
            return self._evaluate(inner.jaxpr, inner.consts, inputs, counts, path, parent)
        bound = equation.primitive.get_bind_params(params)
        subfuns, plain = bound if isinstance(bound, tuple) else ((), bound)
        out = equation.primitive.bind(*subfuns, *inputs, **plain)
        return (out if equation.primitive.multiple_results else [out]), counts

    def _branch(
        self, branch: ClosedJaxpr, path: Path_, parent: int | None
    ) -> Callable[..., tuple[list[Any], Any]]:
        def run(inputs: list[Any], counts: Any) -> tuple[list[Any], Any]:
            return self._evaluate(branch.jaxpr, branch.consts, inputs, counts, path, parent)

        return run

    def _while(
        self, params: dict[str, Any], inputs: list[Any], counts: Any, path: Path_, number: int
    ) -> tuple[list[Any], Any]:
        until = params["cond_nconsts"]
        after = until + params["body_nconsts"]
        of_cond, of_body, start = inputs[:until], inputs[until:after], inputs[after:]
        condition, body = params["cond_jaxpr"], params["body_jaxpr"]

        def condition_of(carry: list[Any]) -> Array:
            jaxpr, consts = condition.jaxpr, condition.consts
            found = self._evaluate(jaxpr, consts, [*of_cond, *carry], None, (*path, 0), number)
            result: Array = found[0][0]
            return result

        def is_any_running(carry: tuple[list[Any], Any]) -> Array:
            return jnp.any(condition_of(carry[0]))

        def step(carry: tuple[list[Any], Any]) -> tuple[list[Any], Any]:
            old, counts = carry[0], _turned(carry[1], number)
            jaxpr, consts = body.jaxpr, body.consts
            new, counts = self._evaluate(
                jaxpr, consts, [*of_body, *old], counts, (*path, 1), number
            )
            if condition.out_avals[0].shape:  # finished loops of a batch keep their state
                is_running = condition_of(old)
                new = [_select(is_running, *pair) for pair in zip(new, old, strict=True)]
            return new, counts

        finished: tuple[list[Any], Any] = jax.lax.while_loop(is_any_running, step, (start, counts))
        return finished

    def _scan(
        self, params: dict[str, Any], inputs: list[Any], counts: Any, path: Path_, number: int
    ) -> tuple[list[Any], Any]:
        until = params["num_consts"]
        after = until + params["num_carry"]
        body = params["jaxpr"]

        def step(carry: tuple[list[Any], Any], row: list[Any]) -> Any:
            given = [*inputs[:until], *carry[0], *row]
            counts = _turned(carry[1], number)
            out, counts = self._evaluate(body.jaxpr, body.consts, given, counts, path, number)
            return (out[: params["num_carry"]], counts), out[params["num_carry"] :]

        carry, rows = jax.lax.scan(
            step,
            (inputs[until:after], counts),
            inputs[after:],
            length=params["length"],
            reverse=params["reverse"],
            unroll=params["unroll"],
        )
        return [*carry[0], *rows], carry[1]


def _select(is_running: Array, new: Array, old: Array) -> Array:
    return jnp.where(
        is_running.reshape(is_running.shape + (1,) * (new.ndim - is_running.ndim)), new, old
    )


def _turned(counts: Array | None, number: int) -> Array | None:
    return None if counts is None else counts.at[number, _TRIPS].add(1)


def _written_in(equation: JaxprEqn) -> str:
    """The innermost function of this project around the loop."""
    checkout = str(Path(__file__).resolve().parents[1])
    trace = equation.source_info.traceback
    frames: Any = () if trace is None else trace.frames
    for frame in frames:
        file: str = frame.file_name
        if file.startswith(checkout) and "site-packages" not in file and file != __file__:
            return f"{Path(file).name} {frame.function_name.rpartition('.')[2]}"
    return "?"
