import json
import re

import pytest

from sog.catalog import read_catalog
from sog.cli.display import number
from sog.cli.game_facts import list_games
from sog.games import GAMES, game_class, make
from sog.tabular import enumerate_public_tree
from sog.tabular.sizes import count_public_tree, estimate_public_states
from tests.cli.conftest import Run, RunJson


def test_all_games_are_listed_with_sizes_from_the_literature(sog_json: RunJson) -> None:
    games = {entry["name"]: entry for entry in sog_json("games")}
    assert list(games) == list(GAMES)
    # OpenSpiel counts 12 information states in Kuhn, 936 in Leduc, 24 576 in liar's dice.
    assert games["kuhn"]["num_infostates"] == [6, 6]
    assert games["leduc"]["num_infostates"] == [468, 468]
    assert games["liars_dice"]["num_infostates"] == [12_288, 12_288]
    # The histories of tic-tac-toe, a known number.
    assert games["tic_tac_toe"]["num_public_states"] == 549_946
    # Nobody waits for connect four and London.
    assert games["connect_four"]["num_public_states"] is None
    assert games["connect_four"]["more_public_states_than"] == 1_000_000
    assert games["london"]["num_public_states"] is None
    assert games["london"]["more_public_states_than"] is None


@pytest.mark.thorough
def test_the_catalog_is_what_the_games_say() -> None:
    """If it is not: python scripts/package_data.py catalog. Games are counted up to so much."""
    limit = 20_000
    counted = json.loads(json.dumps(list_games(limit)))
    catalog = read_catalog()
    assert [one["name"] for one in counted] == [one["name"] for one in catalog]
    for ours, found in zip(catalog, counted, strict=True):
        if (ours["num_public_states"] or limit + 1) > limit:
            sizes = {name for name in ours if ours[name] != found[name]}
            assert sizes <= {"num_public_states", "more_public_states_than", "num_infostates"}
        else:
            assert ours == found


@pytest.mark.slow
def test_the_catalog_counts_as_far_as_it_says() -> None:
    assert read_catalog() == json.loads(json.dumps(list_games()))


def test_the_list_has_the_sizes_of_the_catalog(sog: Run) -> None:
    code, out, err = sog("games")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert [line.split(" ")[0] for line in lines[1 : 1 + len(GAMES)]] == list(GAMES)
    assert any(line.endswith("between them 465 468 + 468") for line in lines)
    assert any(line.endswith("deep > 1,000,000") for line in lines)
    assert any(line.endswith("24 moves not counted") for line in lines)


def test_counting_further_asks_the_games(
    sog_json: RunJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.cli.game_facts.GAMES", ["kuhn", "london"])
    kuhn, london = sog_json("games", "--sizes")
    assert (kuhn["num_public_states"], london["num_public_states"]) == (9, None)


@pytest.mark.parametrize("text", ["kuhn", "rps", "goofspiel(cards=3)", "ii_goofspiel(cards=3)"])
def test_counting_agrees_with_enumerating(text: str) -> None:
    tree = enumerate_public_tree(make(text))
    sizes = count_public_tree(make(text), limit=10_000)
    assert sizes is not None
    assert sizes.num_public_states == tree.num_nodes
    assert sizes.num_infostates == (tree.num_infostates(0), tree.num_infostates(1))
    assert sizes.depth == tree.node_depth[-1]


def test_counting_gives_up_above_the_limit_and_not_at_it() -> None:
    assert count_public_tree(make("kuhn"), limit=8) is None
    assert count_public_tree(make("kuhn"), limit=9) is not None


@pytest.mark.parametrize(
    ("name", "size"), [("kuhn", 9), ("tic_tac_toe", 549_946), ("ii_goofspiel", 53)]
)
def test_random_walks_tell_about_how_large_a_tree_is(name: str, size: int) -> None:
    assert estimate_public_states(make(name)) == pytest.approx(size, rel=0.1)


def test_one_game_is_shown_with_parameters_unit_and_examples(sog: Run) -> None:
    code, out, _ = sog("games", "kuhn")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert "public states 9" in lines
    assert "utilities -2 to 2 chips" in lines
    assert any(line.startswith("ranks 3 integer") for line in lines)
    assert "sog solve kuhn --until-mbb 1" in lines


@pytest.mark.thorough(but=["bets=0.3/0.5", "until-mbb", "stack=60"])
@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("holdem(board=KsTh7s4d,pot=100,stack=100,bets=allin)", "--until-pot 0.3"),
        ("holdem(board=KsTh7s,pot=100,stack=900,bets=0.3/0.5/0.7/1/allin)", "--until-pot 0.3"),
        ("holdem(board=KsTh7s4d,pot=10,stack=100,draw_stacks=100/200,bets=1)", None),
        ("holdem(deals=none,blinds=none,pot=2,stack=4,bets=1)", "--until-pot 0.3"),
        ("holdem(ranks=4,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=4)", "--until-mbb 1"),
        ("holdem(blinds=none,pot=10,stack=60)", None),
    ],
)
def test_a_spot_of_holdem_is_solved_to_percents_of_its_pot(
    sog: Run, game: str, told: str | None
) -> None:
    _, out, _ = sog("games", game)
    examples = [line.split('"')[-1].strip() for line in out.splitlines() if "sog solve" in line]
    assert examples == ([] if told is None else [told])
    assert told is None or "made for search" not in out


def test_a_variant_is_shown_with_its_own_values(sog: Run, sog_json: RunJson) -> None:
    _, out, _ = sog("games", "kuhn(ranks=4)")
    assert out.startswith("kuhn(ranks=4):")
    variant = sog_json("games", "kuhn(ranks=4)")
    assert variant["num_infostates"] == [8, 8]
    (parameter,) = variant["parameters"]
    assert (parameter["default"], parameter["value"]) == (3, 4)


def test_every_example_is_a_game(sog: Run) -> None:
    for name in ("kuhn", "connect_four", "london"):
        _, out, _ = sog("games", name)
        examples = re.findall(r'^  sog .*"(.*)"', out, re.MULTILINE)
        for example in examples:
            assert make(example).name == name


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (0.00012345, "0.0001234"), (12.3456, "12.35"), (2370.12, "2,370")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("name", GAMES)
def test_every_game_tells_its_rules_in_a_screenful(name: str) -> None:
    lines = game_class(name).rules.splitlines()
    assert 0 < len(lines) <= 20
    assert max(map(len, lines)) <= 100


def test_rules_are_printed(sog: Run, sog_json: RunJson) -> None:
    code, out, err = sog("games", "kuhn", "--rules")
    assert (code, err) == (0, "")
    assert out.startswith(
        "kuhn: Kuhn poker: one card each, one bet of one chip\n\n  Each player puts"
    )
    assert sog_json("games", "kuhn", "--rules")["rules"] == game_class("kuhn").rules
    wanted = "sog: error: --rules needs a game: sog games NAME --rules.\n"
    assert sog("games", "--rules") == (2, "", wanted)
