"""Simulations: which world, which action, which leaf; with statistics of a tree set by hand."""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.root import known_root
from gtcfr.settings import SearchSettings
from gtcfr.simulation import Path, count_visits, sample_world, simulate
from gtcfr.tree import NO_PARENT, ROOT, SearchTree
from sog.games.core import CHANCE, Game
from sog.games.registry import make
from sog.tabular.enumerated_game import EnumeratedState
from tests.gtcfr.grown_trees import (
    Array,
    children_of,
    enumerated,
    public_tree,
    run_search,
    tree_number,
)
from tests.gtcfr.plain_search import joint_weights

CHECK, BET = 1, 2  # Kuhn's first actions
JACK, QUEEN, KING = 0, 1, 2
KUHN = SearchSettings(num_simulations=12, c_puct=0.23)
_DRAWS = 4000


@functools.cache
def _simulations(game: Game[Any], settings: SearchSettings) -> Any:
    walk = functools.partial(simulate, game, settings)
    return jax.jit(jax.vmap(walk, in_axes=(None, None, None, 0)))


def simulated(
    game: Game[Any],
    settings: SearchSettings,
    tree: SearchTree,
    *,
    visits_before: Array | None = None,
) -> Path:
    """Many simulations of the same tree, from its root."""
    before = tree.interior.visits if visits_before is None else visits_before
    keys = jax.random.split(jax.random.key(0), _DRAWS)
    paths: Path = jax.tree.map(
        np.asarray, _simulations(game, settings)(tree, before, np.int32(ROOT), keys)
    )
    return paths


def assert_frequencies(drawn: Array, probabilities: Array) -> None:
    """Within five standard errors everywhere, and nothing impossible is ever drawn."""
    found = np.bincount(drawn, minlength=len(probabilities)) / len(drawn)
    assert not found[probabilities == 0].any()
    error = np.sqrt(probabilities * (1 - probabilities) / len(drawn))
    np.testing.assert_array_less(np.abs(found - probabilities), 5 * error + 1e-9)


# Worlds.


@pytest.mark.parametrize(
    ("text", "depth"),
    [("leduc", 4), ("ii_goofspiel(cards=3,order=random)", 4)],
)
def test_worlds_are_drawn_from_the_joint_of_both_ranges_with_card_removal(
    text: str, depth: int
) -> None:
    """Trap 4, and trap 8 where public chance came before: cards on the table are in no hand."""
    public, rng = public_tree(text), np.random.default_rng(depth)
    is_choice = (public.node_depth == depth) & (public.node_actor < CHANCE)
    node = int(np.argmax(is_choice * (joint_weights(public) > 0).sum(axis=(1, 2))))
    reach = rng.uniform(0.1, 3, public.node_mask[node].shape) * public.node_mask[node]
    reach[0, np.argmax(public.node_mask[node, 0])] = 0
    joint = joint_weights(public)[node] * reach[0][:, None] * reach[1][None]
    draw = jax.jit(
        lambda keys: jax.vmap(
            lambda key: sample_world(
                public.game, public.state(node), jnp.asarray(reach, jnp.float32), key
            )
        )(keys)
    )
    worlds = np.asarray(draw(jax.random.split(jax.random.key(1), 4 * _DRAWS)))
    size = joint.shape[1]
    assert (joint > 0).sum() > 1
    assert_frequencies(worlds[:, 0] * size + worlds[:, 1], (joint / joint.sum()).reshape(-1))


def test_where_no_world_is_possible_one_that_chance_could_deal_is_drawn() -> None:
    """Both ranges hold nothing but the king, of which there is only one."""
    game = make("kuhn")
    reach = jnp.zeros((2, game.num_infostates)).at[:, KING].set(1)
    draw = jax.jit(jax.vmap(lambda key: sample_world(game, game.root(), reach, key)))
    worlds = np.asarray(draw(jax.random.split(jax.random.key(2), _DRAWS)))
    cards = 3
    pairs = worlds[:, 0] * cards + worlds[:, 1]
    assert_frequencies(pairs, ((1 - np.eye(cards)) / 6).reshape(-1))


# Actions.


@functools.cache
def kuhn_tree() -> SearchTree:
    return tree_number(run_search(make("kuhn"), KUHN))


def kuhn_root(*, visits: tuple[float, float], average: int) -> SearchTree:
    """Player 0 holds the jack for certain, and has seen `visits` of check and bet.

    Priors 0.3 and 0.7. Player 1's reach of queen and king, 1.2 and 1.8, makes a compatible reach of
    (1.2 + 1.8) / 6 = 0.5, utilities go up to 2, so cfvs 0.4 and 0.2 are Qs 0.4 and 0.2. What stands
    at the other cards would turn every choice around.
    """
    tree = kuhn_tree()
    interior, statistics = tree.interior, tree.interior_statistics
    actions = np.array([CHECK, BET])

    def at_root(whole: Any, jack: tuple[float, float], others: tuple[float, float]) -> jax.Array:
        new = np.array(whole)
        new[ROOT] = 0
        new[ROOT, actions] = np.array(others)[:, None]
        new[ROOT, actions, JACK] = jack
        return jnp.asarray(new)

    reach, reach_sum = np.array(statistics.reach), np.array(statistics.reach_sum)
    reach[ROOT] = [[1, 1, 1], [9, 1.2, 1.8]]
    reach_sum[ROOT] = [[5, 0, 0], [1, 1, 1]]
    wanted = (1.0, 0.0) if average == CHECK else (0.0, 1.0)
    return replace(
        tree,
        interior=replace(
            interior,
            visits=at_root(interior.visits, visits, (0.0, 100.0)),
            prior=at_root(interior.prior, (0.3, 0.7), (1.0, 0.0)),
        ),
        interior_statistics=replace(
            statistics,
            action_cfv=at_root(statistics.action_cfv, (0.4, 0.2), (-0.4, 0.4)),
            policy_sum=at_root(statistics.policy_sum, wanted, wanted[::-1]),
            reach=jnp.asarray(reach),
            reach_sum=jnp.asarray(reach_sum),
        ),
    )


def first_actions(tree: SearchTree, settings: SearchSettings, **options: Any) -> Array:
    paths = simulated(make("kuhn"), settings, tree, **options)
    assert (paths.infostate[:, 0] == JACK).all()
    return np.asarray(paths.action[:, 0])


@pytest.mark.thorough(but=["0.23-2"])
@pytest.mark.parametrize(
    ("c_puct", "chosen"),
    # Check: 0.4 + c * 0.3 * sqrt(8 + 1) / (1 + 8) = 0.4 + 0.1 c.
    # Bet: 0.2 + c * 0.7 * sqrt(8 + 1) / (1 + 1) = 0.2 + 1.05 c. They meet at c = 0.21.
    [(0.19, CHECK), (0.23, BET)],
)
def test_puct_adds_to_the_value_a_bonus_for_what_the_prior_likes_and_few_visits(
    c_puct: float, chosen: int
) -> None:
    """By hand. Trap 7: a Q not divided by compatible reach turns at c = 0.11, one not divided by
    the largest utility at 0.42, one without a root at 0.07. Trap 12: other cards say otherwise."""
    tree = kuhn_root(visits=(8, 1), average=chosen)
    actions = first_actions(tree, replace(KUHN, c_puct=c_puct))
    assert (actions == chosen).all()


def test_half_of_the_choices_follow_puct_and_half_the_average_policy() -> None:
    tree = kuhn_root(visits=(8, 1), average=CHECK)
    actions = first_actions(tree, replace(KUHN, c_puct=0.23))  # PUCT: bet
    assert_frequencies(actions, np.array([0, 0.5, 0.5]))


def test_the_average_policy_is_drawn_from_with_its_probabilities() -> None:
    tree = kuhn_root(visits=(8, 1), average=CHECK)
    policy_sum = np.array(tree.interior_statistics.policy_sum)
    policy_sum[ROOT, CHECK, JACK], policy_sum[ROOT, BET, JACK] = 6, 2
    statistics = replace(tree.interior_statistics, policy_sum=jnp.asarray(policy_sum))
    tree = replace(tree, interior_statistics=statistics)
    actions = first_actions(tree, replace(KUHN, c_puct=0.19))  # PUCT: check
    assert_frequencies(actions, np.array([0, (1 + 0.75) / 2, 0.25 / 2]))


@pytest.mark.parametrize(("seen_before", "chosen"), [(True, BET), (False, CHECK)])
def test_a_visit_of_the_same_phase_counts_as_lost(seen_before: bool, chosen: int) -> None:
    """c = 0.5, visits 8 and 2. Check: 0.4 + 0.5 * 0.3 * sqrt(10) / 9 = 0.453. Bet: 0.2 + 0.5 * 0.7
    * sqrt(10) / 3 = 0.569; if the second visit is lost, (1 * 0.2 - 1) / 2 = -0.4 stands for the
    0.2, and -0.031 is less than 0.453."""
    tree = kuhn_root(visits=(8, 2), average=chosen)
    before = np.array(tree.interior.visits)
    if not seen_before:
        before[ROOT, BET, JACK] -= 1
    settings = SearchSettings(num_simulations=10, simulations_per_update=2, c_puct=0.5)
    actions = first_actions(tree, settings, visits_before=before)
    assert (actions == chosen).all()


@pytest.mark.thorough
def test_simulations_of_one_phase_are_kept_apart() -> None:
    """Without a bonus or a value, PUCT takes a first move that it has not tried in this phase.

    Half of the eight simulations draw from nine moves at random. If the others all piled up on one
    move, 1 + 9 * (1 - (8/9)^4) = 4.4 would be tried; as it is, some 6.8.
    """
    settings = SearchSettings(num_simulations=8, simulations_per_update=8, c_puct=0.0)
    result = run_search(make("tic_tac_toe"), settings, seeds=tuple(range(20)))
    tried = (result.tree.interior.visits[:, ROOT] > 0).sum(axis=(1, 2))
    assert tried.mean() > 6


# Ends of a walk.


def test_a_walk_ends_at_the_edge_to_a_leaf_and_tells_where_it_went() -> None:
    game, tree = make("kuhn"), kuhn_tree()
    paths = simulated(game, KUHN, tree)
    for number in range(100):
        slot = int(ROOT)
        for at, action in zip(paths.slot[number], paths.action[number], strict=True):
            if at == NO_PARENT:
                break
            assert at == slot
            row = children_of(tree, slot)[int(action)]
            edge = slot * tree.shape.layout.num_children + int(action)
            slot = row
        is_leaf = tree.shape.leaf_row <= row < tree.shape.terminal_row
        assert paths.edge[number] == (edge if is_leaf else NO_PARENT)
        assert paths.slot_to_widen[number] == NO_PARENT


def test_every_choice_on_the_way_is_counted_once() -> None:
    tree = kuhn_tree()
    paths = jax.tree.map(lambda leaf: leaf[:50], simulated(make("kuhn"), KUHN, tree))
    counted = functools.reduce(
        count_visits,
        [jax.tree.map(lambda leaf, n=n: jnp.asarray(leaf[n]), paths) for n in range(50)],
        jax.tree.map(jnp.asarray, tree),
    )
    added = np.asarray(counted.interior.visits) - tree.interior.visits
    assert added[ROOT].sum() == 50
    assert added.sum() == (paths.slot != NO_PARENT).sum()
    where = (paths.slot == ROOT) & (paths.infostate == QUEEN) & (paths.action == BET)
    assert added[ROOT, BET, QUEEN] == where.sum()


@pytest.mark.thorough
def test_chance_deals_no_card_that_is_in_a_hand() -> None:
    """Trap 8. Leduc with six different cards, of which the tree keeps three at its chance node.

    Player 0 holds card 0 and player 1 card 1; what else was kept is equally likely.
    """
    public, max_outcomes = public_tree("leduc"), 3
    node = int(np.flatnonzero(public.node_actor == CHANCE)[0])
    ranges = np.full((1, 2, 6), 1 / 6, np.float32)
    settings = SearchSettings(grow=False, num_simulations=1, max_outcomes=max_outcomes)
    start = known_root(
        EnumeratedState(node=jnp.array([node] * 20, jnp.int32)),
        jnp.asarray(ranges.repeat(20, axis=0)),
    )
    result = run_search(enumerated("leduc"), settings, root=start)
    several = [tree_number(result, search) for search in range(20)]
    kept = [np.array(list(children_of(tree, int(ROOT)))) for tree in several]
    chosen = next(n for n in range(20) if len(set(kept[n]) & {0, 1}) == 1)
    tree = several[chosen]
    reach_sum = np.array(tree.interior_statistics.reach_sum)
    reach_sum[ROOT] = np.eye(6)[:2]
    statistics = replace(tree.interior_statistics, reach_sum=jnp.asarray(reach_sum))
    paths = simulated(enumerated("leduc"), settings, replace(tree, interior_statistics=statistics))
    assert (paths.slot == NO_PARENT).all()  # nobody chose anything
    outcomes = np.asarray(tree.outcomes)[ROOT][paths.edge % tree.shape.layout.num_children]
    possible = np.isin(np.arange(6), kept[chosen]) & (np.arange(6) > 1)
    assert len(kept[chosen]) == max_outcomes
    assert possible.sum() == 2
    assert_frequencies(outcomes, possible / possible.sum())
