"""How long one decision of hold'em takes with the search and the network of a configuration.

    python scripts/bench_holdem_search.py                 holdem_small
    python scripts/bench_holdem_search.py --config holdem_gpu --repeat 3

On every street a search of `run.evaluate_search`, without a gadget, from the start of the street,
with even ranges and an untrained network, which takes as long as a trained one. Columns:
    seconds   on the clock, the best of the repetitions, after compiling.
    cpu       of processor time, of the same; two cores can show half of it on the clock.
    leaves    that the tree has in the end.
    compile   seconds of tracing and compiling, on the clock.
Then what a tree has room for, and the most memory that the process had.
"""

import argparse
import functools
import resource
import time
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from machine import processor, versions

from gtcfr.flow import normalize
from gtcfr.memory_estimate import search_memory
from gtcfr.root import known_root
from gtcfr.search import search
from networks.cvpn import make_network
from selfplay.recipe import make_evaluator
from selfplay.runs.config import load_config
from sog.games import make
from sog.memory import in_bytes

_STREETS: Final = {
    "preflop": "",
    "flop": "call check [AsKs2h]",
    "turn": "call check [AsKs2h] check check [9d]",
    "river": "call check [AsKs2h] check check [9d] check check [3c]",
}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", default="holdem_small")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--streets", nargs="*", default=list(_STREETS), choices=_STREETS)
    arguments = parser.parse_args()
    config = load_config(arguments.config)
    game, settings = make(config.game), config.run.evaluate_search
    evaluator = make_evaluator(*make_network(game, config.network))
    run: Any = jax.jit(functools.partial(search, game, settings=settings))
    print(f"{game}, SoG({settings.num_simulations}, {settings.simulations_per_update})")
    print(f"{processor()}; {versions(['jax', 'jaxlib'])}")
    print(f"{'street':8}{'seconds':>9}{'cpu':>9}{'leaves':>8}{'compile':>9}")
    for street in arguments.streets:
        state = jax.tree.map(lambda leaf: leaf[None], game.start(_STREETS[street]))
        mask = jax.vmap(game.infostate_mask)(state)
        root = known_root(state, normalize(jnp.zeros(mask.shape), mask))
        clock, cpu, result, began = [], [], None, time.perf_counter()
        for number in range(arguments.repeat + 1):
            before, worked = time.perf_counter(), time.process_time()
            result = run(evaluator=evaluator, root=root, key=jax.random.key(number))
            jax.block_until_ready(result)
            clock.append(time.perf_counter() - before)
            cpu.append(time.process_time() - worked)
            if number == 0:
                compiling = time.perf_counter() - began
        assert result is not None
        leaves = int(np.asarray(result.tree.num_leaves)[0])
        best = int(np.argmin(clock[1:])) + 1
        print(f"{street:8}{clock[best]:9.2f}{cpu[best]:9.2f}{leaves:8}{compiling:9.1f}", flush=True)
    room = search_memory(game, evaluator, settings, config.selfplay.max_events)
    for name, size in room.items():
        print(f"{in_bytes(size):>10}  {name}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{in_bytes(most):>10}  the process at most")


if __name__ == "__main__":
    main()
