"""What the sampling methods are on a GPU, counted without one: kernels, and estimated speed.

An iteration of many seeds of Leduc hold'em (of ismcts: a simulation of many searches) is compiled
ahead of time for the GPU that --target describes, as `kernel_count.py` does it for the search. Its
loops all turn a number of times that XLA knows. Needs JAX's CUDA plugin, but no GPU.

Example:
    python scripts/kernel_count_sampling.py --target h200.txtpb --batches 512 8192

A speed is ESTIMATED: a kernel takes --kernel-us, or the time to read and write the bytes of its
results by the bandwidth that the target states, if that is longer.
"""

import os
import re
from pathlib import Path
from typing import Any, Final

from kernel_count import fail
from script_arguments import script_parser

METHODS: Final = ("outcome_sampling", "external_sampling", "smooth_uct", "ismcts")
SIMULATIONS: Final = 100


def batched(name: str, tree: Any, batch: int) -> tuple[Any, Any, int]:
    """A function of arrays, their shapes, and how many iterations it does."""
    import jax

    from sog.methods.learners.learning import LearningMethod
    from sog.methods.online.is_mcts import IsMcts
    from sog.players.methods import make_method

    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), batch))
    if name == "ismcts":
        search = IsMcts(budget=SIMULATIONS).search
        rows = jax.ShapeDtypeStruct((batch,), "int32")

        def searches(histories: Any, members: Any, rows: Any, keys: Any) -> Any:
            return jax.vmap(lambda row, key: search(histories, members, row, key))(rows, keys)

        return searches, (tree.histories, tree.members, rows, keys), SIMULATIONS
    method: Any = make_method(name)
    assert isinstance(method, LearningMethod)

    def begin(histories: Any, keys: Any) -> Any:
        return jax.vmap(lambda key: method.begin(histories, key))(keys)

    def iterate(histories: Any, states: Any, keys: Any) -> Any:
        return jax.vmap(lambda state, key: method.iterate(histories, state, key))(states, keys)

    states = jax.eval_shape(begin, tree.histories, keys)
    return iterate, (tree.histories, states, keys), 1


def main() -> None:
    """Counts, and prints a table."""
    parser = script_parser(__doc__)
    parser.add_argument("--target", type=Path, required=True, metavar="FILE")
    parser.add_argument("--batches", nargs="+", type=int, default=[512, 8192], metavar="N")
    parser.add_argument("--kernel-us", type=float, default=4.0, metavar="US", help="default 4")
    arguments = parser.parse_args()
    if min(arguments.batches) < 1 or not arguments.kernel_us > 0:
        parser.error("--batches must be >= 1 and --kernel-us > 0")
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"  # nothing here can load such a program
    import jax
    from gpu_program import TargetError, compile_for, cost_of, device_of, read_program

    from sog.games import make
    from sog.methods.histories.layout import lay_out_histories
    from sog.tabular import enumerate_public_tree

    try:
        description = arguments.target.read_text()
        device = device_of(description)
    except (OSError, TargetError) as error:
        fail(str(error))
    stated = re.search(r"memory_bandwidth: (\d+)", description)
    if stated is None:
        fail(f"{arguments.target} does not state a memory_bandwidth")
    least, per_byte = arguments.kernel_us * 1e-6, 2 / float(stated[1])
    tree = lay_out_histories(enumerate_public_tree(make("leduc")))
    print("| method | seeds at once | kernels per iteration | estimated iterations/s |")
    print("|---|---|---|---|")
    for name in METHODS:
        for batch in arguments.batches:
            function, inputs, iterations = batched(name, tree, batch)
            shapes = jax.eval_shape(lambda *all: all, *inputs)
            text = compile_for(device, function, *shapes).as_text()
            cost = cost_of(read_program(text), {}, lambda size: max(least, size * per_byte))
            speed = iterations * batch / cost.seconds
            print(
                f"| {name} | {batch} | {cost.kernels / iterations:.0f} | {speed:,.0f} |", flush=True
            )


if __name__ == "__main__":
    main()
