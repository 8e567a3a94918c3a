"""OpenSpiel as an oracle: its games walked side by side with ours, policies carried over.

A `Twin` is a game that both have. Walking every history of OpenSpiel's game together with our
public state and infostates tells which of its information states is which of ours; actions
correspond in the order of their numbers. Modules that import this are skipped without OpenSpiel.
"""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from sog.games import make
from sog.games.core import TERMINAL, Game
from sog.openspiel.loading import load_spiel
from sog.openspiel.twins import twin_of
from sog.tabular import CompiledGame
from tests.tabular.small_games import child_of, compiled_game

pyspiel = pytest.importorskip("pyspiel")

Array = np.ndarray
Pair = tuple[int, int]


class Place(NamedTuple):
    """Where an information state of OpenSpiel's is in our public tree."""

    node: int
    infostate: int
    actions: tuple[tuple[int, int], ...]  # OpenSpiel's number of each action, and ours


class Twin(NamedTuple):
    """A game that OpenSpiel has too."""

    ours: str
    one_to_one: bool = True
    """Whether OpenSpiel's strings tell apart whatever our infostates do."""

    def __str__(self) -> str:
        return self.ours

    @property
    def compiled(self) -> CompiledGame:
        return compiled_game(self.ours)

    @property
    def spiel(self) -> str:
        return twin_of(make(self.ours)).spiel


KUHN = Twin("kuhn")
LEDUC = Twin("leduc")
TWO_DICE = Twin("liars_dice(dice=2,faces=2)")
# With both bids shown, OpenSpiel tells the cards left and who won, not who bid what when.
GOOFSPIEL_4 = Twin("goofspiel(cards=4)", one_to_one=False)
II_GOOFSPIEL_3 = Twin("ii_goofspiel(cards=3,order=random)")
II_GOOFSPIEL_4 = Twin("ii_goofspiel(cards=4)")
TWINS = (
    KUHN,
    LEDUC,
    TWO_DICE,
    GOOFSPIEL_4,
    II_GOOFSPIEL_3,
    II_GOOFSPIEL_4,
)


@functools.cache
def load(spiel: str) -> Any:
    """A game of OpenSpiel's, turn-based."""
    return load_spiel(spiel)


@functools.cache
def places(twin: Twin) -> dict[str, list[Place]]:
    """For each information state string, all that it is in our game: one place if `one_to_one`."""
    found: dict[str, set[Place]] = {}
    tree = twin.compiled.tree
    for spiel_state, node, pair in _histories(twin):
        if tree.node_actor[node] == TERMINAL:
            continue
        player = spiel_state.current_player()
        assert player == tree.node_actor[node], f"another one moves: {spiel_state}"
        infostate = pair[player]
        ours = np.flatnonzero(tree.node_legal[node, infostate]).tolist()
        actions = tuple(zip(spiel_state.legal_actions(), ours, strict=True))
        place = Place(node, infostate, actions)
        found.setdefault(spiel_state.information_state_string(), set()).add(place)
    return {string: sorted(of_string) for string, of_string in found.items()}


def _histories(twin: Twin) -> Iterator[tuple[Any, int, Pair]]:
    """All histories that are no chance nodes, with our public state and both infostates."""
    tree = twin.compiled.tree
    _, num_deals, deal = twin_of(make(twin.ours))
    stack: list[tuple[Any, int, Pair | None]] = [(load(twin.spiel).new_initial_state(), 0, None)]
    while stack:
        spiel_state, node, pair = stack.pop()
        if pair is None and len(spiel_state.history()) == num_deals:
            pair = deal(tuple(spiel_state.history()))
        if pair is not None and not spiel_state.is_chance_node():
            yield spiel_state, node, pair
        for index, action in enumerate(spiel_state.legal_actions()):
            child = spiel_state.child(action)
            if pair is None:
                stack.append((child, node, None))
            elif spiel_state.is_chance_node():
                stack.append((child, child_of(tree, node, action), pair))
            else:
                infostate = pair[spiel_state.current_player()]
                ours = np.flatnonzero(tree.node_legal[node, infostate])[index]
                step = _step(tree.game, tree.state(node), np.array(pair, np.int32), ours)
                outcome, (first, second) = map(np.ndarray.tolist, jax.device_get(step))
                stack.append((child, child_of(tree, node, outcome), (first, second)))


@functools.partial(jax.jit, static_argnums=0)
def _step(
    game: Game[Any], state: Any, infostates: jax.Array, action: jax.Array
) -> tuple[jax.Array, jax.Array]:
    return game.transition(jax.random.key(0), state, infostates, action)


def random_table(twin: Twin, seed: int) -> dict[str, list[tuple[int, float]]]:
    """A random policy of OpenSpiel's game, three in ten of the probabilities 0."""
    rng = np.random.default_rng(seed)
    table = {}
    for string, (place, *_) in places(twin).items():
        weight = rng.exponential(size=len(place.actions))
        thinned = weight * (rng.random(len(weight)) > 0.3)
        weight = thinned if thinned.any() else weight
        numbers = [number for number, _ in place.actions]
        table[string] = list(zip(numbers, (weight / weight.sum()).tolist(), strict=True))
    return table


def to_ours(twin: Twin, table: dict[str, list[tuple[int, float]]]) -> Array:
    """[node, S, A]: a policy of OpenSpiel's in our public tree."""
    policy = np.zeros(twin.compiled.tree.node_legal.shape)
    for string, of_string in places(twin).items():
        probabilities = dict(table[string])
        for place in of_string:
            for number, action in place.actions:
                policy[place.node, place.infostate, action] = probabilities[number]
    return policy


class SpielValues(NamedTuple):
    """What OpenSpiel says of a policy."""

    value: float  # to player 0
    best_response_values: list[float]
    nash_conv: float


def evaluate(spiel: Any, table: dict[str, list[tuple[int, float]]]) -> SpielValues:
    """OpenSpiel's values of a policy of its game."""
    policy, start = pyspiel.TabularPolicy(table), spiel.new_initial_state()
    value, _ = pyspiel.expected_returns(start, policy, -1, True)
    best = [
        pyspiel.TabularBestResponse(spiel, player, policy).value_from_state(start)
        for player in (0, 1)
    ]
    return SpielValues(value, best, pyspiel.nash_conv(spiel, policy))


def average_policy(twin: Twin, solver: Any, iterations: int) -> Array:
    """[node, S, A]: the average policy of a CFR solver of OpenSpiel's, in C++."""
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return to_ours(twin, solver.tabular_average_policy().policy_table())


def private_chance_file(folder: Path, informed: int) -> Path:
    """A Gambit file where chance privately tells a player something in the middle of the game.

    The informed player goes left or right, which both see; chance draws x or y, which he alone
    sees; he moves again, for both to see, and the other moves last. None of our own games has such
    a draw.
    """
    payoffs = enumerate([3, -2, 0, 4, -1, 5, 2, -4, 1, 1, -3, 2, 6, -5, 0, -1], start=1)
    own, other = 1 + informed, 2 - informed
    lines = ['EFG 2 R "private chance" { "first" "second" }', f'p "" {own} 1 "" {{ "l" "r" }} 0']
    for way, (x, y) in enumerate([("1/4", "3/4"), ("2/3", "1/3")]):
        lines.append(f'c "" {1 + way} "" {{ "x" {x} "y" {y} }} 0')
        for drawn in range(2):
            lines.append(f'p "" {own} {2 + 2 * way + drawn} "" {{ "f" "g" }} 0')
            for moved in range(2):
                lines.append(f'p "" {other} {1 + 2 * way + moved} "" {{ "u" "d" }} 0')
                for _ in "ud":
                    outcome, payoff = next(payoffs)
                    lines.append(f't "" {outcome} "" {{ {payoff} {-payoff} }}')
    file = folder / "private_chance.efg"
    file.write_text("\n".join(lines) + "\n")
    return file
