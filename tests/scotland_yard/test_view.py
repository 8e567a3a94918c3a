"""What people see of a game of Scotland Yard, as text."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.games.registry import make
from sog.play.rules import after, first_state, situation
from sog.scotland_yard.station_map import load_positions


def played(game: Any, num_events: int, seed: int = 0) -> Any:
    """A state after random events, none of them the last."""
    rng, state = np.random.default_rng(seed), first_state(game)
    for _ in range(num_events):
        outcomes = np.flatnonzero(situation(game, state).legal_outcomes).tolist()
        quiet = [k for k in outcomes if not game.describe_outcome(state, k).endswith(": caught")]
        state = after(game, state, int(rng.choice(quiet)))
    return state


def after_two_rounds() -> tuple[Any, Any]:
    """Detectives at 2 and 10; Mr X, from 6, has moved twice, so he is at 3, 4, 6, 8 or 9."""
    game: Any = make("glasses")
    return game, played(game, 4)


def test_a_known_position_is_drawn() -> None:
    game, state = after_two_rounds()
    ranges = np.zeros((2, 11))
    ranges[0, [2, 3, 5, 7, 8]] = [0.05, 0.05, 0.6, 0.29, 0.01]
    assert game.draw(state, ranges).splitlines() == [
        "Detective 1 to move. Mr X has made 2 of 5 moves; he stays hidden to the end.",
        "His moves: 1 taxi, 2 taxi.",
        "",
        "                 3?                              8?",
        "",
        "",
        "",
        "  1      D1               5      6?       7              D2      11",
        "",
        "",
        "",
        "                 4?                              9?",
        "",
        "D1: detective 1; 9?: Mr X may be at 9",
        "",
        "                at  taxi  can go to",
        "> detective 1    2     4  taxi 1 3 4",
        "  detective 2   10     4  taxi 8 9 11",
        "  Mr X           ?     5",
        "",
        "Mr X may be at 5 of 11 stations: 3 4 6 8 9",
        "Most likely, according to the search: 6 60%, 8 29%, 3 5%, 4 5%, 9 1%",
    ]
    assert "Most likely" not in game.draw(state)  # where nobody has searched


@pytest.mark.parametrize("num_events", [0, 11, 60])
def test_london_fits_into_80_columns_with_every_pawn_once(num_events: int) -> None:
    game: Any = make("london")
    state = played(game, num_events)
    view, text = game.overview(state), game.draw(state)
    assert max(map(len, text.splitlines())) <= 76  # and an indent
    board, _, rest = text.partition("D1: detective 1")
    on_board = re.findall(r"D\d", board)
    assert sorted(on_board) == [
        f"D{one.number}" for one in view.detectives if one.station is not None
    ]
    assert all(f"detective {number} " in rest for number in range(1, 6))
    shown = re.findall(r"(?<!\S)(\d+)\?", board)
    assert len(set(shown)) == len(shown)
    assert set(map(int, shown)) <= set(view.possible)
    assert len(view.possible) > 60 or len(shown) == len(view.possible)


def test_no_station_is_written_twice_in_london() -> None:
    game: Any = make("london")
    lines = game.draw(played(game, 30)).splitlines()
    board = "\n".join(lines[3 : next(i for i, row in enumerate(lines) if row.startswith("D1:"))])
    numbers = re.findall(r"(?<![\dD])\d+", board)
    assert len(set(numbers)) == len(numbers) > 150


def test_reveals_and_black_tickets_are_told() -> None:
    game: Any = make("london")
    state = first_state(game)
    for start in (112, 13, 94, 34, 117):
        state = after(game, state, start - 1)
    view = game.overview(after(game, state, 3))  # a black ticket
    assert view.progress == (
        "Mr X has made 1 of 24 moves; he shows himself after moves 3, 8, 13, 18, 24."
    )
    assert (view.moves, view.mr_x_tickets["black"]) == ("His moves: 1 black.", 4)
    first = view.detectives[0]
    assert first.is_next
    assert (first.station, first.reach) == (112, {"taxi": (99, 100, 111, 125)})


def test_the_end_says_who_has_won() -> None:
    """Mr X goes from 6 to 5 or 7, and the detective finds him at 5."""
    game: Any = make("glasses(detectives=1,starts=6/4)")
    state = after(game, first_state(game), 0)
    outcomes = np.flatnonzero(situation(game, state).legal_outcomes).tolist()
    events = {game.describe_outcome(state, outcome): outcome for outcome in outcomes}
    text = game.draw(after(game, state, events["detective 1 to 5 by taxi: caught"]))
    assert text.startswith("The detectives have won. Mr X has made 1 of 5 moves.\n")
    assert text.endswith("\nMr X is at 5.")


def test_a_map_without_positions_is_told_without_a_picture(tmp_path: Path) -> None:
    town = tmp_path / "town.csv"
    town.write_text("station_a,station_b,transport\n3,5,taxi\n5,8,bus\n8,12,taxi\n12,20,taxi\n")
    game: Any = make(f"scotland_yard(map={town},starts=20/3,detectives=1,reveals=none)")
    text = game.draw(first_state(game))
    assert "D1: detective 1" not in text
    assert "  detective 1    3    10    8  taxi 5" in text
    positions = "".join(f"{station},{station},0\n" for station in (3, 5, 8, 12, 20))
    town.with_name("town_positions.csv").write_text(f"station,x,y\n{positions}")
    game = make(f"scotland_yard(map={town},starts=20/3,detectives=1,reveals=none,rounds=5)")
    assert re.search(r"^ *D1 +5 +8 +12 +20\?$", game.draw(first_state(game)), re.MULTILINE)


def test_a_tall_map_stays_short(tmp_path: Path) -> None:
    town = tmp_path / "town.csv"
    town.write_text("station_a,station_b,transport\n1,2,taxi\n2,3,taxi\n")
    town.with_name("town_positions.csv").write_text("station,x,y\n1,0,0\n2,0,0.001\n3,0,1000\n")
    game: Any = make(f"scotland_yard(map={town},starts=3/1,detectives=1,reveals=none)")
    assert len(game.draw(first_state(game)).splitlines()) < 80
    assert len(load_positions(str(town))) == 3
