"""Positions that people type: events from the root, or a position of its own."""

from typing import Any, Final

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.play.history import read_history
from sog.play.thinking import first_root, think

MATE: Final = "2k2/5/2K2/5/R4 w - - 0 1"
GAME: Final[Any] = make("gardner_chess")


def test_a_position_of_its_own_is_read_where_that_is_allowed() -> None:
    history = read_history(GAME, f"{MATE} moves Kd3 Kb5", anywhere=True)
    assert not history.is_from_root
    assert GAME.fen(history.beginning) == MATE
    assert history.events == ("c3d3", "c5b5")
    assert GAME.fen(history.state) == "1k3/5/3K1/5/R4 w - - 2 2"


def test_elsewhere_it_is_refused_in_a_line() -> None:
    with pytest.raises(ValueError, match=f"no events lead to '{MATE}', where this begins"):
        read_history(GAME, MATE)


def test_the_usual_start_as_a_position_is_the_root() -> None:
    history = read_history(GAME, "rnbqk/ppppp/5/PPPPP/RNBQK w moves Nc3", anywhere=True)
    assert history.is_from_root
    assert history.beginning is None
    assert history.outcomes == GAME.parse("Nc3")
    assert read_history(make("tic_tac_toe"), "b2", anywhere=True).beginning is None


def test_a_search_begins_with_the_position() -> None:
    history = read_history(GAME, f"{MATE} moves Kd3", anywhere=True)
    root = first_root(GAME, history.path, history.beginning)
    assert GAME.fen(jax.tree.map(lambda leaf: leaf[0], root.state)) == MATE
    assert np.asarray(root.path).tolist() == [list(history.outcomes)]


def test_where_something_is_hidden_a_search_begins_at_the_root() -> None:
    kuhn = make("kuhn")
    with pytest.raises(ValueError, match="only with perfect information can kuhn begin at a given"):
        start_of_game(kuhn, state=kuhn.root())


@pytest.mark.slow
def test_a_search_of_a_position_finds_the_mate() -> None:
    history = read_history(GAME, MATE, anywhere=True)
    found = think(
        GAME,
        evaluator=ZeroEvaluator(),
        root=first_root(GAME, history.path, history.beginning),
        key=jax.random.key(0),
        settings=SearchSettings(num_simulations=30),
    )
    best = int(np.argmax(np.asarray(found.policy)[0, 0]))
    assert GAME.describe_action(history.state, 0, best) == "a1a5"
