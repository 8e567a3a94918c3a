"""Mistakes of a player of Connect Four by phase of the game, against perfect play.

Example:
    python scripts/mistakes.py agent:connect_four --games 50

The player plays itself from random openings, so that all phases occur and no two games are alike.
BitBully (AGPL, in the extra `bench`) says who wins after each action: a decision is a mistake if
another action is better. The share of mistakes is among decisions whose actions differ in value.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import numpy as np
from shared import script_parser

from sog.games.core import Game
from sog.numbers import positive_integer
from sog.play.batched_games import play_batched
from sog.play.game_in_progress import GameInProgress, PlayedGame
from sog.play.history import Opening
from sog.play.match import play_stepwise
from sog.play.rules import after, first_state, situation
from sog.players.seating import seat

GAME: Final = "connect_four"
_BATCH: Final = 32
_ALIKE: Final = 1e-6


def _opening(game: Game[Any], most: int, rng: random.Random) -> list[int]:
    """Up to `most` random moves that do not end the game."""
    while True:
        state, line = first_state(game), list[int]()
        for _ in range(rng.randint(0, most)):
            legal = np.flatnonzero(situation(game, state).legal_outcomes).tolist()
            if not legal:
                break
            line.append(rng.choice(legal))
            state = after(game, state, line[-1])
        if situation(game, state).legal_outcomes.any():
            return line


def bitbully_solver() -> Callable[[Sequence[int]], dict[int, int]]:
    """A function from the columns played to 1, 0 or -1 for each legal column: who wins after it."""
    import bitbully

    solver = bitbully.BitBully()

    def solve(line: Sequence[int]) -> dict[int, int]:
        board = bitbully.Board()
        for column in line:
            board.play(column)
        scores = dict(solver.score_all_moves(board))
        return {int(column): int(np.sign(score)) for column, score in scores.items()}

    return solve


def main() -> int:
    """Prints a line of JSON for each phase."""
    parser = script_parser(__doc__)
    parser.add_argument("player", metavar="PLAYER", help="as for sog match")
    parser.add_argument(
        "--search", metavar="S,C", help="its simulations and simulations per update"
    )
    parser.add_argument("--games", type=positive_integer, default=50, metavar="N")
    parser.add_argument("--opening", type=int, default=8, help="random moves at most")
    parser.add_argument("--phase", type=positive_integer, default=6, help="moves of a phase")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    try:
        _measure(arguments)
    except (ImportError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


def _measure(arguments: argparse.Namespace) -> None:
    solver = bitbully_solver()
    seating = seat([arguments.player], game=GAME, search=arguments.search)
    game, (player,) = seating.game, seating.players
    rng, begun = random.Random(arguments.seed), list[int]()

    def played_game(number: int) -> Any:
        opening = _opening(game, arguments.opening, rng)
        begun.append(len(opening))
        agents = [player.make(seat, 2 * number + seat) for seat in (0, 1)]
        begins = Opening(outcomes=tuple(opening))
        return play_stepwise(GameInProgress.dealt(game, jax.random.key(number), begins), agents)

    played: list[PlayedGame] = list(
        play_batched((played_game(number) for number in range(arguments.games)), _BATCH)
    )
    decisions = [
        (one.outcomes[:ply], one.outcomes[ply])
        for one, first in zip(played, begun, strict=True)
        for ply in range(first, len(one.outcomes))
    ]
    phases = dict[int, list[tuple[float, float]]]()
    for line, action in decisions:
        worth = solver(line)
        best = max(worth.values())
        lost_and_risked = best - worth[action], best - min(worth.values())
        phases.setdefault(len(line) // arguments.phase, []).append(lost_and_risked)
    for phase, found in sorted(phases.items()):
        lost, risked = np.array(found).T
        at_stake = risked > _ALIKE
        wrong = int((lost > _ALIKE).sum())
        line_of = {
            "moves": f"{phase * arguments.phase + 1}-{(phase + 1) * arguments.phase}",
            "decisions": len(lost),
            "at_stake": int(at_stake.sum()),
            "mistakes": wrong,
            "mistakes_per_decision_at_stake": wrong / max(int(at_stake.sum()), 1),
            "lost_per_decision": float(lost.mean()),
        }
        print(json.dumps({"player": player.name, "game": str(game), **line_of}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
