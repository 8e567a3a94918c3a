import functools
import tomllib
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, check_torso
from selfplay.runs.config import dump_config, flatten, load_config, read_config
from selfplay.runs.config_files import list_configs
from selfplay.settings import Config, LearnerSettings, RunSettings, SelfplaySettings, SolverSettings
from sog.games import CHANCE, make
from sog.games.cards.holdem import Holdem
from sog.games.encoding import Planes
from sog.tabular.cfr import RULES
from tests.games.random_plays import play_randomly

CHECKOUT = Path(__file__).resolve().parents[2]
FILES = sorted((CHECKOUT / "configs").glob("*.toml"))


@pytest.fixture
def leduc(tmp_path: Path) -> str:
    file = tmp_path / "leduc.toml"
    file.write_text('game = "leduc"\n\n[search]\nnum_simulations = 20\n')
    return str(file)


def problem(path: str, *overrides: str) -> str:
    """What `load_config` says, without the name of the file."""
    with pytest.raises(ValueError, match=r"\.$|\?$") as caught:
        load_config(path, overrides)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message.removeprefix(f"{path}: ")


def problem_of(text: str, folder: Path) -> str:
    file = folder / "wrong.toml"
    file.write_text(text)
    return problem(str(file))


def test_what_a_file_leaves_out_has_its_default(leduc: str) -> None:
    search = SearchSettings(num_simulations=20)
    expected = Config(game="leduc", search=search, run=RunSettings(evaluate_search=search))
    assert load_config(leduc) == expected


def test_evaluation_follows_the_search_of_self_play_unless_told_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(
        """game = "leduc"
[run]
steps = 3
evaluate_search = { num_simulations = 50, alpha = 1.0 }
[search]
num_simulations = 20
rule = "dcfr"
alpha = 0.25
"""
    )
    config = load_config(str(file), ["search.c_puct=2"])
    expected = SearchSettings(num_simulations=50, alpha=1.0, rule="dcfr", c_puct=2.0)
    assert (config.run.evaluate_search, config.run.steps) == (expected, 3)
    assert config.solver.search == SearchSettings()
    # What is said of evaluation stays with it, and mistakes are where they were made.
    assert config.search == SearchSettings(num_simulations=20, rule="dcfr", alpha=0.25, c_puct=2.0)
    assert problem(str(file), "search.alpha=2").endswith(
        "=2: search: alpha must be in [0, 1], got 2.0."
    )
    assert problem_of('game = "leduc"\nrun = 3\n', tmp_path) == "run must be a table, got 3."
    says = "run.evaluate_search must be a table, got 3."
    assert problem_of('game = "leduc"\nrun.evaluate_search = 3\n', tmp_path) == says


EVALUATED_BY: dict[str, dict[str, Any]] = {
    "chess_gpu": {"num_simulations": 400, "resolve_from": "deepest", "max_actions": 64},
    "connect_four": {"resolve_from": "deepest"},
    "connect_four_gpu": {"resolve_from": "deepest"},
    "gardner_chess": {"num_simulations": 200, "resolve_from": "deepest", "max_actions": 32},
    "glasses": {"resolve_from": "deepest", "leaf_averaging": 0.5, "rule": "dcfr"},
    "go5": {"num_simulations": 200, "resolve_from": "deepest"},
    "go7": {"num_simulations": 200, "resolve_from": "deepest"},
    "go9_gpu": {"num_simulations": 400, "resolve_from": "deepest"},
    "goofspiel4": {"num_simulations": 50},
    "hex5": {"num_simulations": 200, "resolve_from": "deepest"},
    "holdem_gpu": {"num_simulations": 10, "simulations_per_update": 0.01, "max_outcomes": 16},
    "holdem_river": {"num_simulations": 10, "simulations_per_update": 0.01, "max_outcomes": 4},
    "holdem_small": {"num_simulations": 10, "simulations_per_update": 0.01, "max_outcomes": 6},
    "holdem_turn": {"num_simulations": 10, "simulations_per_update": 0.01, "max_outcomes": 6},
    "kuhn": {"simulations_per_update": 0.1, "leaf_averaging": 0.5, "rule": "dcfr"},
    "leduc": {"leaf_averaging": 0.5, "rule": "dcfr"},
    "leduc_demo": {"leaf_averaging": 0.5, "rule": "dcfr"},
    "leduc_gpu": {"leaf_averaging": 0.5, "rule": "dcfr"},
    "liars_dice_1x4f": {"num_simulations": 64, "simulations_per_update": 0.0625},
    "liars_dice_1x5f": {"num_simulations": 64, "simulations_per_update": 0.0625},
    "liars_dice_1x6f": {"num_simulations": 64, "simulations_per_update": 0.0625},
    "liars_dice_2x3f": {"num_simulations": 64, "simulations_per_update": 0.0625},
    "london_gpu": {"max_outcomes": 26},
    "london_small": {"num_simulations": 10, "max_outcomes": 26},
    "othello6": {"num_simulations": 200, "resolve_from": "deepest"},
    "paper_chess": {"resolve_from": "deepest", "prior_temperature": 1.5, "max_actions": 64}
    | {"num_simulations": 8000, "simulations_per_update": 10},
    "paper_go": {"resolve_from": "deepest", "prior_temperature": 1.5, "max_actions": 96}
    | {"num_simulations": 8000, "simulations_per_update": 10},
    "paper_holdem": {"resolve_from": "deepest", "max_outcomes": 16}
    | {"num_simulations": 10, "simulations_per_update": 0.01},
    "paper_scotland_yard": {"resolve_from": "deepest", "max_outcomes": 26}
    | {"num_simulations": 400},
    "tic_tac_toe": {"num_simulations": 25, "resolve_from": "deepest"},
}
"""What figures of `docs/results` were made with, from when this table had defaults of its own."""


def test_how_the_chains_of_self_play_are_resolved_is_not_how_they_are_evaluated(
    tmp_path: Path,
) -> None:
    """What training without the gadget costs is seen by playing with it."""
    file = tmp_path / "unsafe.toml"
    file.write_text(
        'game = "leduc"\nsearch = { safe = false, search_everywhere = true, alpha = 0.25 }\n'
    )
    config = load_config(str(file))
    assert config.search == SearchSettings(safe=False, search_everywhere=True, alpha=0.25)
    assert config.run.evaluate_search == SearchSettings(alpha=0.25)
    told = load_config(str(file), ["run.evaluate_search.safe=false"])
    assert told.run.evaluate_search == SearchSettings(safe=False, alpha=0.25)


def test_a_file_of_version_0_1_says_it_among_the_games_of_self_play(tmp_path: Path) -> None:
    file = tmp_path / "old.toml"
    file.write_text('game = "leduc"\n[selfplay]\nsafe = false\nsearch_everywhere = true\n')
    config = load_config(str(file))
    assert config.search == SearchSettings(safe=False, search_everywhere=True)
    assert config.run.evaluate_search == SearchSettings()
    assert load_config(str(file), ["search.safe=true"]).search.safe


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_configuration_is_evaluated_by_the_search_that_its_figures_are_of(file: Path) -> None:
    found = load_config(str(file)).run.evaluate_search
    assert found == SearchSettings(**EVALUATED_BY[file.stem])


def test_overrides_are_toml_or_bare_words_and_the_last_one_wins(leduc: str) -> None:
    config = load_config(
        leduc,
        [
            "search.alpha=1",
            "search.num_simulations = 1_000",
            "solver.search.rule=dcfr",
            "search.grow=false",
            "summary='a = b'",
            "game=liars_dice(dice=1,faces=4)",
            "run.steps=1",
            "run.steps=2",
            "network={ width = 7 }",
        ],
    )
    assert config.search == SearchSettings(num_simulations=1000, alpha=1.0, grow=False)
    assert type(config.search.alpha) is float
    assert config.solver.search.rule == "dcfr"
    assert config.summary == "a = b"
    assert config.game == "liars_dice(dice=1,faces=4)"
    assert config.run.steps == 2
    assert config.network == NetworkSettings(width=7)


def test_none_is_written_as_a_word(leduc: str) -> None:
    config = load_config(leduc, ["search.num_children=3", "search.capacity=99"])
    assert (config.search.num_children, config.search.capacity) == (3, 99)
    config = load_config(leduc, ["search.num_children=3", 'search.num_children="none"'])
    assert config.search.num_children is None
    config = load_config(leduc, ["search.num_children=3", "search.num_children=none"])
    assert config.search.num_children is None


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("search.num_simulations=many", "must be an integer, got 'many'."),
        ("search.num_simulations=1.0", "must be an integer, got 1.0."),
        ("search.num_simulations=true", "must be an integer, got True."),
        ("search.num_simulations=", "must be an integer, got ''."),
        ("search.num_children=all", "must be an integer or none, got 'all'."),
        ("search.alpha=half", "must be a number, got 'half'."),
        ("search.alpha=true", "must be a number, got True."),
        (
            f"search.num_simulations=1{'0' * 400}",
            "must be an integer of 64 bits, got one of 1,329 bits.",
        ),
        (f"search.alpha=1{'0' * 400}", f"must be a number, got 1{'0' * 400}."),
        ("search.grow=1", "must be true or false, got 1."),
        ("search.rule=1", "must be text, got 1."),
        ("search.rule={ summary = 'mine' }", "must be text, got {'summary': 'mine'}."),
        ("search=3", "must be a table, got 3."),
        ("solver.search=[]", "must be a table, got []."),
        ("game=1", "must be text, got 1."),
    ],
)
def test_a_value_of_the_wrong_type_is_named_with_its_override(
    override: str, expected: str, leduc: str
) -> None:
    key = override.split("=")[0]
    assert problem(leduc, override) == f"override {override!r}: {key} {expected}"


def test_of_several_overrides_the_one_that_counts_is_named(leduc: str) -> None:
    says = problem(leduc, "search={ alpha = 0 }", "search.alpha=x", "run.steps=y", "search.alpha=z")
    assert says == "override 'search.alpha=z': search.alpha must be a number, got 'z'."


def test_a_value_of_the_wrong_type_is_named_with_its_file(tmp_path: Path) -> None:
    text = 'game = "leduc"\n[solver.search]\nc_puct = "large"\n'
    assert problem_of(text, tmp_path) == "solver.search.c_puct must be a number, got 'large'."
    text = 'game = "leduc"\nsearch = 1979-05-27\n'
    assert problem_of(text, tmp_path).startswith("search must be a table, got datetime.date(")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("search.num_simulatons", "search.num_simulations"),
        ("num_simulations", "search.num_simulations"),
        ("serch.num_simulations", "search.num_simulations"),
        ("selfplay.batchsize", "selfplay.batch_size"),
        ("game.name", "game"),
        ("leaner", "learner"),
        ("width", "network.width"),
        ("search.sims", "search.num_simulations"),
        ("sims", "search.num_simulations"),
        ("run.evaluate_search.sims", "run.evaluate_search.num_simulations"),
        ("search.puct", "search.c_puct"),
        ("learner.lr", "learner.learning_rate"),
        ("learner.learning_rates", "learner.learning_rate"),
        ("run.lr", "learner.learning_rate"),
    ],
)
def test_an_unknown_key_suggests_the_closest_one(
    key: str, meant: str, leduc: str, tmp_path: Path
) -> None:
    says = f"{key} is no key of a configuration; did you mean {meant}?"
    assert problem(leduc, f"{key}=1") == f"override '{key}=1': {says}"
    if key not in (
        "game.name",
        "serch.num_simulations",
        "run.lr",
    ):  # in a file these are other mistakes
        assert problem_of(f'game = "leduc"\n{key} = 1\n', tmp_path) == says


def test_an_unknown_key_is_told_in_one_line_whatever_its_characters(tmp_path: Path) -> None:
    text = 'game = "leduc"\n"new\\nline" = 1\n'
    assert problem_of(text, tmp_path).startswith("new line is no key")


def test_the_own_checks_of_a_table_are_told_with_its_name(leduc: str, tmp_path: Path) -> None:
    text = 'game = "leduc"\n[search]\nnum_simulations = 0\n'
    says = "search: num_simulations must be an integer >= 1, got 0."
    assert problem_of(text, tmp_path) == says
    with_override = f"{leduc} with search.num_simulations=0: {says}"
    assert problem(leduc, "run.steps=3", "search.num_simulations=0") == with_override
    says = "run.evaluate_search: alpha must be in [0, 1], got 2.0."
    assert problem(leduc, "run.evaluate_search.alpha=2").endswith(says)
    says = "replay: least must be at most size = 10, got 2000."
    assert problem(leduc, "replay.size=10").endswith(says)
    assert problem(leduc, "selfplay.td1=nan").endswith("td1 must be in [0, 1], got nan.")
    assert problem(leduc, "learner.momentum=1").endswith("momentum must be in [0, 1), got 1.0.")


def test_a_game_is_needed(tmp_path: Path) -> None:
    assert problem_of("[search]\nalpha = 1\n", tmp_path) == "game is missing."
    assert problem_of("", tmp_path) == "game is missing."


@pytest.mark.parametrize(
    "text",
    ["game = leduc", "game = 'a'\ngame = 'b'", "[search", "x = " + "[" * 9999, "x = " + "9" * 9999],
)
def test_invalid_toml_is_named(text: str, tmp_path: Path) -> None:
    assert problem_of(text, tmp_path).startswith("no valid TOML: ")


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("search.alpha", "must be KEY=VALUE, such as search.num_simulations=50."),
        ("=1", "must be KEY=VALUE, such as search.num_simulations=50."),
        ("=", "must be KEY=VALUE, such as search.num_simulations=50."),
        ("foo.bar=1", "foo.bar is no key of a configuration; `sog configs leduc` shows all."),
        ('summary="open', "no valid TOML"),
        ("summary=[1", "no valid TOML"),
        ("run.steps=1\nx = 2", "must be one value."),
    ],
)
def test_an_override_that_cannot_be_read_is_named(override: str, says: str, leduc: str) -> None:
    message = problem(leduc, override)
    assert message.startswith(f"override {override!r}: ")
    assert says in message


def test_an_override_inside_a_table_that_is_none_blames_the_file(tmp_path: Path) -> None:
    file = tmp_path / "flat.toml"
    file.write_text('game = "leduc"\n[solver]\nsearch = 3\n')
    assert problem(str(file), "solver.search.alpha=1") == "solver.search must be a table, got 3."


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "marked.toml"
    file.write_bytes(b"\xef\xbb\xbfgame = 'leduc'\r\n")
    assert load_config(str(file)).game == "leduc"


def test_a_run_folder_is_no_configuration_but_has_one(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("game = 'leduc'\n")
    assert problem(str(tmp_path)) == (
        f"{tmp_path} is a run folder, no configuration; to go on with it: "
        f"`sog train {tmp_path}/config.toml --run {tmp_path}`."
    )


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    assert problem(str(tmp_path / "no.toml")) == "cannot be read: No such file or directory."
    (tmp_path / "folder.toml").mkdir()
    assert problem(str(tmp_path / "folder.toml")) == "cannot be read: Is a directory."
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    says = "cannot be read: not a file of UTF-8 text."
    assert problem(str(tmp_path / "binary.toml")) == says


def keys_of(values: dict[str, Any], prefix: str = "") -> set[str]:
    keys: set[str] = set()
    for name, value in values.items():
        keys |= keys_of(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name}
    return keys


def test_all_values_are_written_and_none_is_a_word() -> None:
    written = tomllib.loads(dump_config(Config(game="kuhn")))
    assert keys_of(written) == set(flatten(Config(game="kuhn")))
    assert written["search"]["num_children"] == "none"
    assert written["run"]["value_error_states"] == 256
    assert written["run"]["evaluate_search"]["num_simulations"] == 100
    parts = {
        *("network", "search", "selfplay", "solver"),
        *("alphazero", "replay", "learner", "run"),
    }
    assert {key for key, value in written.items() if isinstance(value, dict)} == parts


def test_a_rule_without_a_name_is_not_written() -> None:
    config = Config(game="kuhn", search=SearchSettings(rule=RULES["sog"]))
    with pytest.raises(ValueError, match=r"^search\.rule cannot be written as TOML, got Rule\("):
        dump_config(config)


TEXTS = st.text(st.characters(codec="utf-8"))
SEARCHES = st.builds(
    SearchSettings,
    num_simulations=st.integers(1, 2 * 10**9),
    alpha=st.floats(0, 1),
    c_puct=st.floats(0, allow_infinity=False),
    rule=st.sampled_from(sorted(RULES)),
    grow=st.booleans(),
    capacity=st.none() | st.integers(1, 2**63 - 1),
)
CONFIGS = st.builds(
    Config,
    game=TEXTS,
    summary=TEXTS,
    network=st.builds(
        NetworkSettings,
        torso=st.sampled_from(["mlp", "resnet"]),
        policy_heads=st.sampled_from([1, 2]),
    ),
    search=SEARCHES,
    selfplay=st.builds(SelfplaySettings, resign_threshold=st.none() | st.floats(-1, 0)),
    solver=st.builds(SolverSettings, search=SEARCHES),
    learner=st.builds(
        LearnerSettings, learning_rate=st.floats(0, exclude_min=True, allow_infinity=False)
    ),
    run=st.builds(RunSettings, seed=st.integers(0, 2**32 - 1), evaluate_search=SEARCHES),
)


@given(config=CONFIGS)
@example(config=Config(game='\x7f\x00\x9b\r\n"\\\t\u2028\U0001f600'))
def test_what_is_written_is_read_back_equal(
    config: Config, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "round_trip.toml"
    file.write_text(dump_config(config), encoding="utf-8", newline="")
    assert read_config(str(file)) == config


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_configuration_is_short_and_names_a_game_that_can_be_searched(file: Path) -> None:
    config = load_config(str(file))
    assert len(file.read_text().splitlines()) < 40
    assert config.summary
    game = make(config.game)
    for search in (config.search, config.solver.search, config.run.evaluate_search):
        search.shape(game, path_length=game.max_depth)
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
    for file in FILES:
        assert load_config(file.stem) == load_config(str(file))


def test_an_unknown_configuration_suggests_the_closest_one() -> None:
    with pytest.raises(ValueError, match=r"^leducc is no configuration; did you mean leduc\? The"):
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
