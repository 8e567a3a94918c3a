"""Setup of Scotland Yard: the public state, parameters, tables and sizes."""

import abc
import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from jax import Array

from sog.games.core import Game, param
from sog.pytree import pytree
from sog.scotland_yard.station_map import (
    BLACK,
    NUM_TICKETS,
    SHIPPED_MAPS,
    MoveTable,
    StationMap,
    load_map,
    move_table,
    positions_file,
)

CLASSIC_DECK: Final = "13/26/29/34/50/53/91/94/103/112/117/132/138/141/155/174/197/198"
DECK: Final = "deck"
NONE: Final = "none"
MOST_MOVES: Final = 1000
"""Limit of moves in a game, and of tickets of a kind."""


@pytree
class YardState:
    """Public state: everything but Mr X's station, for D detectives on S stations."""

    stage: Array  # int32: the actor
    winner: Array  # int32: MR_X_WINS, DETECTIVES_WIN, or 0 before the end
    turn: Array  # int32: the detective to move or to be dealt a card, D for Mr X
    stations: Array  # int32[D]: the detectives' stations, S before they are dealt
    tickets: Array  # int32[D, BLACK]: the detectives' tickets
    mr_x_tickets: Array  # int32[NUM_TICKETS]
    doubles: Array  # int32: remaining double moves
    in_double: Array  # bool: between the halves of a double move
    num_moves: Array  # int32: moves of Mr X so far, halves of double moves counted
    possible: Array  # bool[S]: possible stations of Mr X
    log: Array  # int32[rounds]: tickets of Mr X's moves, NO_TICKET in the future
    seen: Array  # int32[rounds]: the station if Mr X was seen after the move, else S


@dataclasses.dataclass(frozen=True, kw_only=True)
class YardSetup(Game[YardState], abc.ABC):
    """Parameters of Scotland Yard, checked, and the static tables that follow from them.

    Mr X is player 0 with the station as infostate; the detectives together are player 1 with the
    only infostate 0. An action of Mr X is a column of the move table; the same columns again begin
    a double move, if the game has any; the last action declares Mr X stuck. Mr X's outcomes have
    the same layout with tickets in place of columns. A detective's outcome is twice the column,
    plus 1 if Mr X was there. At a chance state it is a station: the next start card, or where Mr X
    shows himself.
    """

    map: str = param("london", "a map that comes with the game, or the path of a map file")
    rounds: int = param(
        24, "moves of Mr X, each half of a double move counted", minimum=1, maximum=MOST_MOVES
    )
    reveals: str = param("3/8/13/18/24", "after which moves Mr X shows himself, or 'none'")
    detectives: int = param(5, "number of detectives", minimum=1, maximum=32)
    starts: str = param(DECK, "start of Mr X/of each detective; or 'deck', 'deck/13/26/...'")
    taxi: int = param(10, "taxi tickets of a detective", minimum=0, maximum=MOST_MOVES)
    bus: int = param(8, "bus tickets of a detective", minimum=0, maximum=MOST_MOVES)
    underground: int = param(4, "underground tickets of a detective", minimum=0, maximum=MOST_MOVES)
    mr_x_taxi: int = param(4, "taxi tickets of Mr X", minimum=0, maximum=MOST_MOVES)
    mr_x_bus: int = param(3, "bus tickets of Mr X", minimum=0, maximum=MOST_MOVES)
    mr_x_underground: int = param(3, "underground tickets of Mr X", minimum=0, maximum=MOST_MOVES)
    black: int = param(5, "black tickets of Mr X", minimum=0, maximum=MOST_MOVES)
    doubles: int = param(2, "double moves of Mr X", minimum=0, maximum=MOST_MOVES)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reveals != NONE:
            moves = self._numbers("reveals", self.reveals)
            if list(moves) != sorted(set(moves)) or moves[0] < 1:
                self._reject("reveals", "ascend from 1 up", self.reveals)
        self._check_starts()

    @classmethod
    def files_read(cls, parameters: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
        name = parameters.get("map", SHIPPED_MAPS[0])
        if name in SHIPPED_MAPS:
            return {}
        try:
            return {name: (name, str(positions_file(name)))}
        except (RuntimeError, ValueError):  # no such user, or an invalid file name
            return {name: (name,)}

    def _check_starts(self) -> None:
        stations = self._start_stations
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        for station in stations:
            if station not in self._map.stations:
                if self.starts == defaults["starts"]:  # the default
                    self._ask_for_starts()
                self._reject("starts", f"be stations of the map {self.map}", str(station))
        if len(set(stations)) < len(stations):
            self._reject("starts", "differ from each other", self.starts)
        if len(stations) < 1 + self.detectives:
            rule = f"have a station for Mr X and for each detective, {1 + self.detectives} in total"
            self._reject("starts", rule, self.starts)
        if not self._deals and not self._can_start():
            self._reject("starts", "leave a detective a move", self.starts)

    def _ask_for_starts(self) -> None:
        size = len(self._map.stations)
        if size < 1 + self.detectives:
            rule = f"be at most {size - 1} on the map {self.map}, which has {size} stations"
            self._reject("detectives", rule, self.detectives)
        some = "/".join(map(str, self._map.stations[: 1 + self.detectives]))
        raise ValueError(
            f"{self.name}: the map {self.map} needs starts of its own for Mr X and "
            f"{self.detectives} detectives, such as starts={some}; or a deck to deal them from, "
            f"starts=deck/{some}/...."
        )

    def _can_start(self) -> bool:
        """Whether a detective can move at the start; otherwise the root would be terminal."""
        payable = np.array([self.taxi, self.bus, self.underground, 0])[self._moves.ticket] > 0
        pawns = self._start_indices[1 : 1 + self.detectives]
        free = ~np.isin(self._moves.destination[pawns], pawns)
        return bool((self._moves.exists[pawns] & free & payable).any())

    def _reject(self, name: str, rule: str, value: str | int) -> None:
        raise ValueError(f"{self.name}: {name} must {rule}, got {value!r}.")

    def _numbers(self, name: str, text: str) -> tuple[int, ...]:
        if not re.fullmatch(r"[0-9]{1,9}(/[0-9]{1,9})*", text):
            self._reject(name, "be numbers joined by '/'", text)
        return tuple(int(number) for number in text.split("/"))

    @functools.cached_property
    def _map(self) -> StationMap:
        try:
            return load_map(self.map)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from error

    @functools.cached_property
    def _moves(self) -> MoveTable:
        return move_table(self._map, with_black=self.black > 0)

    @property
    def _deals(self) -> bool:
        """Whether starts are dealt, not given."""
        return self.starts.split("/")[0] == DECK

    @functools.cached_property
    def _start_stations(self) -> tuple[int, ...]:
        """Station numbers: the deck, or the starts of Mr X and then the detectives."""
        text = f"{DECK}/{CLASSIC_DECK}" if self.starts == DECK else self.starts
        return self._numbers("starts", text.removeprefix(f"{DECK}/"))

    @functools.cached_property
    def _start_indices(self) -> np.ndarray:
        """int32: `_start_stations` as indices, including unused ones."""
        return np.array([self._map.index(s) for s in self._start_stations], np.int32)

    @functools.cached_property
    def _chance_reach(self) -> np.ndarray:
        """float64[D + 1]: probability of the deal so far, by number of detectives dealt."""
        num_dealt = np.arange(self.detectives + 1)
        cards_left = len(self._start_stations) - num_dealt
        return np.cumprod(1 / cards_left) if self._deals else np.ones(len(num_dealt))

    @functools.cached_property
    def _shows_after(self) -> np.ndarray:
        """bool[rounds + 1]: whether Mr X shows himself, by number of moves made."""
        moves = () if self.reveals == NONE else self._numbers("reveals", self.reveals)
        return np.isin(np.arange(self.rounds + 1), moves)

    @property
    def _num_moves(self) -> int:
        """M: columns of the move table."""
        return len(self._moves.ticket)

    @property
    def _num_ordinary(self) -> int:
        """E: the first columns of the move table, which detectives can use."""
        return int(self._moves.columns(BLACK).start)

    @property
    def _speeds(self) -> int:
        """Ways in which Mr X can make a move: single, and perhaps double."""
        return 2 if self.doubles > 0 else 1

    @property
    def _stuck_action(self) -> int:
        return self._speeds * self._num_moves

    @property
    def _stuck_outcome(self) -> int:
        return self._speeds * NUM_TICKETS

    @property
    def num_infostates(self) -> int:
        return len(self._map.stations)

    @property
    def num_actions(self) -> int:
        return self._stuck_action + 1

    @property
    def num_outcomes(self) -> int:
        stations = self.num_infostates if self._deals or self._shows_after.any() else 0
        return max(self._stuck_outcome + 1, 2 * self._num_ordinary, stations)

    @property
    def num_decision_outcomes(self) -> int:
        tickets = self._stuck_outcome + 1  # outcomes of Mr X
        moves = int(self._moves.exists[:, : self._num_ordinary].sum(axis=1).max())
        return min(max(tickets, 2 * moves), self.num_outcomes)

    @property
    def max_depth(self) -> int:
        deals = self.detectives if self._deals else 0
        moves_each = min(self.rounds, self.taxi + self.bus + self.underground)
        return deals + self.rounds + int(self._shows_after.sum()) + self.detectives * moves_each

    @property
    def max_utility(self) -> float:
        return 1.0


def changed(name: str, default: Any) -> Any:
    """Redeclares a parameter of `YardSetup` with another default."""
    metadata = YardSetup.__dataclass_fields__[name].metadata
    return dataclasses.field(default=default, metadata=metadata)
