"""The configurations that come with the package, and the published settings that some repeat."""

import functools
from pathlib import Path
from typing import NoReturn

import pytest

from gtcfr.shape import tree_shape
from networks.cvpn import check_torso
from selfplay.runs.config import flatten, load_config
from selfplay.runs.config_files import list_configs
from sog.games import CHANCE, make
from sog.games.encoding import Planes
from sog.holdem.game import Holdem
from tests.games.random_plays import play_randomly

CHECKOUT = Path(__file__).resolve().parents[2]
FILES = sorted((CHECKOUT / "configs").glob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_configuration_is_short_and_names_a_game_that_can_be_searched(file: Path) -> None:
    config = load_config(str(file))
    assert len(file.read_text().splitlines()) < 40
    assert config.summary
    game = make(config.game)
    for search in (config.search, config.solver.search, config.run.evaluate_search):
        tree_shape(game, search, path_length=game.max_depth)
    check_torso(game, config.network.torso)


@pytest.mark.parametrize("is_installed", [True, False])
def test_configurations_are_found_by_name(
    is_installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(package: str) -> NoReturn:
        raise ModuleNotFoundError(f"No module named {package!r}")

    if not is_installed:  # run from a checkout
        monkeypatch.setattr("importlib.resources.files", find)
    assert list_configs() == [file.stem for file in FILES]
    assert load_config("leduc") == load_config(str(CHECKOUT / "configs" / "leduc.toml"))


def test_an_unknown_configuration_suggests_the_closest_one() -> None:
    with pytest.raises(
        ValueError, match=r"^leducc is not a configuration; did you mean leduc\? The"
    ):
        load_config("leducc")
    with pytest.raises(ValueError, match=r"there are chess_gpu, .*, tic_tac_toe\. The name"):
        load_config("zzz")


def test_the_published_settings_of_scotland_yard() -> None:
    # Student of Games, Tables S1 and S2.
    flat = flatten(load_config(str(CHECKOUT / "configs" / "paper_scotland_yard.toml")))
    published = {
        "network.torso": "mlp",
        "network.depth": 6,
        "network.width": 512,
        "learner.batch_size": 1024,
        "network.policy_heads": 2,  # Figure 6
        "learner.optimizer": "sgd",
        "learner.learning_rate": 0.1,
        "learner.decay_steps": 2_000_000,
        "learner.decay_rate": 0.5,
        "learner.policy_weight": 0.05,
        "learner.value_weight": 1,
        "replay.size": 1_000_000,
        "replay.max_grad_updates": 5,
        "selfplay.td1": 0,
        "selfplay.queries_per_search": 0.3,
        "solver.recursive_queries": 0.1,
        "selfplay.uniform_mix": 0,
        "selfplay.resign_threshold": None,
        "selfplay.greedy_after": None,
        "selfplay.max_moves": None,
        "search.prior_temperature": 1,
    }
    assert {key: flat[key] for key in published} == published
    # The paper tells of none of these.
    off = {
        "solver.tremble": 0,
        "solver.random_ranges": 0,
        "selfplay.search_targets": 0,
        "search.leaf_averaging": 0,
        "learner.momentum": 0,
        "learner.average_decay": 0,
    }
    assert {key: flat[key] for key in off} == off


@pytest.mark.parametrize(("game", "base"), [("leduc", "leduc_demo"), ("glasses", "glasses")])
def test_figure_3_is_trained_and_played_by_the_search_of_the_paper(game: str, base: str) -> None:
    """SoG(100, 1) in all three places; what the paper does not publish is as without it."""
    found, usual = (
        flatten(load_config(str(CHECKOUT / "configs" / f"{name}.toml")))
        for name in (f"{game}_paper", base)
    )
    searches = ("search.", "solver.search.", "run.evaluate_search.")
    for where in searches:
        values = (found[f"{where}num_simulations"], found[f"{where}simulations_per_update"])
        assert (*values, found[f"{where}rule"], found[f"{where}leaf_averaging"]) == (
            100,
            1,
            "sog",
            0,
        )
    of_training = ("network.", "selfplay.", "replay.", "solver.")
    same = [key for key in usual if key.startswith(of_training) and not key.startswith(searches)]
    assert {key: found[key] for key in same} == {key: usual[key] for key in same}
    assert found["run.milestones"] == 5


@pytest.mark.parametrize("name", ["paper_chess", "paper_holdem", "paper_scotland_yard"])
def test_queries_are_solved_by_the_search_of_selfplay(name: str) -> None:
    flat = flatten(load_config(str(CHECKOUT / "configs" / f"{name}.toml")))
    search = {key.partition(".")[2]: flat[key] for key in flat if key.startswith("search.")}
    solver = {key: flat[f"solver.search.{key}"] for key in search}
    assert {**search, "resolve_from": None} == {**solver, "resolve_from": None}  # nothing before


def test_the_published_settings_of_go() -> None:
    # Student of Games, Table S2, and SoG(400, 1) of its text.
    config = load_config(str(CHECKOUT / "configs" / "paper_go.toml"))
    flat, game = flatten(config), make(config.game)
    published = {
        "network.torso": "resnet",
        "learner.batch_size": 2048,
        "learner.optimizer": "sgd",
        "learner.learning_rate": 0.02,
        "learner.decay_steps": 200_000,
        "learner.decay_rate": 0.1,
        "learner.policy_weight": 1,
        "learner.value_weight": 0.5,
        "replay.size": 50_000_000,
        "replay.max_grad_updates": 0.2,
        "selfplay.td1": 0.2,
        "selfplay.queries_per_search": 0,
        "solver.recursive_queries": 0,
        "selfplay.uniform_mix": 0,
        "selfplay.resign_threshold": -0.9,
        "selfplay.no_resign": 0.2,
        "selfplay.greedy_after": 30,
        "selfplay.max_moves": 722,
        "search.prior_temperature": 1.5,
        "search.num_simulations": 400,
        "search.simulations_per_update": 1,
        "run.steps": 1_000_000,
    }
    assert {key: flat[key] for key in published} == published
    assert game.max_depth == flat["selfplay.max_moves"]
    assert isinstance(game.encoding, Planes)
    assert (game.encoding.channels, game.encoding.rows) == (17, 19)  # Table S1


def test_the_published_settings_of_holdem() -> None:
    # Student of Games, Tables S1 and S2, and SoG(10, 0.01) of its text.
    config = load_config(str(CHECKOUT / "configs" / "paper_holdem.toml"))
    flat, game = flatten(config), make(config.game)
    published = {
        "network.torso": "mlp",
        "network.depth": 6,
        "network.width": 2048,
        "learner.batch_size": 1024,
        "learner.optimizer": "adam",
        "learner.learning_rate": 0.0001,
        "learner.decay_steps": 2_000_000,
        "learner.decay_rate": 0.5,
        "learner.policy_weight": 0.01,
        "learner.value_weight": 1,
        "replay.size": 1_000_000,
        "replay.max_grad_updates": 10,
        "selfplay.td1": 0,
        "selfplay.queries_per_search": 0.9,
        "solver.recursive_queries": 0.1,
        "selfplay.uniform_mix": 0.1,
        "selfplay.resign_threshold": None,
        "selfplay.greedy_after": None,
        "selfplay.max_moves": None,
        "search.prior_temperature": 1,
        "search.num_simulations": 10,
        "search.simulations_per_update": 0.01,
        "run.steps": 1_100_000,
    }
    assert {key: flat[key] for key in published} == published
    off = ("solver.tremble", "solver.random_ranges", "search.leaf_averaging")
    assert {flat[key] for key in (*off, "learner.average_decay")} == {0}
    assert isinstance(game, Holdem)
    assert game.num_actions == 3  # fold, call and one size
    stakes, actor = 2, 3  # Table S1, and what was drawn
    assert len(game.observe(game.root())) == 52 + stakes + actor + 2


@pytest.mark.thorough(but=["connect_four", "kuhn", "leduc", "liars_dice_1x4f"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_there_is_room_for_the_events_between_two_decisions(file: Path) -> None:
    config = load_config(str(file))
    assert most_events(config.game) <= config.selfplay.max_events


@functools.cache
def most_events(text: str) -> int:
    """The most public events that a player sees between two of his decisions, in random plays."""
    most = 0
    for play in play_randomly(make(text), 20, 0):
        events = [0, 0]
        for step in play.steps:
            if step.actor < CHANCE:
                most, events[step.actor] = max(most, events[step.actor]), 0
            events = [number + 1 for number in events]
    return most
