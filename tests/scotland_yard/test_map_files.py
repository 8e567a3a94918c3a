"""The map of Scotland Yard as a picture, and `--picture` of the commands."""

import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.cli.errors import check_target
from sog.cli.game_output import write_picture
from sog.games import make
from sog.play.rules import after, first_state
from sog.scotland_yard.station_map import load_map

SVG = "{http://www.w3.org/2000/svg}"
SHADE = "#5b2a9d"

Run = Callable[..., tuple[int, str, str]]


def picture(file: Path) -> ElementTree.Element:
    check_target("--picture", file, (".svg",))  # it may be replaced
    return ElementTree.parse(file).getroot()


def groups(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return root.findall(f".//{SVG}g[@class='{name}']")


def shades(root: ElementTree.Element) -> dict[int, float]:
    """How dark the stations are where Mr X may be."""
    found = {}
    for station in groups(root, "station"):
        for circle in station.findall(f"{SVG}circle"):
            if circle.get("fill") == SHADE:
                number = int(station.attrib["id"].removeprefix("station-"))
                found[number] = float(circle.get("fill-opacity", "1"))
    return found


def pawns(root: ElementTree.Element) -> list[str | None]:
    return [pawn.findtext(f"{SVG}title") for pawn in groups(root, "pawn")]


@pytest.mark.parametrize("name", ["glasses", "london"])
def test_every_station_edge_and_pawn_is_drawn_once(name: str, tmp_path: Path) -> None:
    game: Any = make(name)
    state = first_state(game)
    for start in (112, 13, 94, 34, 117) if name == "london" else ():
        state = after(game, state, start - 1)
    file = tmp_path / "map.svg"
    write_picture(file, game, state, title="a <map> & more")
    root, station_map = picture(file), load_map(name)
    assert root.findtext(f"{SVG}title") == "a <map> & more"
    stations = [group.attrib["id"] for group in groups(root, "station")]
    assert stations == [f"station-{number}" for number in station_map.stations]
    for kind in ("taxi", "bus", "underground", "ferry"):
        (group,) = groups(root, kind)
        drawn = sum(transport == kind for *_, transport in station_map.edges)
        assert len(group.findall(f"{SVG}line")) == drawn
    detectives = [f"detective {number + 1}" for number in range(game.detectives)]
    assert pawns(root) == detectives + (["Mr X"] if name == "glasses" else [])
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    for circle in root.findall(f".//{SVG}g[@class='station']/{SVG}circle"):
        assert 0 < float(circle.attrib["cx"]) < width
        assert 0 < float(circle.attrib["cy"]) < height


def test_the_shade_follows_the_range(tmp_path: Path) -> None:
    game: Any = make("glasses")
    state = after(game, first_state(game), 0)  # Mr X is at 5 or 7
    ranges, file = np.zeros((2, 11)), tmp_path / "map.svg"
    ranges[0, [4, 6]] = 0.25, 0.75
    write_picture(file, game, state, title="t", ranges=ranges)
    dark = shades(picture(file))
    assert sorted(dark) == [5, 7]
    assert 0 < dark[5] < dark[7] == 1
    titles = [group.findtext(f"{SVG}title") for group in groups(picture(file), "station")]
    assert titles[6] == "station 7: Mr X is here with probability 75.00%"
    assert titles[0] == "station 1: Mr X is not here"
    write_picture(file, game, state, title="t")
    dark = shades(picture(file))
    assert dark[5] == dark[7]


def test_mr_x_is_drawn_for_those_only_who_know(tmp_path: Path) -> None:
    game: Any = make("glasses")
    state, file = after(game, first_state(game), 0), tmp_path / "map.svg"
    write_picture(file, game, state, title="t")
    assert "Mr X" not in pawns(picture(file))
    write_picture(file, game, state, title="t", infostates=(4, None))
    assert pawns(picture(file))[-1] == "Mr X"


@pytest.mark.slow
def test_a_search_prints_and_draws_the_map(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    history = "'Mr X takes a taxi'"
    code, out, err = sog(
        *("search", "glasses", "--search", "2,1", "--evaluator", "zero"),
        *("--history", history, "--picture", str(file)),
    )
    assert code == 0, err
    assert "Mr X may be at 2 of 11 stations: 5 7" in out
    assert "Most likely, according to the search: " in out
    assert sorted(shades(picture(file))) == [5, 7]


def test_a_game_is_drawn_to_its_end(
    sog: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n" * 20))
    monkeypatch.setattr("sog.cli.display.width", lambda: 80)
    file = tmp_path / "map.svg"
    options = ("--game", "glasses", "--games", "1", "--seed", "1", "--as", "1")
    code, out, err = sog("play", "random", *options, "--picture", str(file))
    assert code == 0, err
    assert out.count("\n  D1: detective 1; 9?: Mr X may be at 9\n") >= 2
    assert max(map(len, out.splitlines())) <= 80
    assert pawns(picture(file))[-1] == "Mr X"
    assert " have won." in file.read_text() or "Mr X has won." in file.read_text()


def test_a_map_without_positions_cannot_be_drawn(sog: Run, tmp_path: Path) -> None:
    town = tmp_path / "town.csv"
    town.write_text("station_a,station_b,transport\n3,5,taxi\n5,8,taxi\n8,12,taxi\n")
    game = f"scotland_yard(map={town},starts=12/3,detectives=1,reveals=none)"
    code, out, err = sog("search", game, "--picture", str(tmp_path / "map.svg"))
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == (
        f"sog: error: --picture: {tmp_path / 'town_positions.csv'} must say where to draw the "
        f"stations of {town}, in rows of station,x,y below that header."
    )
