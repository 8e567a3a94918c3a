"""`sog play`, with a person who types ahead."""

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sog.cli.arguments import make_parser
from sog.cli.errors import INTERRUPTED, CommandError
from sog.cli.interrupts import Concluded
from sog.cli.play import command as play
from sog.cli.play.screen import (
    Choice,
    choices,
    draw_state,
    find_choices,
    list_choices,
    signed_units,
    worth_of,
    wrapped,
)
from sog.cli.play.table import Human
from sog.games import make
from sog.games.boards.line_game import EMPTY, LineState

Play = Callable[..., tuple[int, str, str]]

KUHN_CARDS = {"J", "Q", "K"}


@pytest.fixture
def run_play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs the command for a person who types some lines: exit code, stdout, stderr."""

    def run(typed: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        try:
            code = play.run(make_parser().parse_args(["play", *arguments]))
        except Concluded:
            code = INTERRUPTED
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def games_in(out: str) -> list[str]:
    return out.split("\nGame ")[1:]


# A whole session.


def test_a_game_is_played_to_its_end(run_play: Play) -> None:
    code, out, _ = run_play("1\n" * 9, "random", "--game", "kuhn", "--games", "1", "--seed", "3")
    assert code == 0
    assert "kuhn against random." in out
    assert "Game 1: you are player 0." in out
    assert "What the agent thought:" in out
    assert "Score after 1 game: " in out


def test_the_picture_shows_ones_own_card_and_in_the_end_both(
    run_play: Play, tmp_path: Path
) -> None:
    file = tmp_path / "kuhn.svg"
    options = ("random", "--game", "kuhn", "--games", "1", "--as", "0", "--picture", str(file))
    code, out, _ = run_play("q\n", *options)
    assert code == 0
    shown = re.findall("<title>([JQK]|a hidden card)</title>", file.read_text())
    assert sorted(shown) == sorted(["a hidden card", *re.findall("  You: ([JQK])", out)])
    run_play("1\n" * 9, *options)
    shown = re.findall("<title>([JQK]|a hidden card)</title>", file.read_text())
    assert len(set(shown) & KUHN_CARDS) == 2


@pytest.mark.parametrize("typed", ["", "q\n", "quit\n", "?\nq\n", "what\n"])
def test_a_person_may_leave_in_the_middle(run_play: Play, typed: str, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    code, out, _ = run_play(typed, "random", "--game", "kuhn", "--seed", "1", "--save", str(file))
    assert code == 0
    assert out.endswith("\nNo game was finished.\n")
    assert not file.exists()
    assert ("beginning of its text" in out) == typed.startswith("?")
    assert ("That is no action here" in out) == typed.startswith("what")


def test_games_begin_at_a_position(run_play: Play) -> None:
    options = ("random", "--game", "tic_tac_toe", "--history", "XX./OO./...", "--as", "0")
    code, out, _ = run_play("c3\nn\n", *options)
    assert code == 0
    assert out.index("Agent:  b2") < out.index("3 X X .") < out.index("You:    c3")
    assert "You win" in out


def test_a_game_with_hidden_cards_begins_at_its_start(run_play: Play) -> None:
    with pytest.raises(CommandError, match="only a game of perfect information can begin at a"):
        run_play("", "random", "--game", "kuhn", "--history", "check")


def test_roles_alternate_unless_one_is_asked_for(run_play: Play) -> None:
    typed = "1\n" * 20
    common = ("random", "--game", "matching_pennies", "--games", "3", "--seed", "0")
    roles = [
        [game.splitlines()[0].split()[-1] for game in games_in(run_play(typed, *options)[1])]
        for options in (common, (*common, "--as", "1"))
    ]
    assert roles == [["0.", "1.", "0."], ["1.", "1.", "1."]]


def test_another_game_is_played_until_the_person_has_had_enough(run_play: Play) -> None:
    typed = "heads\ny\nheads\nperhaps\n\nheads\nn\n"
    code, out, _ = run_play(typed, "random", "--game", "matching_pennies", "--seed", "0")
    assert code == 0
    assert len(games_in(out)) == 3
    assert out.count("Another game? [Y/n]") == 4
    assert "Score after 3 games: " in out


def test_the_score_adds_up_what_the_games_say(run_play: Play, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    _, out, _ = run_play(
        "heads\n" * 8, "random", "--game", "matching_pennies", "--games", "8", "--save", str(file)
    )
    games = json.loads(file.read_text())["games"]
    results = [game["utility"] * (1 if game["human"] == 0 else -1) for game in games]
    won = [line.split() for line in out.splitlines() if line.startswith(("  You win", "  You los"))]
    assert [float(words[2]) for words in won] == results
    assert f"Score after 8 games: {signed_units(make('matching_pennies'), sum(results))} (" in out


def test_ctrl_c_shows_the_score_and_saves_the_games(
    run_play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, asked = tmp_path / "replay.json", []

    def ask(terminal: object, prompt: str) -> str:
        asked.append(prompt)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return "heads"

    monkeypatch.setattr("sog.cli.play.screen.Terminal.ask", ask)
    options = ("random", "--game", "matching_pennies", "--games", "2", "--save", str(file))
    code, out, _ = run_play("", *options)
    assert code == 130
    assert "Score after 1 game: " in out
    assert len(json.loads(file.read_text())["games"]) == 1


def test_a_choice_is_taken_back_and_made_again(run_play: Play) -> None:
    options = ("tabular", "--game", "leduc", "--as", "1", "--games", "1", "--seed", "3")
    _, out, _ = run_play("undo\ncall\nu\nfold\n", *options)
    first, nothing, called, taken_back, folded = (
        out.index(text)
        for text in (
            "Agent:  bet2",
            "There is no choice of yours to take back.",
            "You:    call",
            "Taken back.",
            "You:    fold",
        )
    )
    assert first < nothing < called < taken_back < folded
    assert "You lose: -1 chip.\n" in out
    assert out.count("played bet2") == 1  # the agent's notes are those of the game that counts


def test_an_unfinished_game_is_resumed_and_ends_as_it_would_have(
    run_play: Play, tmp_path: Path
) -> None:
    file, whole = tmp_path / "left.json", tmp_path / "whole.json"
    game = ("random", "--game", "oshi_zumo(coins=4,size=1)", "--games", "1")
    run_play("2\n" * 9, *game, "--seed", "5", "--save", str(whole))
    run_play("2\nq\n", *game, "--seed", "5", "--save", str(file))
    left = json.loads(file.read_text())
    assert left["games"] == []
    assert next(player for player, _ in left["unfinished"]["moves"]) == 0
    code, out, _ = run_play("2\n" * 9, *game, "--resume", str(file))
    assert code == 0
    assert "Score after 1 game" in out
    resumed = json.loads(file.read_text())
    assert resumed["unfinished"] is None
    first = left["unfinished"]["moves"]
    moves = [one["action"] for one in resumed["games"][0]["moves"] if one["action"] is not None]
    assert moves[: len(first)] == [action for _, action in first]
    begun = [one["action"] for one in json.loads(whole.read_text())["games"][0]["moves"]]
    assert begun[: len(first)] == moves[: len(first)]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2**63},
        {"seed": 2**32},
        {"seed": -1},
        {"games": [{"human": 2, "utility": 1, "moves": [], "names": []}]},
        {"games": [{"human": 0, "utility": float("nan"), "moves": [], "names": []}]},
        {"games": [{"human": 0, "utility": [1], "moves": [], "names": []}]},
    ],
)
def test_a_file_that_no_session_left_is_not_resumed(
    run_play: Play, tmp_path: Path, change: dict[str, Any]
) -> None:
    file = tmp_path / "saved.json"
    game = ("random", "--game", "matching_pennies", "--seed", "3", "--games", "1")
    run_play("heads\n", *game, "--save", str(file))
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(CommandError, match=r"is no file that `sog play --save` wrote\.$"):
        run_play("heads\n", *game, "--resume", str(file))


def test_the_score_goes_on_with_a_resumed_file(run_play: Play, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    game = ("random", "--game", "matching_pennies", "--games", "2")
    run_play("heads\n" * 2, *game, "--seed", "1", "--save", str(file))
    _, out, _ = run_play("heads\n" * 2, *game, "--resume", str(file))
    assert out.count("Score after 2 games") == 1
    assert out.count("Score after 4 games") == 1
    assert len(json.loads(file.read_text())["games"]) == 4


def test_an_earlier_file_is_not_lost(run_play: Play, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    game = ("random", "--game", "matching_pennies", "--games", "1")
    run_play("heads\n", *game, "--save", str(file))
    before = file.read_bytes()
    with pytest.raises(CommandError, match="is there already; --resume goes on with it"):
        run_play("heads\n", *game, "--save", str(file))
    with pytest.raises(CommandError, match=r"are of matching_pennies.*, not of kuhn"):
        run_play("1\n", "random", "--game", "kuhn", "--resume", str(file))
    with pytest.raises(CommandError, match="are against random, not against tabular"):
        run_play("1\n", "tabular", "--game", "matching_pennies", "--resume", str(file))
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ([[0, 9]], "action 9 of move 1 is not legal"),
        ([[1, 0]], "move 1 was player 1's, not 0's"),
        ([["x", 0]], "is no file that `sog play --save` wrote"),
    ],
)
def test_moves_that_cannot_be_are_refused(
    run_play: Play, tmp_path: Path, moves: Any, message: str
) -> None:
    file = tmp_path / "games.json"
    game = ("random", "--game", "kuhn", "--games", "1")
    run_play("1\n" * 4, *game, "--save", str(file))
    fields = json.loads(file.read_text())
    fields["unfinished"] = {"human": 0, "moves": moves}
    file.write_text(json.dumps(fields))
    with pytest.raises(CommandError, match=re.escape(message)):
        run_play("1\n" * 4, *game, "--resume", str(file))


def test_the_same_seed_deals_the_same_cards(run_play: Play) -> None:
    options = ("tabular", "--game", "kuhn", "--games", "4", "--hints", "--seed")
    one, again, other = (run_play("1\n" * 20, *options, seed)[1] for seed in ("7", "7", "8"))
    assert one == again
    assert one != other


# What may be known.


@pytest.mark.parametrize("hints", [(), ("--hints",)])
def test_what_the_agent_holds_is_told_after_the_game_only(
    run_play: Play, hints: tuple[str, ...]
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


def test_thoughts_are_shown_for_all_it_might_have_had(run_play: Play) -> None:
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


def test_hints_advise_the_person(run_play: Play) -> None:
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


# The replay.


def test_a_replay_has_all_that_happened(run_play: Play, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    options = ("random", "--game", "leduc", "--games", "1", "--seed", "5", "--save", str(file))
    run_play("call\ncheck\n" * 9, *options)
    replay = json.loads(file.read_text())
    assert (replay["game"], replay["seed"]) == (str(make("leduc")), 5)
    assert replay["agent"] == {
        "name": "random",
        "search": None,
        "rule": None,
        "leaf_averaging": None,
        "resolve_from": None,
        "seconds": None,
    }
    (game,) = replay["games"]
    assert game["human"] == 0
    assert len(game["infostates"]) == len(game["names"]) == len(game["moves"]) + 1
    assert game["moves"][0]["actor"] == 0
    assert game["moves"][0]["text"] == game["moves"][0]["event"]
    assert replayed_utility(game) == pytest.approx(game["utility"])


def replayed_utility(replay: Any) -> float:
    """What player 0 gets in Leduc poker, from the events alone."""
    game = make("leduc")
    state = game.root()
    for move in replay["moves"]:
        state = game.apply(state, jnp.int32(move["outcome"]))
    first, second = replay["infostates"][-1]
    reach = jnp.zeros((2, 6)).at[0, first].set(1.0).at[1, second].set(1.0)
    cfv = float(game.utilities(state, reach)[0, first])
    return cfv / float(game.compatible_reach(state, reach)[0, first])


# The screen.


def test_a_board_is_drawn_with_the_names_of_its_cells(run_play: Play) -> None:
    code, out, _ = run_play("b2\n", "random", "--game", "tic_tac_toe", "--seed", "0")
    assert code == 0
    assert "you are player 0, your stones are X." in out
    assert "    a b c\n  3 . . .\n  2 . . .\n  1 . . .\n" in out
    boards = out.split("    a b c\n")
    assert boards[2].splitlines()[1][6] == "X"
    assert boards[2][:30].count("O") == 1


def test_columns_are_numbered_as_on_the_board() -> None:
    """Column 1 is full."""
    game: Any = make("connect_four(rows=4,columns=5)")
    board = np.full((4, 5), EMPTY, np.int8)
    board[:, 0] = [1, 0, 1, 0]
    state = LineState(
        board=jnp.asarray(board.reshape(-1)),
        num_stones=jnp.int32(4),
        has_line=jnp.zeros(2, bool),
    )
    assert draw_state(game, state).splitlines() == [
        "  O . . . .",
        "  X . . . .",
        "  O . . . .",
        "  X . . . .",
        "  1 2 3 4 5",
    ]
    offered = choices(game, state, 0, [1, 2, 3, 4])
    assert list_choices(offered) == ("  2) column 2   3) column 3   4) column 4   5) column 5")
    assert [choice.action for choice in find_choices(offered, "3")] == [2]


def test_a_map_is_before_ones_eyes() -> None:
    """What fits into 80 letters, two of which are the indent."""
    game = make("glasses")
    lines = draw_state(game, game.root()).splitlines()
    assert lines[0].startswith("  Mr X to move. Mr X has made 0 of 5 moves; ")
    assert max(map(len, lines)) <= 78


def test_long_hints_go_on_below_themselves() -> None:
    text = wrapped("  Hint: " + ", ".join(f"detective 1 to {n} by taxi 5%" for n in range(9)))
    assert max(map(len, text.splitlines())) <= 78
    assert " ".join(text.split()).endswith("detective 1 to 8 by taxi 5%")
    assert all(line.startswith("    ") for line in text.splitlines()[1:])


BETS = [
    Choice(action=0, label=1, text="fold"),
    Choice(action=1, label=2, text="call"),
    Choice(action=3, label=3, text="raise2"),
    Choice(action=4, label=4, text="raise20"),
]


@pytest.mark.parametrize(
    ("answer", "actions"),
    [
        ("1", [0]),
        ("call", [1]),
        ("FOLD", [0]),
        ("c", [1]),
        ("raise2", [3]),
        ("raise", [3, 4]),
        ("0", []),
        ("", []),
        ("x", []),
    ],
)
def test_answers_are_numbers_or_texts_or_their_beginnings(answer: str, actions: list[int]) -> None:
    assert [choice.action for choice in find_choices(BETS, answer)] == actions


def test_many_actions_are_listed_in_columns() -> None:
    offered = [Choice(action=n, label=n, text=f"station {n}") for n in range(1, 13)]
    lines = list_choices(offered).splitlines()
    assert [line.split()[0::3] for line in lines] == [
        ["1)", "4)", "7)", "10)"],
        ["2)", "5)", "8)", "11)"],
        ["3)", "6)", "9)", "12)"],
    ]
    assert max(map(len, lines)) <= 78


def test_what_a_move_hides_is_shown_to_the_person_who_made_it(run_play: Play) -> None:
    _, out, _ = run_play(
        "2\n1\n", "random", "--game", "ii_goofspiel(cards=3)", "--games", "1", "--as", "0"
    )
    assert "You:    bid 2 (player 0 bids)\n" in out


@pytest.mark.parametrize(
    ("value", "text"), [(1, "+1 chip"), (-1, "-1 chip"), (0, "0 chips"), (-0.25, "-0.25 chips")]
)
def test_what_is_won_has_a_sign_and_a_unit(value: float, text: str) -> None:
    assert signed_units(make("kuhn"), value) == text


def test_worths_have_two_digits() -> None:
    assert worth_of(make("kuhn"), -0.056) == "worth -0.06 chips"


def test_a_person_without_a_choice_is_not_asked() -> None:
    """A board of one column."""
    said: list[str] = []

    class Silent:
        def say(self, text: str = "", style: str = "") -> None:
            said.append(text)

        def ask(self, prompt: str) -> str:
            raise AssertionError("nobody is to be asked")

    terminal: Any = Silent()
    board = make("connect_four(rows=2,columns=1,run_length=2)")
    human = Human(board, 0, terminal, None)
    assert human.act(0) == 0
    assert said[-1] == "  There is no choice: column 1."


# Mistakes.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "--game is needed: random can play any game."),
        (
            ["random", "--game", "kuhn", "--save", "a.json", "--resume", "b.json"],
            "--resume writes to the file that it goes on with: leave --save out.",
        ),
        (
            ["random", "--game", "kuhn", "--hints"],
            "--hints needs an agent that knows better than random.",
        ),
        (
            ["random", "--game", "rps", "--picture", "map.svg"],
            "--picture: there is no picture of rps, only text.",
        ),
        (
            ["random", "--game", "glasses", "--picture", "map.png"],
            "--picture: the name must end in .svg, got map.png.",
        ),
        (
            ["random", "--game", "glasses", "--picture", "/no/map.svg"],
            "--picture: folder /no does not exist.",
        ),
        (
            ["random", "--game", "kuhn", "--save", "/no/replay.json"],
            "--save: folder /no does not exist.",
        ),
        (
            ["zero", "--game", "kuhn", "--search", "x"],
            "--search must be two numbers s,c such as 100,1, got 'x'.",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(run_play: Play, arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        run_play("", *arguments)
    assert str(caught.value) == message
