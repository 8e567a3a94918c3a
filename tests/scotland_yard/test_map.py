"""Maps of Scotland Yard, its parameters, and what is refused."""

import re
from collections import Counter
from pathlib import Path

import pytest

from sog.games.registry import make
from sog.scotland_yard.game import ScotlandYard
from sog.scotland_yard.station_map import load_map, load_positions


def write_map(folder: Path, rows: str) -> str:
    path = folder / "town.csv"
    path.write_text(f"station_a,station_b,transport\n{rows}\n")
    return str(path)


def test_a_users_map_may_leave_out_numbers_and_have_notes(tmp_path: Path) -> None:
    town = load_map(write_map(tmp_path, "# the center\n3,5,taxi\n\n 8, 3,bus\n12,8,ferry"))
    assert town.stations == (3, 5, 8, 12)
    assert town.edges == ((3, 5, "taxi"), (3, 8, "bus"), (8, 12, "ferry"))


def test_the_london_map_has_the_edges_of_the_board() -> None:
    london = load_map("london")
    assert london.stations == tuple(range(1, 200))
    kinds = Counter(transport for _, _, transport in london.edges)
    assert kinds == {"taxi": 345, "bus": 99, "underground": 20, "ferry": 3}
    underground = {end for a, b, kind in london.edges if kind == "underground" for end in (a, b)}
    assert sorted(underground) == [1, 13, 46, 67, 74, 79, 89, 93, 111, 128, 140, 153, 163, 185]
    ferries = {(a, b) for a, b, kind in london.edges if kind == "ferry"}
    assert ferries == {(108, 115), (115, 157), (157, 194)}


def test_the_quarter_is_what_london_has_between_its_stations() -> None:
    london, quarter = load_map("london"), load_map("quarter")
    inside = set(quarter.stations)
    assert len(inside) == 20
    assert set(quarter.edges) == {edge for edge in london.edges if inside.issuperset(edge[:2])}
    everywhere = load_positions("london")
    assert load_positions("quarter") == {number: everywhere[number] for number in inside}


@pytest.mark.parametrize("name", ["glasses", "quarter", "london"])
def test_every_station_of_a_shipped_map_can_be_drawn(name: str) -> None:
    assert tuple(load_positions(name)) == load_map(name).stations


def test_a_users_map_may_say_where_to_draw_its_stations(tmp_path: Path) -> None:
    town = write_map(tmp_path, "3,5,taxi")
    assert load_positions(town) == {}
    Path(town).with_name("town_positions.csv").write_text("station,x,y\n5,0,2\n3,0.5,-1\n")
    assert load_positions(town) == {3: (0.5, -1.0), 5: (0.0, 2.0)}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "station,x,y\n3,0.5,-1",
            "positions must name every station of the map, got none for 5 in",
        ),
        ("station,x,y\n3,a,b", "positions must have rows like '1,0.5,0.25', got '3,a,b' in line 2"),
    ],
)
def test_wrong_positions_are_told(tmp_path: Path, rows: str, message: str) -> None:
    town = write_map(tmp_path, "3,5,taxi")
    Path(town).with_name("town_positions.csv").write_text(rows)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_positions(town)


def test_glasses_looks_the_same_from_the_other_side() -> None:
    edges = {frozenset(edge[:2]) for edge in load_map("glasses").edges}
    assert edges == {frozenset(12 - end for end in edge) for edge in edges}


def test_parameters_survive_as_text(tmp_path: Path) -> None:
    town = write_map(tmp_path, "3,5,taxi\n5,8,bus\n8,12,taxi\n12,20,ferry")
    own = f"scotland_yard(map={town},starts=deck/3/5/8/12/20,detectives=4)"
    for text in ("glasses(rounds=4)", "london", own):
        assert make(str(make(text))) == make(text)


def test_glasses_can_be_played_by_one_detective() -> None:
    assert make("glasses(detectives=1)").max_depth == 5 * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "glasses(map=nowhere.csv)",
            "glasses: map must be glasses, quarter, london or .*'nowhere.csv'",
        ),
        ("glasses(detectives=3)", "glasses: starts must .* 4 in total, got '6/1/11'"),
        ("glasses(starts=6/1/12)", "glasses: starts must be stations of .* glasses, got '12'"),
        ("glasses(starts=6;1)", "glasses: starts must be numbers joined by '/', got '6;1'"),
        ("glasses(taxi=0)", "glasses: starts must leave a detective a move, got '6/1/11'"),
        ("glasses(reveals=3/2)", "glasses: reveals must ascend from 1 up, got '3/2'"),
        ("london(detectives=18)", "london: starts must .* 19 in total, got 'deck'"),
    ],
)
def test_bad_parameters_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(text)


@pytest.mark.parametrize("name", ["glasses", "scotland_yard"])
def test_a_map_of_ones_own_asks_for_starts_on_it(tmp_path: Path, name: str) -> None:
    town = write_map(tmp_path, "3,5,taxi\n5,8,bus\n8,12,taxi")
    with pytest.raises(ValueError, match=rf"^{name}: the map \S+ needs starts") as caught:
        make(f"{name}(map={town},detectives=2)")
    assert "such as starts=3/5/8; or a deck to deal them from" in str(caught.value)
    assert make(f"{name}(map={town},detectives=2,starts=3/5/8)").num_infostates == 4
    with pytest.raises(ValueError, match=r"must be stations of the map \S+, got '7'\.$"):
        make(f"{name}(map={town},detectives=2,starts=3/5/7)")
    small = rf"^{name}: detectives must be at most 3 on the map \S+, which has 4 stations, got 5\.$"
    with pytest.raises(ValueError, match=small):
        make(f"{name}(map={town},detectives=5)")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,2,taxi\n1,2", "map must have rows like '1,8,taxi' .*, got '1,2' in line 3 of "),
        ("1,2,tram", "map must have rows .*, got '1,2,tram' in line 2 of "),
        ("# note\n\n4,4,bus", "map must join two different stations .*'4,4,bus' in line 4 of "),
        ("1,2,taxi\n2,1,taxi", "map must name an edge only once, got '2,1,taxi' again in line 3"),
        ("1,2,ferry", "map must have an edge that is not a ferry, got 1 in "),
    ],
)
def test_bad_map_files_are_refused(tmp_path: Path, rows: str, message: str) -> None:
    path = write_map(tmp_path, rows)
    with pytest.raises(ValueError, match=f"scotland_yard: {message}"):
        ScotlandYard(map=path)


def test_a_map_file_needs_its_header(tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_text("1,2,taxi\n")
    with pytest.raises(ValueError, match=r"map must have the header .*, got '1,2,taxi' in line 1"):
        ScotlandYard(map=str(tmp_path / "map.csv"))
