"""The composed policy of a search agent."""

import dataclasses
from pathlib import Path

import jax
import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.exact import exact_evaluator, noisy_evaluator
from gtcfr.mesh import batch_mesh
from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.search import search
from gtcfr.settings import FIRST_CHILD, REPLY, RESOLVE_FROM, SearchSettings
from sog.cli.strategy import in_whole_game
from sog.evaluation import ComposedPolicies, compose
from sog.tabular.enumerated_game import EnumeratedGame
from tests.gtcfr import plain_search
from tests.gtcfr.grown_trees import sums_of, tree_number, whole_game
from tests.gtcfr.test_plain_search import exploitability as plain_exploitability
from tests.tabular.small_games import compiled_game


def _exploitability(
    text: str, updates: int, safe: bool = True, resolve_from: str = FIRST_CHILD
) -> float:
    compiled = compiled_game(text)
    settings = whole_game(
        updates,
        compiled.tree.num_nodes + compiled.tree.game.num_outcomes,
        search_everywhere=True,
        safe=safe,
        resolve_from=resolve_from,
    )
    composed = compose(compiled, ZeroEvaluator(), settings, seeds=1, batch_size=16)
    assert composed.num_full == 0
    return float(composed.exploitability[0]) * 1000


def test_resolving_kuhn_matches_the_plain_oracle() -> None:
    # 49.5 is what tests/gtcfr/plain_search.py composes, in NumPy and node by node.
    assert _exploitability("kuhn", 30) == pytest.approx(49.5, abs=0.2)


@pytest.mark.thorough
def test_safe_resolving_gains_from_updates_and_unsafe_resolving_does_not() -> None:
    safe = [_exploitability("kuhn", updates) for updates in (30, 300)]
    unsafe = _exploitability("kuhn", 300, safe=False)
    assert safe[1] < safe[0] / 2
    assert unsafe > 3 * safe[1]


@pytest.mark.thorough
def test_unsafe_resolving_of_the_non_locality_game_stays_exploitable_by_a_quarter() -> None:
    """Trap 1. What player 1 should do there follows from a payoff that is out of reach by then.

    Without it both of player 0's picks are worth as much to him if he picks each half of the time;
    so says his range, and re-solving finds (1/2, 1/2) where only (1/3, 2/3) is not exploitable: the
    better pick then wins 0.5 + 1.5 / 2 = 1.25, and the value of the game is 1.
    """
    assert _exploitability("non_locality", 3000, safe=False) == pytest.approx(250, abs=5)
    assert _exploitability("non_locality", 3000) < 5


def _coordinated_pennies(folder: Path) -> str:
    """Matching pennies, heads worth 2 and tails 1, with a coin that both see in between.

    Player 1 guesses after either side of the coin. There his opponent's range makes him indifferent
    in equilibrium, so that any guess is right in one subgame, but only if the guesses of both
    subgames together are heads a third of the time.
    """
    pytest.importorskip("pyspiel")
    lines = ['EFG 2 R "coordinated pennies" { "picks" "guesses" }', 'p "" 1 1 "" { "h" "t" } 0']
    payoffs, number = ((2, 0), (0, 1)), 0
    for pick in range(2):
        lines.append(f'c "" {1 + pick} "" {{ "x" 1/2 "y" 1/2 }} 0')
        for coin in range(2):
            lines.append(f'p "" 2 {1 + coin} "" {{ "h" "t" }} 0')
            for guess in range(2):
                number, payoff = number + 1, payoffs[pick][guess]
                lines.append(f't "" {number} "" {{ {payoff} {-payoff} }}')
    file = folder / "coordinated_pennies.efg"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"openspiel:efg_game(filename={file})"


@pytest.mark.slow
def test_unsafe_resolving_of_coordinated_pennies_stays_exploitable(tmp_path: Path) -> None:
    """Each subgame is solved on its own, and both guesses are the same: never a third."""
    text = _coordinated_pennies(tmp_path)
    unsafe = [_exploitability(text, updates, safe=False) for updates in (100, 3000)]
    assert min(unsafe) > 150
    assert _exploitability(text, 3000) < 10


KUHN = EnumeratedGame(tree=compiled_game("kuhn").tree)


def _one_level(
    evaluator: Evaluator | list[Evaluator], updates: int, seeds: int = 1
) -> ComposedPolicies:
    """Kuhn poker with the next public states alone in every tree."""
    settings = SearchSettings(num_simulations=updates, grow=False)
    return compose(compiled_game("kuhn"), evaluator, settings, seeds=seeds)


def _noisy(epsilon: float, seed: int = 0) -> Evaluator:
    return noisy_evaluator(exact_evaluator(KUHN), KUHN, epsilon=epsilon, seed=seed)


@pytest.mark.slow
def test_a_depth_limit_costs_nothing_in_the_long_run_and_errors_of_values_do() -> None:
    exact = [_one_level(exact_evaluator(KUHN), updates).exploitability[0] for updates in (20, 400)]
    assert exact[1] < exact[0] / np.sqrt(400 / 20)
    noisy = _one_level([_noisy(0.3, seed) for seed in range(4)], 400, seeds=4).exploitability
    assert noisy.mean() > 4 * exact[1]


@pytest.mark.slow
def test_an_evaluator_per_seed_gives_what_each_gives_alone() -> None:
    both = _one_level([_noisy(0.1, 3), _noisy(0.1, 4)], 20, seeds=2)
    alone = [_one_level(_noisy(0.1, seed), 20) for seed in (3, 4)]
    assert both.num_searches == 2 * 4
    for number, one in enumerate(alone):
        np.testing.assert_allclose(both.policy[number], one.policy[0], atol=1e-6)
    assert np.abs(both.policy[0] - both.policy[1]).max() > 0.01


def test_searches_from_one_root_share_their_random_numbers_where_trees_grow_from_it() -> None:
    """So the policies of states beside each other are of one tree, as those of an agent are."""
    compiled = compiled_game("liars_dice(dice=1,faces=2)")
    public = compiled.tree
    settings = SearchSettings(num_simulations=4, grow_from="root")
    composed = compose(compiled, ZeroEvaluator(), settings, seeds=1, batch_size=1)
    low, high = np.flatnonzero(public.node_parent == 0)[:2]
    path = np.array([[public.node_outcome[high], NO_EVENT]], np.int32)  # the longest has two
    game = EnumeratedGame(tree=public)
    root = start_of_game(game, path=path)
    key = jax.random.fold_in(jax.random.key(0), 0)[None]
    result = search(game, evaluator=ZeroEvaluator(), root=root, key=key, settings=settings)
    sums = sums_of(public, tree_number(result)).policy
    for node in (low, high):
        policy, mask = composed.policy[0, node], public.node_mask[node, 1]
        total = sums[node].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(policy[mask], (sums[node] / total)[mask], atol=1e-5)


@pytest.mark.thorough
def test_progress_counts_batches_from_the_moment_all_is_compiled() -> None:
    settings = SearchSettings(num_simulations=20, grow=False)
    told: list[tuple[int, int]] = []
    compose(
        compiled_game("kuhn"),
        _noisy(0.1),
        settings,
        seeds=2,
        batch_size=2,
        progress=lambda done, total: told.append((done, total)),
    )
    # Decisions by depth: 1, 2 and 1; two seeds of each.
    assert told == [(done, 4) for done in range(5)]


@pytest.mark.parametrize(
    ("evaluators", "seeds", "message"),
    [
        (1, 0, "seeds must be >= 1, got 0."),
        (2, 3, "there must be an evaluator per seed, 3, got 2."),
    ],
)
def test_impossible_seeds_are_refused(evaluators: int, seeds: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _one_level([ZeroEvaluator()] * evaluators, 20, seeds=seeds)


@pytest.mark.slow
@pytest.mark.parametrize("resolve_from", RESOLVE_FROM)
def test_resolving_leduc_gives_the_figures_of_a_chain_per_player(resolve_from: str) -> None:
    """The plain oracle finds 168.3 and 45.9 mbb if a re-solve starts where the player is to move,
    152.6 and 42.8 if it starts right after the move before, which on Leduc is before the card."""
    for updates, tolerance in ((30, 0.2), (100, 1.0)):  # rounding adds up, as near ties are broken
        how = plain_search.Resolving(
            num_updates=updates, from_first_child=resolve_from == FIRST_CHILD
        )
        oracle = plain_exploitability("leduc", how)
        found = _exploitability("leduc", updates, resolve_from=resolve_from)
        assert found == pytest.approx(oracle, abs=tolerance)


DECK = "holdem(ranks=4,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=13,bets=2c|4c,caps=2)"
"""Eight cards, one each and one on the table; two bets and raises of 2, then of 4."""


@pytest.mark.slow
@pytest.mark.parametrize(("widest_chance", "resolve_from"), [(None, FIRST_CHILD), (3, REPLY)])
def test_search_of_a_small_holdem_with_exact_leaves_comes_near_an_equilibrium(
    widest_chance: int | None, resolve_from: str
) -> None:
    """Also where the card on the table, one of eight, is left to the evaluator."""
    compiled = compiled_game(DECK)
    evaluator = exact_evaluator(EnumeratedGame(tree=compiled.tree))
    how = SearchSettings(widest_chance=widest_chance, resolve_from=resolve_from)
    short, long = (
        compose(
            compiled, evaluator, dataclasses.replace(how, num_simulations=number), seeds=1
        ).exploitability
        for number in (10, 40)
    )
    assert long[0] < short[0] / 3


@pytest.mark.thorough
def test_a_batch_of_one_search_needs_one_device() -> None:
    totals: list[int] = []
    for mesh in (None, batch_mesh()):
        compose(
            compiled_game("kuhn"),
            ZeroEvaluator(),
            SearchSettings(num_simulations=1),
            seeds=1,
            batch_size=1,
            mesh=mesh,
            progress=lambda done, total: totals.append(total),
        )
    assert set(totals) == {4}  # Kuhn poker has 4 public states where a player chooses


@pytest.mark.slow
def test_devices_share_batches_of_any_size() -> None:
    """Here a batch of 3 becomes one of 4, of which one search is for nothing."""
    settings = SearchSettings(num_simulations=5)
    one, two = (
        compose(compiled_game("kuhn"), ZeroEvaluator(), settings, seeds=3, batch_size=3, mesh=mesh)
        for mesh in (None, batch_mesh())
    )
    assert one.num_searches == two.num_searches
    np.testing.assert_allclose(one.policy, two.policy, atol=1e-5)
    assert np.ptp(one.policy, axis=0).max() > 0.01  # seeds differ


def test_a_tree_without_room_for_the_way_to_the_next_search_is_told() -> None:
    settings = SearchSettings(num_simulations=4, capacity=8)
    compiled = compiled_game("liars_dice(dice=1,faces=3)")
    with pytest.raises(ValueError, match=r"^capacity must have room for the path .*, got 8\.$"):
        compose(compiled, ZeroEvaluator(), settings, seeds=1, batch_size=16)


@pytest.mark.thorough
def test_trees_of_few_simulations_have_less_room_than_the_game_and_play_the_same() -> None:
    compiled = compiled_game("liars_dice(dice=1,faces=3)")
    search = SearchSettings(num_simulations=2, simulations_per_update=0.5)
    fitted = in_whole_game(search, compiled.tree)
    large = dataclasses.replace(search, capacity=compiled.tree.num_nodes)
    assert fitted.capacity is not None
    assert fitted.capacity < compiled.tree.num_nodes
    found, expected = (
        compose(compiled, ZeroEvaluator(), settings, seeds=1, batch_size=16)
        for settings in (fitted, large)
    )
    assert found.num_full == 0
    np.testing.assert_array_equal(found.policy, expected.policy)
