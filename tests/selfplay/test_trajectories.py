"""Games that become examples with their outcome (TD(1) targets)."""

import itertools
from typing import Any

import numpy as np
import pytest

from selfplay.actor import Decisions
from selfplay.examples import StoredExample, no_examples
from selfplay.trajectories import Trajectories
from sog.games import make

KUHN = make("kuhn")
GOES_ON, ENDS, RESIGNED = "goes on", "ends", "resigned"
MAX_UTILITY = 4.0


def decisions(
    number: int,
    courses: list[str],
    infostates: list[tuple[int, int]],
    utilities: list[float] | None = None,
) -> Decisions:
    """One step of some games; `number` tells the belief states of different steps apart."""
    visited = no_examples(KUHN, len(courses))
    parts = vars(visited)
    parts["state"][:] = 10 * number + np.arange(len(courses))[:, None]
    parts["policy"][:] = number
    parts["policy_mask"][:] = True
    parts["values"][:] = 99
    parts["value_mask"][:] = True
    fields: dict[str, Any] = {
        "visited": StoredExample(**parts),
        "infostates": np.array(infostates, np.int32),
        "is_over": np.array([course == ENDS for course in courses]),
        "is_resigned": np.array([course == RESIGNED for course in courses]),
        "utility": np.array(utilities or [0.0] * len(courses), np.float32),
        "queries": None,  # neither these nor what may go wrong is looked at
        "is_full": np.zeros(1, bool),
        "has_arrived": np.ones(1, bool),
        "overflows": np.zeros(1, bool),
        "fault": None,
    }
    return Decisions(**fields)


def add(
    trajectories: Trajectories, step: Decisions, random: np.random.Generator | None = None
) -> StoredExample | None:
    return trajectories.add(step, MAX_UTILITY, random or np.random.default_rng(0))


def test_a_game_that_ends_gives_its_outcome_at_the_infostates_the_players_had() -> None:
    trajectories = Trajectories(1, td1=1.0)
    assert add(trajectories, decisions(1, [GOES_ON], [(2, 0)])) is None
    found = add(trajectories, decisions(2, [ENDS], [(1, 0)], [-2.0]))
    assert found is not None
    assert found.state[:, 0].tolist() == [10, 20]  # the belief states, in their order
    # Player 0 loses half of the most there is, as infostate 2 and then 1; player 1 wins it.
    assert found.values[0].tolist() == [[0, 0, -0.5], [0.5, 0, 0]]
    assert found.values[1].tolist() == [[0, -0.5, 0], [0.5, 0, 0]]
    assert found.value_mask[0].tolist() == [[False, False, True], [True, False, False]]
    assert found.value_mask[1].tolist() == [[False, True, False], [True, False, False]]
    assert found.values.dtype == np.float32
    assert found.value_mask.dtype == bool
    # The policies are those of the searches, for all infostates.
    assert found.policy[:, 0, 0].tolist() == [1, 2]
    assert found.policy_mask.all()


def test_games_are_told_apart_and_begin_anew_after_their_end() -> None:
    trajectories = Trajectories(3, td1=1.0)
    cards = [(0, 1), (1, 2), (2, 0)]
    assert add(trajectories, decisions(1, [GOES_ON, GOES_ON, GOES_ON], cards)) is None
    found = add(trajectories, decisions(2, [GOES_ON, ENDS, GOES_ON], cards, [9, 4, 9]))
    assert found is not None
    assert found.state[:, 0].tolist() == [11, 21]
    assert found.values[:, 0].tolist() == [[0, 1, 0], [0, 1, 0]]
    found = add(trajectories, decisions(3, [ENDS, ENDS, GOES_ON], cards, [0, 2, 9]))
    assert found is not None
    assert found.state[:, 0].tolist() == [10, 20, 30, 31]
    assert found.values[:, 1, 2].tolist() == [0, 0, 0, -0.5]
    assert found.value_mask.sum() == 2 * 4


def test_games_that_somebody_resigned_give_nothing_and_are_forgotten() -> None:
    trajectories = Trajectories(1, td1=1.0)
    assert add(trajectories, decisions(1, [GOES_ON], [(0, 1)])) is None
    assert add(trajectories, decisions(2, [RESIGNED], [(0, 1)], [4.0])) is None
    found = add(trajectories, decisions(3, [ENDS], [(0, 1)], [4.0]))
    assert found is not None
    assert found.state[:, 0].tolist() == [30]


@pytest.mark.parametrize("td1", [0.2, 0.7])
def test_a_belief_state_becomes_an_example_with_the_probability_that_was_set(td1: float) -> None:
    trajectories, random = Trajectories(10, td1=td1), np.random.default_rng(1)
    cards = [(0, 1)] * 10
    num_found = 0
    for number in range(100):
        add(trajectories, decisions(number, [GOES_ON] * 10, cards), random)
        found = add(trajectories, decisions(number, [ENDS] * 10, cards, [1.0] * 10), random)
        num_found += 0 if found is None else len(found.version)
    assert num_found / 2000 == pytest.approx(td1, abs=5 * (td1 * (1 - td1) / 2000) ** 0.5)


def test_values_of_searches_become_targets_at_once_where_that_is_wanted() -> None:
    trajectories = Trajectories(2, td1=0.0, search_targets=1.0)
    cards = [(0, 1), (1, 2)]
    for number, course in enumerate((GOES_ON, ENDS, RESIGNED)):
        found = add(trajectories, decisions(number, [course] * 2, cards, [4.0, 4.0]))
        assert found is not None
        assert found.state[:, 0].tolist() == [10 * number, 10 * number + 1]
        assert (found.values == 99).all()  # what the searches found, for all infostates
        assert found.value_mask.all()


def test_values_of_searches_and_outcomes_go_together() -> None:
    trajectories = Trajectories(1, td1=1.0, search_targets=1.0)
    add(trajectories, decisions(1, [GOES_ON], [(0, 1)]))
    found = add(trajectories, decisions(2, [ENDS], [(0, 1)], [4.0]))
    assert found is not None
    assert found.state[:, 0].tolist() == [20, 10, 20]
    assert found.values[:, 0, 0].tolist() == [99, 1, 1]


def test_what_was_visited_is_not_changed() -> None:
    """The arrays of a step may be used for something else."""
    step = decisions(1, [ENDS, ENDS], [(0, 1), (1, 2)], [4.0, -4.0])
    add(Trajectories(2, td1=1.0), step)
    for row, player in itertools.product(range(2), range(2)):
        assert (step.visited.values[row, player] == 99).all()


def test_a_share_of_the_searches_does() -> None:
    trajectories, random = Trajectories(400, td1=0.0, search_targets=0.25), np.random.default_rng(1)
    found = add(trajectories, decisions(1, [GOES_ON] * 400, [(0, 1)] * 400), random)
    assert found is not None
    assert len(found.version) == pytest.approx(100, abs=5 * (400 * 0.25 * 0.75) ** 0.5)
