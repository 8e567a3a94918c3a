"""Laws of a game's declared encoding, which networks rely on."""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.finding import broken
from sog.games.core import PLAYER_1, Game
from sog.games.encoding import AT_STAKE, MOVER, CardHands, Encoding, Graph, Planes

_ROUNDING: Final = 1e-5


def check_encoding(game: Game[Any]) -> None:
    """Checks that the declaration has the sizes of the game."""
    encoding = game.encoding
    if not isinstance(encoding, Encoding):
        text = "encoding is Flat, Planes, Graph or CardHands"
        raise broken(game, text, numbers=f"got {encoding!r}")
    if isinstance(encoding, Planes):
        _check_planes(game, encoding)
    elif isinstance(encoding, Graph):
        _check_graph(game, encoding)
    elif isinstance(encoding, CardHands):
        _check_hands(game, encoding)


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


def _check_hands(game: Game[Any], hands: CardHands) -> None:
    size = game.num_infostates
    for x64 in (False, True):
        with jax.enable_x64(x64):
            shown = jax.eval_shape(lambda: hands.observe(game.root()))
            ranges = jax.ShapeDtypeStruct((2, size), jnp.float32)
            compared = jax.eval_shape(hands.compare, shown[2], ranges)
        found = [f"{array.dtype}{list(array.shape)}" for array in (*shown, *compared)]
        others = [f"float32[{shown[1].size}]", f"int32[{shown[2].size}]"]
        of_both = f"float32[2, {size}]"
        wanted = [f"float32[{size}, {hands.channels}]", *others, of_both, of_both]
        if found != wanted:
            text = "observe and compare of hands have the shapes and types of the declaration"
            numbers = f"expected {', '.join(wanted)}, got {', '.join(found)}"
            raise broken(game, text, numbers=numbers)


def check_shown_hands(game: Game[Any], state: Any) -> None:
    """Checks `CardHands` at a state: compatible hands (by joint weights) and stakes."""
    hands = game.encoding
    if not isinstance(hands, CardHands):
        return
    mask = np.asarray(game.infostate_mask(state))
    weight = np.random.default_rng(0).exponential(size=mask.shape) * mask
    ranges = jnp.asarray(weight / weight.sum(axis=1, keepdims=True), jnp.float32)
    seen = [np.asarray(array) for array in _seen(game, hands, state, ranges)]
    at_stake, wins, meets, joint = seen
    expected = joint * ((meets * mask).max() / np.maximum(joint.max(), 1e-30))
    if not np.allclose(meets * mask, expected, atol=_ROUNDING):
        text = "a hand meets the hands that joint weights let it meet"
        raise broken(game, text, state, f"off by {np.abs(meets * mask - expected).max():.3g}")
    if (np.abs(wins) > meets + _ROUNDING)[mask].any():
        raise broken(game, "a hand wins at most what it meets", state)
    if not 0 <= float(at_stake) <= 1:
        text = "what is at stake is a share of the largest utility"
        raise broken(game, text, state, f"got {float(at_stake)}")


@functools.partial(jax.jit, static_argnums=(0, 1))
def _seen(game: Game[Any], hands: CardHands, state: Any, ranges: Array) -> tuple[Array, ...]:
    """The stake, wins, meets, and joint weights."""
    _, whole, order = hands.observe(state)
    return whole[AT_STAKE], *hands.compare(order, ranges), game.compatible_reach(state, ranges)


def check_shown_graph(game: Game[Any], state: Any) -> None:
    """Checks what a `Graph` says of a state: player 1 hides nothing, and `MOVER` marks its pawn."""
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
