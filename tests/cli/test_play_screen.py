"""What `sog play` shows, and how it reads what a person answers."""

import re
import textwrap
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.chess import Chess
from sog.boards.line_game import LineState
from sog.boards.stones import EMPTY
from sog.cli.lines import fold
from sog.cli.play_screen import (
    ListedAction,
    choices,
    draw_state,
    find_choices,
    list_choices,
    signed_units,
)
from sog.cli.play_table import Human, Moves
from sog.games import make
from sog.play.game_in_progress import GameInProgress
from sog.play.history import Beginning, Opening
from tests.cli.conftest import Run, output

# The screen.


def test_a_board_is_drawn_with_the_names_of_its_cells(run_play: Run) -> None:
    out = output(run_play, "b2\n", "random", "--game", "tic_tac_toe", "--seed", "0")
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


def test_a_board_of_chess_has_colored_squares_where_the_terminal_can() -> None:
    """Black's own pieces are below; the squares of White's last move have another color."""
    game = make("gardner_chess")
    state = game.start("Nc3")
    lines = draw_state(game, state, player=1, has_pieces=True).splitlines()
    plain = [re.sub("\033\\[[0-9;]*m", "", line) for line in lines]
    assert plain == [
        "  1  ♚  ♛  ♝     ♜ ",
        "  2  ♟  ♟  ♟  ♟  ♟ ",
        "  3        ♞       ",
        "  4  ♟  ♟  ♟  ♟  ♟ ",
        "  5  ♚  ♛  ♝  ♞  ♜ ",
        "     e  d  c  b  a",
        "  Black to move",
    ]
    assert [line.count("48;5;143m") + line.count("48;5;100m") for line in lines] == [
        *(1, 0, 1, 0, 0, 0, 0),
    ]
    assert draw_state(game, state) == textwrap.indent(game.draw(state), "  ")


class Typist:
    """A terminal that knows all answers, and keeps what it is told."""

    has_pieces = False

    def __init__(self, *answers: str, said: list[str]) -> None:
        self._answers, self._said = list(answers), said

    def say(self, text: str = "", style: str = "") -> None:
        self._said.append(text)

    def ask(self, prompt: str) -> str:
        return self._answers.pop(0)


def chosen(game: Any, opening: Opening, *answers: str, said: list[str]) -> int:
    """The action of a person who gives these answers."""
    terminal: Any = Typist(*answers, said=said)
    human = Human(game, 0, terminal, None)
    human.moves = Moves(GameInProgress(game, opening))
    return human.act(0)


def test_moves_are_typed_as_people_write_them() -> None:
    """A knight's move, castling by king and rook, a pawn that becomes a knight, and the rest."""
    game, said = Chess(), list[str]()
    state = game.start("r3k2r/P7/8/8/8/8/7P/R3K1NR w KQkq - 0 1")
    opening = Opening(beginning=Beginning(text="", state=state))

    def typed(*answers: str) -> str:
        return game.uci_of_action(state, chosen(game, opening, *answers, said=said))

    assert typed("Nf3") == "g1f3"
    assert typed("h4") == "h2h4"
    assert typed("O-O-O") == typed("e1a1") == "e1c1"
    assert typed("Ne9", "2h", "h2h3") == "h2h3"
    assert said[-2].startswith("  'Ne9' is not a legal move; possible: ")


def test_a_map_is_before_ones_eyes() -> None:
    """What fits into 80 letters, two of which are the indent."""
    game = make("glasses")
    lines = draw_state(game, game.root()).splitlines()
    assert lines[0].startswith("  Mr X to move. Mr X has made 0 of 5 moves; ")
    assert max(map(len, lines)) <= 78


def test_a_board_in_color_is_not_folded() -> None:
    """The codes of its colors are longer than a terminal is wide, and take no place in it."""
    game = make("chess")
    board = draw_state(game, game.root(), has_pieces=True)
    assert "\u265a" in board
    assert fold(board, 60) == board


BETS = [
    ListedAction(action=0, label=1, text="fold"),
    ListedAction(action=1, label=2, text="call"),
    ListedAction(action=3, label=3, text="raise2"),
    ListedAction(action=4, label=4, text="raise20"),
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
    offered = [ListedAction(action=n, label=n, text=f"station {n}") for n in range(1, 13)]
    lines = list_choices(offered).splitlines()
    assert [line.split()[0::3] for line in lines] == [
        ["1)", "4)", "7)", "10)"],
        ["2)", "5)", "8)", "11)"],
        ["3)", "6)", "9)", "12)"],
    ]
    assert max(map(len, lines)) <= 78


def test_what_a_move_hides_is_shown_to_the_person_who_made_it(run_play: Run) -> None:
    _, out, _ = run_play(
        "2\n1\n", "random", "--game", "ii_goofspiel(cards=3)", "--games", "1", "--as", "0"
    )
    assert "You:    bid 2 (player 0 bids)\n" in out


@pytest.mark.parametrize(
    ("value", "text"), [(1, "+1 chip"), (-1, "-1 chip"), (0, "0 chips"), (-0.25, "-0.25 chips")]
)
def test_what_is_won_has_a_sign_and_a_unit(value: float, text: str) -> None:
    assert signed_units(make("kuhn"), value) == text


def test_a_person_without_a_choice_is_not_asked() -> None:
    """A board of one column."""
    said: list[str] = []
    board = make("connect_four(rows=2,columns=1,run_length=2)")
    assert chosen(board, Opening(), said=said) == 0
    assert said[-1] == "  There is no choice: column 1."
