"""Laws of `Game.random_symmetry`, for a public state and its twin.

By induction they make the twin's subtree an isomorphic copy, so that values and policies of the two
agree after renaming.
"""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.finding import Finding, agree
from sog.games.conformance.outcomes import followed_outcomes
from sog.games.conformance.sample import MOST_ENTRIES_PER_CALL, acting_row
from sog.games.conformance.state_laws import advance_to
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree


@pytree
class SymmetryProbe:
    """The results of a game's functions for random reach at a state, renamed, and at its twin:
    pairs of arrays [2, ...] that should be equal. F: see `followed_outcomes`."""

    infostates: Array  # int32[2, S]
    actions: Array  # int32[A]
    actor: Array  # int32[2]
    mask: Array  # bool[2, player, S]
    legal: Array  # bool[2, S, A]
    compatible: Array  # [2, player, S]
    cfvs: Array  # [2, player, S]; 0 unless terminal
    followed: Array  # int32[F]: outcomes
    follows_legal: Array  # bool[F]: which are legal; entries of others are undefined
    has_twin: Array  # bool[F]: the child's twin, by the same key, is a child of the twin
    child_reach: Array  # [2, F, player, S]


def has_symmetries(game: Game[Any]) -> bool:
    """Whether the game overrides `random_symmetry`."""
    return type(game).random_symmetry is not Game.random_symmetry


def probe_symmetry(game: Game[Any], state: Any, possible: Array, key: Array) -> SymmetryProbe:
    """Draws a symmetry, and reach probabilities in [0.1, 1] for infostates that are possible."""
    name_key, draw_key = jax.random.split(key)
    twin, infostates, actions = game.random_symmetry(name_key, state)
    actor, legal = game.actor(state), game.legal_actions(state)
    row = acting_row(actor)
    own, other = infostates[row], infostates[1 - row]
    draws = jax.random.uniform(draw_key, (game.num_infostates, game.num_actions + 2), minval=0.1)
    reach = jnp.where(possible, draws[:, :2].T, 0)
    action_reach = jnp.where(legal & possible[row][:, None], draws[:, 2:], 0)

    def of_both(function: Callable[..., Array], *reach: Array) -> Array:
        """[2, player, S]: the result at the state, renamed, and at the twin."""
        twin_reach = (_renamed(rows, infostates) for rows in reach)
        return jnp.stack(
            [_renamed(function(state, *reach), infostates), function(twin, *twin_reach)]
        )

    every_outcome = jnp.arange(game.num_outcomes, dtype=jnp.int32)
    followed = followed_outcomes(game, state, jax.random.fold_in(key, 1))
    children = jax.vmap(game.apply, (None, 0))(state, followed)
    twins, names, _ = jax.vmap(game.random_symmetry, (None, 0))(name_key, children)
    of_twin = jax.vmap(game.apply, (None, 0))(twin, every_outcome)
    legal_of_twin = game.legal_outcomes(twin)

    def find(one: Any) -> tuple[Array, Array]:
        same = jax.vmap(lambda other: _equal(one, other))(of_twin) & legal_of_twin
        return jnp.any(same), jnp.argmax(same).astype(jnp.int32)

    # A few at a time: comparing thousands with thousands takes gigabytes.
    at_once = max(1, MOST_ENTRIES_PER_CALL // game.num_outcomes)
    has_twin, outcome = jax.lax.map(find, twins, batch_size=min(at_once, len(followed)))
    pushed = advance_to(game, state, followed, action_reach, reach[1 - row])
    by_twin = advance_to(game, twin, outcome, action_reach[own][:, actions], reach[1 - row][other])
    return SymmetryProbe(
        infostates=infostates,
        actions=actions,
        actor=jnp.stack([actor, game.actor(twin)]),
        mask=of_both(game.infostate_mask),
        legal=jnp.stack([legal[own][:, actions], game.legal_actions(twin)]),
        compatible=of_both(game.compatible_reach, reach),
        cfvs=jnp.where(actor == TERMINAL, of_both(game.utilities, reach), 0),
        followed=followed,
        follows_legal=game.legal_outcomes(state)[followed],
        has_twin=has_twin,
        child_reach=jnp.stack([jax.vmap(_renamed)(pushed, names), by_twin]),
    )


def _renamed(rows: Array, infostates: Array) -> Array:
    """Rows [2, S] renamed to those of the twin."""
    return jnp.take_along_axis(rows, infostates, axis=1)


def _equal(one: Any, other: Any) -> Array:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return jnp.stack([jnp.array_equal(*pair) for pair in pairs]).all()


def symmetry_laws(game: Game[Any], probe: SymmetryProbe) -> Iterator[Finding | None]:
    """The laws, checked on the probe of one state."""
    text, names = "random_symmetry gives each infostate exactly one name", probe.infostates
    every = np.broadcast_to(np.arange(game.num_infostates), names.shape)
    yield agree(text, "player infostate", every, np.sort(names, axis=1))
    text = "random_symmetry gives each action exactly one name"
    yield agree(text, "action", np.arange(game.num_actions), np.sort(probe.actions))
    for function, axes, pair in (
        ("actor", "", probe.actor),
        ("infostate_mask", "player infostate", probe.mask),
        ("legal_actions", "infostate action", probe.legal),
        ("compatible_reach", "player infostate", probe.compatible),
        ("utilities", "player infostate", probe.cfvs),
    ):
        yield agree(f"the twin of random_symmetry has the same {function}", axes, *pair)
    text = "by one key, the twin of a child is a child of the twin"
    yield agree(text, "followed", True, probe.has_twin, where=probe.follows_legal)
    text, axes = "advance leads to the same reach from the twin", "followed player infostate"
    yield agree(text, axes, *probe.child_reach, where=probe.follows_legal)
