"""Positions after so many moves, counted: perft, by which chess programs check their rules.

Counts of the usual board from https://www.chessprogramming.org/Perft_Results, those of smaller
ones from Fairy-Stockfish 11.1.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.chess import AnyChess
from sog.games import make

slow = pytest.mark.slow
CHUNK = 512

POSITIONS = {
    "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "kiwipete": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
    "third": "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
    "fourth": "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -",
    "fifth": "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -",
    "sixth": "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -",
    "gardner": "rnbqk/ppppp/5/PPPPP/RNBQK w",
    "los_alamos": "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w",
}
GAMES = {"gardner": "gardner_chess", "los_alamos": "los_alamos_chess"}
COUNTS = {
    "start": (20, 400, 8_902, 197_281, 4_865_609),
    "kiwipete": (48, 2_039, 97_862, 4_085_603),
    "third": (14, 191, 2_812, 43_238, 674_624, 11_030_083),
    "fourth": (6, 264, 9_467, 422_333, 15_833_292),
    "fifth": (44, 1_486, 62_379, 2_103_487, 89_941_194),
    "sixth": (46, 2_079, 89_890, 3_894_594),
    "gardner": (7, 53, 506, 4_775, 52_512, 572_874),
    "los_alamos": (10, 100, 1_212, 14_332, 191_846, 2_549_164),
}
"""As deep as two minutes allow on two cores."""
AT_ONCE = {"third": 4, "gardner": 5}
"""Others 3."""


def perft(game: AnyChess, fen: str, depth: int) -> list[int]:
    """The numbers of positions after 1 to `depth` moves; those that transpose count each time."""
    legal_outcomes = jax.jit(jax.vmap(game.legal_outcomes))
    count_legal = jax.jit(lambda states: jax.vmap(game.legal_outcomes)(states).sum(axis=1))
    apply = jax.jit(jax.vmap(game.apply))
    counts = np.zeros(depth, np.int64)

    def filled(leaf: np.ndarray) -> np.ndarray:
        return np.concatenate([leaf, np.repeat(leaf[:1], CHUNK - len(leaf), axis=0)])

    def descend(states: Any, level: int) -> None:
        """states: a full chunk or less, `level` moves after the start."""
        size = len(states.num_moves)
        chunk = jax.tree.map(filled, states)
        if level == depth - 1:
            counts[level] += int(np.asarray(count_legal(chunk))[:size].sum())
            return
        parents, actions = np.nonzero(np.asarray(legal_outcomes(chunk))[:size])
        counts[level] += len(parents)
        for begin in range(0, len(parents), CHUNK):
            these = slice(begin, begin + CHUNK)
            size = len(parents[these])
            rows = jax.tree.map(lambda leaf, at=parents[these]: filled(leaf[at]), states)
            moved = apply(rows, jnp.asarray(filled(actions[these]), jnp.int32))
            descend(jax.tree.map(lambda leaf, n=size: np.asarray(leaf)[:n], moved), level + 1)

    descend(jax.tree.map(lambda leaf: np.asarray(leaf)[None], game.from_fen(fen)), 0)
    return counts.tolist()


@pytest.mark.thorough(but=["fourth", "fifth"])
@pytest.mark.parametrize("name", POSITIONS)
def test_positions_are_as_many_as_other_programs_count(name: str) -> None:
    game: Any = make(GAMES.get(name, "chess"))
    depth = AT_ONCE.get(name, 3)
    assert perft(game, POSITIONS[name], depth) == list(COUNTS[name][:depth])


@slow
@pytest.mark.parametrize("name", POSITIONS)
def test_positions_are_as_many_as_other_programs_count_many_moves_later(name: str) -> None:
    game: Any = make(GAMES.get(name, "chess"))
    assert perft(game, POSITIONS[name], len(COUNTS[name])) == list(COUNTS[name])


def test_a_position_has_218_moves() -> None:
    """The most that are known: Petrovic 1964."""
    game: Any = make("chess")
    state = game.from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert game.legal_outcomes(state).sum() == 218 == game.num_decision_outcomes
