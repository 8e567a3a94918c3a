"""How much memory a run needs at least, before anything is compiled, and how much there is.

XLA ends the whole process where it cannot have what a program needs, and the system ends one that
takes too much, so what cannot fit is refused at the door. The rest is as it comes: intermediate
results of programs are not counted.
"""

import functools
import math
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from gtcfr.settings import SearchSettings
from gtcfr.tree import empty_tree
from networks.cvpn import EncodeState, NetworkSettings, num_parameters
from selfplay.examples import no_examples
from selfplay.learner import first_state
from selfplay.settings import Config
from sog.games.core import Game

_MEMINFO: Final = Path("/proc/meminfo")
_CGROUP: Final = Path("/sys/fs/cgroup")
_BYTES_PER_NUMBER: Final = 4
_LAST_SEARCHES: Final = 2
"""Trees that a game of self-play keeps beside the searches that go on: one of each player."""
_STEPS_PER_CALL: Final = 8
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")


def check_training(game: Game[Any], config: Config) -> None:
    """Raises ValueError for a run that this machine has no memory for; says which part of it."""
    play, solver = config.selfplay, config.solver
    trees = functools.partial(search_bytes, game, config.network)
    parts = {
        _named("network", config.network): learner_bytes(game, config),
        f"selfplay.batch_size = {play.batch_size} searches of search.num_simulations = "
        f"{config.search.num_simulations}": (play.searches_per_decision + _LAST_SEARCHES)
        * play.batch_size
        * trees(config.search, play.max_events),
        f"solver.batch_size = {solver.batch_size} searches of solver.search.num_simulations = "
        f"{solver.search.num_simulations}": solver.batch_size * trees(solver.search, 0),
        f"replay.size = {config.replay.size} examples": config.replay.size * example_bytes(game),
        f"learner.batch_size = {config.learner.batch_size} examples": _STEPS_PER_CALL
        * config.learner.batch_size
        * example_bytes(game),
    }
    check(parts)


def check_playing(game: Game[Any], network: NetworkSettings) -> None:
    """Raises ValueError for a network that this machine has no memory for."""
    check({_named("network", network): _BYTES_PER_NUMBER * num_parameters(game, network)})


def check(parts: dict[str, int]) -> None:
    """Raises ValueError if this machine lacks the memory for all parts; names the largest."""
    there, needed = available_bytes(), sum(parts.values())
    if there is None or needed <= there:
        return
    name = max(parts, key=lambda part: parts[part])
    others = "" if parts[name] > there else f" ({in_bytes(needed)} with everything else)"
    raise ValueError(
        f"{name} would take {in_bytes(parts[name])} of memory{others}; there are {in_bytes(there)}."
    )


def learner_bytes(game: Game[Any], config: Config) -> int:
    """Parameters, their average, the optimizer's moments and a gradient."""
    count = num_parameters(game, config.network)
    params = jax.ShapeDtypeStruct((count,), np.float32)
    state = jax.eval_shape(functools.partial(first_state, config.learner), {"all": params})
    return _bytes_of(state) + _BYTES_PER_NUMBER * count


def search_bytes(
    game: Game[Any], network: NetworkSettings, settings: SearchSettings, path_length: int
) -> int:
    """The tree of one search. path_length: see `SearchSettings.shape`."""
    encode = EncodeState(network)
    encoded = () if game.num_infostates == 1 else jax.eval_shape(lambda: encode(game, game.root()))
    shape = settings.shape(game, path_length)
    make = functools.partial(empty_tree, game, shape, predictive=settings.cfr_rule.predictive)
    return _bytes_of(jax.eval_shape(make, encoded))


def example_bytes(game: Game[Any]) -> int:
    """One example of the replay."""
    return _bytes_of(no_examples(game, 1))


def available_bytes() -> int | None:
    """Memory that this process can still get, as far as the system tells.

    That of the accelerator, if JAX uses one; else what Linux has left, or a container may use.
    """
    statistics = jax.local_devices()[0].memory_stats()
    if statistics and "bytes_limit" in statistics:
        return int(statistics["bytes_limit"])
    known = [amount for amount in (_left_on_linux(), _left_in_container()) if amount is not None]
    return min(known, default=None)


def _left_on_linux() -> int | None:
    try:
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        return 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return None


def _left_in_container() -> int | None:
    try:
        most = int((_CGROUP / "memory.max").read_text())
        return max(most - int((_CGROUP / "memory.current").read_text()), 0)
    except (OSError, ValueError):  # there is no such file, or the limit is "max"
        return None


def in_bytes(amount: float) -> str:
    """For people: 23.1 GB."""
    unit = 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {_UNITS[unit]}"


def _named(part: str, network: NetworkSettings) -> str:
    return f"{part}.width = {network.width} and {part}.depth = {network.depth}"


def _bytes_of(tree: Any) -> int:
    leaves = jax.tree.leaves(tree)
    return sum(leaf.dtype.itemsize * math.prod(leaf.shape) for leaf in leaves)
