"""`sog configs`: what can be trained, and with which settings."""

from pathlib import Path

from selfplay.runs.config import flatten, load_config
from sog.games import make
from tests.cli.conftest import Run, RunJson, output, refusal

NAMES = sorted(file.stem for file in (Path(__file__).parents[2] / "configs").glob("*.toml"))


def test_all_configurations_are_listed_with_their_games(sog: Run, sog_json: RunJson) -> None:
    listed = sog_json("configs")
    assert [entry["name"] for entry in listed] == NAMES
    for entry in listed:
        config = load_config(entry["name"])
        assert (entry["game"], entry["summary"]) == (config.game, config.summary)
        assert config.summary
        make(config.game)
    code, out, err = sog("configs")
    assert (code, err) == (0, "")
    assert all(name in out for name in NAMES)
    assert out.rstrip().endswith("To change them: sog configs NAME > mine.toml.")


def test_what_is_shown_of_one_is_a_file_that_means_the_same(sog: Run, tmp_path: Path) -> None:
    code, out, err = sog("configs", "kuhn")
    assert (code, err) == (0, "")
    mine = tmp_path / "mine.toml"
    mine.write_text(out)
    assert load_config(str(mine)) == load_config("kuhn")
    for key in flatten(load_config("kuhn")):
        assert f"{key.rpartition('.')[2]} = " in out


def test_every_value_is_explained_by_the_docstring_of_its_setting(sog: Run) -> None:
    _, out, _ = sog("configs", "leduc_demo")
    assert "c_puct = 1.25                   # The exploration constant of PUCT\n" in out
    # Another value than the default, which is told.
    assert (
        "# q_search: network queries of a search that are solved, on average (default: 0.9)" in out
    )
    text = out.partition("[run.evaluate_search]")[0]
    repeated = text.partition("[solver.search]")[2].partition("[replay]")[0]
    lines = [line for line in text.replace(repeated, "").splitlines() if " = " in line]
    assert [line for line in lines if " # " not in line] == []


def test_a_table_says_which_search_it_is_and_when_it_follows_another(sog: Run) -> None:
    _, out, _ = sog("configs", "kuhn")
    assert "[search]                        # The search of self-play\n" in out
    says = "# The search of evaluations, matches and play, which inherits from [search] in files"
    assert f"[run.evaluate_search]           {says}\n" in out


def test_one_is_shown_as_json_too(sog_json: RunJson) -> None:
    shown = sog_json("configs", "leduc")
    assert shown["game"] == "leduc"
    config = load_config("leduc")
    assert shown["search"]["num_simulations"] == config.search.num_simulations
    assert shown["run"]["steps"] == config.run.steps


def test_a_file_of_ones_own_is_shown_with_all_settings(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('game = "kuhn"\n')
    out = output(sog, "configs", str(file))
    assert "num_simulations = 100" in out


def test_mistakes_are_told_in_one_line(sog: Run, tmp_path: Path) -> None:
    assert sog("configs", "leducc") == (
        2,
        "",
        "sog: error: leducc is not a configuration; did you mean leduc? The name of a file ends in "
        ".toml.\n",
    )
    file = tmp_path / "wrong.toml"
    file.write_text('game = "kuhn"\nsteps = 3\n')
    assert refusal(sog, "configs", str(file)).startswith(
        f"{file}: steps is not a configuration key; "
    )
