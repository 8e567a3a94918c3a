"""What cannot be searched is refused before the search, or named after it; never silent garbage."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.root import NO_EVENT, SearchRoot, check_root, start_of_game
from gtcfr.search import SearchResult, begin, check_result
from gtcfr.settings import SearchSettings
from sog.games import Game, make
from sog.pytree import pytree
from tests.games.random_plays import state_after
from tests.gtcfr.grown_trees import run_search

KUHN = make("kuhn")
CHECK, BET = 1, 2


def kuhn_root(**changes: Any) -> SearchRoot:
    return dataclasses.replace(start_of_game(KUHN, batch_size=2), **changes)


def ranges(*rows: list[float]) -> jax.Array:
    """[batch, player, S]: two searches, both players; the last row is for player 1 of search 1."""
    even = [1 / 3, 1 / 3, 1 / 3]
    return jnp.array([[even, even], [even, rows[0]] if len(rows) == 1 else list(rows)])


def test_a_root_as_it_should_be_is_accepted() -> None:
    check_root(KUHN, kuhn_root())
    check_root(KUHN, start_of_game(KUHN, path=jnp.array([[CHECK, NO_EVENT]])))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ranges": ranges([0.5, 0.2, 0.2])}, "player 1 in search 1 must sum to 1, got 0.9"),
        ({"ranges": ranges([1.5, -0.5, 0.0])}, "player 1 in search 1 must be finite and >= 0"),
        ({"ranges": ranges([jnp.nan, 0.5, 0.5])}, "player 1 in search 1 must be finite and >= 0"),
        (
            {"ranges": ranges([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])},
            "search 1 have no pair of infostates that can occur together",
        ),
        ({"ranges": jnp.ones((2, 2, 2)) / 2}, r"must have shape \(batch, 2, 3\)"),
        ({"path": jnp.zeros((1, 0), jnp.int32)}, r"path must have shape \(2, events\)"),
        ({"path": jnp.array([[BET], [7]])}, r"event 0 of the path of search 1 .* got 7"),
        ({"path": jnp.array([[NO_EVENT, BET]] * 2)}, "path of search 0 has a gap"),
        ({"path": jnp.array([[CHECK, CHECK]] * 2)}, "the game is over"),
        ({"opponent": jnp.array([0, 2])}, "opponent must be 0, 1 or -1"),
        ({"terminate_cfvs": jnp.full((2, 3), jnp.inf)}, "terminate_cfvs must be finite"),
    ],
)
def test_an_impossible_root_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_root(KUHN, kuhn_root(**changes))


def test_an_infostate_that_cannot_occur_is_refused_by_name() -> None:
    """A player who saw a card on the board cannot hold it if there is only one of it."""
    leduc = make("leduc")
    root = start_of_game(leduc)
    state = state_after(leduc, CHECK, CHECK, 4)  # the board is the fifth card
    states = jax.tree.map(lambda leaf: leaf[None], state)
    with pytest.raises(ValueError, match="player 0 in search 0 has infostate 4, which cannot"):
        check_root(leduc, dataclasses.replace(root, state=states))


@pytree
class FaultyEvaluator(Evaluator):
    """Zero, but for the value of one public state of Kuhn poker; or one infostate too few."""

    wrong: jax.Array
    cut: int = dataclasses.field(default=0, metadata={"static": True})

    def encode(self, game: Game[Any], state: Any) -> Any:
        return game.observe(state)

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        answer = ZeroEvaluator().evaluate(game, memory, queries)
        wanted = game.observe(game.apply(game.root(), jnp.int32(BET)))
        is_there = jnp.all(queries.encoded == wanted[None, None], axis=-1)[..., None, None]
        values = jnp.where(is_there, self.wrong, answer.values)
        return dataclasses.replace(answer, values=values[..., self.cut :])


def run(evaluator: Any) -> SearchResult:
    settings = SearchSettings(num_simulations=2, c_puct=0.0)
    return run_search(KUHN, settings, evaluator=evaluator, seeds=(0, 1, 2))


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", [jnp.nan, jnp.inf])
def test_a_value_that_is_not_finite_is_reported_with_its_public_state(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"not finite in search 0, at the public state '.*bet"):
        check_result(KUHN, run(FaultyEvaluator(wrong=jnp.float32(wrong))))
    check_result(KUHN, run(FaultyEvaluator(wrong=jnp.float32(0.5))))


def test_an_evaluator_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"evaluator's values must have shape \(3, \d+, 2, 3\)"):
        run(FaultyEvaluator(wrong=jnp.float32(0), cut=1))


def test_a_raw_key_is_the_same_key() -> None:
    root = start_of_game(KUHN, batch_size=2)

    @jax.jit
    def keys(key: Any) -> jax.Array:
        """All that a search knows of its key; the rest is not compiled."""
        state = begin(KUHN, evaluator=ZeroEvaluator(), root=root, key=key)
        return jax.random.key_data(state.keys)

    one = keys(jax.random.key(3))
    np.testing.assert_array_equal(keys(jax.random.PRNGKey(3)), one)
    both = jax.random.split(jax.random.key(4))
    np.testing.assert_array_equal(keys(jax.random.key_data(both)), keys(both))
    assert len(np.unique(np.concatenate([one, keys(both)]), axis=0)) == 4


@pytest.mark.parametrize(
    ("key", "given"),
    [
        (0, "0"),
        (jnp.zeros(2), r"float32\[2\]"),
        (jnp.zeros((2, 3), jnp.uint32), r"uint32\[2, 3\]"),
        (jax.random.split(jax.random.key(0), 3), r"key<fry>\[3\]"),
        (jax.random.split(jax.random.PRNGKey(0), 3), r"uint32\[3, 2\]"),
    ],
)
def test_what_is_no_key_is_refused_in_one_line(key: Any, given: str) -> None:
    root = start_of_game(KUHN, batch_size=2)
    with pytest.raises(ValueError, match=rf"^key must be .* each of 2 searches, got {given}\.$"):
        begin(KUHN, evaluator=ZeroEvaluator(), root=root, key=key)
