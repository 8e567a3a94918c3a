"""Laws of what a game declares of its features, for networks that follow it."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.conformance.finding import broken
from sog.games.core import PLAYER_1, Game
from sog.games.encoding import MOVER, Encoding, Graph, Planes


def check_encoding(game: Game[Any]) -> None:
    """The declaration has the sizes of the game."""
    encoding = game.encoding
    if not isinstance(encoding, Encoding):
        raise broken(game, "encoding is Flat, Planes or Graph", numbers=f"got {encoding!r}")
    if isinstance(encoding, Planes):
        _check_planes(game, encoding)
    elif isinstance(encoding, Graph):
        _check_graph(game, encoding)


def _check_planes(game: Game[Any], planes: Planes) -> None:
    sizes = [planes.channels, planes.rows, planes.columns]
    if planes.moves is not None:
        sizes += [planes.moves.planes, planes.moves.others + 1]
    if any(type(size) is not int or size < 1 for size in sizes):
        raise broken(game, "the sizes of planes are positive ints", numbers=f"got {planes}")
    (num_features,) = jax.eval_shape(lambda: game.observe(game.root())).shape
    if planes.num_features != num_features:
        numbers = f"got {planes.num_features} of {planes} and {num_features} of observe"
        raise broken(game, "planes have as many numbers as observe", numbers=numbers)
    if planes.num_moves not in (None, game.num_actions):
        numbers = f"got {planes.num_moves} of {planes} and num_actions = {game.num_actions}"
        raise broken(game, "the layout of moves has as many as there are actions", numbers=numbers)


def _check_graph(game: Game[Any], graph: Graph) -> None:
    size, actions = game.num_infostates, game.num_actions
    for name, dtype, shape in (
        ("roads", bool, (size, size)),
        ("action_end", np.int32, (size, actions)),
        ("action_kind", np.int32, (actions,)),
    ):
        array = getattr(graph, name)
        if (array.dtype, array.shape) != (dtype, shape):
            numbers = (
                f"expected {np.dtype(dtype)}{list(shape)}, got {array.dtype}{list(array.shape)}"
            )
            raise broken(game, f"{name} of the graph has the sizes of the game", numbers=numbers)
    if (graph.roads != graph.roads.T).any():
        node, other = np.argwhere(graph.roads != graph.roads.T)[0].tolist()
        numbers = f"between {node} and {other} it leads one way"
        raise broken(game, "a road of the graph is the same both ways", numbers=numbers)
    if graph.action_end.min() < 0 or graph.action_end.max() > size:
        numbers = f"got {graph.action_end.min()} to {graph.action_end.max()}"
        raise broken(game, f"action_end of the graph lies in 0 to {size}", numbers=numbers)
    if graph.action_kind.min() < 0:
        numbers = f"got {graph.action_kind.min()}"
        raise broken(game, "action_kind of the graph is at least 0", numbers=numbers)
    for x64 in (False, True):
        with jax.enable_x64(x64):
            nodes, whole = jax.eval_shape(lambda: graph.observe(game.root()))
        shapes = (nodes.ndim, nodes.shape[-1:], whole.ndim, nodes.dtype, whole.dtype)
        if shapes != (2, (size,), 1, jnp.float32, jnp.float32):
            numbers = f"got {nodes.dtype}{list(nodes.shape)}, {whole.dtype}{list(whole.shape)}"
            text = f"observe of the graph is float32[channel, {size}] and float32[feature]"
            raise broken(game, text, numbers=numbers)


def check_shown_graph(game: Game[Any], state: Any) -> None:
    """What a graph says of a state: player 1 hides nothing, and it is told where he is to move."""
    graph = game.encoding
    if not isinstance(graph, Graph):
        return
    possible = np.flatnonzero(game.infostate_mask(state)[PLAYER_1]).tolist()
    if possible != [0]:
        text = "with a graph player 1 has the one infostate 0"
        raise broken(game, text, state, f"got {possible}")
    mover = np.asarray(graph.observe(state)[0][MOVER])
    expected = int(game.actor(state) == PLAYER_1)
    if mover.max() != expected or mover.sum() != expected:
        text = "channel MOVER of a graph is 1 at one node where player 1 is to move, else 0"
        raise broken(game, text, state, f"got {mover.tolist()}")
