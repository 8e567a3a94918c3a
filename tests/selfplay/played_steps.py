"""Self-play a step of a batch at a time; a way of playing is compiled once per file of tests."""

import dataclasses
import functools
from typing import Any

import jax
import numpy as np

from gtcfr.evaluator import Evaluator, NetworkEvaluator, ZeroEvaluator
from gtcfr.packing import pack
from gtcfr.resolving import Summary
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.actor import Decisions, start_games, step_games
from selfplay.settings import SelfplaySettings
from selfplay.world import GameInPlay
from sog.games import Game, make
from sog.tabular import PublicTree

VERSION = 7


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a batch of games, on the host."""

    before: GameInPlay
    decisions: Decisions
    after: GameInPlay
    last: tuple[Summary, Summary]


@functools.cache
def play(
    text: str, search: SearchSettings, settings: SelfplaySettings, steps: int, *, network: bool
) -> tuple[Step, ...]:
    game = make(text)
    evaluator: Evaluator = ZeroEvaluator()
    if network:
        apply_fn, params = make_network(game, NetworkSettings(width=8, depth=1))
        evaluator = NetworkEvaluator(apply_fn=apply_fn, params=params)
    start: Any = jax.jit(functools.partial(start_games, game, search, settings))
    step: Any = jax.jit(functools.partial(step_games, game, search, settings))
    games = start(jax.random.key(100))
    found = []
    for number in range(steps):
        before = jax.device_get(games.worlds)
        games, decisions = step(evaluator, games, np.int32(VERSION), jax.random.key(number))
        found.append(Step(before, *jax.device_get((decisions, games.worlds, games.last))))
    return tuple(found)


def take(structure: Any, number: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[number], structure)


def actors(game: Game[Any], worlds: GameInPlay) -> np.ndarray:
    return np.asarray(jax.vmap(game.actor)(worlds.state))


def nodes_of(tree: PublicTree, packed: Any) -> np.ndarray:
    """The nodes of packed public states [game, width]."""
    numbers = {np.asarray(pack(tree.state(node))).tobytes(): node for node in range(tree.num_nodes)}
    return np.array([numbers[row.tobytes()] for row in np.asarray(packed, np.int32)], np.int32)
