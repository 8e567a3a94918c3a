"""Policies out to OpenSpiel and back."""

import csv
from pathlib import Path

import numpy as np
import pytest

from sog.openspiel.policy_tables import (
    from_openspiel,
    read_openspiel_table,
    to_openspiel,
    write_openspiel_table,
)
from sog.play.policies import load_any_policy
from sog.tabular import PolicyFileError, evaluate_policy
from tests.tabular.small_games import compiled_game, random_policy

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import exploitability  # noqa: E402 (where it is installed)
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy  # noqa: E402

GAMES = (
    "kuhn",
    "leduc(suit_isomorphism=true)",
    "liars_dice(dice=2,faces=2)",
    "ii_goofspiel(cards=3)",
    "openspiel:kuhn_poker",
    "openspiel:goofspiel(imp_info=True,num_cards=3,points_order=descending)",
    "openspiel:matrix_rps",
    pytest.param("leduc", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("game", GAMES)
def test_openspiel_finds_the_exploitability_that_we_find(game: str) -> None:
    compiled = compiled_game(game)
    policy = random_policy(compiled.tree, seed=1)
    table = to_openspiel(compiled.tree, policy)
    expected = evaluate_policy(compiled, policy).exploitability[0]
    assert exploitability.exploitability(table.game, table) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("game", GAMES)
def test_a_policy_comes_back_from_openspiel(game: str) -> None:
    tree = compiled_game(game).tree
    policy = random_policy(tree, seed=2)
    np.testing.assert_array_equal(from_openspiel(tree, to_openspiel(tree, policy)), policy)


@pytest.mark.thorough(only=["liars_dice"])
@pytest.mark.parametrize("game", GAMES)
def test_a_policy_comes_back_from_a_table_of_information_states(game: str, tmp_path: Path) -> None:
    tree = compiled_game(game).tree
    policy = random_policy(tree, seed=3)
    path = tmp_path / "table.csv"
    write_openspiel_table(path, tree, policy)
    np.testing.assert_array_equal(read_openspiel_table(path, tree), policy)
    np.testing.assert_array_equal(load_any_policy(path, tree), policy)


def test_what_openspiel_has_in_c_reads_the_table_in_four_lines(tmp_path: Path) -> None:
    compiled = compiled_game("kuhn")
    policy = random_policy(compiled.tree, seed=1)
    write_openspiel_table(tmp_path / "kuhn.csv", compiled.tree, policy)
    rows: dict[str, list[tuple[int, float]]] = {}
    with (tmp_path / "kuhn.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            shares = rows.setdefault(row["information_state"], [])
            shares.append((int(row["action"]), float(row["probability"])))
    table = pyspiel.TabularPolicy(rows)
    found = pyspiel.exploitability(pyspiel.load_game("kuhn_poker"), table)
    expected = evaluate_policy(compiled, policy).exploitability[0]
    assert found == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(from_openspiel(compiled.tree, table), policy)


def test_the_uniform_policy_of_openspiel_is_ours() -> None:
    compiled = compiled_game("kuhn")
    policy = from_openspiel(compiled.tree, UniformRandomPolicy(pyspiel.load_game("kuhn_poker")))
    assert evaluate_policy(compiled, policy).exploitability[0] == pytest.approx(11 / 24)


def test_a_policy_of_another_game_is_refused() -> None:
    table = TabularPolicy(pyspiel.load_game("leduc_poker"))
    with pytest.raises(ValueError, match=r"policy must be one of kuhn_poker\(\), got one of leduc"):
        from_openspiel(compiled_game("kuhn").tree, table)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("1,1p,1,", "1,1q,1,", "information_state '1q' is not one of player '1' in this game."),
        ("1,1p,1,", "0,1p,1,", "information_state '1p' is not one of player '0' in this game."),
        ("1,1p,1,", "1,1p,7,", "action must be one of 0, 1 there, got '7'."),
    ],
)
def test_a_bad_table_is_refused_with_its_row_and_the_rule(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    tree, path = compiled_game("kuhn").tree, tmp_path / "kuhn.csv"
    write_openspiel_table(path, tree, random_policy(tree, seed=1))
    text = path.read_text()
    path.write_text(text.replace(old, new, 1))
    row = 1 + text[: text.index(old)].count("\n")
    with pytest.raises(PolicyFileError) as caught:
        read_openspiel_table(path, tree)
    assert str(caught.value) == f"{path}: row {row}: {expected}"
