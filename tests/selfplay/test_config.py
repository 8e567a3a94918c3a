"""Configurations: files, what overrides them, and how mistakes are told."""

from pathlib import Path

import pytest

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from selfplay.runs.config import load_config
from selfplay.settings import Config, RunSettings, SolverSettings


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
    solver, run = SolverSettings(search=search), RunSettings(evaluate_search=search)
    expected = Config(game="leduc", search=search, solver=solver, run=run)
    assert load_config(leduc) == expected


def test_other_searches_follow_that_of_self_play_unless_told_otherwise(tmp_path: Path) -> None:
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
    # A solve stands alone: there is no gadget, whose alpha it could have.
    assert config.solver.search == SearchSettings(num_simulations=20, rule="dcfr", c_puct=2.0)
    # What is said of evaluation stays with it, and mistakes are where they were made.
    assert config.search == SearchSettings(num_simulations=20, rule="dcfr", alpha=0.25, c_puct=2.0)
    assert problem(str(file), "search.alpha=2").endswith(
        "=2: search: alpha must be in [0, 1], got 2.0."
    )
    assert problem_of('game = "leduc"\nrun = 3\n', tmp_path) == "run must be a table, got 3."
    says = "run.evaluate_search must be a table, got 3."
    assert problem_of('game = "leduc"\nrun.evaluate_search = 3\n', tmp_path) == says


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


@pytest.mark.parametrize(
    ("key", "fixed"),
    [
        ("solver.search.virtual_loss", 1.0),
        ("alphazero.dirichlet_fraction", 0.25),
        ("search.first_outcomes", '"none"'),
    ],
)
def test_a_file_of_version_0_1_may_say_what_is_now_always_so(
    key: str, fixed: float | str, tmp_path: Path
) -> None:
    file = tmp_path / "old.toml"
    file.write_text(f'game = "leduc"\n{key} = {fixed}\n')
    assert load_config(str(file)) == Config(game="leduc")
    assert problem_of(f'game = "leduc"\n{key} = 2\n', tmp_path) == (
        f"{key} is always {str(fixed).strip(chr(34))} now; leave it out."
    )


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
        ("search.num_simulations=true", "must be an integer, got True."),
        ("search.num_children=all", "must be an integer or none, got 'all'."),
        ("search.alpha=half", "must be a number, got 'half'."),
        (
            f"search.num_simulations=1{'0' * 400}",
            "must be an integer of 64 bits, got one of 1,329 bits.",
        ),
        (f"search.alpha=1{'0' * 400}", f"must be a number, got 1{'0' * 400}."),
        ("search.grow=1", "must be true or false, got 1."),
        ("search.rule=1", "must be text, got 1."),
        ("search=3", "must be a table, got 3."),
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
        ("serch.num_simulations", "search.num_simulations"),
        ("game.name", "game"),
        ("search.sims", "search.num_simulations"),
        ("learner.lr", "learner.learning_rate"),
    ],
)
def test_an_unknown_key_suggests_the_closest_one(
    key: str, meant: str, leduc: str, tmp_path: Path
) -> None:
    says = f"{key} is not a configuration key; did you mean {meant}?"
    assert problem(leduc, f"{key}=1") == f"override '{key}=1': {says}"
    if key not in ("game.name", "serch.num_simulations"):  # in a file these are other mistakes
        assert problem_of(f'game = "leduc"\n{key} = 1\n', tmp_path) == says


def test_a_key_of_another_table_is_told_with_those_of_its_own(leduc: str) -> None:
    says = "did you mean learner.learning_rate? replay has size, least, max_grad_updates."
    assert problem(leduc, "replay.lr=1").endswith(f"replay.lr is not a configuration key; {says}")


def test_an_unknown_key_is_told_in_one_line_whatever_its_characters(tmp_path: Path) -> None:
    text = 'game = "leduc"\n"new\\nline" = 1\n'
    assert problem_of(text, tmp_path).startswith("new line is not a configuration key")


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
    ["game = 'a'\ngame = 'b'", "x = " + "[" * 9999, "x = " + "9" * 9999],
)
def test_invalid_toml_is_named(text: str, tmp_path: Path) -> None:
    assert problem_of(text, tmp_path).startswith("invalid TOML: ")


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("search.alpha", "must be KEY=VALUE, such as search.num_simulations=50."),
        ("=1", "must be KEY=VALUE, such as search.num_simulations=50."),
        ("foo.bar=1", "foo.bar is not a configuration key; `sog configs leduc` shows all."),
        ('summary="open', "invalid TOML"),
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
        f"{tmp_path} is a run folder, not a configuration; to resume it: "
        f"`sog train {tmp_path}/config.toml --run {tmp_path}`."
    )


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    assert problem(str(tmp_path / "no.toml")) == "cannot be read: No such file or directory."
    (tmp_path / "folder.toml").mkdir()
    assert problem(str(tmp_path / "folder.toml")) == "cannot be read: Is a directory."
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    says = "cannot be read: not a file of UTF-8 text."
    assert problem(str(tmp_path / "binary.toml")) == says
