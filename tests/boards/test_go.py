"""Go: the rules, against a plain program and by hand, and what is shown to networks and people."""

import dataclasses
import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.packing import packed_width
from sog.boards import go_rules
from sog.boards.go import Go
from sog.boards.go_rules import GoState
from sog.boards.go_sizes import Go5, Go9, Go19
from sog.boards.stones import symmetries
from sog.games import make
from sog.games.core import TERMINAL
from tests.boards.plain_go import PASS, PlainGo

BLACK, WHITE = 0, 1


@dataclasses.dataclass(frozen=True)
class Played:
    """Random games: arrays [move, game, ...], of the state before each move."""

    states: GoState
    actors: np.ndarray
    legal: np.ndarray
    actions: np.ndarray
    scores: np.ndarray


@functools.cache
def played(game: Go, num_games: int, seed: int = 0) -> Played:
    """Games of random moves, few passes among them, each to its end and on."""

    def step(state: GoState, key: jax.Array) -> Any:
        legal = game.legal_outcomes(state)
        rarely = jnp.where(jnp.arange(game.num_actions) == game.pass_action, -4.0, 0.0)
        action = jax.random.categorical(key, jnp.where(legal, rarely, -jnp.inf)).astype(jnp.int32)
        seen = (state, game.actor(state), legal, action, game.score(state))
        return game.apply(state, action), seen

    def one(key: jax.Array) -> Any:
        return jax.lax.scan(step, game.root(), jax.random.split(key, game.max_depth + 1))[1]

    keys = jax.random.split(jax.random.key(seed), num_games)
    seen = jax.device_get(jax.jit(jax.vmap(one, out_axes=1))(keys))
    return Played(*seen)


def point_of(action: int, size: int) -> tuple[int, int] | None:
    return PASS if action == size * size else divmod(action, size)


def follow(game: Go, found: Played, number: int) -> int:
    """Compares one game with the plain program, move by move; returns how many were forbidden for
    repetition alone."""
    simple = game.superko == "simple"
    plain = PlainGo(game.size, game.num_remembered, simple_ko=simple)
    points = [divmod(point, game.size) for point in range(game.size**2)]
    num_repeating = 0
    for move in range(game.max_depth + 1):
        state = jax.tree.map(lambda leaf, move=move: leaf[move, number], found.states)
        color = np.asarray(state.shown) & 3
        assert color.tolist() == [plain.board.get(point, -1) + 1 for point in points]
        assert state.captured.tolist() == plain.captured
        assert found.scores[move, number] == plain.lead() - game.komi
        is_over = (plain.passes >= 2 and move >= game.end_from) or move == game.max_depth
        assert found.actors[move, number] == (TERMINAL if is_over else plain.player)
        if is_over:
            assert not found.legal[move, number].any()
            return num_repeating
        boards = [plain.after(point) for point in points]
        legal = [board is not None and board not in plain.earlier for board in boards]
        assert found.legal[move, number].tolist() == [*legal, True]
        num_repeating += sum(board is not None for board in boards) - sum(legal)
        plain.play(point_of(int(found.actions[move, number]), game.size))
    raise AssertionError("the game did not end")


@pytest.mark.thorough(but=["size=2", "size=3"])
@pytest.mark.parametrize(
    ("game", "num_games", "least_repeating"),
    [
        (Go(size=2, move_limit=24), 60, 100),
        (Go(size=3, move_limit=40, komi=0.5), 60, 40),
        (Go(size=4, superko="simple", move_limit=60, end_from=30), 40, 10),
        (Go5(move_limit=150), 24, 20),
        (Go9(), 2, 1),
    ],
    ids=str,
)
def test_random_games_go_as_a_plain_program_has_them(
    game: Go, num_games: int, least_repeating: int
) -> None:
    found = played(game, num_games)
    assert sum(follow(game, found, number) for number in range(num_games)) >= least_repeating


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 6, 7, 9, 13, 19])
def test_many_random_games_go_as_a_plain_program_has_them(size: int) -> None:
    game, num_games = Go(size=size, move_limit=3 * size**2), 2000 // size**2
    found = played(game, num_games, seed=size)
    for number in range(num_games):
        follow(game, found, number)


@pytest.mark.parametrize(("game", "most"), [(Go9(), 400), (Go19(), 1600)], ids=str)
def test_a_state_with_its_history_fits_into_few_bytes(game: Go, most: int) -> None:
    assert 4 * packed_width(game) <= most


def drawn_after(game: Go, moves: str) -> str:
    return game.describe_state(game.start(moves))


def legal_vertices(game: Go, state: GoState) -> set[str]:
    return {game.vertex_of_action(int(a)) for a in np.flatnonzero(game.legal_outcomes(state))}


def test_a_ko_is_not_retaken_at_once_but_after_a_move_elsewhere() -> None:
    game = Go5()
    state = game.start("B4 C4 A3 D3 B2 C2 C3 B3")  # the last has taken C3
    assert state.captured.tolist() == [0, 1]
    assert "C3" not in legal_vertices(game, state)
    later = game.start("B4 C4 A3 D3 B2 C2 C3 B3 E1 E5")
    assert "C3" in legal_vertices(game, later)
    with pytest.raises(ValueError, match="move 9, C3, would repeat an earlier position"):
        game.parse("B4 C4 A3 D3 B2 C2 C3 B3 C3")


@pytest.mark.thorough
def test_a_longer_cycle_is_forbidden_by_superko_only() -> None:
    # White's B1 takes A1 and A2, Black's A1 takes B1 and B2: B2 would bring move 3's board back.
    moves = "A1 B2 A2 B1 A2 pass A1 B2"
    with pytest.raises(ValueError, match="move 8, B2, would repeat an earlier position"):
        Go(size=2).parse(moves)
    simple = Go(size=2, superko="simple", move_limit=9)
    assert drawn_after(simple, moves) == "XO/X1 (Black to move)"


def test_stones_without_a_liberty_are_taken_and_none_may_be_put_so() -> None:
    # The corner: White's A1 dies by Black's second neighbor; A1 is then no point for White.
    game = Go(size=3, komi=0.0)
    assert drawn_after(game, "A2 A1 B1") == "3/X2/1X1 (White to move)"
    with pytest.raises(ValueError, match="would leave its own stones without a liberty"):
        game.parse("A2 A1 B1 A1")
    with pytest.raises(ValueError, match="move 2, A2, is on an occupied point"):
        game.parse("A2 A2")
    with pytest.raises(ValueError, match="move 3, B2, comes after the end of the game"):
        game.parse("pass pass B2")


def test_the_board_is_counted_by_area_when_both_have_passed() -> None:
    # Black's wall on B, White's on D; A and E are theirs, C is nobody's: 10 to 10 without komi.
    game = Go5(komi=0.5, payoff="diff")
    walls = "B1 D1 B2 D2 B3 D3 B4 D4 B5 D5"
    assert float(game.result(game.start(f"{walls} pass pass"))) == -0.5
    assert drawn_after(game, f"{walls} C3 pass pass") == (
        "1X1O1/1X1O1/1XXO1/1X1O1/1X1O1 (Black has won by 0.5)"
    )
    # A single stone owns the whole board; an empty one is nobody's.
    assert float(game.result(game.start("C3 pass pass"))) == 24.5
    assert float(game.result(game.start("pass pass"))) == -0.5


def test_a_whole_komi_makes_draws_and_a_win_is_worth_one() -> None:
    game = Go(size=3, komi=1.0)
    ends = ["A1 C3 B2 pass pass", "A1 C3 pass pass", "B2 pass pass"]
    assert [float(game.result(game.start(end))) for end in ends] == [0.0, -1.0, 1.0]
    assert drawn_after(game, ends[0]).endswith("(draw)")


def test_the_move_limit_ends_a_game() -> None:
    game = Go(size=3, komi=0.0, move_limit=3)
    state = game.start("B2 A1 pass")
    assert int(game.actor(state)) == TERMINAL
    assert float(game.result(state)) == 0.0  # both reach all free points: a stone each


def test_two_passes_end_a_game_from_the_move_on_from_which_they_may() -> None:
    game = Go(size=3, end_from=4)
    assert int(game.actor(game.start("B2 pass pass"))) == WHITE
    assert int(game.actor(game.start("B2 pass pass pass"))) == TERMINAL
    assert int(game.actor(game.start("pass pass pass A1"))) == BLACK


def test_all_moves_are_searched_on_boards_up_to_9_x_9() -> None:
    sizes = {game.size: game.num_searched_actions for game in (Go5(), Go9(), Go19())}
    assert sizes == {5: 26, 9: 82, 19: 96}


def test_a_network_sees_eight_positions_from_the_movers_side() -> None:
    game = Go5()
    state = game.start("C3 A1 pass")
    planes = np.asarray(game.observe(state)).reshape(17, 5, 5)
    black, white = (2, 2), (4, 0)

    def seen(plane: int) -> list[tuple[int, int]]:
        return [(row, column) for row, column in np.argwhere(planes[plane]).tolist()]

    # White is to move: his stone lies there now and before the pass, Black's one move longer.
    assert [seen(plane) for plane in range(4)] == [[white], [white], [], []]
    assert [seen(plane) for plane in range(8, 12)] == [[black], [black], [black], []]
    assert not planes[16].any()
    assert np.asarray(game.observe(game.root())).reshape(17, 25)[16].all()


def test_the_board_is_drawn_with_its_last_stone_and_what_was_taken() -> None:
    game = Go(size=3)
    assert game.draw(game.start("A2 A1 B1")).split("\n") == [
        "   A B C",
        "3  . . . 3",
        "2  X . . 2",
        "1  .(X). 1",
        "   A B C",
        "X has captured 1, O 0",
    ]
    assert "(X)" not in game.draw(game.start("A2 pass"))
    stars = [point for point, mark in enumerate(game_marks(Go9())) if mark == "+"]
    assert stars == [20, 24, 40, 56, 60]  # C7 G7 E5 C3 G3
    assert game.describe_seat(1) == "your stones are O (White)"


def game_marks(game: Go) -> str:
    rows = game.draw(game.root()).split("\n")[1:-2]
    return "".join(row.replace(" ", "").strip("0123456789") for row in rows)


def test_the_picture_tells_the_last_stone_and_at_the_end_whose_points_are_whose() -> None:
    game = Go(size=3)
    view = game.view(game.start("B2 A1"), choices=[1, 2, 9])
    assert (view.last, view.stones, view.owners) == (6, {4: 0, 6: 1}, {})
    assert (dict(view.choices), list(view.passes)) == ({1: [1], 2: [2]}, [9])
    ended = game.view(game.start("B2 pass pass"))
    assert ended.last is None
    assert ended.owners == {point: 0 for point in range(9) if point != 4}
    assert ended.told[0] == "A3, a point of Black"


def test_two_symmetries_one_after_the_other_are_the_one_that_is_told() -> None:
    for size in (2, 5):
        points, composed = symmetries(size), go_rules.compositions()
        for first, then in np.ndindex(8, 8):
            assert (points[first][points[then]] == points[composed[first, then]]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("go(size=1)", "go: size must be >= 2, got 1."),
        ("go(komi=nan)", "go: komi must be finite, got nan."),
        ("go(superko=none)", "go: superko must be one of positional, simple, got 'none'."),
    ],
)
def test_parameters_that_cannot_be_are_told(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make(text)
