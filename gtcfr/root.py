"""Where a batch of searches starts: belief states, with or without a re-solving gadget."""

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.flow import normalize
from gtcfr.gadget import NOBODY
from gtcfr.locks import HeldPolicies
from sog.games.core import Game
from sog.precision import in_32_bits
from sog.pytree import pytree

NO_EVENT: Final = -1
"""Pads a path of public events."""


@pytree
class SearchRoot:
    """The roots of a batch of searches; every array has the batch axis first.

    Without a gadget both ranges are known: the start of the game, or a query to solve. With one,
    `ranges[opponent]` is the opponent's range in the last search, and the opponent chooses between
    following into the subgame and taking `terminate_cfvs` (see `gtcfr.gadget`).
    """

    state: Any
    """The game's public states, [batch, ...]."""
    ranges: Array
    """[batch, player, S]; those of a player sum to 1."""
    path: Array
    """[batch, event] int32: public events to the searched state, padded with NO_EVENT."""
    opponent: Array
    """[batch] int32: the player who has the gadget's choice, or NOBODY."""
    terminate_cfvs: Array
    """[batch, S]: the opponent's cfvs for terminating, under `ranges` of the other player."""
    held: HeldPolicies | None = None
    """Locked policies, see `gtcfr.locks`."""


@in_32_bits
def start_of_game(
    game: Game[Any],
    *,
    batch_size: int = 1,
    path: Array | np.ndarray | None = None,
    state: Any = None,
) -> SearchRoot:
    """A root at the start of the game, to search that or a later public state.

    path: [batch, event] public events, as in `SearchRoot`. The first search of either player in a
    game starts here: both ranges are known, so there is no gadget. state: another public state for
    all roots, in a game of perfect information, where its history does not matter.
    """
    if state is not None and game.hides_information:
        raise ValueError(f"{game.name} hides information, so it cannot begin at a given state.")
    begin = game.root() if state is None else state
    states = jax.tree.map(
        lambda leaf: jnp.broadcast_to(leaf, (batch_size, *jnp.shape(leaf))), begin
    )
    ranges = normalize(game.root_reach().astype(jnp.float32), game.infostate_mask(begin))
    if path is None:
        path = np.zeros((batch_size, 0), np.int32)
    return known_root(
        states, jnp.broadcast_to(ranges, (batch_size, *ranges.shape)), path=jnp.asarray(path)
    )


@in_32_bits
def known_root(state: Any, ranges: Array, *, path: Array | None = None) -> SearchRoot:
    """Roots at public states [batch, ...] whose ranges [batch, player, S] are both known."""
    batch_size, _, size = ranges.shape
    if path is None:
        path = jnp.asarray(np.zeros((batch_size, 0), np.int32))
    return SearchRoot(
        state=state,
        ranges=ranges,
        path=path,
        opponent=jnp.asarray(np.full(batch_size, NOBODY, np.int32)),
        terminate_cfvs=jnp.asarray(np.zeros((batch_size, size), ranges.dtype)),
    )


def check_root(game: Game[Any], root: SearchRoot) -> None:
    """Raises ValueError for invalid roots; reads values, so not under jit."""
    ranges, path = np.asarray(root.ranges), np.asarray(root.path)
    batch_size, size = len(ranges), game.num_infostates
    if ranges.shape != (batch_size, 2, size):
        raise ValueError(f"ranges must have shape (batch, 2, {size}), got {ranges.shape}.")
    if path.ndim != 2 or len(path) != batch_size:
        raise ValueError(f"path must have shape ({batch_size}, events), got {path.shape}.")
    _check_gadget(root, (batch_size, size))
    masks = np.asarray(jax.vmap(game.infostate_mask)(root.state))
    worlds = np.asarray(jax.vmap(game.compatible_reach)(root.state, root.ranges))[:, 0]
    for search, (both, mask) in enumerate(zip(ranges, masks, strict=True)):
        for player, range_ in enumerate(both):
            where = f"the range of player {player} in search {search}"
            if not np.isfinite(range_).all() or (range_ < 0).any():
                raise ValueError(f"{where} must be finite and >= 0, got {range_.tolist()}.")
            if abs(range_.sum() - 1) > _MOST_ROUNDING:
                raise ValueError(f"{where} must sum to 1, got {range_.sum():.6g}.")
            if range_[~mask[player]].any():
                wrong = int(np.flatnonzero((range_ > 0) & ~mask[player])[0])
                raise ValueError(f"{where} has infostate {wrong}, which cannot occur there.")
        if not (both[0] * worlds[search]).any():
            raise ValueError(
                f"the ranges of search {search} have no pair of infostates that can occur together."
            )
    _check_paths(game, root, path)


def _check_gadget(root: SearchRoot, shape: tuple[int, int]) -> None:
    opponent, terminate_cfvs = np.asarray(root.opponent), np.asarray(root.terminate_cfvs)
    if opponent.shape != shape[:1] or not np.isin(opponent, (NOBODY, 0, 1)).all():
        raise ValueError(
            f"opponent must be 0, 1 or {NOBODY} (nobody) for each of {shape[0]} searches, "
            f"got {opponent.tolist()}."
        )
    if terminate_cfvs.shape != shape or not np.isfinite(terminate_cfvs).all():
        raise ValueError(f"terminate_cfvs must be finite, of shape {shape}.")


_MOST_ROUNDING: Final = 1e-4


def _check_paths(game: Game[Any], root: SearchRoot, path: np.ndarray) -> None:
    for search, events in enumerate(path.tolist()):
        state = jax.tree.map(lambda leaf, search=search: leaf[search], root.state)
        for number, event in enumerate(events):
            if event == NO_EVENT:
                if any(later != NO_EVENT for later in events[number:]):
                    raise ValueError(f"the path of search {search} has a gap: {events}.")
                break
            legal = np.asarray(game.legal_outcomes(state))
            if not 0 <= event < len(legal) or not legal[event]:
                raise ValueError(
                    f"event {number} of the path of search {search} must be one of "
                    f"{np.flatnonzero(legal).tolist()} at '{game.describe_state(state)}', "
                    f"got {event}."
                )
            state = game.apply(state, jnp.int32(event))
        if not np.asarray(game.legal_outcomes(state)).any():
            raise ValueError(
                f"search {search} is of '{game.describe_state(state)}', where the game is over."
            )
