"""Laws of one public state, checked on random reach probabilities.

Two multilinear functions that agree at one random point agree everywhere (with probability 1), so a
law needs one draw per state and no list of all infostates.
"""

from collections.abc import Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.finding import Finding, agree
from sog.games.conformance.outcomes import followed_outcomes, of_all_outcomes
from sog.games.conformance.sample import acting_row
from sog.games.core import CHANCE, TERMINAL, Game
from sog.pytree import pytree

LARGEST_FEATURE: Final = 10.0
"""Features should be "roughly in [-1, 1]"; this is the limit."""


@pytree
class Probe:
    """The results of a game's functions for random reach at a public state and its children.

    Reach is drawn twice, x and y, and mixed: 2 x + 3 y for one player, 5 x + 7 y for the other.
    """

    actor: Array  # int32
    acting_row: Array  # int32: the row of the player who acts
    acts: Array  # bool[2, 1]: True in that row
    mask: Array  # bool[2, S]: `infostate_mask`
    possible: Array  # bool[2, S]: what the infostate mask should be
    legal: Array  # bool[S, A]
    outcomes: Array  # bool[K]
    outcome: Array  # int32: the first legal one
    child: Any  # the state after it
    followed: Array  # int32[F]: outcomes whose children are checked, see `followed_outcomes`
    follows_legal: Array  # bool[F]: which of these are legal
    # In arrays with an axis F or K, entries of illegal outcomes are undefined.
    child_mask: Array  # bool[F, 2, S]
    child_reach: Array  # [F, 2, S]: `advance` of x
    child_reach_y: Array  # [F, 2, S]: `advance` of y
    child_reach_mixed: Array  # [F, 2, S]: `advance` of the mix
    child_reach_swapped: Array  # [F, 2, S]: of x, but the other player's row taken from y
    children_reach: Array  # [call, F, 2, S]: `advance_all` of x to `followed`; if own, to all too
    child_masses: Array  # [K, 2]: of `advance` of x, summed by each player
    action_reach: Array  # [S, A]: x of the actor
    other_reach: Array  # [S]: x of the other player
    masses: Array  # [2]: of these, summed by each player
    pairings: Array  # [2]: <advance of x, x> to `outcome`, and by the transpose
    reach: Array  # [2, S]: x
    compatible: Array  # [3, 2, S]: `compatible_reach` of x, y and the mix
    cfvs: Array  # [3, 2, S]: `utilities` of x, y and the mix
    kept_cfvs: Array  # [2, S]: `utilities_of_kept` of x
    features: Array  # [F]

    @property
    def is_over(self) -> Array:
        """Terminal."""
        return self.actor == TERMINAL


def make_probe(game: Game[Any], state: Any, possible: Array, key: Array) -> Probe:
    """Draws reach probabilities in [0.1, 1] for infostates that are possible."""
    size, actor, legal = game.num_infostates, game.actor(state), game.legal_actions(state)
    row = acting_row(actor)
    played = legal & possible[row][:, None]
    draws = jax.random.uniform(key, (2, size, game.num_actions + 3), minval=0.1)
    x_action, y_action = jnp.where(played[None], draws[:, :, 3:], 0)
    x_other, y_other = jnp.where(possible[1 - row][None], draws[:, :, 2], 0)
    x, y = jnp.where(possible[None], jnp.swapaxes(draws[:, :, :2], 1, 2), 0)

    action_reach = jnp.stack([x_action, y_action, 2 * x_action + 3 * y_action, x_action, y_action])
    other_reach = jnp.stack([x_other, y_other, 5 * x_other + 7 * y_other, y_other, x_other])
    followed = followed_outcomes(game, state, jax.random.fold_in(key, 1))
    pushed = jax.vmap(lambda one, other: advance_to(game, state, followed, one, other))(
        action_reach, other_reach
    )
    below = [game.advance_all(state, followed, x_action, x_other)]
    if type(game).advance_all is not Game.advance_all:  # else there may be too many outcomes
        below.append(game.advance_all(state, None, x_action, x_other)[followed])
    acts = jnp.arange(2)[:, None] == row
    parent = jnp.where(acts, x_action.sum(axis=1)[None], x_other[None])
    mixed = jnp.stack([2 * x[0] + 3 * y[0], 5 * x[1] + 7 * y[1]])
    compatible = jax.vmap(game.compatible_reach, (None, 0))(state, jnp.stack([x, y, mixed, parent]))
    outcomes = game.legal_outcomes(state)
    first = jnp.argmax(outcomes[followed])
    outcome = followed[first]
    children = jax.vmap(game.apply, (None, 0))(state, followed)

    def masses(outcome: Array) -> Array:
        reach = game.advance(state, outcome, x_action, x_other)
        return (reach * game.compatible_reach(game.apply(state, outcome), reach)).sum(axis=1)

    transpose = jax.linear_transpose(
        lambda action, other: game.advance(state, outcome, action, other), x_action, x_other
    )
    action_cfvs, other_cfvs = transpose(x)
    pulled = (x_action * action_cfvs).sum() + (x_other * other_cfvs).sum()
    return Probe(
        actor=actor,
        acting_row=row,
        acts=acts,
        mask=game.infostate_mask(state),
        possible=possible,
        legal=legal,
        outcomes=outcomes,
        outcome=outcome,
        child=jax.tree.map(lambda leaf: leaf[first], children),
        followed=followed,
        follows_legal=outcomes[followed],
        child_mask=jax.vmap(game.infostate_mask)(children),
        child_reach=pushed[0],
        child_reach_y=pushed[1],
        child_reach_mixed=pushed[2],
        child_reach_swapped=jnp.where(acts[None], pushed[3], pushed[4]),
        children_reach=jnp.stack(below),
        child_masses=of_all_outcomes(game, state, masses),
        action_reach=x_action,
        other_reach=x_other,
        pairings=jnp.stack([(pushed[0, first] * x).sum(), pulled]),
        masses=(parent * compatible[3]).sum(axis=1),
        reach=x,
        compatible=compatible[:3],
        cfvs=jax.vmap(game.utilities, (None, 0))(state, jnp.stack([x, y, mixed])),
        kept_cfvs=game.utilities_of_kept(game.keep_terminal(state), x),
        features=game.observe(state),
    )


def advance_to(
    game: Game[Any], state: Any, outcomes: Array, action_reach: Array, other_reach: Array
) -> Array:
    """[F, 2, S]: `advance` to some outcomes [F]."""
    return jax.vmap(game.advance, (None, 0, None, None))(state, outcomes, action_reach, other_reach)


def state_laws(game: Game[Any], probe: Probe) -> Iterator[Finding | None]:
    """The laws, checked on the probe of one state."""
    actor, over, chance = probe.actor, probe.is_over, probe.actor == CHANCE
    goes_on, followed, children = ~over, probe.follows_legal, "followed player infostate"
    yield agree(
        "actor is PLAYER_0, PLAYER_1, CHANCE or TERMINAL", "", np.clip(actor, 0, TERMINAL), actor
    )
    text = "without has_chance it is never chance's turn"
    yield agree(text, "", False, chance, where=not game.has_chance)

    count = probe.outcomes.sum(axis=-1)
    text = "a decision has at most num_decision_outcomes legal outcomes"
    most = np.minimum(count, game.num_decision_outcomes)
    yield agree(text, "", most, count, where=goes_on & ~chance)
    text = "chance has at most num_chance_outcomes legal outcomes"
    yield agree(text, "", np.minimum(count, game.num_chance_outcomes), count, where=chance)
    text = "there is a legal outcome if and only if the state is not terminal"
    yield agree(text, "", goes_on, probe.outcomes.any())

    text = "at a chance state column 0 of legal_actions is player 0's mask and the rest is False"
    first = probe.mask[0][:, None] & (np.arange(game.num_actions) == 0)
    yield agree(text, "infostate action", first, probe.legal, where=chance)
    text = "an infostate of the actor has a legal action if and only if it is in infostate_mask"
    yield agree(text, "infostate", probe.mask[probe.acting_row] & goes_on, probe.legal.any(axis=1))

    reach, reach_y = probe.child_reach, probe.child_reach_y
    text = "advance is zero outside the child's infostate_mask"
    yield agree(text, children, np.where(probe.child_mask, reach, 0), reach, where=followed)
    text = "advance_all is advance inside the child's infostate_mask"
    inside = np.where(probe.child_mask, probe.children_reach, 0)
    calls = len(inside)
    yield agree(text, f"call {children}", [reach] * calls, inside, where=[followed] * calls)
    text = (
        "the actor's row of advance does not depend on other_reach, nor the other's on action_reach"
    )
    yield agree(text, children, reach, probe.child_reach_swapped, where=followed)
    text = "advance is linear in action_reach and in other_reach"
    mixed = np.where(probe.acts[None], 2 * reach + 3 * reach_y, 5 * reach + 7 * reach_y)
    yield agree(text, children, mixed, probe.child_reach_mixed, where=followed)
    text = "the transpose of advance pairs with it: <advance(x), y> = <x, transpose(y)>"
    yield agree(text, "", *probe.pairings, where=goes_on)

    weight, cfvs, each = probe.compatible[0], probe.cfvs[0], "player infostate"
    yield agree("compatible_reach is not negative", each, np.abs(weight), weight)
    text = (
        "row i of compatible_reach is linear in the reach of the other player, and of nothing else"
    )
    yield agree(text, each, _mix_by_the_other(probe.compatible), probe.compatible[2])
    text = "both players' rows of compatible_reach come from the same joint weight"
    masses = (probe.reach * weight).sum(axis=1)
    yield agree(text, "", *masses)
    text = "infostate_mask holds exactly the infostates that legal play leads to"
    yield agree(text, each, probe.possible, probe.mask)
    text = "compatible_reach is zero outside infostate_mask"
    yield agree(text, each, np.where(probe.mask, weight, 0), weight)

    text = "every legal outcome has positive probability when all legal actions are played"
    positive = (probe.child_masses > 0).all(axis=1)
    yield agree(text, "outcome", True, positive, where=probe.outcomes)
    text = "probability is conserved: the legal outcomes of a state share its mass"
    shared = np.where(probe.outcomes[:, None], probe.child_masses, 0).sum(axis=0)
    yield agree(text, "player", probe.masses, shared, where=goes_on)

    text = "row i of utilities is linear in the reach of the other player, and of nothing else"
    yield agree(text, each, _mix_by_the_other(probe.cfvs), probe.cfvs[2], where=over)
    totals = (probe.reach * cfvs).sum(axis=1)
    scale = float(game.max_utility * masses.sum())
    yield agree("utilities are zero-sum", "", -totals[0], totals[1], where=over, scale=scale)
    text = "utilities lie within max_utility times compatible_reach"
    bound = game.max_utility * weight
    yield agree(text, each, np.clip(cfvs, -bound, bound), cfvs, where=over)
    text = "utilities_of_kept is utilities of the state that was kept"
    yield agree(text, each, cfvs, probe.kept_cfvs, where=over)

    if game.has_public_actions:
        text = "with has_public_actions a legal outcome of a decision is an action's number"
        actions = probe.outcomes & (np.arange(game.num_outcomes) < game.num_actions)
        yield agree(text, "outcome", actions, probe.outcomes, where=actor < CHANCE)
        text = "with has_public_actions advance is public_action and the child's infostate_mask"
        action = np.where(chance, 0, np.minimum(probe.followed, game.num_actions - 1))
        pushed = np.where(probe.acts, probe.action_reach.T[action][:, None], probe.other_reach)
        expected = np.where(probe.child_mask, pushed, 0)
        yield agree(text, children, expected, reach, where=followed)

    text = "features are finite and roughly in [-1, 1]"
    within = np.clip(probe.features, -LARGEST_FEATURE, LARGEST_FEATURE)
    yield agree(text, "feature", within, probe.features)


def _mix_by_the_other(values: Array) -> np.ndarray:
    """[2, S]: the mix of the values, if each row is linear in the other player's reach."""
    of_x, of_y, _ = values
    return np.asarray(np.array([[5], [2]]) * of_x + np.array([[7], [3]]) * of_y)
