"""The compiled form: every decision has its place, and every reach its sequences."""

from collections.abc import Iterator

import numpy as np
import pytest

from sog.games.matrix import MatrixGame
from sog.tabular import (
    CompiledGame,
    compile_tree,
    compiler,
    evaluate_policy,
    payoff_layout,
)
from sog.tabular.public_tree import TreeMemoryError
from sog.tabular.sequence_form import DensePayoff, SparsePayoff
from tests.tabular.small_games import (
    compiled_game,
    node_after,
    push_reach,
    random_policy,
)

# Private hands; hidden moves that chance comes between; hidden moves that merge infostates.
GAMES = ("kuhn", "leduc(suit_isomorphism=true)", "ii_goofspiel(cards=3,order=random)")
MERGING = "glasses"


@pytest.fixture(scope="module", params=[*GAMES, MERGING])
def compiled(request: pytest.FixtureRequest) -> CompiledGame:
    return compiled_game(request.param)


def entries(compiled: CompiledGame, player: int) -> Iterator[tuple[int, int, int, int]]:
    """(entry of the sequence buffer, node, infostate, action) of a player's sequences.

    The buffer: nothing, S root entries, then a block [A, H] per layer.
    """
    placement = compiled.placements[player]
    entry = 1 + compiled.tree.game.num_infostates
    for node, infostate, action, legal in zip(
        placement.node, placement.infostate, placement.action, placement.legal, strict=True
    ):
        for row, column in np.ndindex(*legal.shape):
            if legal[row, column]:
                yield entry, int(node[column]), int(infostate[column]), int(action[row, column])
            entry += 1


def test_a_policy_goes_to_the_layers_and_back_unchanged(compiled: CompiledGame) -> None:
    policy = random_policy(compiled.tree, seed=1)
    layers = compiled.from_tree(policy)
    np.testing.assert_array_equal(compiled.to_tree((layers[0], layers[1])), policy)


def test_reach_is_the_sum_of_the_sequences_that_lead_there(compiled: CompiledGame) -> None:
    tree, policy = compiled.tree, random_policy(compiled.tree, seed=2)
    expected = push_reach(tree, policy)
    for player, placement in enumerate(compiled.placements):
        sequences = np.zeros(placement.source.shape[1])
        size = tree.game.num_infostates
        sequences[1 : 1 + size] = tree.node_mask[0, player]
        for entry, node, infostate, action in entries(compiled, player):
            probability = policy[node, infostate, action]
            sequences[entry] = expected[node, player, infostate] * probability
        found = (placement.source @ sequences).reshape(tree.num_nodes, size)
        np.testing.assert_allclose(found, expected[:, player], atol=1e-12)


@pytest.mark.parametrize(
    "game", ["kuhn", "ii_goofspiel(cards=3,order=random)", "liars_dice(dice=2,dice1=1,faces=2)"]
)
@pytest.mark.parametrize("least_shared", [1, 2, 10**9])  # all kinds, some of them, none
def test_payoffs_give_the_same_values_however_they_are_laid_out(
    game: str, least_shared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = compiled_game(game).tree
    policy = random_policy(tree, seed=3)
    found = []
    for waste, layout in ((10**9, DensePayoff), (0, SparsePayoff)):
        monkeypatch.setattr(payoff_layout, "_MOST_DENSE_WASTE", waste)
        monkeypatch.setattr(payoff_layout, "_LEAST_SHARED", least_shared)
        compiled = compiler.compile_game(tree)
        assert isinstance(compiled.form.payoff, layout)
        found.append(evaluate_policy(compiled, policy))
    for name in ("value", "best_response_value", "cfvs", "best_response_cfvs"):
        np.testing.assert_allclose(getattr(found[0], name), getattr(found[1], name), atol=1e-12)


def test_ends_that_pay_the_same_share_a_matrix_where_they_are_many() -> None:
    """After a call of liar's dice only the last bid counts, and who called."""
    payoff = compiled_game("liars_dice").form.payoff
    assert isinstance(payoff, DensePayoff)
    # Bid number n can be the last one after 2^n sets of lower bids; half of them are called by
    # each player.
    bids = [n for n in range(12) for _caller in range(2) if 2**n / 2 >= 256]
    assert payoff.num_ends[-1] == 2 * 255 + 1
    assert sorted(payoff.num_ends[:-1]) == [2**n // 2 for n in bids]
    shared = [matrix.shape[2] for matrix in payoff.matrices]
    assert shared == [1] * len(bids) + [2 * 255 + 1]


def test_large_infostate_lists_that_rarely_meet_are_laid_out_sparse() -> None:
    # 24 x 24 sequences of bids, but given the results each meets few others.
    assert isinstance(
        compiled_game("ii_goofspiel(cards=4,order=descending)").form.payoff, SparsePayoff
    )
    assert isinstance(compiled_game("leduc").form.payoff, DensePayoff)


def test_a_public_state_without_decisions_can_be_compiled() -> None:
    kuhn = compiled_game("kuhn").tree
    check, call, bet = 1, 1, 2
    top = node_after(kuhn, check, bet, call)
    over = compile_tree(kuhn.game, root=kuhn.state(top))
    nothing = np.zeros((1, 3, kuhn.game.num_actions))
    layers = over.from_tree(nothing)
    np.testing.assert_array_equal(over.to_tree((layers[0], layers[1])), nothing)
    # Both have put in two chips, so the higher card wins two; the deals are equally likely.
    found = evaluate_policy(over, nothing)
    np.testing.assert_allclose(found.cfvs[0, :, 0], [-4 / 6, 0, 4 / 6], atol=1e-12)
    assert found.exploitability[0] == pytest.approx(0, abs=1e-12)


def test_a_game_that_could_not_be_solved_in_this_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = compiled_game("kuhn").tree
    needed = 16 * 9 * 3 * 3
    monkeypatch.setattr("sog.memory.available_bytes", lambda: needed)
    compiler.compile_game(tree)
    monkeypatch.setattr("sog.memory.available_bytes", lambda: needed - 1)
    with pytest.raises(TreeMemoryError, match=r"kuhn.* is too large: solving it would take 1.3 kB"):
        compiler.compile_game(tree)


def test_a_game_of_draws_can_be_compiled() -> None:
    compiled = compile_tree(MatrixGame(payoffs=((0.0, 0.0),)))
    assert len(compiled.tree.payoff) == 0
    found = evaluate_policy(compiled, random_policy(compiled.tree, seed=4))
    assert not found.best_response_cfvs.any()
