"""Pictures of Go: stones, the last one, whose points are whose, and what can be clicked."""

import xml.etree.ElementTree as ElementTree

from sog.boards.go import Go
from sog.drawing.picture import draw_picture

SVG = "{http://www.w3.org/2000/svg}"


def drawn(moves: str, choices: list[int]) -> ElementTree.Element:
    game = Go(size=3, komi=0.0)
    picture = draw_picture(game, game.start(moves), choices=choices)
    assert picture is not None
    return ElementTree.fromstring(picture)


def group_of(root: ElementTree.Element, name: str) -> ElementTree.Element:
    """The shapes of what pointing at it calls so."""
    (found,) = (group for group in root.iter(f"{SVG}g") if group.findtext(f"{SVG}title") == name)
    return found


def test_points_can_be_clicked_and_the_last_stone_has_a_ring() -> None:
    root = drawn("A2 A1 B1", [0, 1, 9])
    actions = {group.get("data-actions") for group in root.iter(f"{SVG}g")} - {None}
    assert actions == {"0", "1"}  # the pass is a button of the page
    assert len(list(group_of(root, "B1, Black").iter(f"{SVG}circle"))) == 2
    assert len(list(group_of(root, "A2, Black").iter(f"{SVG}circle"))) == 1
    taken = group_of(root, "A1, where no stone may be put now")
    assert len(list(taken.iter(f"{SVG}circle"))) == 0
    assert group_of(root, "Black has captured 1").findtext(f"{SVG}text") == "1 taken"


def test_stones_that_may_come_are_there_unseen_and_barred_points_have_a_cross() -> None:
    # The corner A3 would have no liberty; of the rest all but the stones is free.
    moves = "C1 A2 pass B3"
    legal = [2, 4, 5, 6, 7, 9]
    root = drawn(moves, legal)
    coming = [group for group in root.iter(f"{SVG}g") if group.get("class") == "coming"]
    assert len(coming) == 5
    assert {group.get("visibility") for group in coming} == {"hidden"}
    assert {group[0].get("fill") for group in coming} == {"#1b1d21"}  # Black's
    assert len(group_of(root, "A3, where no stone may be put now").findall(f"{SVG}line")) == 2
    assert sum(len(group.findall(f"{SVG}line")) for group in root.iter(f"{SVG}g")) == 2
    shown = drawn(moves, [])  # it is nobody's turn at the page
    assert not any(group.findall(f"{SVG}line") for group in shown.iter(f"{SVG}g"))


def test_at_the_end_points_are_marked_in_the_color_of_their_owner() -> None:
    # Black's column B: A and C are his. White's one stone in the corner makes C nobody's.
    root = drawn("B1 pass B2 pass B3 C1 pass pass", [])
    assert len(list(group_of(root, "A3, a point of Black").iter(f"{SVG}rect"))) == 1
    assert len(list(group_of(root, "C3").iter(f"{SVG}rect"))) == 0
    assert not any(group.get("data-actions") for group in root.iter(f"{SVG}g"))
