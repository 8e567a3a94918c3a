"""Games of random moves before the first search: what they are worth, and what they teach."""

import copy
import dataclasses
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.packing import unpack
from selfplay.examples import StoredExample
from selfplay.loop import InlineSchedule
from selfplay.random_games import play_random_games
from sog.games import Game, make
from sog.games.core import PLAYER_0, PLAYER_1
from tests.selfplay.test_loop import CONFIG, assert_same


def examples_of(game: Game[Any], count: int, share: float = 1.0) -> tuple[StoredExample, int]:
    """The examples of random games, and how many games were told of."""
    works = play_random_games(game, count, share, jax.random.key(0), np.random.default_rng(0))
    parts, num_games = [], 0
    for work in works:
        num_games += work.counts.get("games", 0)
        parts.append(work.examples)
    examples: StoredExample = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    return examples, num_games


def test_random_kuhn_is_worth_an_eighth_to_the_first_player() -> None:
    # By hand: half of the time he bets, half of that is folded to (+1), and showdowns are even. The
    # other half of the time he checks, half of that is bet on, half of that he folds (-1).
    game, count = make("kuhn"), 4000
    examples, num_games = examples_of(game, count)
    assert num_games == count
    assert len(examples.version) / count == pytest.approx(2 + 1 / 4, abs=0.04)  # decisions
    states = jax.vmap(lambda row: unpack(game, row))(examples.state)
    is_first = np.asarray(states.num_events) == 0
    assert is_first.sum() == count
    utility = examples.values.sum(axis=2) * game.max_utility
    np.testing.assert_array_equal(utility[:, PLAYER_0], -utility[:, PLAYER_1])
    error = 4 * float(utility[is_first, PLAYER_0].std()) / count**0.5
    assert utility[is_first, PLAYER_0].mean() == pytest.approx(1 / 8, abs=error)


def test_only_the_value_at_the_infostates_the_players_had_is_known_and_no_policy_is() -> None:
    examples, _ = examples_of(make("leduc"), 50)
    assert (examples.value_mask.sum(axis=2) == 1).all()
    assert (np.asarray(examples.values)[~examples.value_mask] == 0).all()
    assert not examples.policy_mask.any()


@pytest.mark.thorough
def test_ranges_are_how_often_random_play_comes_to_a_station() -> None:
    examples, _ = examples_of(make("glasses"), 4000)
    # Who knows the way to a public state believes what it tells him: so by state and range.
    ranges = np.round(examples.ranges[:, PLAYER_0], 4)
    rows = np.concatenate([examples.state, 10_000 * ranges], axis=1)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    checked = 0
    for number in np.flatnonzero(np.bincount(group) >= 400):
        mine = group == number
        stations = examples.value_mask[mine, PLAYER_0].mean(axis=0)
        error = 5 * 0.5 / mine.sum() ** 0.5
        np.testing.assert_allclose(stations, ranges[mine][0], atol=error)
        checked += len(np.unique(ranges[mine][0])) > 2  # likelier stations and less likely ones
    assert checked >= 2


def test_a_share_of_the_decisions_becomes_examples() -> None:
    game = make("kuhn")
    everything, some = examples_of(game, 1000)[0], examples_of(game, 1000, share=0.25)[0]
    share = len(some.version) / len(everything.version)
    assert share == pytest.approx(0.25, abs=0.04)


@pytest.mark.slow
def test_a_run_begins_with_its_random_games_and_plays_them_once() -> None:
    selfplay = dataclasses.replace(CONFIG.selfplay, random_games=30, random_share=1.0)
    config = dataclasses.replace(CONFIG, selfplay=selfplay)

    def new_run() -> InlineSchedule:
        return InlineSchedule(make(config.game), config)

    training = new_run()
    told = [*training.gather()]
    assert told[-1] == ("playing games at random", 30, 30)
    assert not [*training.gather()]
    training.cycle()
    assert training.counts["games"] >= 30
    assert training.counts["games"] - 30 <= CONFIG.selfplay.batch_size
    assert training.replay.num_added >= 0.5 * 30 * 2
    training.begin_new_games()
    saved = copy.deepcopy(training.save())
    added = training.replay.num_added
    training.cycle()
    assert training.replay.num_added - added < 30
    again = new_run()
    again.load(*saved)
    again.cycle()
    assert_same(again.save()[0], training.save()[0])
