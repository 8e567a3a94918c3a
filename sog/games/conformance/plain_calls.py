"""Checks that plain calls return what they return under jit and vmap."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.conformance.finding import RELATIVE_TOLERANCE, broken
from sog.games.conformance.state_laws import Probe
from sog.games.conformance.world_laws import WorldProbe
from sog.games.core import Game


def check_plain_calls(game: Game[Any], state: Any, probe: Probe) -> None:
    """Repeats, uncompiled, some of the calls behind a probe of one state."""
    _same(game, state, "actor", game.actor(state), probe.actor)
    _same(game, state, "legal_outcomes", game.legal_outcomes(state), probe.outcomes)
    _same(game, state, "legal_actions", game.legal_actions(state), probe.legal)
    _same(game, state, "infostate_mask", game.infostate_mask(state), probe.mask)
    _same(game, state, "observe", game.observe(state), probe.features)
    compatible = game.compatible_reach(state, probe.reach)
    _same(game, state, "compatible_reach", compatible, probe.compatible[0])
    if probe.is_over:
        _same(game, state, "utilities", game.utilities(state, probe.reach), probe.cfvs[0])
        return
    _same(game, state, "apply", game.apply(state, probe.outcome), probe.child)
    child_reach = game.advance(state, probe.outcome, probe.action_reach, probe.other_reach)
    _same(
        game,
        state,
        "advance",
        child_reach,
        probe.child_reach[jnp.argmax(probe.followed == probe.outcome)],
    )


def check_plain_transition(game: Game[Any], state: Any, worlds: WorldProbe) -> None:
    """Repeats one transition at a state, uncompiled."""
    if not worlds.is_not_over.any():
        return
    world = jnp.argmax(worlds.is_not_over)
    key = jax.random.wrap_key_data(worlds.first_key[world])
    step = game.transition(key, state, worlds.infostates[world], worlds.action[world])
    sampled = (worlds.sampled_outcome[world, 0], worlds.sampled_infostates[world, 0])
    _same(game, state, "transition", step, sampled)


def _same(game: Game[Any], state: Any, function: str, plain: Any, compiled: Any) -> None:
    for one, other in zip(jax.tree.leaves(plain), jax.tree.leaves(compiled), strict=True):
        if not np.allclose(one, other, RELATIVE_TOLERANCE, RELATIVE_TOLERANCE):
            text = f"{function} gives in a plain call what it gives under jit and vmap"
            numbers = f"expected {np.asarray(one)}, got {np.asarray(other)}"
            raise broken(game, text, state, numbers)
