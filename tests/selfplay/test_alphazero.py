"""AlphaZero: its search, what self-play makes of it, and its training."""

import dataclasses
import functools
import sys
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.packing import unpack
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from selfplay.alphazero.player import AlphaZeroWorker
from selfplay.alphazero.search import AlphaZeroResult, search, search_bytes
from selfplay.loop import InlineSchedule
from selfplay.schedule import check_config
from selfplay.settings import (
    AlphaZeroSettings,
    Config,
    LearnerSettings,
    ReplaySettings,
    RunSettings,
    SelfplaySettings,
)
from selfplay.workers import SELFPLAY
from sog.games import make
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.games.perfect_information import PerfectInformationGame
from sog.pytree import pytree

pytest.importorskip("mctx")

TIC_TAC_TOE: Final = make("tic_tac_toe")
SIMULATIONS: Final = 60
GAMES: Final = 4
CONFIG: Final = Config(
    game="tic_tac_toe",
    algorithm="alphazero",
    network=NetworkSettings(width=8, depth=1),
    search=SearchSettings(num_simulations=4),
    alphazero=AlphaZeroSettings(search="puct"),
    selfplay=SelfplaySettings(batch_size=GAMES, uniform_mix=0.0),
    learner=LearnerSettings(batch_size=8),
    replay=ReplaySettings(size=128, least=16, max_grad_updates=8),
    run=RunSettings(steps=24, checkpoint_every=8, seed=3),
)


@functools.cache
def searching(kind: str) -> Callable[..., AlphaZeroResult]:
    settings = AlphaZeroSettings(search=kind)
    run = functools.partial(search, TIC_TAC_TOE, settings, SIMULATIONS, ZeroEvaluator())
    return jax.jit(functools.partial(run, explores=False))


def found_at(kind: str, *boards: str) -> AlphaZeroResult:
    states = [TIC_TAC_TOE.start(board) for board in boards]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    found: AlphaZeroResult = jax.device_get(searching(kind)(stacked, jax.random.key(0)))
    return found


@pytest.mark.thorough(but=["gumbel"])
@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_a_search_wins_at_once_for_either_player_and_knows_what_that_is_worth(kind: str) -> None:
    found = found_at(kind, "XX./OO./...", "XX./OO./X..")  # X wins by c3, O by c2
    assert found.action.tolist() == [2, 5]
    assert (found.value > 0.8).all()
    assert (found.policy.argmax(axis=1) == found.action).all()


@pytest.mark.thorough(only=["puct"])
@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_a_search_parries_a_threat_and_knows_when_it_is_lost(kind: str) -> None:
    # O must take c3. Then X threatens two lines, by c3 and by a2: O is lost whatever he does.
    found = found_at(kind, "XX./O../...", "XX./.O./X.O")
    assert found.action[0] == 2
    assert found.value[1] < -0.5


def test_the_policy_of_puct_is_the_share_of_visits_and_legal() -> None:
    found = found_at("puct", "XX./O../...", ".../.../...")
    visits = SIMULATIONS * found.policy
    np.testing.assert_allclose(visits, np.round(visits), atol=1e-4)
    np.testing.assert_allclose(visits.sum(axis=1), SIMULATIONS, rtol=1e-5)
    assert (found.policy[0, [0, 1, 3]] == 0).all()


def test_the_policy_of_gumbel_is_a_distribution_over_legal_actions() -> None:
    found = found_at("gumbel", "XX./O../...", ".../.../...")
    np.testing.assert_allclose(found.policy.sum(axis=1), 1, rtol=1e-5)
    assert (found.policy[0, [0, 1, 3]] == 0).all()


@pytree
class _HalfEvaluator(ZeroEvaluator):
    """Every public state is worth half a win to player 0."""

    def evaluate(self, game: Any, memory: Any, queries: LeafQueries) -> LeafEvaluation:
        found = super().evaluate(game, memory, queries)
        values = found.values + jnp.array([[[[0.5], [-0.5]]]])
        return dataclasses.replace(found, values=values)


def test_actions_that_were_never_visited_do_not_count_in_the_value_of_a_search() -> None:
    """Two simulations visit two of nine cells, and either is worth 0.5 to the player to move."""
    settings = AlphaZeroSettings(search="gumbel", max_considered_actions=2)
    run = functools.partial(search, TIC_TAC_TOE, settings, 2, _HalfEvaluator(), explores=False)
    states = jax.tree.map(lambda leaf: leaf[None], TIC_TAC_TOE.root())
    found = jax.jit(run)(states, jax.random.key(0))
    assert np.isnan(found.action_values).sum() == 7
    assert (found.policy > 0).all()
    np.testing.assert_allclose(found.value, 0.5, rtol=1e-5)


@pytree
class CountState:
    """Moves made, and ones among them."""

    num_moves: Array  # int32
    num_ones: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class TwiceInTurn(PerfectInformationGame[CountState]):
    """Player 1 says 0 or 1, then player 0 does twice; ones are good for player 0."""

    name = "twice_in_turn"
    summary = "a player moves twice"
    num_actions = 2
    max_depth = 3

    def root(self) -> CountState:
        return CountState(num_moves=jnp.int32(0), num_ones=jnp.int32(0))

    def actor(self, state: CountState) -> Array:
        return jnp.array([PLAYER_1, PLAYER_0, PLAYER_0, TERMINAL], jnp.int32)[state.num_moves]

    def legal_outcomes(self, state: CountState) -> Array:
        return jnp.broadcast_to(state.num_moves < 3, 2)

    def apply(self, state: CountState, outcome: Array) -> CountState:
        return CountState(
            num_moves=state.num_moves + 1, num_ones=state.num_ones + outcome.astype(jnp.int32)
        )

    def result(self, state: CountState) -> Array:
        ones: Array = state.num_ones.astype(jnp.float32)
        return (2 * ones - 3) / 3

    def observe(self, state: CountState) -> Array:
        return jnp.stack([state.num_moves, state.num_ones]).astype(jnp.float32)

    def describe_state(self, state: CountState) -> str:
        return f"{state.num_ones} of {state.num_moves}"

    def describe_action(self, state: CountState, infostate: int, action: int) -> str:
        return str(action)


@pytest.mark.thorough
def test_a_player_who_moves_twice_is_not_taken_for_his_opponent() -> None:
    game = TwiceInTurn()
    run = functools.partial(search, game, AlphaZeroSettings(search="puct"), 60, ZeroEvaluator())
    states = [game.root(), game.apply(game.root(), jnp.int32(0))]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    found = jax.jit(functools.partial(run, explores=False))(stacked, jax.random.key(0))
    assert found.action.tolist() == [0, 1]  # player 1 wants no ones, player 0 wants them
    # Then player 0 says 1 twice: 2 of 3 are ones.
    np.testing.assert_allclose(found.value, [-1 / 3, 1 / 3], atol=0.15)


@pytest.mark.thorough
def test_examples_have_the_outcome_of_their_game_and_the_shares_of_visits() -> None:
    inner = InlineSchedule(TIC_TAC_TOE, CONFIG)
    worker = AlphaZeroWorker(TIC_TAC_TOE, CONFIG)
    version, random = inner.learner.state.step, np.random.default_rng(0)
    games = finished = 0
    for step in range(18):
        work = worker.play(inner.evaluator, version, jax.random.key(step), random)
        assert work.part == SELFPLAY
        assert work.counts["searches"] == GAMES
        assert len(work.queries.ranges) == 0
        games += work.counts["games"]
        if work.examples is None:
            continue
        examples = work.examples
        count = len(examples.version)
        assert examples.values.shape == (count, 2, 1)
        assert examples.policy.shape == (count, 1, 9)
        assert examples.value_mask.all()
        assert examples.policy_mask.all()
        visits = 4 * examples.policy[:, 0]
        np.testing.assert_allclose(visits, np.round(visits), atol=1e-4)
        np.testing.assert_allclose(visits.sum(axis=1), 4, atol=1e-4)
        outcomes = examples.values[:, :, 0]
        assert (outcomes[:, 0] == -outcomes[:, 1]).all()
        stones = [int(unpack(TIC_TAC_TOE, jnp.asarray(row)).num_stones) for row in examples.state]
        starts = [n for n, number in enumerate(stones) if number == 0]
        finished += len(starts)
        for start, end in zip(starts, [*starts[1:], count], strict=True):
            assert stones[start:end] == list(range(end - start))  # every decision, in its order
            assert (outcomes[start:end] == outcomes[start]).all()
            mover = stones[end - 1] % 2
            assert outcomes[end - 1, mover] >= 0  # nobody loses by his own last stone
            assert outcomes[end - 1, mover] == 1 or end - start == 9  # a draw is a full board
    assert games == finished >= 2 * GAMES


@pytest.mark.parametrize("game", ["kuhn", "goofspiel"])
def test_games_with_hidden_information_are_refused(game: str) -> None:
    with pytest.raises(ValueError, match=r"^alphazero needs a game of perfect information"):
        check_config(make(game), Config(game=game, algorithm="alphazero"))


def test_an_unknown_algorithm_is_refused() -> None:
    says = r"^algorithm must be one of student_of_games, alphazero, got 'alpha'"
    with pytest.raises(ValueError, match=says):
        check_config(TIC_TAC_TOE, dataclasses.replace(CONFIG, algorithm="alpha"))


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mctx", None)
    with pytest.raises(ValueError, match=r"^alphazero needs mctx: pip install 'sog\[alphazero\]'"):
        check_config(TIC_TAC_TOE, CONFIG)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"search": "uct"}, r"^search must be gumbel or puct, got 'uct'\.$"),
        ({"max_considered_actions": 0}, r"^max_considered_actions must be >= 1, got 0\.$"),
        ({"dirichlet_alpha": 0.0}, r"^dirichlet_alpha must be > 0 and finite, got 0\.0\.$"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        AlphaZeroSettings(**settings)


def test_an_evaluation_while_training_is_refused() -> None:
    config = Config(
        game="tic_tac_toe",
        algorithm="alphazero",
        run=RunSettings(evaluate_every=1000, checkpoint_every=1000),
    )
    with pytest.raises(ValueError, match=r"^run\.evaluate_every must be 0 with alphazero, got"):
        check_config(TIC_TAC_TOE, config)


def test_searches_that_no_memory_has_room_for_are_refused_by_name() -> None:
    config = Config(
        game="tic_tac_toe",
        algorithm="alphazero",
        search=SearchSettings(num_simulations=100_000_000),
    )
    with pytest.raises(ValueError, match=r"^selfplay\.batch_size = 32 searches of search\.num"):
        check_config(TIC_TAC_TOE, config)


def test_the_bytes_of_a_search_are_those_of_its_tree() -> None:
    import mctx

    settings = AlphaZeroSettings(search="puct")
    kept: list[Any] = []
    monkeyed = mctx.muzero_policy

    def spy(*given: Any, **named: Any) -> Any:
        output = monkeyed(*given, **named)
        kept.append(output.search_tree)
        return output

    states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], TIC_TAC_TOE.root())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mctx, "muzero_policy", spy)
        run = functools.partial(search, TIC_TAC_TOE, settings, 10, ZeroEvaluator())
        jax.eval_shape(functools.partial(run, explores=False), states, jax.random.key(0))
    tree = jax.tree.leaves(kept[0])
    taken = sum(int(np.prod(leaf.shape)) * 4 for leaf in tree)
    assert 0.8 * taken < search_bytes(TIC_TAC_TOE, 10) < 1.25 * taken
