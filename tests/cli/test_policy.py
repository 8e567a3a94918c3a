"""`sog policy`: the grid of a strategy, its files, and the walk through the game."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sog.tabular import save_policy, uniform_policy
from tests.cli.conftest import Run, RunJson, output, refusal
from tests.tabular import kuhn_histories as kuhn
from tests.tabular.small_games import compiled_game
from tests.tabular.test_best_response import kuhn_equilibrium

SEE_HELP = " (see sog policy --help)"


@pytest.fixture
def equilibrium(tmp_path: Path) -> str:
    """Kuhn poker with alpha = 0: player 0 never bets."""
    tree = compiled_game("kuhn").tree
    save_policy(tmp_path / "kuhn.npz", tree, kuhn.to_tree(tree, kuhn_equilibrium(0)))
    return str(tmp_path / "kuhn.npz")


@pytest.fixture
def uniform_leduc(tmp_path: Path) -> str:
    """Plays at random, but for queens of spades, which always check to begin with."""
    compiled = compiled_game("leduc")
    policy = uniform_policy(compiled)
    policy[0, 2] = (0, 1, 0)
    save_policy(tmp_path / "leduc.npz", compiled.tree, policy)
    return str(tmp_path / "leduc.npz")


@pytest.fixture
def walk(typed: Run, equilibrium: str) -> Callable[[str], str]:
    """Walks with some answers: stdout."""
    return lambda answers: output(typed, answers, "policy", equilibrium, "--walk")


def lines_of(out: str) -> list[str]:
    return [" ".join(line.split()) for line in out.splitlines()]


def titles(out: str) -> list[str]:
    return [line for line in out.splitlines() if " to act" in line or "end of the game" in line]


def test_json_has_the_known_numbers_of_kuhns_equilibrium(
    sog_json: RunJson, equilibrium: str
) -> None:
    found = sog_json("policy", equilibrium, "--history", "check bet1")
    assert (found["game"], found["unit"], found["source"]) == (
        "kuhn(ranks=3)",
        "chips",
        equilibrium,
    )
    assert found["exploitability"] == pytest.approx(0, abs=1e-12)
    assert (found["history"], found["state"]) == (["check", "bet1"], "check bet1 (stakes 1-2)")
    assert (found["actor"], found["player"]) == (0, 0)
    # Player 1 bets kings and a third of his jacks.
    assert found["probability"] == pytest.approx((1 + 1 / 3) / 3)
    jack, queen, king = found["infostates"]
    assert [row["name"] for row in found["infostates"]] == ["J", "Q", "K"]
    fold, call = jack["actions"]
    assert (fold["name"], fold["probability"], fold["value"], fold["loss"]) == ("fold", 1, -1, 0)
    assert (call["name"], call["probability"], call["value"], call["loss"]) == ("call", 0, -2, 1)
    assert [one["probability"] for one in queen["actions"]] == pytest.approx([2 / 3, 1 / 3])
    assert [one["loss"] for one in queen["actions"]] == pytest.approx([0, 0], abs=1e-12)
    assert [one["loss"] for one in king["actions"]] == pytest.approx([3, 0])
    # He meets jacks with queens and kings, kings with jacks and queens.
    ranges = [row["range"] for row in found["infostates"]]
    assert ranges == pytest.approx([3 / 8, (3 + 1) / 8, 1 / 8])
    folds = 3 / 8 + 4 / 8 * 2 / 3
    assert [event["event"] for event in found["events"]] == ["fold", "call"]
    assert [e["probability"] for e in found["events"]] == pytest.approx([folds, 1 - folds])


def test_a_game_is_solved_on_the_spot_and_that_is_said(sog: Run) -> None:
    code, out, err = sog("policy", "kuhn", "--iterations", "2000", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert "solved by 2,000 iterations of cfr+: exploitability" in err
    check, bet = found["infostates"][1]["actions"]  # queens check (Kuhn 1950)
    assert check["probability"] == pytest.approx(1, abs=0.01)
    assert bet["loss"] > 0.1


def test_the_other_player_has_a_range_and_no_actions(sog_json: RunJson, equilibrium: str) -> None:
    found = sog_json("policy", equilibrium, "--history", "check bet1", "--player", "1")
    assert (found["actor"], found["player"]) == (0, 1)
    assert [row["range"] for row in found["infostates"]] == pytest.approx([1 / 4, 0, 3 / 4])
    assert not any("actions" in row for row in found["infostates"])


def test_what_never_happens_is_null_and_a_dash(
    sog: Run, sog_json: RunJson, equilibrium: str
) -> None:
    found = sog_json("policy", equilibrium, "--history", "bet1")
    assert (found["probability"], found["value"]) == (0, None)
    assert [row["range"] for row in found["infostates"]] == [None] * 3
    assert found["infostates"][0]["actions"][0]["value"] is None
    assert found["events"][0]["probability"] is None
    _, out, _ = sog("policy", equilibrium, "--history", "bet1")
    assert "J - - 1.000 - 0.000 -" in lines_of(out)
    assert "never reached by the strategy; then fold -, call -" in lines_of(out)


def test_the_terminal_shows_a_row_per_card(sog: Run, equilibrium: str) -> None:
    code, out, _ = sog("policy", equilibrium, "--history", "check bet1")
    lines = lines_of(out)
    assert code == 0
    assert lines[0].startswith(f"kuhn, policy {equilibrium}; exploitability ")
    assert lines[2] == "check bet1 (stakes 1-2): player 0 to act"
    assert lines[4:8] == [
        "player 0 range value fold loss call loss",
        "J 38% -1.000 1.000 0 0.000 1.000",
        "Q 50% -1.000 0.667 0 0.333 0",
        "K 12% +2.000 0.000 3.000 1.000 0",
    ]
    assert lines[9].startswith("reached in 44% of games, worth -0.625 chips to player 0; then fold")


def test_suits_share_a_row_only_where_they_are_played_alike(
    sog: Run, sog_json: RunJson, uniform_leduc: str
) -> None:
    _, out, _ = sog("policy", uniform_leduc)
    rows = [line.split()[:2] for line in out.splitlines() if line[:1] in ("J", "Q", "K")]
    assert rows == [["J", "33%"], ["Qs", "17%"], ["Qh", "17%"], ["K", "33%"]]
    names = [row["name"] for row in sog_json("policy", uniform_leduc)["infostates"]]
    assert names == ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]
    # The card on the board is nobody's, and queens of spades never bet.
    _, out, _ = sog("policy", uniform_leduc, "--history", "bet2 call '[Jh]'")
    rows = [line.split()[:2] for line in out.splitlines() if line[:1] in ("J", "Q", "K")]
    assert rows == [["Js", "25%"], ["Qs", "0%"], ["Qh", "25%"], ["K", "50%"]]


def test_chance_acts_where_a_card_is_dealt(sog: Run, sog_json: RunJson, uniform_leduc: str) -> None:
    history = ("--history", "bet2 call")
    found = sog_json("policy", uniform_leduc, *history)
    assert found["actor"] == "chance"
    assert sum(event["probability"] for event in found["events"]) == pytest.approx(1)
    _, out, _ = sog("policy", uniform_leduc, *history, "--player", "1")
    assert "bet2 call (stakes 3-3): chance to act, seen by player 1" in out


@pytest.mark.parametrize("history", ["", "1-2 2-1"])
def test_rows_sum_to_one(sog_json: RunJson, history: str) -> None:
    game = ("liars_dice(dice=1,faces=3)", "--iterations", "10")
    found = sog_json("policy", *game, "--history", history)
    assert sum(row["range"] for row in found["infostates"]) == pytest.approx(1)
    for row in found["infostates"]:
        cells = row["actions"]
        assert sum(cell["probability"] for cell in cells) == pytest.approx(1, abs=1e-6)
        value = sum(cell["probability"] * cell["value"] for cell in cells)
        assert value == pytest.approx(row["value"], abs=1e-6)
        assert min(cell["loss"] for cell in cells) == 0


def test_every_file_that_is_written_is_named_on_stderr(
    sog: Run, monkeypatch: pytest.MonkeyPatch, equilibrium: str, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--table", "t.csv", "--openspiel", "s.csv"]
    code, out, err = sog("policy", equilibrium, *options, "--json")
    assert (code, json.loads(out)["game"]) == (0, "kuhn(ranks=3)")
    assert [line for line in err.splitlines() if "wrote" in line] == [
        "sog: wrote the whole policy to t.csv.",
        "sog: wrote the whole policy, for OpenSpiel, to s.csv.",
    ]
    _, _, err = sog("exploitability", "kuhn", "t.csv", "--save", "p.npz")
    assert err.endswith("sog: wrote the policy to p.npz.\n")
    _, _, err = sog("solve", "kuhn", "--iterations", "1", "--save", "q.npz")
    assert err.endswith("sog: wrote the policy to q.npz.\n")


@pytest.mark.thorough
def test_rows_with_actions_of_their_own_name_them(sog: Run, tmp_path: Path) -> None:
    compiled, file = compiled_game("glasses"), tmp_path / "glasses.npz"
    save_policy(file, compiled.tree, uniform_policy(compiled))
    history = "--history", "0 0 0 0 0 0"  # two moves of Mr X, and four of detectives
    out = output(sog, "policy", str(file), *history)
    assert "Mr X at 6    40%  -0.394  taxi to 5 0.500, taxi to 7 0.500" in out


def test_a_walk_goes_by_number_and_by_name_back_and_to_the_top(walk: Callable[[str], str]) -> None:
    out = walk("1\nbet1\nb\n2\nt\nq\n")
    assert titles(out) == [
        "start (stakes 1-1): player 0 to act",
        "check (stakes 1-1): player 1 to act",
        "check bet1 (stakes 1-2): player 0 to act",
        "check (stakes 1-1): player 1 to act",
        "check bet1 (stakes 1-2): player 0 to act",
        "start (stakes 1-1): player 0 to act",
    ]
    assert "  1) check 100%   2) bet1 0%" in out


def test_a_walk_ends_cleanly_with_stdin(walk: Callable[[str], str]) -> None:
    assert len(titles(walk(""))) == 1
    assert len(titles(walk("check\n"))) == 2


def test_a_walk_shows_the_end_of_the_game_and_can_go_back(walk: Callable[[str], str]) -> None:
    out = walk("check\ncheck\n1\nback\nquit\n")
    assert titles(out)[2:] == [
        "check check (stakes 1-1): the end of the game, seen by player 0",
        "check (stakes 1-1): player 1 to act",
    ]
    assert "'1' is none of them: type b, t or q." in out


def test_a_walk_takes_the_beginning_of_a_name(walk: Callable[[str], str]) -> None:
    assert titles(walk("be\n"))[1] == "bet1 (stakes 2-1): player 1 to act"


def test_a_walk_asks_again_after_nonsense(walk: Callable[[str], str]) -> None:
    out = walk("raise\n9\n\nb\nq\n")
    assert len(titles(out)) == 1
    assert out.count("is none of them: type a number from 1 to 2, b, t or q.") == 2
    assert "this is where the walk started." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn", "--player", "2"], f"argument --player: must be 0 or 1, got '2'{SEE_HELP}"),
        (["no.npz"], "no.npz: no such file."),
        (["pyproject.toml"], "pyproject.toml: is not a policy file, or is damaged."),
        (
            ["kuhn", "--search", "10,1"],
            "--search has no effect on a game, which is solved and not searched.",
        ),
        (
            ["kuhn", "--walk", "--json"],
            "--walk has no effect with --json, which prints one public state.",
        ),
        (
            ["kuhn", "--table", "k.csv", "--openspiel", "k.csv"],
            "--table and --openspiel must be two files, got k.csv.",
        ),
        (["kuhn", "--svg", "k.svg"], "--svg has no effect without a spot of hold'em."),
    ],
)
def test_mistakes_are_told_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    monkeypatch.setattr("sog.players.player.solve", None)  # before the work begins
    assert refusal(sog, "policy", *arguments) == message


@pytest.mark.parametrize("option", ["--iterations", "--search", "--seed"])
def test_a_file_is_read_as_it_is(sog: Run, equilibrium: str, option: str) -> None:
    assert sog("policy", equilibrium, option, "3") == (
        *(2, ""),
        f"sog: error: {option} has no effect on a policy file, which is read as it is.\n",
    )


def test_an_analysis_that_would_not_fit_into_memory_is_refused_before_the_game_is_solved(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solve(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("sog.players.player.solve", solve)
    monkeypatch.setattr("sog.memory.available_bytes", lambda: 32 * 9 * 3 * 3 - 1)
    message = refusal(sog, "policy", "kuhn", notes=True)
    assert message.startswith("policies and values of all actions would take 2.59 kB of memory")
