"""Scotland Yard against rules told in plain Python: worlds, and London played at random."""

import csv
import importlib.resources
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.scotland_yard.game import Glasses, London, ScotlandYard
from tests.games.random_plays import play_randomly

KINDS = ["taxi", "bus", "underground", "black"]


class Pawns(NamedTuple):
    """Where a game stands, with station numbers of the map."""

    phase: str
    mr_x: int
    detectives: tuple[int, ...] = ()
    turn: int = 0
    tickets: tuple[tuple[int, ...], ...] = ()
    bag: tuple[int, ...] = ()
    doubles: int = 0
    pending: bool = False
    moves: int = 0
    winner: int = 0


class PlainRules:
    """The rules told once more, in plain Python, one pawn at a time."""

    def __init__(self, edges: list[tuple[int, int, str]], game: ScotlandYard) -> None:
        self.game = game
        self.stations = sorted({end for a, b, _ in edges for end in (a, b)})
        ways: dict[int, set[tuple[int, int]]] = {station: set() for station in self.stations}
        for a, b, kind in edges:
            for start, end in ((a, b), (b, a)):
                if kind != "ferry":
                    ways[start].add((KINDS.index(kind), end))
                if game.black:
                    ways[start].add((3, end))
        # Each ticket has as many columns as the most moves that a station has for it.
        counts = [Counter(kind for kind, _ in pairs) for pairs in ways.values()]
        widths = [max(count[kind] for count in counts) for kind in range(4)]
        self.width = sum(widths)
        self.ways: dict[int, list[tuple[int, int, int]]] = {}  # column, kind, end
        for station, pairs in ways.items():
            numbered = [
                (sum(widths[:kind]) + number, kind, end)
                for kind in range(4)
                for number, end in enumerate(sorted(end for k, end in pairs if k == kind))
            ]
            self.ways[station] = numbered
        self.stuck = (2 if game.doubles else 1) * self.width, (2 if game.doubles else 1) * 4
        starts = game.starts
        self.deck: list[int] = []
        if starts.startswith("deck/"):
            self.deck = [int(card) for card in starts.split("/")[1:]]
        if starts == "deck":
            self.deck = [13, 26, 29, 34, 50, 53, 91, 94, 103, 112, 117, 132, 138, 141]
            self.deck += [155, 174, 197, 198]
        self.reveals = [] if game.reveals == "none" else [int(n) for n in game.reveals.split("/")]

    def deals(self) -> list[tuple[float, Pawns]]:
        game = self.game
        each = (game.taxi, game.bus, game.underground)
        start = Pawns(
            "deal",
            mr_x=0,
            tickets=(each,) * game.detectives,
            bag=(game.mr_x_taxi, game.mr_x_bus, game.mr_x_underground, game.black),
            doubles=game.doubles,
        )
        if self.deck:
            return [(1 / len(self.deck), start._replace(mr_x=card)) for card in self.deck]
        mr_x, *detectives = (int(n) for n in game.starts.split("/"))
        placed = start._replace(mr_x=mr_x, detectives=tuple(detectives[: game.detectives]))
        return [(1.0, self.new_round(placed))]

    def actor(self, pawns: Pawns) -> int:
        return {"mr x": PLAYER_0, "detective": PLAYER_1, "over": TERMINAL}.get(pawns.phase, CHANCE)

    def infostates(self, pawns: Pawns) -> tuple[int, int]:
        return self.stations.index(pawns.mr_x), 0

    def utility(self, pawns: Pawns) -> float:
        return float(pawns.winner)

    def moves(self, pawns: Pawns) -> Iterator[tuple[int, float, int, Pawns]]:
        if pawns.phase == "deal":
            cards = [c for c in self.deck if c not in (pawns.mr_x, *pawns.detectives)]
            for card in cards:
                dealt = pawns._replace(detectives=(*pawns.detectives, card))
                if len(dealt.detectives) == self.game.detectives:
                    dealt = self.new_round(dealt)
                yield 0, 1 / len(cards), self.stations.index(card), dealt
        elif pawns.phase == "show":
            yield 0, 1.0, self.stations.index(pawns.mr_x), self.end_move(pawns)
        elif pawns.phase == "mr x":
            yield from self.mr_x_moves(pawns)
        elif pawns.phase == "detective":
            for column, kind, end in self.detective_ways(pawns, pawns.turn):
                caught = end == pawns.mr_x
                yield column, 1.0, 2 * column + caught, self.detective_to(pawns, kind, end)

    def mr_x_ways(self, pawns: Pawns) -> list[tuple[int, int, int]]:
        return [
            (column, kind, end)
            for column, kind, end in self.ways[pawns.mr_x]
            if end not in pawns.detectives and pawns.bag[kind] > 0
        ]

    def mr_x_moves(self, pawns: Pawns) -> Iterator[tuple[int, float, int, Pawns]]:
        ways = self.mr_x_ways(pawns)
        for column, kind, end in ways:
            bag = tuple(n - (k == kind) for k, n in enumerate(pawns.bag))
            moved = pawns._replace(mr_x=end, bag=bag, moves=pawns.moves + 1, pending=False)
            yield column, 1.0, kind, self.after_mr_x(moved)
            can_declare = pawns.doubles > 0 and not pawns.pending
            if can_declare and moved.moves < self.game.rounds and self.mr_x_ways(moved):
                double = moved._replace(pending=True, doubles=pawns.doubles - 1)
                yield self.width + column, 1.0, 4 + kind, self.after_mr_x(double)
        if not ways:
            action, outcome = self.stuck
            yield action, 1.0, outcome, pawns._replace(phase="over", winner=-1)

    def after_mr_x(self, pawns: Pawns) -> Pawns:
        shows = pawns.moves in self.reveals
        return pawns._replace(phase="show") if shows else self.end_move(pawns)

    def end_move(self, pawns: Pawns) -> Pawns:
        if pawns.pending:
            return pawns._replace(phase="mr x")
        return self.next_detective(pawns, 0)

    def detective_ways(self, pawns: Pawns, detective: int) -> list[tuple[int, int, int]]:
        return [
            (column, kind, end)
            for column, kind, end in self.ways[pawns.detectives[detective]]
            if kind < 3 and pawns.tickets[detective][kind] > 0 and end not in pawns.detectives
        ]

    def detective_to(self, pawns: Pawns, kind: int, end: int) -> Pawns:
        stations, tickets = list(pawns.detectives), [list(row) for row in pawns.tickets]
        bag = list(pawns.bag)
        stations[pawns.turn] = end
        tickets[pawns.turn][kind] -= 1
        bag[kind] += 1
        moved = pawns._replace(
            detectives=tuple(stations), tickets=tuple(map(tuple, tickets)), bag=tuple(bag)
        )
        if end == pawns.mr_x:
            return moved._replace(phase="over", winner=-1)
        return self.next_detective(moved, pawns.turn + 1)

    def next_detective(self, pawns: Pawns, first: int) -> Pawns:
        for detective in range(first, len(pawns.detectives)):
            if self.detective_ways(pawns, detective):
                return pawns._replace(phase="detective", turn=detective)
        return self.new_round(pawns)

    def new_round(self, pawns: Pawns) -> Pawns:
        anybody = any(self.detective_ways(pawns, d) for d in range(len(pawns.detectives)))
        if pawns.moves == self.game.rounds or not anybody:
            return pawns._replace(phase="over", winner=1)
        return pawns._replace(phase="mr x")


def shipped_edges(name: str) -> list[tuple[int, int, str]]:
    text = (importlib.resources.files("sog.scotland_yard") / "maps" / f"{name}.csv").read_text()
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return [(int(r["station_a"]), int(r["station_b"]), r["transport"]) for r in rows]


def test_every_world_of_a_small_town_follows_the_plain_rules(
    check_rules: Callable[[Any, Any], None], tmp_path: Path
) -> None:
    edges = [
        (3, 5, "taxi"),
        (5, 8, "taxi"),
        (8, 3, "bus"),
        (8, 12, "underground"),
        (12, 20, "ferry"),
        (20, 5, "taxi"),
        (5, 3, "bus"),
    ]
    rows = ["station_a,station_b,transport", *(f"{a},{b},{kind}" for a, b, kind in edges)]
    (tmp_path / "town.csv").write_text("\n".join(rows))
    # So few tickets that each kind of end, and all of double moves and reveals, comes up.
    game = ScotlandYard(
        map=str(tmp_path / "town.csv"),
        starts="deck/3/5/8/12",
        detectives=2,
        rounds=3,
        reveals="2",
        taxi=1,
        bus=1,
        underground=1,
        mr_x_taxi=1,
        mr_x_bus=0,
        mr_x_underground=0,
        black=1,
        doubles=1,
    )
    check_rules(game, PlainRules(edges, game))


def test_every_world_of_glasses_follows_the_plain_rules(
    check_rules: Callable[[Any, Any], None],
) -> None:
    game = Glasses(rounds=4)
    check_rules(game, PlainRules(shipped_edges("glasses"), game))


@pytest.mark.thorough
def test_london_played_at_random_follows_the_plain_rules() -> None:
    game = London()
    rules = PlainRules(shipped_edges("london"), game)
    seen: Counter[str] = Counter()
    for trace in play_randomly(game, 32, 7):
        (pawns,) = (deal for _, deal in rules.deals() if rules.infostates(deal) == trace.dealt)
        for step in trace.steps:
            moves = list(rules.moves(pawns))
            assert step.actor == rules.actor(pawns)
            assert step.legal == sorted({action for action, _, _, _ in moves})
            follows = [
                after
                for action, _, outcome, after in moves
                if step.actor == CHANCE or action == step.action
                if outcome == step.outcome
            ]
            assert len(follows) == 1
            (pawns,) = follows
            seen[pawns.phase] += 1
            seen["double"] += pawns.pending
        assert pawns.phase == "over"
        assert trace.utility == pawns.winner
        seen[f"won by {pawns.winner}"] += 1
        seen["longest"] = max(seen["longest"], pawns.moves)
    assert seen["longest"] == 24
    assert min(seen[word] for word in ("show", "double", "won by 1", "won by -1")) > 0
