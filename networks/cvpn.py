"""The counterfactual value-and-policy network (CVPN): a belief state in, values and policy out.

Student of Games, Figure 6 and Table S1. The input is a game's features of a public state and both
ranges; the output a value for every infostate of both players, as a fraction of the largest
utility, and policy logits for every infostate of the player to act. Entries of impossible
infostates and actions are undefined: the search and the losses mask them.
"""

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any, Final

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from networks.heads import MoveHead, head_init, joint_weights, opponents_given_own
from networks.torsos import TORSOS
from sog.accelerators import is_accelerated
from sog.domain import load_part, with_domains
from sog.games.core import PLAYER_1, Game
from sog.games.encoding import CardHands, Flat, Graph, Moves, Planes
from sog.precision import in_32_bits
from sog.program_names import NOT_DESCRIBED

WHOLE_NETWORKS: Final[Mapping[str, str]] = with_domains(
    {"graph": "networks.graph:GraphCVPN"}, "networks"
)
"""Torsos with heads of their own, by name: the network, as module:Class. It is made from (game,
width, depth, rngs), has the methods of `CVPN` and `observe(game, state)`, and declares the
encodings that it `reads` and its `leaves_per_call` on a CPU (None: the default)."""
_READS: Final = {"mlp": (Flat, Planes, Graph, CardHands), "resnet": (Planes,)}
"""The encodings of games (`Game.encoding`) that the other torsos support."""
_TORSO_NAMES: Final = (*_READS, *WHOLE_NETWORKS)
VALUE_HEADS: Final = ("plain", "bounded", "pairwise")
POLICY_HEADS: Final = (1, 2)
POLICY_SHAPES: Final = ("flat", "moves")
PRECISIONS: Final = ("float32", "bfloat16")
MOST_WIDTH: Final = 1_000_000
MOST_DEPTH: Final = 1_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """The shape of a network. Hashable."""

    torso: str = "mlp"
    """mlp for any game, resnet if `Game.encoding` is `Planes`, graph if it is a `Graph`, or hands
    if it is `CardHands`; graph and hands have heads of their own, see `WHOLE_NETWORKS`."""
    width: int = 128
    """Units of a layer, channels of the resnet, or features of a graph's node or of a hand."""
    depth: int = 3
    """Hidden layers, or blocks of the resnet or the graph; for hands, of the public state."""
    value_head: str = "plain"
    """plain, a value for every infostate, bounded, the same through tanh as in AlphaZero, or
    pairwise, an expected utility for every pair of infostates, from which values follow by the
    definition of a cfv: they are zero-sum, and the network need not learn their dependence on the
    opponent's range. For small S."""
    policy_heads: int = 1
    """1, logits for the acting player, or 2, a head for each player, of which the acting player's
    is used, as in Figure 6 of the paper; for players whose actions have different meanings."""
    policy_shape: str = "flat"
    """flat, or moves: logits as planes of the board, as 8 x 8 x 73 in chess; for a resnet and a
    game that declares the cells of its actions (`sog.games.encoding.Moves`)."""
    precision: str = "float32"
    """What layers compute in: float32, or bfloat16 on accelerators, which multiply it faster.
    Parameters and results are always float32, and a CPU always computes in float32."""

    def __post_init__(self) -> None:
        for name, known in (
            ("torso", _TORSO_NAMES),
            ("value_head", VALUE_HEADS),
            ("policy_shape", POLICY_SHAPES),
            ("precision", PRECISIONS),
        ):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}."
                )
        if self.policy_shape == "moves" and self.torso != "resnet":
            raise ValueError(
                f"policy_shape must be flat with the torso {self.torso}, which has no board, "
                f"got moves."
            )
        if self.policy_heads not in POLICY_HEADS:
            raise ValueError(
                f"policy_heads must be {' or '.join(map(str, POLICY_HEADS))}, "
                f"got {self.policy_heads}."
            )
        for name, plain in (
            ("value_head", "plain"),
            ("policy_heads", 1),
            ("precision", "float32"),  # of hands the features hold numbers of cards, too many
        ):
            if self.torso in WHOLE_NETWORKS and getattr(self, name) != plain:
                raise ValueError(
                    f"{name} must be {plain} with the torso {self.torso}, which has heads of its "
                    f"own, got {getattr(self, name)}."
                )
        for name, most in (("width", MOST_WIDTH), ("depth", MOST_DEPTH)):
            if not 1 <= getattr(self, name) <= most:
                raise ValueError(
                    f"{name} must be an integer from 1 to {most}, got {getattr(self, name)}."
                )


class CVPN(nnx.Module):
    """Torso and heads."""

    def __init__(self, game: Game[Any], settings: NetworkSettings, *, rngs: nnx.Rngs) -> None:
        self.num_infostates, self.num_actions = game.num_infostates, game.num_actions
        (num_features,) = jax.eval_shape(lambda: game.observe(game.root())).shape
        self.num_features, self.is_pairwise = num_features, settings.value_head == "pairwise"
        self.is_bounded = settings.value_head == "bounded"
        size = game.num_infostates
        # With perfect information ranges are constant.
        self.takes_ranges = game.hides_information
        num_others, num_values = 2 * size * self.takes_ranges, 2 * size
        if self.is_pairwise:
            num_others, num_values = num_others + 2 * size**2, size**2
        make = TORSOS[settings.torso]
        inputs = (num_features, num_others)
        self.torso: Any = make(game, inputs, settings.width, settings.depth, rngs=rngs)
        width = self.torso.num_outputs
        # Queries repeat states with other ranges: the part that does not depend on ranges is
        # computed once, if it is also smaller to store.
        can_begin = self.takes_ranges and self.torso.begins
        self.embeds = can_begin and num_features > settings.width
        self.num_kept = settings.width if self.embeds else num_features
        self.values = nnx.Linear(width, num_values, kernel_init=head_init(width), rngs=rngs)
        self.has_move_heads = settings.policy_shape == "moves"

        def policy_head() -> MoveHead | nnx.Linear:
            if self.has_move_heads:
                return MoveHead(_moves_of(game), size, settings.width, rngs=rngs)
            init, num_logits = head_init(width), size * self.num_actions
            return nnx.Linear(width, num_logits, kernel_init=init, rngs=rngs)

        self.policies = nnx.List(policy_head() for _ in range(settings.policy_heads))

    def __call__(self, features: Array, ranges: Array) -> tuple[Array, Array]:
        """features: [batch, feature], see `EncodeState`; ranges: [batch, player, S], those of a
        player sum to 1.

        Returns values [batch, player, S] and policy logits [batch, S, A].
        """
        return self.answer(self.embed(features), ranges)

    def embed(self, features: Array) -> Array:
        """[batch, feature] -> [batch, kept]: the part that does not depend on ranges.

        The features' part of the first layer if that is shorter than the features, with the inputs
        of the heads; otherwise the features.
        """
        if not self.embeds:
            return features
        begun = self.torso.begin(features[:, : self.num_features])
        return jnp.concatenate([begun, features[:, self.num_features :]], axis=1)

    def answer(self, kept: Array, ranges: Array) -> tuple[Array, Array]:
        """The same as `__call__`, from the output of `embed`."""
        batch, size = len(kept), self.num_infostates
        begun, rest = kept[:, : self.num_kept], kept[:, self.num_kept :]
        others = [kept[:, :0]]  # may be empty with perfect information
        if self.takes_ranges:
            # Times S, ranges are about 1, like features.
            others.append(size * ranges.reshape(batch, -1))
        if self.is_pairwise:
            weight = rest[:, : size**2].reshape(batch, size, size)
            beliefs = opponents_given_own(weight, ranges)
            others.append(size * beliefs.reshape(batch, -1))
        run = self.torso.finish if self.embeds else self.torso
        inner, board = run(begun, jnp.concatenate(others, axis=1))
        if not self.is_pairwise:
            values = self.values(inner).reshape(batch, 2, size)
            values = jnp.tanh(values) if self.is_bounded else values
        else:
            utilities = self.values(inner).reshape(batch, size, size)
            of_both = jnp.stack([utilities, -utilities.swapaxes(1, 2)], axis=1)
            values = jnp.sum(beliefs * of_both, axis=3)
        seen = board if self.has_move_heads else inner
        logits = [head(seen).reshape(batch, size, self.num_actions) for head in self.policies]
        if len(logits) == 1:
            return values, logits[0]
        acts_second = kept[:, -1, None, None] > 0
        return values, jnp.where(acts_second, logits[1], logits[0])


@dataclasses.dataclass(frozen=True)
class EncodeState:
    """(game, public state) -> features [feature] of a network with these settings.

    A class, since methods of equal networks are unequal, and each would compile a program.
    """

    settings: NetworkSettings

    @in_32_bits
    def __call__(self, game: Game[Any], state: Any) -> Array:
        """The features of the game; then the inputs of the heads: the joint weights, and last, 1 if
        player 1 acts. (Where no player acts, no policy is used.)"""
        if self.settings.torso in WHOLE_NETWORKS:
            features: Array = _whole_network(self.settings.torso).observe(game, state)
            return features
        parts = [game.observe(state)]
        if self.settings.value_head == "pairwise":
            parts.append(joint_weights(game, state).reshape(-1))
        if self.settings.policy_heads > 1:
            parts.append((game.actor(state) == PLAYER_1).astype(jnp.float32)[None])
        return jnp.concatenate(parts)


@dataclasses.dataclass(frozen=True)
class ApplyNetwork:
    """A network as a function of its parameters; hashable, so that it can be a static argument."""

    graph: Any = dataclasses.field(metadata=NOT_DESCRIBED)
    settings: NetworkSettings
    step: str = "__call__"
    """The method of the network that is called."""

    @property
    def encode(self) -> EncodeState:
        """The network's features of a public state."""
        return EncodeState(self.settings)

    @property
    def leaves_per_call(self) -> int | None:
        """Leaves per call on a CPU; None: the default for networks."""
        torso = self.settings.torso
        return _whole_network(torso).leaves_per_call if torso in WHOLE_NETWORKS else None

    @property
    def in_parts(self) -> "tuple[ApplyNetwork, ApplyNetwork]":
        """The same in two steps, of which only the second depends on ranges: `CVPN.embed` and
        `CVPN.answer`."""
        embed, answer = (dataclasses.replace(self, step=step) for step in ("embed", "answer"))
        return embed, answer

    @in_32_bits
    def __call__(self, params: Any, *inputs: Array) -> Any:
        """See `CVPN.__call__`; in the precision of the settings."""
        if self.settings.precision == "bfloat16" and is_accelerated():
            params, inputs = _cast((params, inputs), jnp.bfloat16)
        whole = nnx.merge(self.graph, nnx.State(params))
        return _cast(getattr(whole, self.step)(*inputs), jnp.float32)


def _cast(arrays: Any, dtype: Any) -> Any:
    return jax.tree.map(lambda array: array.astype(dtype), arrays)


def check_torso(game: Game[Any], torso: str) -> None:
    """Raises ValueError if a torso does not support the encoding of a game."""
    encoding = type(game.encoding)
    if encoding not in _reads(torso):
        fitting = " or ".join(name for name in _TORSO_NAMES if encoding in _reads(name))
        raise ValueError(
            f"torso must be {fitting} for {game.name}, whose encoding is {encoding.__name__}, "
            f"got {torso}."
        )


def _reads(torso: str) -> tuple[type, ...]:
    if torso in _READS:
        return _READS[torso]
    reads: tuple[type, ...] = _whole_network(torso).reads
    return reads


@functools.cache
def _whole_network(torso: str) -> Any:
    return load_part(WHOLE_NETWORKS[torso])


def _moves_of(game: Game[Any]) -> Moves:
    """The layout of a game's actions on its board; raises ValueError without one."""
    moves = game.encoding.moves if isinstance(game.encoding, Planes) else None
    if moves is None:
        raise ValueError(
            f"policy_shape must be flat for {game.name}, which declares no layout of its moves, "
            f"got moves."
        )
    return moves


def _new(game: Game[Any], settings: NetworkSettings, seed: int = 0) -> Any:
    check_torso(game, settings.torso)
    rngs = nnx.Rngs(seed)
    if settings.torso in WHOLE_NETWORKS:
        whole = _whole_network(settings.torso)
        return whole(game, settings.width, settings.depth, rngs=rngs)
    return CVPN(game, settings, rngs=rngs)


@in_32_bits
def num_kept(game: Game[Any], settings: NetworkSettings) -> int:
    """Numbers per public state that a search stores for the network, see `CVPN.embed`."""
    features = jax.eval_shape(lambda: EncodeState(settings)(game, game.root()))
    shallow = dataclasses.replace(settings, depth=1)  # the first layer alone decides
    kept = nnx.eval_shape(lambda: _new(game, shallow).embed(jnp.zeros((1, *features.shape))))
    return int(kept.shape[1])


@in_32_bits
def num_parameters(game: Game[Any], settings: NetworkSettings) -> int:
    """The number of parameters, without creating any; ValueError for an unsupported network."""

    def counted(depth: int) -> int:
        one = dataclasses.replace(settings, depth=depth)
        network = nnx.eval_shape(lambda: _new(game, one))
        return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(nnx.state(network, nnx.Param)))

    # All layers but the first are alike; tracing a thousand of them would take minutes.
    first = counted(1)
    return first if settings.depth == 1 else first + (settings.depth - 1) * (counted(2) - first)


@in_32_bits
def make_network(
    game: Game[Any], settings: NetworkSettings, seed: int = 0
) -> tuple[ApplyNetwork, Any]:
    """A new network: its function, and its parameters as nested dictionaries of arrays."""
    graph, state = nnx.split(_new(game, settings, seed))
    return ApplyNetwork(graph, settings), nnx.to_pure_dict(state)


@in_32_bits
def network_form(game: Game[Any], settings: NetworkSettings) -> tuple[ApplyNetwork, Any]:
    """`make_network` with the shapes of the parameters alone, for those that were trained."""
    graph, state = nnx.split(nnx.eval_shape(lambda: _new(game, settings)))
    return ApplyNetwork(graph, settings), nnx.to_pure_dict(state)
