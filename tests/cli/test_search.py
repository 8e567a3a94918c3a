import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from sog.cli import searching
from sog.cli.errors import check_target
from sog.cli.main import main
from sog.games import make
from sog.play.history import read_history
from tests.cli.conftest import Run, RunJson, output, refusal

SEE_HELP = " (see sog search --help)"
LONG = 5000 * "9"  # more digits than Python reads
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def sog_search(sog_json: RunJson) -> RunJson:
    """`sog search kuhn ... --json` with the fewest simulations that reach all of it."""
    return lambda *arguments: sog_json("search", "kuhn", "--search", "10,1", *arguments)


def policies(node: Any) -> list[dict[str, float]]:
    return [infostate["policy"] for infostate in node["infostates"] if "policy" in infostate]


@pytest.mark.slow
def test_policies_sum_to_one(sog_search: RunJson) -> None:
    result = sog_search()
    assert result["game"] == "kuhn(ranks=3)"
    assert (result["unit"], result["search"], result["seed"]) == ("chips", [10, 1], 0)
    assert result["evaluator"] == "uniform"
    assert result["root"] == {"node": 0, "state": "start (stakes 1-1)", "history": []}
    assert (result["is_full"], result["is_sampled"]) == (False, False)
    assert min(result["seconds"], result["compile_seconds"], result["enumerate_seconds"]) > 0
    (root,) = [node for node in result["nodes"] if node["parent"] is None]
    assert [sorted(policy) for policy in policies(root)] == [["bet1", "check"]] * 3
    for policy in policies(root):
        assert sum(policy.values()) == pytest.approx(1, abs=1e-6)
    assert root["visits"] == 10


@pytest.mark.thorough
def test_a_clock_ends_a_search_whose_tree_can_be_read(sog: Run) -> None:
    code, out, err = sog(
        *("search", "kuhn", "--search", "1,1e-8", "--seconds", "0.5"),
        "--json",
    )
    assert code == 0
    assert "sog: compiling the search (not counted in its 0.5 s)\n" in err
    result = json.loads(out)
    assert 0.4 < result["seconds"] < 30
    assert 0 < result["updates"] < 1e8
    assert sum(policies(result["nodes"][0])[0].values()) == pytest.approx(1, abs=1e-6)


@pytest.mark.thorough
def test_json_nodes_name_their_parents(sog_search: RunJson) -> None:
    nodes = sog_search()["nodes"]
    assert [node["number"] for node in nodes] == list(range(len(nodes)))
    by_event = {node["event"]: node for node in nodes if node["depth"] == 1}
    assert {node["parent"] for node in by_event.values()} == {0}
    assert sorted(by_event) == ["bet1", "check"]
    assert {node["actor"] for node in by_event.values()} == {"player 1"}
    total = sum(node["probability"] for node in by_event.values())
    assert total == pytest.approx(1, abs=1e-6)


@pytest.mark.thorough
def test_an_exact_evaluator_finds_the_value_of_kuhn(sog_json: RunJson) -> None:
    """-1/18 to player 0 (Kuhn 1950)."""
    result = sog_json("search", "kuhn", "--evaluator", "exact", "--search", "200,1")
    assert result["nodes"][0]["value"] == pytest.approx(-1 / 18, abs=0.01)


@pytest.mark.parametrize("text", ["check bet1", "1 2", "check 2", "'check' \"bet1\""])
def test_events_are_named_by_text_or_number(text: str) -> None:
    history = read_history(make("kuhn"), text)
    assert (history.events, history.outcomes) == (("check", "bet1"), (1, 2))


def test_events_with_spaces_are_quoted() -> None:
    history = read_history(make("ii_goofspiel(cards=3)"), "'player 0 bids' tied")
    assert history.events == ("player 0 bids", "tied")
    assert history.path.tolist() == [list(history.outcomes)]


def test_the_terminal_shows_a_row_per_infostate(sog: Run) -> None:
    code, out, _ = sog("search", "kuhn", "--search", "10,1", "--history", "check bet1")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert lines[0] == "kuhn after check bet1 by SoG(10, 1)"
    (header,) = [number for number, line in enumerate(lines) if line.startswith("player 0 range")]
    assert lines[header] == "player 0 range value fold call visits"
    rows = [line.split() for line in lines[header + 1 : header + 4]]
    assert [row[0] for row in rows] == ["J", "Q", "K"]
    for row in rows:
        assert float(row[3]) + float(row[4]) == pytest.approx(1, abs=2e-3)
    assert sum(int(row[5]) for row in rows) == 10
    assert any(line.startswith("├── fold end") for line in lines)
    assert any(line.startswith("└── call end") for line in lines)


@pytest.mark.thorough
def test_depth_is_the_number_of_levels_shown(sog: Run) -> None:
    _, out, _ = sog("search", "kuhn", "--search", "10,1", "--depth", "1")
    assert [line[4:].split()[0] for line in out.splitlines() if "── " in line] == ["check", "bet1"]


@pytest.mark.thorough
@pytest.mark.parametrize(("depth", "nodes"), [("1", 3), ("3", 9)])
def test_the_picture_has_a_box_for_each_state_shown(
    sog: Run, tmp_path: Path, depth: str, nodes: int
) -> None:
    """Kuhn poker has 1, 2, 4 and 2 public states from level to level."""
    file = tmp_path / "kuhn.svg"
    output(sog, *("search", "kuhn", "--search", "10,1", "--depth", depth, "--svg", str(file)))
    check_target("--svg", file, (".svg",))  # it may be replaced
    root = ElementTree.parse(file).getroot()
    assert root.tag == f"{SVG}svg"
    boxes = root.findall(f".//{SVG}g[@class='node']")
    assert len(boxes) == nodes
    assert all(box.find(f"{SVG}title") is not None for box in boxes)
    assert len(root.findall(f".//{SVG}g[@class='edges']/{SVG}path")) == nodes - 1
    first = [bar.findtext(f"{SVG}title") for bar in boxes[-1].findall(f"{SVG}g")]
    assert [str(text).splitlines()[0] for text in first] == [f"player 0, {card}" for card in "JQK"]


@pytest.mark.thorough
@pytest.mark.parametrize("evaluator", ["zero", pytest.param("rollout", marks=pytest.mark.slow)])
def test_perfect_information_adds_one_child_at_a_time(sog_json: RunJson, evaluator: str) -> None:
    result = sog_json(
        *("search", "tic_tac_toe", "--search", "10,1", "--evaluator", evaluator),
        *("--history", "b2 a3"),
    )
    assert result["evaluator"] == evaluator
    # The start, a child each on the way, all seven of the state searched, simulations.
    assert len(result["nodes"]) <= 1 + 2 + 7 + 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["kuhn", "--history", "check raise"],
            "--history: event 2, 'raise', cannot happen at 'check (stakes 1-1)'; "
            "possible there: check, bet1.",
        ),
        (
            ["kuhn", "--history", "bet1 call"],
            "--history: the game is over at 'bet1 call (stakes 2-2)'.",
        ),
        (
            ["kuhn", "--history", LONG],
            f"--history: event 1, '{LONG}', cannot happen at 'start (stakes 1-1)'; "
            "possible there: check, bet1.",
        ),
        (
            ["kuhn", "--search", "2000000000,1"],
            "num_simulations = 2000000000 could add more public states than 2147483647, which is "
            "all that can be numbered; try fewer simulations: --search S,C, or a smaller "
            "lookahead or max_outcomes (--set NAME=N).",
        ),
        (
            ["london", "--evaluator", "uniform"],
            "--evaluator uniform: london is made for search, too large to enumerate.",
        ),
        (
            ["kuhn", "--set", "max_outcomes=2"],
            "max_outcomes must be at least 3 in kuhn(ranks=3), for all outcomes of a decision, "
            "got 2.",
        ),
        (
            ["kuhn", "--memory", "--svg", "k.svg"],
            "--svg has no effect with --memory, which searches nothing.",
        ),
        (["rps", "--picture", "k.svg"], "--picture: there is no picture of rps, only text."),
        (
            ["glasses", "--picture", "k.svg", "--svg", "k.svg"],
            "--picture and --svg must be two files, got k.svg for both.",
        ),
        (
            ["kuhn", "--seed", "-1"],
            f"argument --seed: must be from 0 to 4294967295, got -1{SEE_HELP}",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    assert refusal(sog, "search", *arguments, notes=True) == message


@pytest.mark.thorough
def test_a_game_too_large_for_the_default_evaluator_is_searched_with_zeros(sog: Run) -> None:
    code, out, err = sog("search", "kuhn", "--search", "2,1", "--max-nodes", "8", "--json")
    assert code == 0, err
    assert json.loads(out)["evaluator"] == "zero"
    assert (
        "sog: the game is too large to enumerate: leaves are worth 0 (see --evaluator)."
        in err.splitlines()
    )


def test_no_file_is_left_after_a_mistake(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "kuhn.svg"
    assert sog("search", "kuhn", "--svg", str(file), "--history", "fold")[0] == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_few_actions_take_less_memory_and_what_is_left_out_is_told(
    sog_json: RunJson, sog: Run
) -> None:
    few = ("search", "connect_four", "--evaluator", "zero", "--set", "max_actions=3")
    told = [sog_json(*words, "--memory")["bytes"] for words in (few, few[:-2])]
    assert told[0] < 0.8 * told[1]
    out = output(sog, *few, "--search", "12,1")
    assert "in some states only the best actions were considered" in out


def test_memory_is_told_without_a_search(sog_json: RunJson, sog: Run) -> None:
    found = sog_json("search", "london", "--search", "20,1", "--memory")
    assert found["game"].startswith("london(")
    assert found["bytes"] == sum(found["parts"].values()) > 10**7
    out = output(sog, "search", "london", "--memory")
    assert "one search takes" in out
    assert "leaves" in out


def test_a_search_that_does_not_fit_says_what_it_needs_and_what_there_is(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.memory.available_bytes", lambda: 10**6)
    error = refusal(sog, "search", "leduc", "--evaluator", "zero", "--search", "5000,1", notes=True)
    assert "SoG(5000, 1) would take " in error
    assert "; there are 1 MB; try fewer simulations: --search S,C" in error


@pytest.mark.parametrize(
    ("most", "options", "is_draft"),
    [
        pytest.param(10**9, (), True, id="little work"),
        pytest.param(10**3, (), False, id="more work"),
        pytest.param(10**9, ("--seconds", "0.1"), False, id="on a clock"),
    ],
)
def test_a_search_is_compiled_without_optimizations_if_it_has_little_to_do(
    monkeypatch: pytest.MonkeyPatch, most: int, options: tuple[str, ...], is_draft: bool
) -> None:
    asked = []

    class AskedError(Exception):
        """Once is enough."""

    def think(*arguments: Any, **named: Any) -> Any:
        asked.append(named["is_draft"])
        raise AskedError

    monkeypatch.setattr(searching, "_LITTLE_WORK", most)
    monkeypatch.setattr(searching, "think", think)
    with pytest.raises(AskedError):
        main(["search", "kuhn", "--search", "10,1", *options])
    assert asked == [is_draft]
