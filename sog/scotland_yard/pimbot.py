"""PimBot's search for Scotland Yard, the opponent in Student of Games."""

import dataclasses
import math
import random
from typing import Any, ClassVar, Final

import numpy as np

from sog.games.core import PLAYER_0, TERMINAL, Game, param
from sog.play.arena import AgentFactory
from sog.play.plain_agent import PlainAgent, PlainSearch, Simulations, seconds_param
from sog.players.method import Method
from sog.players.player import Host
from sog.scotland_yard.game import ScotlandYard
from sog.scotland_yard.plain import NOBODY, Move, Roads, YardWorld
from sog.scotland_yard.rules import DETECTIVES_WIN, MR_X_WINS

CATEGORIES: Final = 5
"""Distances to the nearest detective; the last one includes all larger ones."""
_LIKELIHOOD: Final[dict[str, tuple[float, ...]]] = {
    "glasses": (0.594, 1, 0.861, 1, 1),
    "quarter": (0.073, 0.906, 0.167, 1, 1),
    "london": (0.074, 0.614, 0.403, 0.375, 0.143),
}
"""By map: frequency of Mr X at each distance from the nearest detective (1, 2, ..., 5 or more) when
possible, in games of PimBot without these weights against itself (section V.B of the paper); 1
where that never occurred."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PimBot(Method):
    """Determinized tree search for Scotland Yard (Nijssen and Winands 2012), known as PimBot.

    Each simulation of the detectives samples a possible station of Mr X: first a category by the
    distance to the nearest detective, in proportion to its frequency, then a station in it. All
    simulations share one tree, in which UCT selects among the legal moves. Playouts are
    epsilon-greedy: detectives approach Mr X, Mr X avoids the nearest one. A detective is rewarded
    less for another's catch (coalition reduction). The most visited move is played. Not
    implemented: progressive history, and heuristics for black tickets and double moves.
    """

    name = "pimbot"
    paper: ClassVar[str] = "Nijssen and Winands 2012, Hide-and-Seek Game Scotland Yard"

    c: float = param(0.5, "exploration; results are in [0, 1]", minimum=0)
    epsilon: float = param(0.2, "share of random moves in playouts", minimum=0, maximum=1)
    reduction: float = param(
        0.1, "reward that a detective loses by another's catch", minimum=0, maximum=1
    )
    categories: bool = param(True, "whether distances of Mr X are weighted by frequency")
    seconds: float = seconds_param()
    budget: int = param(1000, "simulations per move", minimum=1, maximum=2**31 - 1)

    def check(self, game: Game[Any]) -> None:
        """Requires Scotland Yard."""
        if not isinstance(game, ScotlandYard):
            raise ValueError(
                f"a game of Scotland Yard is needed (glasses, quarter, london or scotland_yard), "
                f"which {game.name} is not."
            )

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that share the map."""
        assert isinstance(game, ScotlandYard)
        roads = Roads(game)
        return lambda player, seed: PlainAgent(
            game, PimBotSearch(self, game, roads, seed), player=player
        )


class PimBotSearch(PlainSearch):
    """Builds a new tree at every move."""

    def __init__(self, method: PimBot, game: ScotlandYard, roads: Roads, seed: int) -> None:
        """roads: the game's."""
        weights = CATEGORIES * (1.0,)
        self._weights = _LIKELIHOOD.get(game.map, weights) if method.categories else weights
        self._method, self._roads, self.source = method, roads, random.Random(seed)

    def reset(self, seed: int | None = None) -> None:
        """Reseeds; nothing else is kept."""
        if seed is not None:
            self.source = random.Random(seed)

    def at(self, state: Any, player: int, infostate: int, num_actions: int) -> list[float]:
        """1 for the most visited move. infostate: Mr X's station, if Mr X searches."""
        places = [infostate]
        if player != PLAYER_0:
            places = np.flatnonzero(np.asarray(state.possible)).tolist()
        world = self._roads.world(state, (places[0], 0), self.source)
        where = Whereabouts(self._roads, world.stations, places, self._weights)
        root = search(world, where, self._method, self.source)
        best = max(root.children, key=lambda action: root.children[action].visits)
        return [float(move[0] == best) for move in world.actions()]

    def choose(self, policy: np.ndarray) -> int:
        """Takes the move of probability 1."""
        return int(np.argmax(policy))


def category(roads: Roads, stations: list[int], place: int) -> int:
    """0 for a station next to a detective, and so on; the last category for all far ones."""
    nearest = min(roads.distance[station][place] for station in stations)
    return min(max(nearest, 1), CATEGORIES) - 1


class Whereabouts:
    """Samples stations of Mr X by category (section V.B)."""

    def __init__(
        self, roads: Roads, stations: list[int], places: list[int], weights: tuple[float, ...]
    ) -> None:
        groups: dict[int, list[int]] = {}
        for place in places:
            groups.setdefault(category(roads, stations, place), []).append(place)
        self._groups = list(groups.values())
        self._weights = [weights[number] for number in groups]

    def draw(self, source: random.Random) -> int:
        """Samples a station."""
        if len(self._groups) == 1:
            return source.choice(self._groups[0])
        (group,) = source.choices(self._groups, self._weights)
        return source.choice(group)


class PimBotNode:
    """The node after a move, shared by all worlds."""

    __slots__ = ("children", "reward", "visits")

    def __init__(self) -> None:
        self.visits, self.reward = 0, 0.0  # the reward of the player of the move
        self.children: dict[int, PimBotNode] = {}


def search(
    world: YardWorld, where: Whereabouts, method: PimBot, source: random.Random
) -> PimBotNode:
    """The tree after all simulations; its root is the world's player to move."""
    root = PimBotNode()
    for _ in Simulations(method.budget, method.seconds):
        _simulate(root, world.copy(where.draw(source)), method, source)
    return root


def _simulate(root: PimBotNode, world: YardWorld, method: PimBot, source: random.Random) -> None:
    node, path = root, [(root, NOBODY)]
    expanded = False
    while world.player != TERMINAL and not expanded:
        moves = world.actions()
        untried = [move for move in moves if move[0] not in node.children]
        expanded = bool(untried)
        move = source.choice(untried) if untried else _best_by_ucb(node, moves, method.c)
        node = node.children.setdefault(move[0], PimBotNode())
        path.append((node, world.turn))
        world.play(move)
    while world.player != TERMINAL:
        world.play(_playout_move(world, method.epsilon, source))
    mr_x = len(world.stations)
    for visited, mover in path:
        visited.visits += 1
        visited.reward += _reward(world, mover, mr_x, method.reduction)


def _best_by_ucb(node: PimBotNode, moves: list[Move], c: float) -> Move:
    log = math.log(node.visits)

    def bound(move: Move) -> float:
        child = node.children[move[0]]
        return child.reward / child.visits + c * math.sqrt(log / child.visits)

    return max(moves, key=bound)


def _playout_move(world: YardWorld, epsilon: float, source: random.Random) -> Move:
    moves = world.actions()
    if len(moves) == 1:
        return moves[0]
    if source.random() < epsilon:
        return source.choice(moves)
    distance = world.roads.distance
    if world.player == PLAYER_0:
        scores = [min(distance[s][move[1]] for s in world.stations) for move in moves]
    else:
        to_mr_x = distance[world.mr_x]
        scores = [-to_mr_x[move[1]] for move in moves]
    most = max(scores)
    return source.choice([m for m, score in zip(moves, scores, strict=True) if score == most])


def _reward(world: YardWorld, mover: int, mr_x: int, reduction: float) -> float:
    """The mover's reward, from 0 to 1."""
    if mover == mr_x:
        return float(world.winner == MR_X_WINS)
    if world.winner != DETECTIVES_WIN:
        return 0.0
    return 1.0 if world.catcher in (mover, NOBODY) else 1.0 - reduction
