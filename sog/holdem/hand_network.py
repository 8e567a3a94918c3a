"""A network over the hands of a deck, with weights shared between hands.

A dense layer has weights for each of 1326 hands, and no hand profits from another. Here each hand
has an embedding, computed by the same functions for all hands from its features and from how it
fares against the other's range (`sog.games.encoding.CardHands`). A range is summarized by the mean
embedding, the situation by a few layers on both ranges and the public features; a value is a
product of the hand's embedding and the situation. Suits are interchangeable, and a deck of any size
has the same few thousand weights. Beyond the paper.
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

_SITUATION: Final = 4  # its width, as a multiple of a hand's
_COMPARED: Final = 2


class HandsCVPN(nnx.Module):
    """A CVPN (`networks.cvpn`) for games whose encoding is `CardHands`: torso and heads.

    Values are made zero-sum by subtracting half of the excess from both players, as in DeepStack.
    """

    reads: ClassVar = (CardHands,)
    # A leaf is expensive, so padding of the last call would be costly.
    leaves_per_call: ClassVar = 4

    def __init__(self, game: Game[Any], width: int, depth: int, *, rngs: nnx.Rngs) -> None:
        """width: of a hand's embedding; depth: layers of the situation."""
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
        """[feature]: the channels of all hands; 1 if player 1 acts; the features of the whole
        state; and the order of hands."""
        hands, whole, order = hands_of(game).observe(state)
        acts_second = (game.actor(state) == PLAYER_1).astype(jnp.float32)[None]
        return jnp.concatenate([hands.reshape(-1), acts_second, whole, order.astype(jnp.float32)])

    def __call__(self, features: Array, ranges: Array) -> tuple[Array, Array]:
        """See `CVPN`. features: [batch, feature], see `observe`; ranges: [batch, player, S].

        Returns values [batch, player, S] and policy logits [batch, S, A].
        """
        return self.answer(self.embed(features), ranges)

    def embed(self, features: Array) -> Array:
        """[batch, feature] -> [batch, kept]: the part of the hands' embeddings that does not depend
        on ranges, and all other features."""
        batch, split = len(features), self.size * self.channels
        hands = features[:, :split].reshape(batch, self.size, self.channels)
        whole = features[:, split + 1 : split + 1 + self.num_whole]
        inner = nnx.relu(self.of_hand(hands) + self.of_whole(whole)[:, None])
        return jnp.concatenate([self.hand(inner).reshape(batch, -1), features[:, split:]], axis=1)

    def answer(self, kept: Array, ranges: Array) -> tuple[Array, Array]:
        """The same as `__call__`, from the result of `embed`."""
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
        shared = self.told(inner).reshape(batch, 2, 1, self.width)
        hands = nnx.relu(self.mixed(hands) + shared)
        values = self._values(hands, compared, inner)
        error = jnp.sum(ranges * meets * values, axis=(1, 2))
        met = jnp.sum(ranges * meets, axis=(1, 2))
        values = values - (error / jnp.where(met > 0, met, 1))[:, None, None]
        at_stake = whole[:, AT_STAKE, None, None]
        own = jnp.where(acts_second[:, :, None] > 0, hands[:, PLAYER_1], hands[:, 0])
        logits = self.policy(own) + self.policy_told(inner)[:, None]
        return at_stake * values, logits

    def _values(self, hands: Array, compared: Array, inner: Array) -> Array:
        """[batch, player, S], as fractions of the stakes."""
        said = self.values(inner).reshape(len(inner), 2, self.width + _COMPARED)
        of_hands = jnp.einsum("bpsw,bpw->bps", hands, said[:, :, : self.width])
        weights = said[:, :, self.width :]
        # The hand's net wins against the range it meets, and a constant for all hands.
        return of_hands + weights[:, :, :1] * compared[..., 0] + weights[:, :, 1:]


def hands_of(game: Game[Any]) -> CardHands:
    """The game's encoding, which must be `CardHands`."""
    assert isinstance(game.encoding, CardHands)  # see `networks.cvpn.check_torso`
    return game.encoding
