"""The whole public tree of a game as arrays on the host, level by level.

Nodes are public states in breadth-first order, so a level is a slice and parents precede children.
The game's functions run jitted and vmapped over chunks of nodes, once per node; the results are
index lists and sparse payoffs, from which all exact tools of this package are built. Linear maps
are read off the game by probing (`Game.advance` has coefficients 0 and 1), never written by hand.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, Final

import jax
import numpy as np

from sog.games.core import CHANCE, TERMINAL, Game
from sog.tabular.linear_maps import (
    Flow,
    Payoffs,
    Visit,
    bytes_per_node,
    expand,
    find_flows,
    find_payoffs,
    join_flows,
    visit_children,
)

NO_PARENT: Final = -1
NO_PAYOFF: Final = -1
DEFAULT_MAX_NODES: Final = 2_100_000  # liar's dice with two dice of five faces just fits
_MOST_BYTES: Final = 2**32  # kept of all nodes; a wide game has few nodes in that


class TreeTooLargeError(ValueError):
    """The public tree has more nodes than the limit."""

    def __init__(self, game: Game[Any], problem: str) -> None:
        super().__init__(f"the public tree of {game} {problem}")
        self.game = game


class TreeMemoryError(TreeTooLargeError):
    """The public tree would not fit into the memory set aside for it."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class PublicTree:
    """An enumerated public tree; all arrays are numpy, `node_*` have a row per node."""

    game: Game[Any]
    node_state: Any
    """The game's states, stacked."""
    node_parent: np.ndarray
    """[node] int32, NO_PARENT at the root."""
    node_outcome: np.ndarray
    """[node] int32: the public event from the parent; 0 at the root."""
    node_depth: np.ndarray
    """[node] int32, not decreasing."""
    node_actor: np.ndarray
    """[node] int32, as `Game.actor`."""
    node_mask: np.ndarray
    """[node, 2, S] bool: infostates that can occur."""
    node_legal: np.ndarray
    """[node, S, A] bool: legal actions of the acting player."""
    flows: tuple[Flow, Flow]
    """For each player, the flow of reach from each node's parent to it."""
    node_payoff: np.ndarray
    """[node] int32: the kind of payoffs of terminal nodes; NO_PAYOFF elsewhere."""
    payoffs: Payoffs
    """Of each kind."""

    @property
    def num_nodes(self) -> int:
        """Public states, chance and terminal ones included."""
        return len(self.node_parent)

    @functools.cached_property
    def has_choice(self) -> np.ndarray:
        """[node, S] bool: the acting player has more than one legal action."""
        return np.asarray(self.node_legal.sum(axis=-1) > 1)

    @property
    def decisions(self) -> np.ndarray:
        """[node, S, A] bool: the legal actions of players, without those of chance."""
        return np.asarray(self.node_legal & (self.node_actor < CHANCE)[:, None, None])

    @functools.cached_property
    def _payoff_entries(self) -> tuple[np.ndarray, np.ndarray]:
        """[entry] a terminal node, not decreasing, and its entry in `payoffs`."""
        ends = np.flatnonzero(self.node_payoff != NO_PAYOFF)
        of_end, entry = expand(self.payoffs.start, self.node_payoff[ends])
        return ends[of_end].astype(np.int32), entry

    @property
    def payoff_node(self) -> np.ndarray:
        """[entry] int32: terminal nodes of the sparse payoffs below, not decreasing."""
        return self._payoff_entries[0]

    @property
    def payoff_infostates(self) -> np.ndarray:
        """[entry, 2] int32."""
        infostates: np.ndarray = self.payoffs.infostates[self._payoff_entries[1]]
        return infostates

    @property
    def payoff(self) -> np.ndarray:
        """[entry] float64: w(s0, s1) times the utility to player 0."""
        amount: np.ndarray = self.payoffs.amount[self._payoff_entries[1]]
        return amount

    def num_infostates(self, player: int) -> int:
        """The number of a player's infostates at the public states where the player acts."""
        return int(self.node_mask[self.node_actor == player, player].sum())

    @functools.cached_property
    def child_of_edge(self) -> dict[tuple[int, int], int]:
        """The child of each (node, public event)."""
        edges = zip(self.node_parent.tolist(), self.node_outcome.tolist(), strict=True)
        return {edge: node for node, edge in enumerate(edges) if node > 0}

    def node_after(self, outcomes: Iterable[int]) -> int:
        """The node that public events from the root lead to; KeyError if there is none."""
        node = 0
        for outcome in outcomes:
            node = self.child_of_edge[node, outcome]
        return node

    def state(self, node: int) -> Any:
        """The game's public state at a node."""
        return jax.tree.map(lambda leaf: leaf[node], self.node_state)


def most_nodes_in_memory(game: Game[Any]) -> int:
    """The most nodes for which `enumerate_public_tree` has memory."""
    return _MOST_BYTES // bytes_per_node(game)


def enumerate_public_tree(
    game: Game[Any],
    *,
    root: Any = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    progress: Callable[[int], None] | None = None,
) -> PublicTree:
    """Enumerates the public tree below `root` (the start of the game unless given).

    progress: called with the number of nodes found so far. Raises TreeTooLargeError for more than
    `max_nodes` nodes, and its subclass TreeMemoryError if they would not fit into 4 GiB, both with
    the count reached; also TreeMemoryError if there is no memory for the payoffs.
    """
    fitting = most_nodes_in_memory(game)
    # In 64 bits, so that payoffs have double precision in any mode.
    with jax.enable_x64(True):
        start = jax.jit(game.root)() if root is None else root
        start = jax.tree.map(lambda leaf: np.asarray(leaf)[None], start)
        zero = np.zeros(1, np.int32)
        level = visit_children(game, start, zero, zero, at_root=True)
        levels, parents, outcomes = [_kept(level)], [np.array([NO_PARENT])], [zero]
        flows, num_nodes = list[tuple[np.ndarray, np.ndarray]](), 1
        while True:
            parent, outcome = np.nonzero(level.legal_outcomes)
            if parent.size == 0:
                break
            first_of_parents = num_nodes - len(level.actor)
            num_nodes += parent.size
            if num_nodes > max_nodes:
                raise TreeTooLargeError(
                    game,
                    f"has more than max_nodes = {max_nodes} nodes "
                    f"(reached {num_nodes} at depth {len(levels)}).",
                )
            if num_nodes > fitting:
                raise TreeMemoryError(
                    game,
                    f"is too large for 4 GiB of memory, which hold "
                    f"{fitting} of its nodes (reached {num_nodes} at depth {len(levels)}).",
                )
            parents.append(parent + first_of_parents)
            outcomes.append(outcome.astype(np.int32))
            above, level = level, visit_children(game, level.state, parent, outcomes[-1])
            levels.append(_kept(level))
            flows.append(find_flows(game, above, level, parent, outcomes[-1]))
            if progress is not None:
                progress(num_nodes)
        sizes = [len(parent) for parent in parents]
        state, actor, mask, legal = jax.tree.map(lambda *parts: np.concatenate(parts), *levels)
        ends = np.flatnonzero(actor == TERMINAL)
        node_payoff = np.full(num_nodes, NO_PAYOFF, np.int32)
        try:
            node_payoff[ends], payoffs = find_payoffs(game, ends, state, mask)
        except ValueError as error:
            raise TreeMemoryError(game, f"is too large: {error}") from None
    first_nodes = np.cumsum(sizes)[:-1].tolist()
    first_flow, second_flow = (
        join_flows([pair[player] for pair in flows], first_nodes) for player in (0, 1)
    )
    return PublicTree(
        game=game,
        node_state=state,
        node_parent=np.concatenate(parents).astype(np.int32),
        node_outcome=np.concatenate(outcomes),
        node_depth=np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        node_actor=actor,
        node_mask=mask,
        node_legal=legal,
        flows=(first_flow, second_flow),
        node_payoff=node_payoff,
        payoffs=payoffs,
    )


def _kept(level: Visit) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """What the tree keeps of a level as it is."""
    return level.state, level.actor, level.mask, level.legal_actions
