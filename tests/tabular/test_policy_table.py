"""Policies as tables of text: a round trip, and one line of reason for whatever is not right."""

import csv
from pathlib import Path

import numpy as np
import pytest

from sog.tabular import PolicyFileError
from sog.tabular.policy_table import read_policy_table, write_policy_table
from tests.tabular.small_games import VARIOUS_GAMES, compiled_game, random_policy, tree_of

KUHN = """\
history,name,action_name,probability
,J,check,1
,Q,check,1
,K,check,0.25
,K,bet1,0.75
check,J,check,0.667
check,J,bet1,0.333
check,Q,check,1
check,K,bet1,1
bet1,J,fold,1
bet1,Q,fold,0.5
bet1,Q,call,0.5
bet1,K,call,1
check bet1,J,fold,1
check bet1,Q,call,1
check bet1,K,call,1
"""
"""Kuhn poker as somebody might type it."""


@pytest.fixture
def kuhn(tmp_path: Path) -> Path:
    path = tmp_path / "kuhn.csv"
    path.write_text(KUHN)
    return path


def reason(path: Path, text: str, game: str = "kuhn") -> str:
    """Why a table cannot be read; one line that begins with the path."""
    path.write_text(text)
    with pytest.raises(PolicyFileError) as caught:
        read_policy_table(path, tree_of(game))
    start, _, told = str(caught.value).partition(": ")
    assert start == str(path)
    assert "\n" not in told
    return told


@pytest.mark.parametrize("game", [*VARIOUS_GAMES, "leduc"])
def test_a_policy_comes_back_as_it_was_written(game: str, tmp_path: Path) -> None:
    tree = tree_of(game)
    policy = random_policy(tree, seed=1)
    write_policy_table(tmp_path / "policy.csv", tree, policy)
    np.testing.assert_array_equal(read_policy_table(tmp_path / "policy.csv", tree), policy)


def test_a_table_has_a_row_for_each_action_of_each_infostate(tmp_path: Path) -> None:
    tree = tree_of("kuhn")
    write_policy_table(tmp_path / "kuhn.csv", tree, random_policy(tree, seed=1))
    with (tmp_path / "kuhn.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 3 * 2  # four public states with a decision, three cards, two actions
    assert {row["history"] for row in rows} == {"", "check", "bet1", "check bet1"}
    assert {row["name"] for row in rows} == {"J", "Q", "K"}


def test_a_table_typed_by_hand_is_read_by_names(kuhn: Path) -> None:
    compiled = compiled_game("kuhn")
    policy = read_policy_table(kuhn, compiled.tree)
    legal = compiled.tree.node_legal[0, 0]
    np.testing.assert_array_equal(policy[0, :, legal], [[1, 1, 0.25], [0, 0, 0.75]])


def test_what_misses_1_by_rounding_to_three_digits_is_scaled(kuhn: Path) -> None:
    kuhn.write_text(KUHN.replace("0.667", "0.666"))
    tree = tree_of("kuhn")
    policy = read_policy_table(kuhn, tree)
    decides = tree.decisions.any(axis=-1)
    np.testing.assert_allclose(policy.sum(axis=-1)[decides], 1, atol=1e-12)
    assert policy.max() == 1


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "check,Q,check,1\n",
            "",
            "every infostate with a choice needs rows; there are none of infostate 1 ('Q') at node "
            "1 ('check (stakes 1-1)'), and of 0 others.",
        ),
        (
            ",K,bet1,0.75",
            ",K,bet1,0.5",
            "row 4: the probabilities of an infostate must sum to 1, got 0.75 for infostate 2 "
            "('K') at node 0 ('start (stakes 1-1)').",
        ),
        (",K,bet1", ",K,call", "row 5: action 'call' is none of those there: 1 check, 2 bet1."),
        (",K,bet1", ",A,bet1", "row 5: infostate 'A' is none of those there: 0 J, 1 Q, 2 K."),
        (",K,bet1", ",K,check", "row 5 is of the action of row 4 once more."),
        (
            "\nbet1,K,call,1",
            "\nraise,K,call,1",
            "row 13: history: event 1, 'raise', cannot happen at 'start (stakes 1-1)'; possible "
            "there: check, bet1.",
        ),
        (
            "\nbet1,K,call,1",
            "\nbet1 fold,K,call,1",
            "row 13: no player acts at 'bet1 fold",
        ),
        ("0.25", "nan", "row 4: probability must be a number from 0 to 1, got 'nan'."),
        ("0.25", "\x1b[2J", "row 4: probability must be a number from 0 to 1, got '\\x1b[2J'."),
        ("action_name,", "act,", "needs a column action or action_name."),
        ("probability\n", "share\n", "is no table of a policy: its first row must name the"),
        ("check,Q,check", '"check,Q,check', "row 8: unexpected end of data."),
    ],
)
def test_a_bad_table_is_refused_with_its_row_and_the_rule(
    kuhn: Path, old: str, new: str, expected: str
) -> None:
    assert old in KUHN
    told = reason(kuhn, KUHN.replace(old, new, 1))
    assert told.startswith(expected)


def test_a_number_and_a_name_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    tree = tree_of("kuhn")
    write_policy_table(tmp_path / "kuhn.csv", tree, random_policy(tree, seed=1))
    text = (tmp_path / "kuhn.csv").read_text().replace(",2,K,", ",2,Q,", 1)
    told = reason(tmp_path / "kuhn.csv", text)
    assert told == "row 6: infostate '2 Q' is none of those there: 0 J, 1 Q, 2 K."


@pytest.mark.parametrize("text", ["", "\x00", "a,a\n1,2\n"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    assert "table" in reason(tmp_path / "other.csv", text)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path, told in ((tmp_path / "no.csv", "no such file."), (tmp_path, "Is a directory.")):
        with pytest.raises(PolicyFileError, match=told):
            read_policy_table(path, tree_of("kuhn"))
