"""Laws of `Game.random_symmetry`: a public state beside its twin.

They make of the twin's subtree a copy of the given one under other names, step by step: so values
and policies of the two differ in names alone.
"""

from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.finding import Finding, Law, agree, law
from sog.games.conformance.sample import acting_row
from sog.games.conformance.state_laws import advance_all
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree


@pytree
class SymmetryProbe:
    """What a game makes of random reach probabilities at a state, under the names of its twin, and
    at the twin: pairs of arrays [2, ...] that should be equal. K stands for legal outcomes."""

    infostates: Array  # int32[2, S]
    actions: Array  # int32[A]
    actor: Array  # int32[2]
    mask: Array  # bool[2, player, S]
    legal: Array  # bool[2, S, A]
    compatible: Array  # [2, player, S]
    cfvs: Array  # [2, player, S]
    outcomes: Array  # bool[K]: the legal ones; entries of others are anything at all
    has_twin: Array  # bool[K]: the child's twin, by the same key, is a child of the twin
    child_reach: Array  # [2, K, player, S]


def has_symmetries(game: Game[Any]) -> bool:
    """Whether the game says so itself."""
    return type(game).random_symmetry is not Game.random_symmetry


def probe_symmetry(game: Game[Any], state: Any, possible: Array, key: Array) -> SymmetryProbe:
    """Draws a symmetry, and reach probabilities in [0.1, 1] for infostates that are possible."""
    name_key, draw_key = jax.random.split(key)
    twin, infostates, actions = game.random_symmetry(name_key, state)
    row, legal = acting_row(game.actor(state)), game.legal_actions(state)
    own, other = infostates[row], infostates[1 - row]
    draws = jax.random.uniform(draw_key, (game.num_infostates, game.num_actions + 2), minval=0.1)
    reach = jnp.where(possible, draws[:, :2].T, 0)
    action_reach = jnp.where(legal & possible[row][:, None], draws[:, 2:], 0)
    twin_reach = _renamed(reach, infostates)

    every_outcome = jnp.arange(game.num_outcomes, dtype=jnp.int32)
    children = jax.vmap(game.apply, (None, 0))(state, every_outcome)
    twins, names, _ = jax.vmap(game.random_symmetry, (None, 0))(name_key, children)
    of_twin = jax.vmap(game.apply, (None, 0))(twin, every_outcome)
    same = jax.vmap(lambda one: jax.vmap(lambda other: _equal(one, other))(of_twin))(twins)
    same &= game.legal_outcomes(twin)[None]
    pushed = advance_all(game, state, action_reach, reach[1 - row])
    by_twin = advance_all(game, twin, action_reach[own][:, actions], reach[1 - row][other])
    return SymmetryProbe(
        infostates=infostates,
        actions=actions,
        actor=jnp.stack([game.actor(state), game.actor(twin)]),
        mask=jnp.stack(
            [_renamed(game.infostate_mask(state), infostates), game.infostate_mask(twin)]
        ),
        legal=jnp.stack([legal[own][:, actions], game.legal_actions(twin)]),
        compatible=jnp.stack(
            [
                _renamed(game.compatible_reach(state, reach), infostates),
                game.compatible_reach(twin, twin_reach),
            ]
        ),
        cfvs=jnp.stack(
            [_renamed(game.utilities(state, reach), infostates), game.utilities(twin, twin_reach)]
        ),
        outcomes=game.legal_outcomes(state),
        has_twin=same.any(axis=1),
        child_reach=jnp.stack(
            [jax.vmap(_renamed)(pushed, names), by_twin[jnp.argmax(same, axis=1)]]
        ),
    )


def _renamed(rows: Array, infostates: Array) -> Array:
    """Rows [2, S], entry by entry under the names of the twin."""
    return jnp.take_along_axis(rows, infostates, axis=1)


def _equal(one: Any, other: Any) -> Array:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return jnp.stack([jnp.array_equal(*pair) for pair in pairs]).all()


@law("random_symmetry gives each infostate exactly one name", "player", "infostate")
def _infostates_are_permuted(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    names = np.arange(game.num_infostates)
    return agree(np.stack([names, names]), np.sort(probe.infostates, axis=1))


@law("random_symmetry gives each action exactly one name", "action")
def _actions_are_permuted(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(np.arange(game.num_actions), np.sort(probe.actions))


@law("the twin of random_symmetry has the same actor")
def _same_actor(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(*probe.actor)


@law("the twin of random_symmetry has the same infostate_mask", "player", "infostate")
def _same_mask(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(*probe.mask)


@law("the twin of random_symmetry has the same legal_actions", "infostate", "action")
def _same_actions(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(*probe.legal)


@law("the twin of random_symmetry has the same compatible_reach", "player", "infostate")
def _same_weight(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(*probe.compatible)


@law("the twin of random_symmetry has the same utilities", "player", "infostate")
def _same_utility(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(*probe.cfvs, where=probe.actor[0] == TERMINAL)


@law("by one key, the twin of a child is a child of the twin", "outcome")
def _same_children(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(True, probe.has_twin, where=probe.outcomes)


@law("advance leads to the same reach from the twin", "outcome", "player", "infostate")
def _same_advance(game: Game[Any], probe: SymmetryProbe) -> Finding | None:
    return agree(*probe.child_reach, where=probe.outcomes)


SYMMETRY_LAWS: Final[tuple[Law, ...]] = (
    _infostates_are_permuted,
    _actions_are_permuted,
    _same_actor,
    _same_mask,
    _same_actions,
    _same_weight,
    _same_utility,
    _same_children,
    _same_advance,
)
