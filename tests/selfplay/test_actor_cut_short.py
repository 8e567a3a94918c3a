"""Self-play that resigns, cuts games short, and lacks room for events since the last search."""

import jax
import numpy as np
import pytest

from gtcfr.packing import pack
from selfplay.settings import SelfplaySettings
from sog.games import make
from tests.gtcfr.grown_trees import whole_game
from tests.selfplay.played_steps import Step, actors, nodes_of, play
from tests.tabular.small_games import tree_of

AFTER_A_CHECK = 1
"""The node of Kuhn poker where the second player may bet."""

IMPATIENT = SelfplaySettings(
    batch_size=64,
    uniform_mix=0.3,
    resign_threshold=-0.2,
    no_resign=0.25,
    max_moves=2,
    max_events=1,
    queries_per_search=0.0,
)


def impatient_play() -> tuple[Step, ...]:
    return play("kuhn", whole_game(8, 11), IMPATIENT, 25, network=False)


def resigns(step: Step) -> np.ndarray:
    """Who should have resigned, from the values that the searches found."""
    rows = np.arange(IMPATIENT.batch_size)
    movers = actors(make("kuhn"), step.before)
    expected = step.decisions.visited.values[rows, movers, step.before.infostates[rows, movers]]
    return np.asarray(step.before.may_resign & (expected < -0.2))


@pytest.mark.thorough
def test_who_expects_too_little_resigns_where_that_is_allowed() -> None:
    """A jack facing a bet loses its chip of two at least, the most there is."""
    total = 0
    for step in impatient_play():
        assert step.decisions.is_resigned[resigns(step)].all()
        assert not step.decisions.is_over[resigns(step)].any()
        total += resigns(step).sum()
    assert total > 20
    new = np.concatenate(
        [s.before.may_resign[s.before.num_decisions == 0] for s in impatient_play()]
    )
    bound = 5 * (0.25 * 0.75 / len(new)) ** 0.5
    assert new.mean() == pytest.approx(1 - IMPATIENT.no_resign, abs=bound)


@pytest.mark.thorough
def test_games_of_too_many_moves_are_played_to_their_end_at_random() -> None:
    """After a check and a bet the first player has no search, and folds or calls equally often.

    With the higher card he loses his ante by folding and wins two chips by calling, and nothing
    else loses one or wins two there: two checks win one.
    """
    payoffs = []
    for step in impatient_play():
        stays, second = ~resigns(step), step.before.num_decisions == 1
        assert (step.decisions.is_over == (stays & second)).all()
        assert (step.after.num_decisions < 2).all()
        checked = nodes_of(tree_of("kuhn"), step.decisions.visited.state) == AFTER_A_CHECK
        has_higher_card = step.before.infostates[:, 0] > step.before.infostates[:, 1]
        payoffs += step.decisions.utility[stays & second & checked & has_higher_card].tolist()
    folds, calls = payoffs.count(-1.0), payoffs.count(2.0)
    assert folds + calls + payoffs.count(1.0) == len(payoffs)
    assert folds + calls > 20
    assert abs(folds - calls) < 4 * (folds + calls) ** 0.5


def test_what_is_played_is_mixed_with_uniform_play() -> None:
    """At the start of the game, with each card: as many bets as (1 - eps) * policy + eps / 2."""
    tree = tree_of("kuhn")
    surplus, variance = np.zeros(3), np.zeros(3)
    apart = 0.0
    for step in impatient_play():
        nodes = nodes_of(tree, step.decisions.visited.state)
        after = nodes_of(tree, jax.vmap(pack)(step.after.state))
        rows = np.flatnonzero((nodes == 0) & ~resigns(step))
        cards = step.before.infostates[rows, 0]
        found = step.decisions.visited.policy[rows, cards, 2]
        wanted = 0.7 * found + 0.3 / 2
        bets = tree.node_outcome[after[rows]] == 2
        np.add.at(surplus, cards, bets - wanted)
        np.add.at(variance, cards, wanted * (1 - wanted))
        apart = max(apart, float(np.abs(found - 0.5).max(initial=0)))
    assert apart > 0.2  # so that the mixture differs from the policy
    assert variance.min() > 10
    assert (np.abs(surplus) < 5 * np.sqrt(variance)).all()


def test_too_little_room_for_events_is_told() -> None:
    """The first player sees his own action and the answer; after the first step nobody has."""
    game = make("kuhn")
    for step in impatient_play():
        answers = (actors(game, step.before) == 0) & (step.before.num_decisions == 2)
        np.testing.assert_array_equal(step.decisions.overflows, answers)
