"""Gardner's chess and that of Los Alamos as Fairy-Stockfish plays them, move by move."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards import chess_rules as rules
from sog.games import make

pyffish = pytest.importorskip("pyffish")

pytestmark = pytest.mark.slow

VARIANTS = {"gardner_chess": "gardner", "los_alamos_chess": "losalamos"}


@pytest.mark.parametrize("name", VARIANTS)
def test_random_games_go_as_those_of_fairy_stockfish(name: str) -> None:
    game: Any = make(name)
    variant, rng = VARIANTS[name], np.random.default_rng(4)
    legal, apply = jax.jit(game.legal_outcomes), jax.jit(game.apply)
    start = pyffish.start_fen(variant)
    assert game.fen(game.root()).split()[:2] == start.split()[:2]
    endings, num_moves = set(), 0
    while num_moves < 3_000:
        state, played = game.root(), list[str]()
        while True:
            actions = {
                game.uci_of_action(state, action): action
                for action in np.flatnonzero(legal(state)).tolist()
            }
            ending = int(state.ending)
            if ending in (rules.GOES_ON, rules.CHECKMATE, rules.STALEMATE):
                assert set(actions) == set(pyffish.legal_moves(variant, start, played))
            if not actions:
                in_check = pyffish.gives_check(variant, start, played)
                if ending in (rules.CHECKMATE, rules.STALEMATE):
                    assert in_check == (ending == rules.CHECKMATE)
                endings.add(ending)
                break
            move = str(rng.choice(sorted(actions)))
            played.append(move)
            state = apply(state, jnp.int32(actions[move]))
            theirs = pyffish.get_fen(variant, start, played).split()
            ours = game.fen(state).split()
            assert (ours[:2], ours[4:]) == (theirs[:2], theirs[4:])
        num_moves += len(played)
    assert {rules.CHECKMATE, rules.TOO_FEW_PIECES} <= endings
