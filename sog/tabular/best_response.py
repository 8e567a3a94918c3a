"""Best responses, exploitability and expected value of a policy profile, exactly.

`evaluate` is a pure function on the sequence form; the caller compiles it. `nash_conv` is the sum
over the players of a best response's gain over the profile; `exploitability` is half of it.
"""

import jax.numpy as jnp
from jax import Array

from sog.pytree import pytree
from sog.tabular.cfr import LayerArrays, back_up, leaf_cfvs, realize
from sog.tabular.sequence_form import SequenceForm


@pytree
class Evaluation:
    """The evaluation of a policy profile; every field has the batch axis last."""

    value: Array
    """[batch]: expected utility of player 0, in utility units."""
    best_response_value: Array
    """[2, batch]: the utility of each player's best response to the other's policy."""
    cfvs: Array
    """[2, S, batch]: cfvs of the root infostates under the profile."""
    best_response_cfvs: Array
    """[2, S, batch]: the same under the player's best response."""

    @property
    def nash_conv(self) -> Array:
        """[batch]: the sum of both players' gains by a best response."""
        return self.best_response_value.sum(axis=0)

    @property
    def exploitability(self) -> Array:
        """[batch]: nash_conv / 2."""
        return self.nash_conv / 2


def evaluate(
    form: SequenceForm, root_reach: Array, policy: tuple[LayerArrays, LayerArrays]
) -> Evaluation:
    """Evaluates a profile. root_reach: [2, S, batch]; policy: [A, H, batch] per player and layer.

    Values are weighted by the root reach, so unnormalized ranges give unnormalized values.
    """
    sequences = [
        realize(plex, root_reach[player], policy[player])
        for player, plex in enumerate(form.treeplex)
    ]
    cfvs, best_cfvs = [], []
    for player, plex in enumerate(form.treeplex):
        leaf = leaf_cfvs(form, player, sequences[1 - player])
        cfvs.append(back_up(plex, policy[player], leaf)[1])
        best_cfvs.append(back_up(plex, policy[player], leaf, best_response=True)[1])
    mask = jnp.stack([plex.root_mask for plex in form.treeplex])
    reach = jnp.where(mask[:, :, None], root_reach, 0)
    return Evaluation(
        value=jnp.sum(reach[0] * cfvs[0], axis=0),
        best_response_value=jnp.sum(reach * jnp.stack(best_cfvs), axis=1),
        cfvs=jnp.stack(cfvs),
        best_response_cfvs=jnp.stack(best_cfvs),
    )
