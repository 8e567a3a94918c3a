"""The loop drives whatever recipe a configuration names."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import Evaluator
from networks.cvpn import NetworkSettings
from selfplay import recipe
from selfplay.learner import cvpn_loss
from selfplay.loop import InlineSchedule
from selfplay.random_games import play_random_games
from selfplay.recipe import RECIPES, Recipe, make_evaluator
from selfplay.schedule import check_config
from selfplay.settings import Config, LearnerSettings, ReplaySettings, RunSettings
from selfplay.workers import SELFPLAY, GamesWorker, WorkerOutput
from sog.games import Game, make

CONFIG = Config(
    game="kuhn",
    network=NetworkSettings(width=8, depth=1),
    learner=LearnerSettings(batch_size=8),
    replay=ReplaySettings(size=64, least=8),
    run=RunSettings(steps=4),
)


class Wanderer(GamesWorker):
    """Plays whole games of random moves, and asks for nothing to be solved."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        self._game = game

    def prepare(self, evaluator: Evaluator, version: Array) -> Callable[[], None]:
        return lambda: None

    def begin_new_games(self) -> None:
        """There are none in progress."""

    def play(
        self, evaluator: Evaluator, version: Array, key: Array, random: np.random.Generator
    ) -> WorkerOutput:
        (work,) = play_random_games(self._game, 32, 1.0, key, random)
        return dataclasses.replace(work, part=SELFPLAY)


def test_another_recipe_trains_in_the_same_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    losses: list[str] = []

    def loss(*given: Any) -> Any:
        losses.append("asked")
        return cvpn_loss(*given)

    wandering = Recipe(
        check=lambda game, config: {},
        player=Wanderer,
        solver=None,
        evaluator=make_evaluator,
        loss=loss,
    )
    monkeypatch.setattr(recipe, "RECIPES", {**RECIPES, "wandering": wandering})
    config = dataclasses.replace(CONFIG, algorithm="wandering")
    schedule = InlineSchedule(make("kuhn"), config)
    told: list[list[str]] = []
    schedule.prepare(lambda names: told.append([*names]))
    while not schedule.is_done:
        schedule.cycle()
    assert told == [["self-play"]]
    assert losses
    assert schedule.learner.step == 4
    assert schedule.counts["solves"] == 0


def test_an_unknown_recipe_is_refused() -> None:
    config = dataclasses.replace(CONFIG, algorithm="alpha")
    with pytest.raises(
        ValueError, match=r"^algorithm must be one of student_of_games, alphazero, got 'alpha'"
    ):
        check_config(make("kuhn"), config)
