"""Trained agents that are shipped with the package, with networks in half precision.

An agent is NAME.npz in `sog.players.agents` and its entry in agents.json beside it. Both are
numbers and text: loading them runs no code. `scripts/package_data.py` makes them from a run folder.
"""

import functools
import importlib.resources
import io
from typing import Any, Final

import jax
import numpy as np

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, network_form
from selfplay.recipe import make_evaluator
from selfplay.settings import AlphaZeroSettings
from sog.games import make
from sog.memory import bytes_of
from sog.npz import opened_npz, read_array
from sog.players.agents import AGENT_PREFIX, AgentEntry, read_agents
from sog.players.trained import Trained

_PACKAGE: Final = "sog.players.agents"
_HALF: Final = np.dtype("<f2")


def load_agent(name: str) -> Trained:
    """Loads an agent by name.

    Raises ValueError, in one line, for a name that is not in `read_agents()` or a damaged file.
    """
    entry = find_agent(name)
    network, search, alphazero = agent_settings(entry)
    game = make(entry.game)
    apply_fn, form = network_form(game, network)
    data = (importlib.resources.files(_PACKAGE) / f"{name}.npz").read_bytes()
    try:
        with opened_npz(io.BytesIO(data)) as archive:
            names = [file.removesuffix(".npy") for file in archive.namelist()]
            most = bytes_of(form)
            arrays = {one: read_array(archive, one, kinds="u", most=most) for one in names}
        filled = unpack_params(form, arrays)
    except Exception as error:  # a damaged archive can raise anything
        raise ValueError(f"agent {name}: its file is damaged ({error}); install anew.") from None
    return Trained(
        game=game,
        evaluator=make_evaluator(apply_fn, filled),
        settings=search,
        step=entry.step,
        name=f"{AGENT_PREFIX}{name}",
        skipped=(),
        alphazero=alphazero,
    )


@functools.cache
def find_agent(name: str) -> AgentEntry:
    """The entry of an agent; ValueError if there is none."""
    agents = read_agents()
    if name not in agents:
        raise ValueError(f"there is no agent {name!r}; there are {', '.join(agents)}.")
    return agents[name]


def agent_settings(
    entry: AgentEntry,
) -> tuple[NetworkSettings, SearchSettings, AlphaZeroSettings | None]:
    """The network and search settings of an agent; ValueError if its entry is damaged."""
    fields = entry.alphazero
    try:
        alphazero = None if fields is None else AlphaZeroSettings(**fields)
        return NetworkSettings(**entry.network), SearchSettings(**entry.search), alphazero
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"agent {entry.name}: its entry is damaged ({error}); install sog anew."
        ) from None


def pack_params(params: Any) -> dict[str, np.ndarray]:
    """Parameters in half precision by path, as uint8[2, ...]: lower bytes, then upper bytes.

    Separate because the upper bytes are similar, so that the file compresses better.
    """
    leaves, _ = jax.tree_util.tree_flatten_with_path(params)
    return {jax.tree_util.keystr(path): _bytes_apart(np.asarray(leaf)) for path, leaf in leaves}


def _bytes_apart(numbers: np.ndarray) -> np.ndarray:
    pairs = numbers.astype(_HALF)[..., None].view(np.uint8)
    return np.ascontiguousarray(np.moveaxis(pairs, -1, 0))


def unpack_params(like: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The parameters that `pack_params` packed; ValueError unless they have this structure."""

    def restored(path: Any, leaf: Any) -> np.ndarray:
        name = jax.tree_util.keystr(path)
        if name not in arrays or arrays[name].shape != (2, *leaf.shape):
            raise ValueError(f"{name} must have shape {(2, *leaf.shape)}")
        if arrays[name].dtype != np.uint8:
            raise ValueError(f"{name} must be bytes")
        pairs = np.ascontiguousarray(np.moveaxis(arrays[name], 0, -1))
        array = pairs.view(_HALF)[..., 0].astype(np.float32)
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite")
        return array

    if len(arrays) != len(jax.tree.leaves(like)):
        raise ValueError(f"{len(jax.tree.leaves(like))} arrays are needed, it has {len(arrays)}")
    return jax.tree_util.tree_map_with_path(restored, like)
