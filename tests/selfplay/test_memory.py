"""What cannot fit into memory is refused before anything is compiled."""

from typing import Any

import jax
import pytest

from networks.cvpn import NetworkSettings, make_network, num_parameters
from selfplay import memory
from selfplay.learner import first_state
from selfplay.runs.config import load_config
from selfplay.settings import Config
from sog import memory as machine
from sog.games import Game, make

GIGABYTE = 10**9


@pytest.fixture
def leduc() -> tuple[Game[Any], Config]:
    return make("leduc"), load_config("leduc")


def check_training(game: Game[Any], config: Config) -> None:
    memory.check_training(game, config, memory.searches_bytes(game, config))


def refusal(monkeypatch: pytest.MonkeyPatch, run: tuple[Game[Any], Config], there: int) -> str:
    monkeypatch.setattr(machine, "available_bytes", lambda: there)
    with pytest.raises(ValueError, match=r"\.$") as caught:
        check_training(*run)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("leduc", NetworkSettings(depth=1)),
        ("leduc", NetworkSettings(width=7, depth=5, value_head="pairwise", policy_heads=2)),
        ("tic_tac_toe", NetworkSettings(torso="resnet", width=4, depth=4)),
        ("glasses", NetworkSettings(torso="graph", width=6, depth=4)),
    ],
)
def test_parameters_are_counted_without_making_them(text: str, network: NetworkSettings) -> None:
    game = make(text)
    _, params = make_network(game, network)
    assert num_parameters(game, network) == sum(leaf.size for leaf in jax.tree.leaves(params))


def test_the_learner_holds_at_least_what_it_saves(leduc: tuple[Game[Any], Config]) -> None:
    game, config = leduc
    _, params = make_network(game, config.network)
    state = first_state(config.learner, params)
    saved = sum(leaf.nbytes for leaf in jax.tree.leaves(state))
    assert saved < memory.learner_bytes(game, config) < 2 * saved


def test_a_run_that_fits_is_not_refused(
    leduc: tuple[Game[Any], Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "available_bytes", lambda: GIGABYTE)
    check_training(*leduc)
    monkeypatch.setattr(machine, "available_bytes", lambda: None)  # nobody knows
    check_training(leduc[0], load_config("leduc", ["network.width=1000000"]))


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("network.width=1000000", "network.width = 1000000 and network.depth = 3 would take"),
        ("selfplay.batch_size=1000000000", "selfplay.batch_size = 1000000000 searches of search."),
        ("search.num_simulations=1000000", "of solver.search.num_simulations = 1000000 would"),
        ("replay.size=1000000000", "replay.size = 1000000000 examples would take"),
        ("learner.batch_size=1000000000", "learner.batch_size = 1000000000 examples would take"),
    ],
)
def test_what_takes_most_is_named_with_the_bytes_that_there_are(
    override: str, says: str, leduc: tuple[Game[Any], Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config("leduc", [override, "solver.queue_size=1000000000"])
    message = refusal(monkeypatch, (leduc[0], config), GIGABYTE)
    assert says in message
    assert message.endswith("B of memory; there are 1 GB.")


def test_searches_everywhere_take_a_tree_more_per_game(
    leduc: tuple[Game[Any], Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, config = leduc
    needed = []
    monkeypatch.setattr(memory, "check_memory", lambda parts: needed.append(sum(parts.values())))
    check_training(game, config)
    check_training(game, load_config("leduc", ["search.search_everywhere=true"]))
    play = config.selfplay
    tree = memory.search_bytes(game, config.network, config.search, play.max_events)
    assert needed[1] - needed[0] == play.batch_size * tree


def test_parts_that_fit_alone_can_be_too_much_together(
    leduc: tuple[Game[Any], Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, config = leduc
    there = config.replay.size * memory.kept_bytes(game) + 10**6
    message = refusal(monkeypatch, (game, config), there)
    assert message.startswith("replay.size = 150000 examples would take 47.4 MB of memory (")
    assert message.endswith(" with everything else); there are 48.4 MB.")


def test_the_disk_holds_the_newest_checkpoints_with_examples_and_milestones_without() -> None:
    game = make("leduc")
    sizes = {}
    for keep, milestones, size in ((1, 0, 2000), (2, 0, 2000), (1, 1, 2000), (1, 0, 3000)):
        overrides = [f"run.keep={keep}", f"run.milestones={milestones}", f"replay.size={size}"]
        config = load_config("leduc", [*overrides, 'learner.optimizer="adam"'])
        sizes[keep, milestones, size] = memory.disk_bytes(game, config)
    milestone = sizes[1, 1, 2000] - sizes[1, 0, 2000]
    example = memory.kept_bytes(game)
    _, params = make_network(game, config.network)
    state = first_state(config.learner, params)
    saved = sum(leaf.nbytes for leaf in jax.tree.leaves(state))
    assert milestone == pytest.approx(saved, rel=0.01)
    assert sizes[1, 0, 3000] - sizes[1, 0, 2000] == 2 * 1000 * example
    assert sizes[2, 0, 2000] - sizes[1, 0, 2000] > milestone + 2000 * example


@pytest.mark.thorough
def test_an_example_of_a_large_game_is_counted_by_what_random_play_leaves_in_it() -> None:
    """All infostates and actions of London would take 51 kB."""
    assert memory.example_bytes(make("london")) > 50_000
    assert 1_500 < memory.kept_bytes(make("london")) < 8_000
