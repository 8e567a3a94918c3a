"""Mistakes of a player by phase of the game, against perfect play.

Example:
    python scripts/mistakes.py agent:connect_four --oracle bitbully --games 50
    python scripts/mistakes.py runs/hex5 --oracle hex --games 100 --opening 4
    python scripts/mistakes.py runs/othello6 --games 50 --opening 12

The player plays itself from random openings, so that all phases occur and no two games are alike.
Every decision is compared with the values of actions under perfect play: it is a mistake if another
action is better. The share of mistakes is among decisions whose actions differ in value. `exact` is
this project's backward induction, which reaches the last moves of a game (earlier decisions are not
judged); `hex` its solver of Hex up to 5 x 5; `bitbully` (AGPL, in the extra `bench`) solves Connect
Four.
"""

import argparse
import itertools
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import jax
import numpy as np
from shared import game_text, script_parser

from sog.boards.hex import Hex
from sog.boards.hex_solver import HexSolver
from sog.cli.compilation_cache import use_compilation_cache
from sog.games.core import Game
from sog.numbers import positive_integer
from sog.play.batched_games import play_batched
from sog.play.game_in_progress import GameInProgress, PlayedGame
from sog.play.history import Opening
from sog.play.match import play_stepwise
from sog.play.rules import after, first_state, situation
from sog.players.seating import seat
from sog.tabular.perfect_play import TooManyPositionsError, perfect_values

_BATCH: Final = 32
_ALIKE: Final = 1e-6
_TOGETHER: Final = 16
"""Positions solved in one batch."""

Line = tuple[int, ...]
"""Public events from the start of a game."""
Decision = tuple[Line, int]
"""The position, and the action taken."""


class Worth(NamedTuple):
    """Values of actions, to the player to move."""

    best: float
    taken: float
    worst: float


Oracle = Callable[[Game[Any], Sequence[Decision]], list[Worth | None]]
"""Judges decisions; None for a decision that it cannot judge."""


def exact(game: Game[Any], decisions: Sequence[Decision]) -> list[Worth | None]:
    """Judges the last decisions of a game, as far back as memory allows."""
    found = dict[int, Worth]()
    for part in _parts_of_one_length(decisions):
        states = [jax.device_get(_state(game, decisions[number][0])) for number in part]
        try:
            values = perfect_values(game, jax.tree.map(lambda *leaves: np.stack(leaves), *states))
        except TooManyPositionsError:
            break  # earlier ones are larger still
        for number, row in zip(part, values, strict=True):
            found[number] = _worth(row, decisions[number][1])
    return [found.get(number) for number in range(len(decisions))]


def _parts_of_one_length(decisions: Sequence[Decision]) -> Iterator[list[int]]:
    """The indices of decisions, latest first, in batches of equal length."""
    by_length = itertools.groupby(_longest_first(decisions), lambda n: len(decisions[n][0]))
    for _, group in by_length:
        numbers = list(group)
        for start in range(0, len(numbers), _TOGETHER):
            yield numbers[start : start + _TOGETHER]


def bitbully(game: Game[Any], decisions: Sequence[Decision]) -> list[Worth | None]:
    """Judges all decisions of Connect Four: win, draw or loss."""
    import bitbully

    if str(game) != "connect_four(rows=6,columns=7,run_length=4)":
        raise ValueError(f"bitbully solves only connect_four, got {game}.")
    solver, found = bitbully.BitBully(), list[Worth | None]()
    for line, action in decisions:
        board = bitbully.Board()
        for column in line:
            board.play(column)
        values = np.full(game.num_actions, np.nan)
        for column, score in dict(solver.score_all_moves(board)).items():
            values[column] = np.sign(score)
        found.append(_worth(values, action))
    return found


def perfect_hex(game: Game[Any], decisions: Sequence[Decision]) -> list[Worth | None]:
    """Judges Hex on small boards; values only the cells needed to find whether an action lost."""
    if not isinstance(game, Hex) or game.swap:
        raise ValueError(f"the solver of Hex needs hex without swap, got {game}.")
    solver, found = HexSolver(game.size), dict[int, Worth]()

    def worth_of(line: Line) -> float:
        """The value to the player who made the last move."""
        return -1.0 if solver.wins_after(line) else 1.0

    for number in _longest_first(decisions):  # later positions are cached for earlier ones
        line, action = decisions[number]
        best = -worth_of(line)
        taken = worth_of((*line, action)) if best > 0 else best
        worst = taken
        if best > 0 and taken > 0:  # looks for a losing cell
            free = (cell for cell in range(game.size**2) if cell not in {*line, action})
            worst = next((-1.0 for cell in free if worth_of((*line, cell)) < 0), 1.0)
        found[number] = Worth(best, taken, worst)
    return [found[number] for number in range(len(decisions))]


def _worth(values: np.ndarray, action: int) -> Worth:
    """values: [A], NaN for illegal actions."""
    return Worth(float(np.nanmax(values)), float(values[action]), float(np.nanmin(values)))


def _longest_first(decisions: Sequence[Decision]) -> list[int]:
    return sorted(range(len(decisions)), key=lambda number: -len(decisions[number][0]))


ORACLES: Final[dict[str, Oracle]] = {"exact": exact, "bitbully": bitbully, "hex": perfect_hex}


def _state(game: Game[Any], line: Sequence[int]) -> Any:
    state = first_state(game)
    for event in line:
        state = after(game, state, event)
    return state


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


def main() -> int:
    """Prints a line of JSON for each phase."""
    parser = script_parser(__doc__)
    parser.add_argument("player", metavar="PLAYER", help="as for sog match")
    parser.add_argument("--game", type=game_text, help="for a player of any game")
    parser.add_argument(
        "--search", metavar="S,C", help="its simulations and simulations per update"
    )
    parser.add_argument("--oracle", choices=ORACLES, default="exact")
    parser.add_argument("--games", type=positive_integer, default=50, metavar="N")
    parser.add_argument("--opening", type=int, default=8, help="random moves at most")
    parser.add_argument("--phase", type=positive_integer, default=6, help="moves of a phase")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    use_compilation_cache()
    try:
        _measure(arguments)
    except (ImportError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


def _measure(arguments: argparse.Namespace) -> None:
    seating = seat([arguments.player], game=arguments.game, search=arguments.search)
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
    unknown = dict[int, int]()
    judged = ORACLES[arguments.oracle](game, decisions)
    for (line, _), worth in zip(decisions, judged, strict=True):
        phase = len(line) // arguments.phase
        if worth is None:
            unknown[phase] = unknown.get(phase, 0) + 1
            continue
        phases.setdefault(phase, []).append((worth.best - worth.taken, worth.best - worth.worst))
    for phase in sorted({*phases, *unknown}):
        lost, risked = np.array(phases.get(phase, [])).reshape(-1, 2).T
        at_stake = risked > _ALIKE
        wrong = int((lost > _ALIKE).sum())
        line_of = {
            "moves": f"{phase * arguments.phase + 1}-{(phase + 1) * arguments.phase}",
            "decisions": len(lost),
            "at_stake": int(at_stake.sum()),
            "mistakes": wrong,
            "mistakes_per_decision_at_stake": wrong / max(int(at_stake.sum()), 1),
            "lost_per_decision": float(lost.mean()) if len(lost) else 0.0,
            "not_judged": unknown.get(phase, 0),
        }
        print(json.dumps({"player": player.name, "game": str(game), **line_of}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
