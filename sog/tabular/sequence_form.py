"""The sequence form of a public tree: index lists for CFR and best response.

Each player's decisions form a treeplex: the reach of an infostate is the sum of the *sequences*
(own past action, or root entry) that lead to it, and a sequence's value is the sum over all that
follows it. Steps of the opponent, of chance, and forced ones are folded into the index lists, so
one pass has as many steps as a player has choices (4 in Leduc, where the public tree is 9 levels
deep). Merged infostates have several sources, split ones share theirs.

Sequences sit in one buffer per player, infostates minor and actions major, so that sums over
actions are sums of contiguous rows:

    [NOTHING, S root entries, layer 0 as [A, H], layer 1 as [A, H], ...]

where H is the number of infostates in a layer and A the most actions any of them has. Every array
that a solver computes has a last axis for the batch of solves. The compiler makes these structures
of numpy arrays; solvers move them to a device in their precision.
"""

import dataclasses
from typing import Any, Final

import numpy as np
import scipy  # loads `scipy.sparse` on first use, since that is slow
from jax import Array

from sog.pytree import pytree
from sog.tabular.public_tree import PublicTree

NOTHING: Final = 0  # the sequence whose reach is always 0; pads source lists


@pytree
class Held:
    """Locked infostates of a layer, see `sog.tabular.locks`."""

    is_held: Array  # [H] bool
    policy: Array  # [A, H]: undefined where not held


@pytree
class Layer:
    """Infostates of one player, none of which leads to another; index lists are padded."""

    source: Array  # [list, H]: sequences that lead to each infostate
    legal: Array  # [A, H] bool
    uniform: Array  # [A, H]: the uniform policy over legal actions
    leaf: Array  # [list, A * H]: leaf rows that each sequence leads to
    child: Array  # [list, A * H]: infostates it leads to, counted from the end of this layer
    held: Held | None = None


@pytree
class Treeplex:
    """One player's decisions, earlier layers first."""

    layers: tuple[Layer, ...]
    leaf_source: Array  # [list, leaf row]
    root_leaf: Array  # [list, S]: as `Layer.leaf`, for the root entries
    root_child: Array  # [list, S]: as `Layer.child`, counted from the first infostate
    root_mask: Array  # [S] bool


@pytree
class DensePayoff:
    """Payoff matrices of terminal public states, in groups whose leaf rows follow each other.

    In a group of Z ends leaf row r * Z + z is infostate r of z. The ends that share a matrix, if
    they are many, are a group of their own.
    """

    matrices: tuple[Array, ...]
    """[R0, R1, Z, 1 or batch] each, or [R0, R1, 1, 1] if shared: w(s0, s1) * utility to player 0.
    """
    num_ends: tuple[int, ...] = dataclasses.field(metadata={"static": True})
    """Z of each group."""


@pytree
class SparsePayoff:
    """The same as padded lists per leaf row, for many infostates with few compatible pairs."""

    other: tuple[Array, Array]  # per player [list, leaf row]: leaf rows of the opponent
    weight: tuple[Array, Array]  # per player [list, leaf row, 1 or batch]: payoff to that player


@pytree
class SequenceForm:
    """A solver's complete description of a game; a pytree of arrays."""

    treeplex: tuple[Treeplex, Treeplex]
    payoff: DensePayoff | SparsePayoff


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Placement:
    """The node, infostate and action of each of a player's sequences."""

    node: tuple[np.ndarray, ...]  # per layer [H]
    infostate: tuple[np.ndarray, ...]  # per layer [H]
    action: tuple[np.ndarray, ...]  # per layer [A, H], 0 where padded
    legal: tuple[np.ndarray, ...]  # per layer [A, H] bool
    # [node * S + infostate, entry]: the sequences that lead there
    source: "scipy.sparse.csr_matrix"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class TreeLocks:
    """Locked policies, see `sog.tabular.locks`."""

    is_held: np.ndarray  # [node, S] bool
    policy: np.ndarray  # [node, S, A]: 0 where not held


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class CompiledGame:
    """A public tree, its sequence form, and the mapping between the two."""

    tree: PublicTree
    form: SequenceForm
    placements: tuple[Placement, Placement]
    locks: TreeLocks | None = None

    def with_held(self, policy: np.ndarray) -> np.ndarray:
        """The policy [node, S, A] or [node, S, A, batch] with locked rows replaced."""
        if self.locks is None:
            return policy
        # Transposed, since a batch axis comes last.
        held = self.locks.is_held[:, :, None]
        return np.where(held.T, self.locks.policy.T, policy.T).T

    def to_tree(self, layers: tuple[tuple[Any, ...], tuple[Any, ...]]) -> np.ndarray:
        """Scatters a policy, [A, H] per layer and player, into [node, S, A]; forced moves get 1.

        A batch axis may come last.
        """
        shape = self.tree.node_legal.shape
        batch = next((np.shape(value)[2:] for player in layers for value in player), ())
        out = np.zeros((*shape, *batch))
        out[self.tree.decisions & ~self.tree.has_choice[:, :, None]] = 1
        for placement, values in zip(self.placements, layers, strict=True):
            for layer, value in enumerate(values):
                legal = placement.legal[layer]
                rows = np.broadcast_to(np.arange(legal.shape[1]), legal.shape)[legal]
                node, infostate = placement.node[layer][rows], placement.infostate[layer][rows]
                out[node, infostate, placement.action[layer][legal]] = np.asarray(value)[legal]
        return out

    def from_tree(self, values: np.ndarray) -> tuple[tuple[np.ndarray, ...], ...]:
        """Gathers a policy [node, S, A] into [A, H] per layer and player; zero where padded."""
        return tuple(
            tuple(
                np.where(legal, values[node[None], infostate[None], action], 0)
                for node, infostate, action, legal in zip(
                    placement.node,
                    placement.infostate,
                    placement.action,
                    placement.legal,
                    strict=True,
                )
            )
            for placement in self.placements
        )
