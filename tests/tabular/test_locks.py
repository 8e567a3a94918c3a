"""Strategies that are held fixed: against best responses, the linear program, and by hand."""

import re
from pathlib import Path

import numpy as np
import pytest

from sog.games import make
from sog.tabular import (
    CompiledGame,
    evaluate_policy,
    load_solver,
    save_solver,
    solve,
    solve_lp,
)
from sog.tabular.locks import hold, lock_game, read_locks
from sog.tabular.solve_file import SolveFileError
from tests.tabular.small_games import compiled_game, random_policy, tree_of

GAMES = ("kuhn", "leduc(suit_isomorphism=true)", "ii_goofspiel(cards=3)", "glasses")
KUHN = make("kuhn")


def locked_game(game: str, *texts: str) -> CompiledGame:
    return lock_game(compiled_game(game), read_locks(make(game), texts))


def of_player(game: str, player: int) -> np.ndarray:
    """[node, S] bool: all decisions of a player."""
    tree = tree_of(game)
    return np.asarray((tree.node_actor == player)[:, None] & tree.node_legal.any(axis=-1))


@pytest.mark.thorough(but=["kuhn", "ii_goofspiel"])
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_against_a_player_who_is_locked_everywhere_the_other_responds_best(
    game: str, player: int
) -> None:
    compiled, policy = compiled_game(game), random_policy(tree_of(game), seed=player)
    locked = hold(compiled, of_player(game, player), policy)
    expected = evaluate_policy(compiled, policy).best_response_value[1 - player, 0]
    sign = 1 if player == 1 else -1
    assert sign * solve_lp(locked).value == pytest.approx(expected, abs=1e-9)
    solution = solve(locked, iterations=1000)
    assert sign * solution.last.value == pytest.approx(expected, abs=1e-3)
    assert solution.last.exploitability < 1e-3
    mine = of_player(game, player)
    np.testing.assert_allclose(solution.policy[mine], policy[mine], atol=1e-6)


@pytest.mark.thorough(but=["kuhn", "leduc", "ii_goofspiel"])
@pytest.mark.parametrize("game", GAMES)
def test_with_some_decisions_locked_cfr_finds_the_value_of_the_linear_program(game: str) -> None:
    tree = tree_of(game)
    chosen = np.random.default_rng(7).random(tree.node_legal.shape[:2]) < 0.3
    is_held = chosen & (of_player(game, 0) | of_player(game, 1))
    assert is_held.any()
    policy = random_policy(tree, seed=3)
    locked = hold(compiled_game(game), is_held, policy)
    expected = solve_lp(locked)
    solution = solve(locked, iterations=2000)
    assert solution.last.exploitability < 2e-3
    assert solution.last.value == pytest.approx(expected.value, abs=3e-3)
    for found in (solution.policy, expected.policy):
        np.testing.assert_allclose(found[is_held], policy[is_held], atol=1e-12)


@pytest.mark.thorough
def test_no_member_of_the_family_moves_what_is_locked() -> None:
    locked = locked_game("kuhn", "check: bet1=1")
    expected = solve_lp(locked).value
    for rule in ("cfr", "cfr+", "sog", "linear", "dcfr", "pcfr+"):
        solution = solve(locked, rule=rule, iterations=500)
        assert solution.last.value == pytest.approx(expected, abs=0.01), rule
        node = tree_of("kuhn").child_of_edge[0, 1]
        np.testing.assert_array_equal(solution.policy[node, :, 2], [1, 1, 1])


def test_a_game_without_locks_is_the_same_game() -> None:
    solutions = [solve(one, iterations=100) for one in (compiled_game("kuhn"), locked_game("kuhn"))]
    np.testing.assert_array_equal(solutions[0].policy, solutions[1].policy)


def test_a_solve_is_not_gone_on_with_under_another_lock(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.solve"
    save_solver(path, solve(locked_game("kuhn", "check: bet1=1"), iterations=10).solver)
    again = locked_game("kuhn", "check: bet1=1")
    assert load_solver(path, again).iteration == 10
    for other in (locked_game("kuhn", "check: check=1"), compiled_game("kuhn")):
        with pytest.raises(SolveFileError, match="is a solve of kuhn"):
            load_solver(path, other)


def test_rows_are_of_all_infostates_or_of_one_and_later_ones_count() -> None:
    (lock,) = read_locks(KUHN, ["check: check=0.25 bet1=0.75; K bet1=1; J check=1"])
    assert (lock.outcomes, lock.player) == ((1,), 1)
    np.testing.assert_array_equal(lock.is_held, [True, True, True])
    np.testing.assert_array_equal(lock.policy[:, 1:3], [[1, 0], [0.25, 0.75], [0, 1]])
    (lock,) = read_locks(KUHN, [": K bet1=1"])
    assert (lock.outcomes, lock.player) == ((), 0)
    np.testing.assert_array_equal(lock.is_held, [False, False, True])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["check bet1"], "must look like 'HISTORY: [INFOSTATE] ACTION=PROBABILITY ...; ...', got"),
        (["check: K check=0.5 check=0.5"], "names an action twice, in 'K check=0.5 check=0.5'"),
        (["check: bet1=0.5"], "the probabilities of an infostate must sum to 1, got 0.5 for 'J'."),
        (["check: call=1"], "action 'call' is none of those there: 1 check, 2 bet1."),
        (["check: bet1=2"], "probability must be a number from 0 to 1, got '2'."),
        (["check check: bet1=1"], "no player acts at 'check check"),
        (
            ["check: bet1=1", "check: K check=1"],
            "'check: K check=1' is of a public state that is locked already.",
        ),
    ],
)
def test_what_is_no_lock_is_refused_in_one_line(texts: list[str], expected: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(expected)) as caught:
        read_locks(KUHN, texts)
    assert "\n" not in str(caught.value)


def test_what_was_rounded_to_three_digits_is_scaled() -> None:
    (lock,) = read_locks(KUHN, ["check: check=0.333 bet1=0.666"])
    np.testing.assert_allclose(lock.policy.sum(axis=-1), 1, atol=1e-12)
