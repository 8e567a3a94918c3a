"""A view of games for their tests that is independent of them: rules told in plain Python."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Protocol

import jax
import numpy as np
import pytest

from sog.games.core import CHANCE, PLAYER_1, TERMINAL, Game

Array = np.ndarray
Pair = tuple[int, int]
Node = tuple[int, ...]  # a public state as the outcomes that led to it
Histories = dict[Any, float]


class Rules(Protocol):
    """A game as histories, hashable objects that tell everything that happened."""

    def deals(self) -> Iterable[tuple[float, Any]]:
        """Histories right after the private deal, with their probabilities."""

    def actor(self, history: Any) -> int:
        """Who acts, as `Game.actor`."""

    def moves(self, history: Any) -> Iterable[tuple[int, float, int, Any]]:
        """What the actor may do: (action, its chance, outcome, later history); () at the end.

        The chance is 1 for a player; chance itself moves by action 0.
        """

    def infostates(self, history: Any) -> Pair:
        """What each player knows, as an index within the public state."""

    def utility(self, history: Any) -> float:
        """Player 0's, at the end."""


@pytest.fixture(scope="session")
def check_rules() -> Callable[[Game[Any], Rules], None]:
    """A function that compares all worlds of a game with rules told as histories."""
    return _check_rules


def _check_rules(game: Game[Any], rules: Rules) -> None:
    """Every function of the game at every public state, one whole batch a function."""
    worlds = _worlds(rules)
    tables = _Tables(game, rules, worlds)
    state = _states(game, list(worlds))
    rng = np.random.default_rng(1)
    reach = rng.uniform(size=tables.mask.shape).astype(np.float32) * tables.mask
    action_reach = rng.uniform(size=tables.legal.shape).astype(np.float32) * tables.legal
    _check_states(game, tables, state, reach)
    _check_edges(game, tables, state, reach, action_reach)
    _check_transitions(game, tables, state)


class _Tables:
    """What the rules say about each public state, in the order of `worlds`."""

    def __init__(self, game: Game[Any], rules: Rules, worlds: dict[Node, Histories]) -> None:
        count, size = len(worlds), game.num_infostates
        self.actor = np.full(count, -1)
        self.mask = np.zeros((count, 2, size), bool)
        self.outcomes = np.zeros((count, game.num_outcomes), bool)
        self.legal = np.zeros((count, size, game.num_actions), bool)
        self.weight = np.zeros((count, size, size))
        self.payoff = np.zeros((count, size, size))  # weight included
        # For each (public state, outcome): (own infostate, action, new one) and (other's, new one).
        self.actor_flows: dict[tuple[int, int], set[tuple[int, int, int]]] = defaultdict(set)
        self.other_flows: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
        self.transitions: list[tuple[int, Pair, int, int, Pair]] = []
        for i, histories in enumerate(worlds.values()):
            for history, chance in histories.items():
                self._add_history(rules, i, history, chance)

    def _add_history(self, rules: Rules, i: int, history: Any, chance: float) -> None:
        pair, actor = rules.infostates(history), rules.actor(history)
        assert self.weight[i, *pair] == 0, f"two histories of one world: {history}"
        assert self.actor[i] in (-1, actor), f"two actors at one public state: {history}"
        self.actor[i] = actor
        self.mask[i, [0, 1], pair] = True
        self.weight[i, *pair] = chance
        if actor == TERMINAL:
            self.payoff[i, *pair] = chance * rules.utility(history)
        mover = 1 if actor == PLAYER_1 else 0
        for action, _, outcome, after in rules.moves(history):
            later = rules.infostates(after)
            self.outcomes[i, outcome] = self.legal[i, pair[mover], action] = True
            self.actor_flows[i, outcome].add((pair[mover], action, later[mover]))
            self.other_flows[i, outcome].add((pair[1 - mover], later[1 - mover]))
            if actor != CHANCE:
                self.transitions.append((i, pair, action, outcome, later))


def _check_states(game: Game[Any], tables: _Tables, state: Any, reach: Array) -> None:
    def batched(fn: Callable[..., Any], *args: Any) -> np.ndarray:
        return np.asarray(jax.jit(jax.vmap(fn))(*args))

    def from_opponent(matrix: Array) -> Array:
        rows = np.einsum("nst,nt->ns", matrix, reach[:, 1])
        return np.stack([rows, np.einsum("nst,ns->nt", matrix, reach[:, 0])], axis=1)

    np.testing.assert_array_equal(batched(game.actor, state), tables.actor)
    np.testing.assert_array_equal(batched(game.infostate_mask, state), tables.mask)
    np.testing.assert_array_equal(batched(game.legal_outcomes, state), tables.outcomes)
    np.testing.assert_array_equal(batched(game.legal_actions, state), tables.legal)
    compatible = batched(game.compatible_reach, state, reach)
    np.testing.assert_allclose(compatible, from_opponent(tables.weight), rtol=1e-5, atol=1e-7)
    ends = tables.actor == TERMINAL
    cfvs = batched(game.utilities, state, reach)[ends]
    expected = from_opponent(tables.payoff)[ends] * np.array([1, -1])[:, None]
    np.testing.assert_allclose(cfvs, expected, rtol=1e-5, atol=1e-5)


def _check_edges(
    game: Game[Any], tables: _Tables, state: Any, reach: Array, action_reach: Array
) -> None:
    edges = list(tables.actor_flows)
    at = np.array([node for node, _ in edges])
    outcomes = np.array([outcome for _, outcome in edges], np.int32)
    movers = np.where(tables.actor[at] == PLAYER_1, 1, 0)
    expected = np.zeros((len(edges), 2, game.num_infostates), np.float32)
    for j, ((i, outcome), mover) in enumerate(zip(edges, movers, strict=True)):
        for own, action, later in tables.actor_flows[i, outcome]:
            expected[j, mover, later] += action_reach[i, own, action]
        for other, later in tables.other_flows[i, outcome]:
            expected[j, 1 - mover, later] += reach[i, 1 - mover, other]
    advanced = jax.jit(jax.vmap(game.advance))(
        jax.tree.map(lambda leaf: leaf[at], state),
        outcomes,
        action_reach[at],
        reach[at, 1 - movers],
    )
    np.testing.assert_allclose(advanced, expected, rtol=1e-6)


def _check_transitions(game: Game[Any], tables: _Tables, state: Any) -> None:
    at, pairs, actions, outcomes, later = map(np.array, zip(*tables.transitions, strict=True))
    found_outcomes, found_pairs = jax.jit(jax.vmap(game.transition))(
        jax.random.split(jax.random.key(0), len(at)),
        jax.tree.map(lambda leaf: leaf[at], state),
        pairs.astype(np.int32),
        actions.astype(np.int32),
    )
    np.testing.assert_array_equal(found_outcomes, outcomes)
    np.testing.assert_array_equal(found_pairs, later)


def _worlds(rules: Rules) -> dict[Node, Histories]:
    """Histories with chance's part of their probability, by the public outcomes so far."""
    worlds: dict[Node, Histories] = {}
    level: dict[Node, Histories] = {(): {history: chance for chance, history in rules.deals()}}
    while level:
        worlds.update(level)
        below: dict[Node, Histories] = {}
        for node, histories in level.items():
            for history, reached in histories.items():
                for _, chance, outcome, after in rules.moves(history):
                    below.setdefault((*node, outcome), {})[after] = reached * chance
        level = below
    return worlds


def _states(game: Game[Any], nodes: list[Node]) -> Any:
    """The game's public states after these outcomes, parents first, on one leading axis."""
    apply = jax.jit(game.apply)
    states: dict[Node, Any] = {}
    for node in nodes:
        state = apply(states[node[:-1]], np.int32(node[-1])) if node else game.root()
        states[node] = jax.tree.map(np.asarray, state)
    return jax.tree.map(lambda *leaves: np.stack(leaves), *(states[node] for node in nodes))
