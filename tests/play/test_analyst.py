"""Thinking about one position after another, and what is told of each move."""

import dataclasses
import math
import threading
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.boards.thinker import AgentThinker, thinker_of
from sog.games import make
from sog.kept_programs import compile_quickly, keep_in
from sog.play.analyst import COMPILES, Analyst
from sog.play.game_in_progress import Position
from sog.play.principal_variation import Lines, _Moves, read_lines
from sog.play.simple_agents import RandomAgent
from sog.play.thinking import Thinking, first_root
from tests.compilations import compiled_programs
from tests.play.line_games import TIC_TAC_TOE

GAME = make("tic_tac_toe")
SETTINGS = SearchSettings(num_simulations=300)


@pytest.fixture(scope="module")
def analyst() -> Analyst:
    return Analyst(GAME, ZeroEvaluator(), SETTINGS, most=300)


def test_moves_are_ordered_by_their_policy_and_only_then_by_visits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing: Any = np.zeros(4)
    found = _Moves(
        is_listed=np.array([True, True, True, False]),  # type: ignore[arg-type]
        policy=np.array([0.2, 0.4, 0.4, 0]),  # type: ignore[arg-type]
        visits=np.array([9, 1, 5, 0]),  # type: ignore[arg-type]
        prior=nothing,
        values=nothing,
        events=nothing[:, None],
        value=nothing,
        actor=nothing[0],
    )
    monkeypatch.setattr("sog.play.principal_variation._read_moves", lambda *_: found)
    result: Any = None
    assert read_lines(GAME, result).actions.tolist() == [2, 1, 0]


def position(text: str) -> Position:
    found = Position.of(GAME)
    for outcome in GAME.parse(text):
        found = found.after(GAME, outcome)
    return found


def found(analyst: Analyst, text: str, simulations: int = 300) -> Lines:
    analyst.forget()
    analyst.think(position(text), simulations, lambda: math.inf)
    lines = analyst.lines()
    assert lines is not None
    return lines


@pytest.mark.thorough
def test_every_move_is_told_with_its_visits_and_the_best_comes_first(analyst: Analyst) -> None:
    """X has a3 and b3, O has a2 and b2: c3 wins."""
    lines = found(analyst, "XX./OO./...")
    assert sorted(lines.actions.tolist()) == [2, 5, 6, 7, 8]
    assert lines.actions[0] == 2
    assert (lines.line(0), lines.num_visits) == ([2], 300)
    assert lines.value == pytest.approx(1, abs=0.02)
    assert lines.values[0] == 1  # the end of the game is no estimate
    assert lines.policy.sum() == pytest.approx(1, abs=1e-5)
    assert (np.diff(lines.policy) <= 0).all()
    assert lines.prior == pytest.approx(np.full(5, 0.2), abs=1e-3)


@pytest.mark.thorough
def test_a_line_goes_on_to_the_end_of_the_game(analyst: Analyst) -> None:
    """By exhaustive search in plain Python: each move is the only one that does not lose."""
    forced = [1, 2, 6, 3, 5]
    lines = found(analyst, "X../.O./.OX")
    assert lines.line(0) == forced
    assert analyst.line() == forced
    assert (analyst.value(0), analyst.value(1)) == pytest.approx((0, 0), abs=0.1)
    found(analyst, "XX./OO./...")
    assert analyst.line() == [2]
    assert (analyst.value(0), analyst.value(1)) == pytest.approx((1, -1), abs=0.02)


def test_values_are_those_of_best_play_where_few_moves_are_left(analyst: Analyst) -> None:
    """By exhaustive search in plain Python: X wins, can only draw, and loses."""
    for text in ("XOX/OXO/...", "OXX/XO./O..", "XOX/OOX/X.."):
        here = position(text)
        stones = np.asarray(here.state.board).reshape(3, 3)
        mover = len(here.outcomes) % 2
        sides = tuple(
            frozenset((row, column) for row, column in np.argwhere(stones == player).tolist())
            for player in (mover, 1 - mover)
        )
        exact = {
            action: -TIC_TAC_TOE.value(after)
            for action, after in TIC_TAC_TOE.moves((sides[0], sides[1]))
        }
        lines = found(analyst, text)
        told = dict(zip(lines.actions.tolist(), lines.values.tolist(), strict=True))
        best = int(lines.actions[0])
        assert told.keys() == exact.keys()
        assert exact[best] == max(exact.values())
        assert told[best] == pytest.approx(exact[best], abs=0.1)


@pytest.mark.thorough
def test_lines_are_those_of_the_search_itself() -> None:
    root = first_root(GAME, np.array([GAME.parse("X../.O./...")], np.int32))
    thinking = Thinking(
        GAME, evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0), settings=SETTINGS
    )
    thinking.go()
    result = thinking.read()
    lines = read_lines(GAME, result)
    policy = np.asarray(result.policy)[0, 0]
    assert lines.policy == pytest.approx(policy[lines.actions], abs=1e-6)
    assert lines.value == pytest.approx(float(result.values[0, 0, 0]), abs=1e-6)


@pytest.mark.thorough
def test_the_tree_below_what_was_played_is_kept(analyst: Analyst) -> None:
    before = found(analyst, "a3 b2")
    best, reply = before.line(0)[:2]
    start = position("a3 b2")
    later = start.after(GAME, best).after(GAME, reply)
    analyst.think(later, 1, lambda: math.inf)
    kept = analyst.lines()
    analyst.forget()
    analyst.think(later, 1, lambda: math.inf)
    fresh = analyst.lines()
    assert kept is not None
    assert fresh is not None
    assert fresh.num_visits == 1
    assert 1 < kept.num_visits <= before.visits[0]
    assert sorted(kept.actions.tolist()) == sorted(fresh.actions.tolist())


def test_it_thinks_until_it_is_told_to_end_and_finds_something_at_once(analyst: Analyst) -> None:
    told = iter([math.inf, math.inf, 0.0])
    analyst.forget()
    analyst.think(position("a3"), None, lambda: next(told))
    lines = analyst.lines()
    assert lines is not None
    assert 1 <= lines.num_visits < 300
    analyst.forget()
    assert analyst.lines() is None
    analyst.think(position("a3"), None, lambda: 0.0)
    assert analyst.best() in range(1, 9)


def test_a_tree_that_would_grow_early_grows_throughout() -> None:
    early = dataclasses.replace(SETTINGS, num_simulations=8, growth_share=0.25)
    analyst = Analyst(GAME, ZeroEvaluator(), early, most=8)
    analyst.think(Position.of(GAME), None, lambda: math.inf)
    assert analyst.num_simulations == 8


def test_a_position_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^there is no such move at 'X\.\./\.\.\./\.\.\. "):
        Position.of(GAME).after(GAME, 0).after(GAME, 0)


def test_hidden_information_is_not_analyzed() -> None:
    with pytest.raises(ValueError, match=r"^only perfect information can be analyzed so, which ku"):
        Analyst(make("kuhn"), ZeroEvaluator(), SETTINGS, most=10)


def test_whoever_does_not_search_is_asked_for_a_move() -> None:
    made = thinker_of(
        GAME, lambda player, seed: RandomAgent(GAME, player=player, seed=seed), most=9
    )
    assert isinstance(made, AgentThinker)
    for text in ("a3", "a3 b2 c1", "a3 b2", ""):
        here = position(text)
        made.think(here, None, lambda: math.inf)
        assert here.after(GAME, made.best())


def test_another_game_is_played_with_other_random_numbers() -> None:
    def make_random(player: int, seed: int) -> RandomAgent:
        return RandomAgent(GAME, player=player, seed=seed)

    agent_thinker, chosen = AgentThinker(GAME, make_random), set()
    for _ in range(20):
        agent_thinker.think(Position.of(GAME), None, lambda: math.inf)
        chosen.add(agent_thinker.best())
        agent_thinker.forget()
    assert len(chosen) > 4


def test_a_first_search_runs_as_a_draft_while_a_thread_compiles_and_the_next_process_needs_none(
    tmp_path: Path,
) -> None:
    """Nothing is searched before, and no search compiles."""
    keep_in(tmp_path)
    compile_quickly(True)
    made = Analyst(GAME, ZeroEvaluator(), SearchSettings(num_simulations=40), most=40)
    try:
        made.prepare()
        assert made._thinking is None
        (thread,) = (one for one in threading.enumerate() if one.name == COMPILES)
        is_draft = made.is_draft
        made.think(position("b2"), 20, lambda: math.inf)
        thread.join()
        with compiled_programs() as programs:
            draft, lines = made._thinking, made.lines()
            made.think(position("b2 a1"), 20, lambda: math.inf)
        assert is_draft
        assert not made.is_draft
        assert lines is not None
        assert not {"jit(begin)", "jit(advance)", "jit(reuse_subtree)"} & {*programs}
        assert made._thinking is draft  # the tree is kept
        other = Analyst(GAME, ZeroEvaluator(), SearchSettings(num_simulations=40), most=40)
        other.prepare()
        assert not other.is_draft
    finally:
        made.close()
        compile_quickly(False)
        keep_in(None)
