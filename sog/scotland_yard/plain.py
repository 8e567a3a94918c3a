"""Worlds of Scotland Yard in plain Python, for searches that play thousands of games.

The rules are those of `sog.scotland_yard.rules`, without the players' information.
"""

import dataclasses
import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from scipy.sparse.csgraph import shortest_path

from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.scotland_yard.game import ScotlandYard
from sog.scotland_yard.rules import DETECTIVES_WIN, MR_X_WINS
from sog.scotland_yard.station_map import NUM_TICKETS

Move = tuple[int, int, int]
"""(action of the game, destination, ticket)"""
NOBODY: Final = -1


class Roads:
    """The map of a `ScotlandYard` game as lists."""

    def __init__(self, game: ScotlandYard) -> None:
        table, self.max_utility = game._moves, game.max_utility
        self.rounds = game.rounds
        self.num_columns, self.stuck = game._num_moves, game._stuck_action
        every = [
            [
                (int(column), int(table.destination[station, column]), int(table.ticket[column]))
                for column in np.flatnonzero(table.exists[station])
            ]
            for station in range(game.num_infostates)
        ]
        self.mr_x: list[list[Move]] = every
        """[station]: moves of Mr X with any ticket."""
        self.detective: list[list[Move]] = [
            [move for move in moves if move[0] < game._num_ordinary] for moves in every
        ]
        """[station]: moves of a detective."""
        far = len(every)
        lengths = shortest_path(game._roads(game._num_ordinary).astype(float), unweighted=True)
        self.distance: list[list[int]] = np.minimum(lengths, far).astype(int).tolist()
        """[station][station]: distance of a detective, ignoring tickets; large if unreachable."""

    def world(self, state: Any, infostates: Sequence[int], source: random.Random) -> "YardWorld":
        """A world at a public state; there is no chance after the deal."""
        return YardWorld(
            player=int(state.stage),
            roads=self,
            turn=int(state.turn),
            mr_x=int(infostates[PLAYER_0]),
            stations=np.asarray(state.stations).tolist(),
            tickets=np.asarray(state.tickets).tolist(),
            mr_x_tickets=np.asarray(state.mr_x_tickets).tolist(),
            doubles=int(state.doubles),
            in_double=bool(state.in_double),
            num_moves=int(state.num_moves),
        )


@dataclasses.dataclass(slots=True)
class YardWorld:
    """A mutable world; D detectives. `turn` is the detective to move, D for Mr X."""

    player: int
    roads: Roads
    turn: int
    mr_x: int
    stations: list[int]
    tickets: list[list[int]]
    mr_x_tickets: list[int]
    doubles: int
    in_double: bool
    num_moves: int
    winner: int = 0
    """MR_X_WINS or DETECTIVES_WIN when it is over."""
    catcher: int = NOBODY
    """The detective who caught Mr X."""

    def copy(self, mr_x: int) -> "YardWorld":
        """A copy with Mr X at another station."""
        return YardWorld(
            self.player,
            self.roads,
            self.turn,
            mr_x,
            self.stations.copy(),
            [own.copy() for own in self.tickets],
            self.mr_x_tickets.copy(),
            self.doubles,
            self.in_double,
            self.num_moves,
            self.winner,
            self.catcher,
        )

    def actions(self) -> list[Move]:
        """Legal moves; if Mr X is stuck, the one that declares it."""
        if self.player == PLAYER_0:
            return self._mr_x_moves()
        return self._detective_moves(self.turn)

    def _detective_moves(self, detective: int) -> list[Move]:
        stations, tickets = self.stations, self.tickets[detective]
        return [
            move
            for move in self.roads.detective[stations[detective]]
            if tickets[move[2]] and move[1] not in stations
        ]

    def _mr_x_moves(self) -> list[Move]:
        stations, left = self.stations, self.mr_x_tickets
        single = [
            move for move in self.roads.mr_x[self.mr_x] if left[move[2]] and move[1] not in stations
        ]
        if not single:
            return [(self.roads.stuck, self.mr_x, NUM_TICKETS)]
        if self.doubles and not self.in_double and self.num_moves + 2 <= self.roads.rounds:
            double = [
                (action + self.roads.num_columns, end, ticket)
                for action, end, ticket in single
                if self._can_move_on(end, ticket)
            ]
            return single + double
        return single

    def _can_move_on(self, station: int, spent: int) -> bool:
        """Whether Mr X can move on from a station reached with a ticket."""
        return any(
            end not in self.stations and self.mr_x_tickets[ticket] > (ticket == spent)
            for _, end, ticket in self.roads.mr_x[station]
        )

    def play(self, action: Move) -> None:
        """Makes a legal move."""
        number, end, ticket = action
        if self.player == PLAYER_1:
            self.stations[self.turn] = end
            self.tickets[self.turn][ticket] -= 1
            self.mr_x_tickets[ticket] += 1
            if end == self.mr_x:
                self.catcher = self.turn
                self._end(DETECTIVES_WIN)
            else:
                self._pass_turn(self.turn + 1)
        elif number == self.roads.stuck:
            self._end(DETECTIVES_WIN)
        else:
            self.in_double = number >= self.roads.num_columns
            self.doubles -= self.in_double
            self.mr_x, self.num_moves = end, self.num_moves + 1
            self.mr_x_tickets[ticket] -= 1
            self._pass_turn(len(self.stations) if self.in_double else 0)

    def finish(self, source: random.Random) -> float:
        """Plays random moves to the end."""
        while self.player != TERMINAL:
            self.play(source.choice(self.actions()))
        return 1.0 if self.winner == MR_X_WINS else -1.0

    def _end(self, winner: int) -> None:
        self.player, self.winner = TERMINAL, winner

    def _pass_turn(self, first: int) -> None:
        """Passes the turn to the first detective from `first` on who can move, or to Mr X."""
        detectives = range(len(self.stations))
        for detective in detectives[first:]:
            if self._detective_moves(detective):
                self.player, self.turn = PLAYER_1, detective
                return
        self.player, self.turn = PLAYER_0, len(self.stations)
        is_last = self.num_moves >= self.roads.rounds
        if is_last or not any(self._detective_moves(each) for each in detectives[:first]):
            self._end(MR_X_WINS)
