"""A network over the hands of a deck: what it says of a hand comes from what the hand is.

A dense layer has weights for each of 1326 hands and learns nothing of one from another. Here a hand
has numbers of its own, made by the same functions for all hands from what is public of it and from
how it stands against the other's range (`sog.games.encoding.CardHands`). A range is the mean of
these numbers, the situation what a few layers make of both ranges and of what is public; a value is
a product of the hand's numbers with what the situation says of hands. Nothing depends on how suits
are called, and a deck of any size has the same few thousand weights. Beyond the paper.
"""

import itertools
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from networks.heads import head_init
from sog.games.core import PLAYER_1, Game
from sog.games.encoding import AT_STAKE, CardHands

_SITUATION: Final = 4  # times as many numbers as a hand has
_COMPARED: Final = 2


class HandsCVPN(nnx.Module):
    """A CVPN (`networks.cvpn`) for games whose encoding is `CardHands`: torso and heads.

    Values are zero-sum: what they are not is taken from both players alike, as in DeepStack.
    """

    reads: ClassVar = (CardHands,)
    # One leaf is work for all hands; what fills up the last call would only cost.
    leaves_per_call: ClassVar = 4

    def __init__(self, game: Game[Any], width: int, depth: int, *, rngs: nnx.Rngs) -> None:
        """width: numbers of a hand; depth: layers of the situation."""
        self.game, self.width = game, width
        self.size, self.num_actions = game.num_infostates, game.num_actions
        shapes = jax.eval_shape(lambda: hands_of(game).observe(game.root()))
        self.channels, self.num_whole = hands_of(game).channels, len(shapes[1])
        inner, head = _SITUATION * width, head_init(width)
        relu = nnx.initializers.he_normal()
        self.of_hand = nnx.Linear(self.channels, 2 * width, kernel_init=relu, rngs=rngs)
        self.of_whole = nnx.Linear(self.num_whole, 2 * width, use_bias=False, rngs=rngs)
        self.hand = nnx.Linear(2 * width, width, rngs=rngs)
        self.compared = nnx.Linear(_COMPARED, width, use_bias=False, rngs=rngs)
        self.seats = nnx.Param(jnp.zeros((2, width)))
        sizes = [self.num_whole + 2 * width, *[inner] * depth]
        self.layers = nnx.List(
            nnx.Linear(before, after, kernel_init=relu, rngs=rngs)
            for before, after in itertools.pairwise(sizes)
        )
        self.mixed = nnx.Linear(width, width, rngs=rngs)
        self.told = nnx.Linear(inner, 2 * width, use_bias=False, rngs=rngs)
        numbers = 2 * (width + _COMPARED)
        self.values = nnx.Linear(inner, numbers, kernel_init=head_init(inner * width), rngs=rngs)
        self.policy = nnx.Linear(width, self.num_actions, kernel_init=head, rngs=rngs)
        self.policy_told = nnx.Linear(
            inner, self.num_actions, kernel_init=head_init(inner), rngs=rngs
        )

    @staticmethod
    def observe(game: Game[Any], state: Any) -> Array:
        """[feature]: the channels of all hands; 1 where player 1 acts; the features of the whole
        state; and the order of hands."""
        hands, whole, order = hands_of(game).observe(state)
        acts_second = (game.actor(state) == PLAYER_1).astype(jnp.float32)[None]
        return jnp.concatenate([hands.reshape(-1), acts_second, whole, order.astype(jnp.float32)])

    def __call__(self, features: Array, ranges: Array) -> tuple[Array, Array]:
        """As `CVPN`. features: [batch, feature], see `observe`; ranges: [batch, player, S].

        Returns values [batch, player, S] and policy logits [batch, S, A].
        """
        return self.answer(self.embed(features), ranges)

    def embed(self, features: Array) -> Array:
        """[batch, feature] -> [batch, kept]: the numbers of hands as far as they do not depend on
        ranges; and whatever is not of hands."""
        batch, split = len(features), self.size * self.channels
        hands = features[:, :split].reshape(batch, self.size, self.channels)
        whole = features[:, split + 1 : split + 1 + self.num_whole]
        inner = nnx.relu(self.of_hand(hands) + self.of_whole(whole)[:, None])
        return jnp.concatenate([self.hand(inner).reshape(batch, -1), features[:, split:]], axis=1)

    def answer(self, kept: Array, ranges: Array) -> tuple[Array, Array]:
        """The same as `__call__`, from what `embed` made of the features."""
        batch, split = len(kept), self.size * self.width
        acts_second, whole, order = jnp.split(kept[:, split:], [1, 1 + self.num_whole], axis=1)
        order = order.astype(jnp.int32)
        wins, meets = jax.vmap(hands_of(self.game).compare)(order, ranges)
        share = jnp.where(meets > 0, wins / jnp.where(meets > 0, meets, 1), 0)
        compared = jnp.stack([share, meets], axis=3)  # [batch, player, S, 2]
        own = kept[:, :split].reshape(batch, 1, self.size, self.width)
        hands = nnx.relu(own + self.compared(compared) + self.seats[...][None, :, None])
        pooled = jnp.einsum("bps,bpsw->bpw", ranges, hands).reshape(batch, -1)
        inner = jnp.concatenate([whole, pooled], axis=1)
        for layer in self.layers:
            inner = nnx.relu(layer(inner))
        told = self.told(inner).reshape(batch, 2, 1, self.width)
        hands = nnx.relu(self.mixed(hands) + told)
        values = self._values(hands, compared, inner)
        error = jnp.sum(ranges * meets * values, axis=(1, 2))
        met = jnp.sum(ranges * meets, axis=(1, 2))
        values = values - (error / jnp.where(met > 0, met, 1))[:, None, None]
        at_stake = whole[:, AT_STAKE, None, None]
        own = jnp.where(acts_second[:, :, None] > 0, hands[:, PLAYER_1], hands[:, 0])
        logits = self.policy(own) + self.policy_told(inner)[:, None]
        return at_stake * values, logits

    def _values(self, hands: Array, compared: Array, inner: Array) -> Array:
        """[batch, player, S], as shares of what is at stake."""
        said = self.values(inner).reshape(len(inner), 2, self.width + _COMPARED)
        of_hands = jnp.einsum("bpsw,bpw->bps", hands, said[:, :, : self.width])
        weights = said[:, :, self.width :]
        # What the hand wins of the range it meets; and a number for all hands.
        return of_hands + weights[:, :, :1] * compared[..., 0] + weights[:, :, 1:]


def hands_of(game: Game[Any]) -> CardHands:
    """The hands of a game that shows them."""
    assert isinstance(game.encoding, CardHands)  # see `networks.cvpn.check_torso`
    return game.encoding
