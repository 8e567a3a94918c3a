"""`sog play`, with a person who types ahead."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from sog.cli.play_screen import signed_units
from sog.games import make
from sog.play.match import Resignation
from tests.cli.conftest import Run, output, refusal

KUHN_CARDS = {"J", "Q", "K"}


def games_in(out: str) -> list[str]:
    return out.split("\nGame ")[1:]


# A whole session.


def test_a_game_is_played_to_its_end(run_play: Run) -> None:
    out = output(run_play, "1\n" * 9, "random", "--game", "kuhn", "--games", "1", "--seed", "3")
    assert "kuhn against random." in out
    assert "Game 1: you are player 0." in out
    assert "What the agent thought:" in out
    assert "Score after 1 game: " in out


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("tic_tac_toe", "tic_tac_toe"),
        ("liars_dice(faces=4, dice=1)", "liars_dice_1x4"),
        ("go(size=3)", None),
    ],
)
def test_a_game_alone_finds_an_opponent(run_play: Run, game: str, agent: str | None) -> None:
    """Its shipped agent, if there is one, however its parameters are written."""
    code, out, err = run_play("q\n", game, "--search", "1,1", "--as", "0")
    assert code == 0
    assert (f"against agent:{agent}" if agent else "against rollout") in out
    noted = f"no agent for {game} is shipped: you play against rollout"
    assert (noted in err) is (agent is None)


def test_an_invalid_game_is_refused_in_one_line(sog: Run) -> None:
    """No word of an opponent first."""
    assert refusal(sog, "play", "liars_dice(faces=7)") == "liars_dice: faces must be <= 6, got 7."


def test_a_program_that_tells_no_policy_is_refused(run_play: Run) -> None:
    program = f"acpc:{sys.executable} -c 0"
    error = refusal(run_play, "q\n", program, "--game", "holdem", notes=True)
    assert "plays in matches and tournaments only" in error


@pytest.mark.thorough
def test_a_hand_of_holdem_is_checked_down(run_play: Run) -> None:
    """One's own cards all the time, the table's as they come, the agent's in the end only."""
    options = ("always_call", "--game", "holdem", "--as", "0", "--games", "1")
    out = output(run_play, "check\n" * 4, *options)
    (own,) = set(re.findall("  You: ([^; \n]{4})", out))
    dealt = re.findall(r"Chance: \[(\w+)\]", out)
    assert [len(cards) for cards in dealt] == [6, 2, 2]
    (agents,) = re.findall(rf"  You: {own}; agent: (\w{{4}})", out)
    cards = re.findall("..", "".join([own, agents, *dealt]))
    assert len(set(cards)) == 2 + 2 + 5
    assert out.count(agents) == 1
    assert "Score after 1 game: " in out


def test_the_picture_shows_ones_own_card_and_in_the_end_both(run_play: Run, tmp_path: Path) -> None:
    file = tmp_path / "kuhn.svg"
    options = ("random", "--game", "kuhn", "--games", "1", "--as", "0", "--picture", str(file))
    out = output(run_play, "q\n", *options)
    shown = re.findall("<title>([JQK]|a hidden card)</title>", file.read_text())
    assert sorted(shown) == sorted(["a hidden card", *re.findall("  You: ([JQK])", out)])
    run_play("1\n" * 9, *options)
    shown = re.findall("<title>([JQK]|a hidden card)</title>", file.read_text())
    assert len(set(shown) & KUHN_CARDS) == 2


@pytest.mark.parametrize("lines", ["", "q\n", "?\nquit\n", "what\n"])
def test_a_person_may_leave_in_the_middle(run_play: Run, lines: str, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    out = output(run_play, lines, "random", "--game", "kuhn", "--seed", "1", "--save", str(file))
    assert out.endswith("\nNo game was finished.\n")
    assert not file.exists()
    assert ("beginning of its text" in out) == lines.startswith("?")
    assert ("This action is not legal here" in out) == lines.startswith("what")


def test_games_begin_at_a_position(run_play: Run) -> None:
    options = ("random", "--game", "tic_tac_toe", "--history", "XX./OO./...", "--as", "0")
    out = output(run_play, "c3\nn\n", *options)
    assert out.index("Agent:  b2") < out.index("3 X X .") < out.index("You:    c3")
    assert "You win" in out


def test_a_game_with_hidden_cards_begins_at_its_start(run_play: Run) -> None:
    error = refusal(run_play, "", "random", "--game", "kuhn", "--history", "check")
    assert "only a game of perfect information can begin at a" in error


def test_roles_alternate_unless_one_is_asked_for(run_play: Run) -> None:
    typed = "1\n" * 20
    common = ("random", "--game", "matching_pennies", "--games", "3", "--seed", "0")
    roles = [
        [game.splitlines()[0].split()[-1] for game in games_in(run_play(typed, *options)[1])]
        for options in (common, (*common, "--as", "1"))
    ]
    assert roles == [["0.", "1.", "0."], ["1.", "1.", "1."]]


def test_another_game_is_played_until_the_person_has_had_enough(run_play: Run) -> None:
    typed = "heads\ny\nheads\nperhaps\n\nheads\nn\n"
    out = output(run_play, typed, "random", "--game", "matching_pennies", "--seed", "0")
    assert len(games_in(out)) == 3
    assert out.count("Another game? [Y/n]") == 4
    assert "Score after 3 games: " in out


def test_the_score_adds_up_what_the_games_say(run_play: Run, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    _, out, _ = run_play(
        "heads\n" * 8, "random", "--game", "matching_pennies", "--games", "8", "--save", str(file)
    )
    games = json.loads(file.read_text())["games"]
    results = [game["utility"] * (1 if game["human"] == 0 else -1) for game in games]
    won = [line.split() for line in out.splitlines() if line.startswith(("  You win", "  You los"))]
    assert [float(words[2]) for words in won] == results
    assert f"Score after 8 games: {signed_units(make('matching_pennies'), sum(results))} (" in out


@pytest.mark.thorough
def test_a_choice_is_taken_back_and_made_again(run_play: Run) -> None:
    options = ("tabular", "--game", "leduc", "--as", "1", "--games", "1", "--seed", "3")
    _, out, _ = run_play("undo\ncall\nu\nfold\n", *options)
    first, nothing, called, taken_back, folded = (
        out.index(text)
        for text in (
            "Agent:  bet2",
            "There is no choice to take back.",
            "You:    call",
            "Undone.",
            "You:    fold",
        )
    )
    assert first < nothing < called < taken_back < folded
    assert "You lose: -1 chip.\n" in out
    assert out.count("played bet2") == 1  # the agent's notes are those of the game that counts


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([[0, 9]], "action 9 of move 1 is not legal"),
        ([[1, 0]], "move 1 was player 1's, not 0's"),
        ([["x", 0]], "is not a file of `sog play --save`"),
    ],
)
def test_moves_that_cannot_be_are_refused(
    run_play: Run, tmp_path: Path, moves: Any, message: str
) -> None:
    file = tmp_path / "games.json"
    game = ("random", "--game", "kuhn", "--games", "1")
    run_play("1\n" * 4, *game, "--save", str(file))
    fields = json.loads(file.read_text())
    fields["unfinished"] = {"human": 0, "moves": moves}
    file.write_text(json.dumps(fields))
    code, _, err = run_play("1\n" * 4, *game, "--resume", str(file))
    assert (code, message in err.splitlines()[-1]) == (2, True)


def test_the_same_seed_deals_the_same_cards(run_play: Run) -> None:
    options = ("tabular", "--game", "kuhn", "--games", "4", "--hints", "--seed")
    one, again, other = (run_play("1\n" * 20, *options, seed)[1] for seed in ("7", "7", "8"))
    assert one == again
    assert one != other


# What may be known.


@pytest.mark.thorough(but=["hints0"])
@pytest.mark.parametrize("hints", [(), ("--hints",)])
def test_what_the_agent_holds_is_told_after_the_game_only(
    run_play: Run, hints: tuple[str, ...]
) -> None:
    _, out, _ = run_play(
        "1\n" * 40, "zero", "--game", "kuhn", "--games", "8", "--search", "4,1", *hints
    )
    games = games_in(out)
    assert len(games) == 8
    for game in games:
        during, after = game.split("; agent: ")
        assert after[0] in KUHN_CARDS
        *before, end = during.splitlines()
        held = end.split()[-1]
        assert held != after[0]
        shown = {word for line in before for word in line.split() if word in KUHN_CARDS}
        assert shown <= {held}
        assert ("Hint: " in during) == (bool(hints) and "> " in during)


def test_thoughts_are_shown_for_all_it_might_have_had(run_play: Run) -> None:
    _, out, _ = run_play(
        "1\n1\n", "zero", "--game", "kuhn", "--games", "1", "--search", "4,1", "--as", "1"
    )
    thoughts = out.split("What the agent thought:")[1].splitlines()
    assert thoughts[1].startswith("  start (stakes 1-1): played ")
    rows = [line.replace("*", " ").split() for line in thoughts[2:5]]
    assert [row[0] for row in rows] == ["J", "Q", "K"]
    assert sum(line.strip().startswith("*") for line in thoughts[2:5]) == 1
    for row in rows:
        assert "worth" in row
        percents = [int(word.strip("%,")) for word in row if "%" in word]
        assert sum(percents) == pytest.approx(100, abs=1)


def test_a_hint_that_gives_up_is_told_and_the_person_plays_on(
    run_play: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resign(*_: object) -> int:
        raise Resignation

    monkeypatch.setattr("sog.play.simple_agents.TabularAgent.policy", resign)
    _, out, _ = run_play("check\nq\n", "tabular", "--game", "kuhn", "--hints", "--as", "0")
    assert "  Hint: resign" in out
    assert "You:    check" in out


@pytest.mark.thorough
def test_hints_advise_the_person(run_play: Run) -> None:
    """With perfect play player 0 never bets a queen, and always calls a bet with a king (Kuhn)."""
    options = ("tabular", "--game", "kuhn", "--games", "30", "--hints", "--as", "0", "--seed", "0")
    _, out, _ = run_play("check\n1\n" * 75, *options)
    hints = {}
    for block in out.split("  You: ")[1:]:
        lines = block.splitlines()
        if len(lines) > 2 and "Hint:" in lines[2]:
            hints[lines[0], "call" in lines[1]] = lines[2].removeprefix("  Hint: ")
    assert hints["Q", False] == "check 100%"
    assert hints["K", True] == "call 100%"


# Mistakes.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "--game is needed: random can play any game."),
        (
            ["random", "--game", "kuhn", "--save", "a.json", "--resume", "b.json"],
            "--resume writes to its own file: omit --save.",
        ),
        (
            ["random", "--game", "kuhn", "--hints"],
            "--hints needs an agent better than random.",
        ),
        (
            ["random", "--game", "rps", "--picture", "map.svg"],
            "--picture: there is no picture of rps, only text.",
        ),
        (
            ["zero", "--game", "kuhn", "--search", "x"],
            "--search must be two numbers s,c such as 100,1, got 'x'.",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(run_play: Run, arguments: list[str], message: str) -> None:
    assert refusal(run_play, "", *arguments) == message
