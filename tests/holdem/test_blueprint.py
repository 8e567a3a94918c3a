"""Blueprints: with buckets that lose nothing they approach the equilibrium; files that last."""

from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import CHANCE
from sog.holdem.blueprint.betting_tree import ILLEGAL, OVER, make_betting_tree
from sog.holdem.blueprint.file import (
    BlueprintFileError,
    begin,
    load_blueprint,
    save_blueprint,
)
from sog.holdem.blueprint.policy import policy_on
from sog.holdem.blueprint.public_chance import BOARDS, Tables, iterate
from sog.holdem.game import Holdem
from sog.players.seating import seat
from sog.tabular import compile_game, enumerate_public_tree, evaluate_policy, solve
from tests.holdem.games import rewritten

SMALL = Holdem(ranks=4, suits=2, deals="3", stack="400", bets="1/allin")
LEDUC_LIKE = Holdem(ranks=3, suits=2, hole_cards=1, deals="1", stack="500", bets="0.5/1/allin")
LAST_STREET = Holdem(
    ranks=4, suits=2, deals="3", blinds="none", pot=2, stack="4", bets="none|1/allin"
)


@pytest.mark.thorough(but=["bets=none|1/allin"])
@pytest.mark.parametrize(
    ("game", "sizes", "most_mbb"),
    [(SMALL, (16, 280), 40), (LEDUC_LIKE, (3, 15), 40), (LAST_STREET, (16, 280), 40)],
    ids=str,
)
def test_without_loss_a_blueprint_approaches_the_equilibrium(
    game: Holdem, sizes: tuple[int, ...], most_mbb: float
) -> None:
    tree = enumerate_public_tree(game)
    compiled = compile_game(tree)
    blueprint = begin(game, sizes)
    assert blueprint.trainer.buckets.sizes == sizes

    def exploitability() -> float:
        policy = policy_on(blueprint, tree)
        return 1000 * float(np.asarray(evaluate_policy(compiled, policy).exploitability)[0])

    at_first = exploitability()
    value = blueprint.train(125)
    assert exploitability() < most_mbb < at_first / 10
    exact = solve(compiled, iterations=200).last.value
    assert float(np.mean(value[60:])) == pytest.approx(exact, abs=0.04)


def test_the_betting_is_that_of_the_game() -> None:
    tree, public = make_betting_tree(SMALL, 1000), enumerate_public_tree(SMALL)
    decides = public.node_actor < CHANCE
    boards = 56  # of which each decision after the flop is there once
    before_the_flop = len(
        [level for level in tree.levels if level.street == 0 for _ in level.child]
    )
    assert before_the_flop + boards * (tree.num_decisions - before_the_flop) == decides.sum()
    for number, children in enumerate(tree.child):
        assert ((children > number) | (children == ILLEGAL) | (children <= OVER)).all()
    reached = tree.child[tree.child >= 0]
    np.testing.assert_array_equal(np.sort(reached), np.arange(1, tree.num_decisions))
    ends = OVER - tree.child[tree.child <= OVER]
    np.testing.assert_array_equal(np.sort(ends), np.arange(len(tree.won)))
    assert tree.won.max() == SMALL.max_utility


def test_betting_that_is_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match="its betting has more than 100 decisions"):
        make_betting_tree(Holdem(), 100)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blueprint") / "small.blueprint"
    blueprint = begin(LEDUC_LIKE, (3, 5), seed=7)
    blueprint.train(3)
    save_blueprint(path, blueprint)
    return path


def test_a_file_for_a_machine_with_more_memory_is_not_called_damaged(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.memory.available_bytes", lambda: 10)
    with pytest.raises(BlueprintFileError, match=r"would take .* of memory.* there are 10 bytes"):
        load_blueprint(saved)


def test_what_was_gone_on_with_is_what_was_never_stopped(saved: Path) -> None:
    whole, parts = begin(LEDUC_LIKE, (3, 5), seed=7), load_blueprint(saved)
    assert (parts.num_boards, parts.seed, parts.game) == (24, 7, LEDUC_LIKE)
    whole.train(5)
    parts.train(2)
    for one, other in zip(whole.policy(), parts.policy(), strict=True):
        np.testing.assert_array_equal(one, other)
    other_seed = begin(LEDUC_LIKE, (3, 5), seed=8)
    other_seed.train(5)
    assert any(
        (one != other).any() for one, other in zip(whole.policy(), other_seed.policy(), strict=True)
    )


def test_iterations_count_in_proportion_to_their_number(saved: Path) -> None:
    """After as many more as there were, half is left of what was kept of the policies."""
    made = load_blueprint(saved)
    regret, number = made.tables.regret, jnp.int32(BOARDS)

    def sums(kept: float) -> list[Any]:
        policy_sum = [jnp.full_like(one, kept) for one in regret]
        tables = Tables(regret=[jnp.copy(one) for one in regret], policy_sum=policy_sum)
        found: Tables = iterate(made.trainer, tables, made.trainer.draw(0, 1), number)[0]
        return list(found.policy_sum)

    for more, less in zip(sums(1.0), sums(0.0), strict=True):
        np.testing.assert_allclose(more - less, 0.5, rtol=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "sog-blueprint-0"}, "is not a blueprint of this version"),
        ({"game": "kuhn"}, "is of kuhn, which is not hold'em"),
        ({"game": "mine:Game"}, "no file chooses what is imported"),
        ({"game": "holdem(ranks=99)"}, "ranks must be <= 13"),
        ({"sizes": [3, 6]}, "is not a blueprint, or is damaged"),
        ({"num_boards": 7}, "is not a blueprint, or is damaged"),
        ({"bucket1": lambda table: table + 1}, "is not a blueprint, or is damaged"),
        ({"regret0": lambda table: table * np.nan}, "its numbers must be finite"),
        ({"policy0": lambda table: -table - 1}, "its numbers must be finite, sums at least 0"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(
    saved: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(BlueprintFileError) as caught:
        load_blueprint(rewritten(saved, tmp_path / "x.blueprint", "blueprint", change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_hands_with_a_card_of_the_board_have_no_policy(saved: Path) -> None:
    agent = seat([f"blueprint:{saved}"]).players[0].make(0, 0)
    agent.observe(1)  # the small blind calls
    assert agent.act(0) in (1, 2, 3, 4)
    agent.observe(1)
    agent.observe(2)
    policies = agent.policies()
    assert policies[2].sum() == 0  # that card lies on the board
    np.testing.assert_allclose(np.delete(policies, 2, axis=0).sum(axis=1), 1, rtol=1e-6)
