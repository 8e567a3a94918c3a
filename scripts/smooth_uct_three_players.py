"""UCT and Smooth UCT for three players: Kuhn poker with four cards, by OpenSpiel's rules.

Heinrich and Silver (2015) play limit hold'em with three; this is the smallest game for their
Algorithms 1 and 2 with more than two players. The project's games have two players, so this script
is separate, in plain Python. Needs the extra `openspiel`.

Example:
    python scripts/smooth_uct_three_players.py --episodes 1000000 --runs 4

Prints NashConv, the sum over players of the gain of a best response to the others, in chips.
"""

import dataclasses
import json
import math
import random
import statistics
import time
from pathlib import Path
from typing import Any, Final

import pyspiel
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import exploitability
from shared import provenance, script_parser

GAME: Final = "kuhn_poker(players=3)"
PLAYERS: Final = 3
C: Final = 2.0
ETA: Final = 0.9
GAMMA: Final = 0.1
D: Final = 0.002


@dataclasses.dataclass(frozen=True, kw_only=True)
class Node:
    """A history: chance deals (no infostate), a player acts, or the game is over (no children)."""

    player: int
    infostate: str
    actions: tuple[int, ...]
    children: tuple["Node", ...]
    returns: tuple[float, ...]


@dataclasses.dataclass(kw_only=True)
class Statistics:
    """N(u, a) and Q(u, a) of an infostate."""

    visits: list[int]
    values: list[float]


def whole_tree(state: Any) -> Node:
    """All histories below a state of OpenSpiel."""
    if state.is_terminal():
        return Node(player=-1, infostate="", actions=(), children=(), returns=(*state.returns(),))
    actions = tuple(state.legal_actions())
    is_chance = state.is_chance_node()
    return Node(
        player=-1 if is_chance else state.current_player(),
        infostate="" if is_chance else state.information_state_string(),
        actions=actions,
        children=tuple(whole_tree(state.child(action)) for action in actions),
        returns=(),
    )


class SelfPlay:
    """A tree per player, and self-play with them (Algorithm 1)."""

    def __init__(self, root: Node, smooth: bool, seed: int) -> None:
        self._root, self._smooth, self._random = root, smooth, random.Random(seed)
        self.table: dict[str, Statistics] = {}

    def play(self) -> None:
        """One game: SEARCH, SIMULATE and UPDATE."""
        node, is_out = self._root, [False] * PLAYERS
        steps: list[tuple[Statistics, int, int]] = []
        while node.children:
            if node.player < 0:  # the remaining cards are equally likely
                node = self._random.choice(node.children)
                continue
            known, count = self.table.get(node.infostate), len(node.actions)
            if known is None and not is_out[node.player]:
                is_out[node.player] = True  # the infostate joins the tree; random play from here
                known = self.table[node.infostate] = Statistics(
                    visits=[0] * count, values=[0.0] * count
                )
                choice = self._random.randrange(count)
                steps.append((known, choice, node.player))
            elif known is None or is_out[node.player]:
                choice = self._random.randrange(count)
            else:
                choice = self._select(known)
                steps.append((known, choice, node.player))
            node = node.children[choice]
        for known, choice, player in steps:
            known.visits[choice] += 1
            gain = node.returns[player] - known.values[choice]
            known.values[choice] += gain / known.visits[choice]

    def _select(self, known: Statistics) -> int:
        """SELECT of Algorithm 2; with eta = 1 that of UCT."""
        total = sum(known.visits)
        greediness = max(GAMMA, ETA / (1 + D * math.sqrt(total))) if self._smooth else 1.0
        if self._random.random() >= greediness:
            return self._random.choices(range(len(known.visits)), known.visits)[0]
        scores = [
            value + C * math.sqrt(math.log(total) / visits) if visits else math.inf
            for visits, value in zip(known.visits, known.values, strict=True)
        ]
        best = max(scores)
        return self._random.choice([n for n, score in enumerate(scores) if score == best])

    def policy(self, game: Any) -> spiel_policy.TabularPolicy:
        """Visit frequencies; uniform if unvisited."""
        policy = spiel_policy.TabularPolicy(game)
        for infostate, known in self.table.items():
            row = policy.policy_for_key(infostate)
            total = sum(known.visits)
            for action, visits in enumerate(known.visits):  # both actions are always legal
                row[action] = visits / total
        return policy


def nash_conv(game: Any, policy: spiel_policy.TabularPolicy) -> float:
    """The sum over players of the gain of a best response."""
    return float(exploitability.nash_conv(game, policy))


def main() -> None:
    """Runs both methods."""
    parser = script_parser(__doc__)
    parser.add_argument("--episodes", type=int, default=1_000_000, help="games of each run")
    parser.add_argument("--runs", type=int, default=4, help="independent runs")
    parser.add_argument("--json-out", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.episodes < 1 or arguments.runs < 1:
        parser.error("--episodes and --runs must be >= 1")
    game = pyspiel.load_game(GAME)
    root = whole_tree(game.new_initial_state())
    marks = [10**power for power in range(3, 12) if 10**power < arguments.episodes]
    found_by: dict[str, dict[int, list[float]]] = {}
    report = {**provenance(), "game": GAME, "runs": arguments.runs, "nash_conv": found_by}
    for name, smooth in (("UCT", False), ("Smooth UCT", True)):
        began = time.perf_counter()
        runs = [SelfPlay(root, smooth, n) for n in range(arguments.runs)]
        done = 0
        for mark in (*marks, arguments.episodes):
            for run in runs:
                for _ in range(mark - done):
                    run.play()
            done = mark
            found = [nash_conv(game, run.policy(game)) for run in runs]
            found_by.setdefault(name, {})[mark] = found
            error = statistics.stdev(found) / len(found) ** 0.5 if len(found) > 1 else 0
            seconds = time.perf_counter() - began
            print(
                f"{name}: {mark:,} games, NashConv {statistics.mean(found):.4f} +- {error:.4f}, "
                f"{seconds:.0f} s",
                flush=True,
            )
    if arguments.json_out:
        arguments.json_out.write_text(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
