"""Scotland Yard: visible detectives hunt Mr X, who shows himself in some rounds only.

Mr X moves first, then the detectives in turn. A move along an edge of the map costs a ticket of its
transport, which everyone sees; a detective's used ticket goes to Mr X. Mr X's black tickets pay for
any edge, including ferries. With a double move Mr X moves twice before the detectives do, at most
once per round. No station holds two pawns. The detectives win when one of them moves to Mr X's
station, or when Mr X is stuck; Mr X wins after the round of the last move, or as soon as no
detective can move. Nobody may pass; a detective who cannot move is skipped.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.games.shown import Seen
from sog.scotland_yard.graph import YardGraph
from sog.scotland_yard.rules import DETECTIVES_WIN, MR_X_WINS
from sog.scotland_yard.setup import NONE, YardState, changed
from sog.scotland_yard.station_map import (
    NO_TICKET,
    NUM_TICKETS,
    TICKETS,
    load_positions,
    positions_file,
)
from sog.scotland_yard.view import DetectiveView, MapView, Positions, YardView, board_text
from sog.scotland_yard.worlds import YardWorlds

_MOST_NAMED: Final = 6  # possible stations of Mr X listed in a line of text
_TAKES: Final = ("takes a taxi", "takes a bus", "takes the underground", "plays a black ticket")
_FIRST_HALF: Final = ", the first half of a double move"


def _pick(rows: Array, numbers: Array) -> Array:
    """rows[numbers], by a product, whose transpose is a product."""
    chosen = jax.nn.one_hot(numbers, len(rows), dtype=rows.dtype)
    return jnp.matmul(chosen, rows, precision=jax.lax.Precision.HIGHEST)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScotlandYard(YardWorlds, YardGraph):
    """Scotland Yard on any map; `YardSetup` explains parameters, actions and outcomes.

    Mr X being stuck and Mr X showing himself are public events. The first is a forced action, which
    ends the game; the second is a chance state with one possible outcome per world. So joint
    weights are those of the deal: one number per public state.
    """

    name = "scotland_yard"
    summary = "Scotland Yard on any map: detectives hunt a hidden Mr X"
    rules = """\
Visible detectives hunt Mr X, who shows himself in some rounds only. Mr X moves first, then the
detectives in turn, along a line of the map. A move costs a ticket of its transport, which everyone
sees; detectives' used tickets go to Mr X. Mr X's black tickets hide the transport and pay for
ferries too; with a double move Mr X moves twice. No station holds two pawns, and nobody may
pass; a detective who cannot move is skipped. The detectives win when one of them moves to
Mr X's station, or when Mr X is stuck; Mr X wins after the last round, or as soon as no
detective can move."""

    # How ranges flow.

    def infostate_mask(self, state: YardState) -> Array:
        return jnp.stack([state.possible, self._is_station(jnp.int32(0))])

    def advance(
        self, state: YardState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        reach = self.advance_all(state, outcome[None], action_reach, other_reach)[0]
        # The child's mask without the child, which would take longer than all the rest.
        after = jnp.where(
            state.stage == CHANCE,
            self._after_event(state, outcome),
            (state.stage == PLAYER_0) | self._after_search(state, outcome),
        )
        return jnp.stack([jnp.where(after, reach[0], 0), reach[1]])

    def advance_all(
        self,
        state: YardState,
        outcomes: Array | None,
        action_reach: Array,
        other_reach: Array,
    ) -> Array:
        # What does not depend on the outcome is computed once for all outcomes.
        by_outcome, by_column = self._arrivals(action_reach), action_reach[0][:, None]
        if outcomes is None:
            moved = self._first_outcomes(by_outcome)
            searched = self._first_outcomes(jnp.repeat(by_column, 2, axis=0))
        else:
            moved, searched = _pick(by_outcome, outcomes), _pick(by_column, outcomes // 2)
        others = jnp.broadcast_to(other_reach, moved.shape)
        detective = self._is_station(jnp.int32(0))[None] * searched
        kept = jnp.broadcast_to(action_reach[:, 0], moved.shape)
        return jax.lax.select_n(
            jnp.minimum(state.stage, CHANCE),
            jnp.stack([moved, others], axis=1),
            jnp.stack([others, detective], axis=1),
            jnp.stack([kept, others], axis=1),
        )

    def _first_outcomes(self, rows: Array) -> Array:
        """The rows of all outcomes from those of the first ones: 0 for the others."""
        missing = max(0, self.num_outcomes - len(rows))
        return jnp.pad(rows, ((0, missing), (0, 0)))[: self.num_outcomes]

    def compatible_reach(self, state: YardState, reach: Array) -> Array:
        num_dealt = (state.stations < self.num_infostates).sum()
        weight = jnp.asarray(self._chance_reach, reach.dtype)[num_dealt]
        mask = self.infostate_mask(state)
        opponents = jnp.where(mask, reach, 0).sum(axis=1)[::-1]
        return jnp.where(mask, weight * opponents[:, None], 0)

    def utilities(self, state: YardState, reach: Array) -> Array:
        signs = state.winner * jnp.array([MR_X_WINS, DETECTIVES_WIN], jnp.int32)
        return self.compatible_reach(state, reach) * signs[:, None].astype(reach.dtype)

    def observe(self, state: YardState) -> Array:
        def share(tickets: Array, most: int) -> Array:
            return tickets.reshape(-1).astype(jnp.float32) / max(most, 1)

        most_each = max(self.taxi, self.bus, self.underground)
        most_mr_x = max(self.mr_x_taxi, self.mr_x_bus, self.mr_x_underground, self.black)
        next_player = jnp.where(state.stage >= CHANCE, self.detectives + 1, state.turn)
        return jnp.concatenate(
            [
                self._is_station(state.stations).reshape(-1).astype(jnp.float32),
                share(state.tickets, most_each),
                share(state.mr_x_tickets, most_mr_x + self.detectives * most_each),
                share(state.doubles, self.doubles),
                jax.nn.one_hot(next_player, self.detectives + 1, dtype=jnp.float32),
                share(state.in_double, 1),
                share(state.num_moves, self.rounds),
            ]
        )

    # Text for people.

    def _number(self, station: Any) -> int:
        """The map's number of a station index."""
        return self._map.stations[int(station)]

    def describe_state(self, state: YardState) -> str:
        size = self.num_infostates
        stations = [str(self._number(s)) for s in np.asarray(state.stations) if s < size]
        possible = [str(self._number(s)) for s in np.flatnonzero(np.asarray(state.possible))]
        among = "/".join(possible)
        if len(possible) > _MOST_NAMED:
            among = f"one of {len(possible)} stations"
        moves = [f"{ticket}{f' to {seen}' if seen else ''}" for ticket, seen in self._log(state)]
        return (
            f"{self._now(state)}; Mr X: {', '.join(moves) or 'no move yet'}, at {among}; "
            f"detectives: at {', '.join(stations) or 'no station yet'}"
        )

    def _now(self, state: YardState) -> str:
        """Which pawn is to move, or which side has won."""
        if int(state.stage) == TERMINAL:
            return "Mr X has won" if int(state.winner) == MR_X_WINS else "the detectives have won"
        is_mr_x = int(state.turn) == self.detectives
        who = "Mr X" if is_mr_x else f"detective {int(state.turn) + 1}"
        to_do = "show himself" if is_mr_x else "be placed"
        return f"{who} to {to_do if int(state.stage) == CHANCE else 'move'}"

    def _log(self, state: YardState) -> list[tuple[str, int | None]]:
        """Mr X's moves so far: the ticket, and the station if Mr X was seen there."""
        moves = zip(np.asarray(state.log), np.asarray(state.seen), strict=True)
        return [
            (TICKETS[ticket], self._number(seen) if seen < self.num_infostates else None)
            for ticket, seen in moves
            if ticket < NO_TICKET
        ]

    def overview(self, state: YardState, ranges: np.ndarray | None = None) -> YardView:
        """A public state with the map's station numbers. ranges: as for `draw`."""
        used = set(self._moves.ticket.tolist())  # tickets that the map uses
        num_moves, possible = int(state.num_moves), np.flatnonzero(np.asarray(state.possible))
        likelihood = {} if ranges is None else {int(s): float(ranges[0, s]) for s in possible}
        return YardView(
            now=self._now(state),
            is_over=int(state.stage) == TERMINAL,
            num_moves=num_moves,
            rounds=self.rounds,
            reveals=tuple(n for n in np.flatnonzero(self._shows_after).tolist() if n > num_moves),
            log=tuple(self._log(state)),
            detectives=self._view_detectives(state, used),
            mr_x_tickets={
                name: int(state.mr_x_tickets[ticket])
                for ticket, name in enumerate(TICKETS)
                if ticket in used
            },
            doubles=int(state.doubles),
            possible=tuple(self._number(s) for s in possible),
            likelihood={self._number(s): share for s, share in likelihood.items()},
            num_stations=self.num_infostates,
        )

    def _view_detectives(self, state: YardState, used: set[int]) -> tuple[DetectiveView, ...]:
        legal = np.asarray(self._detective_moves(state.stations, state.tickets))
        stations, tickets = np.asarray(state.stations), np.asarray(state.tickets)
        views = []
        for detective, start in enumerate(stations.tolist()):
            reach: dict[str, list[int]] = {}
            is_placed = start < self.num_infostates
            for column in np.flatnonzero(legal[detective] & is_placed):
                end = self._number(self._moves.destination[start, column])
                reach.setdefault(TICKETS[self._moves.ticket[column]], []).append(end)
            views.append(
                DetectiveView(
                    number=detective + 1,
                    station=self._number(start) if is_placed else None,
                    tickets={
                        TICKETS[k]: int(left)
                        for k, left in enumerate(tickets[detective])
                        if k in used
                    },
                    reach={ticket: tuple(ends) for ticket, ends in reach.items()},
                    is_next=int(state.stage) < TERMINAL and int(state.turn) == detective,
                )
            )
        return tuple(views)

    def draw(self, state: YardState, ranges: np.ndarray | None = None) -> str:
        """The map, if positions are known, the pawns, and where Mr X may be."""
        return board_text(self.overview(state, ranges), self.positions)

    def view(
        self,
        state: YardState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> MapView | None:
        if not self.positions:
            return None
        mr_x, actor = infostates[PLAYER_0], int(state.stage)
        infostate = infostates[actor] if actor < CHANCE else None  # of the player with choices
        ends: dict[int, list[int]] = {}
        if infostate is not None:
            for action in choices:
                end = self._end_of(state, infostate, action)
                if end is not None:
                    ends.setdefault(end, []).append(action)
        return MapView(
            title=self.name,
            edges=self._map.edges,
            positions=self.positions,
            yard=self.overview(state, ranges),
            mr_x=None if mr_x is None else self._number(mr_x),
            choices=ends,
        )

    def _end_of(self, state: YardState, infostate: int, action: int) -> int | None:
        """The number of the station that an action leads to; None if Mr X is stuck."""
        if int(state.stage) == PLAYER_1:
            start, column = int(state.stations[int(state.turn)]), action
        elif action == self._stuck_action:
            return None
        else:
            start, column = infostate, action % self._num_moves
        return self._number(self._moves.destination[start, column])

    @property
    def no_picture(self) -> str:
        return (
            f"{positions_file(self.map)} must say where to draw the stations of {self.map}, in "
            f"rows of station,x,y below that header."
        )

    @functools.cached_property
    def positions(self) -> Positions:
        """Where to draw the stations, see `load_positions`. Raises ValueError."""
        try:
            return load_positions(self.map)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from error

    def describe_infostate(self, state: YardState, player: int, infostate: int) -> str:
        return f"Mr X at {self._number(infostate)}" if player == PLAYER_0 else "nothing hidden"

    def describe_action(self, state: YardState, infostate: int, action: int) -> str:
        if int(state.stage) == PLAYER_1:
            return self._describe_detective(state, action)
        if action == self._stuck_action:
            return "stuck"
        speed, column = divmod(action, self._num_moves)
        ticket = TICKETS[self._moves.ticket[column]]
        return f"{ticket} to {self._end_of(state, infostate, action)}{_FIRST_HALF if speed else ''}"

    def describe_outcome(self, state: YardState, outcome: int) -> str:
        if int(state.stage) == CHANCE:
            if int(state.turn) == self.detectives:
                return f"Mr X shows himself at {self._number(outcome)}"
            return f"detective {int(state.turn) + 1} starts at {self._number(outcome)}"
        if int(state.stage) == PLAYER_1:
            column, caught = divmod(outcome, 2)
            return f"{self._describe_detective(state, column)}: {'' if caught else 'not '}caught"
        if outcome == self._stuck_outcome:
            return "Mr X is stuck"
        speed, ticket = divmod(outcome, NUM_TICKETS)
        return f"Mr X {_TAKES[ticket]}{_FIRST_HALF if speed else ''}"

    def _describe_detective(self, state: YardState, column: int) -> str:
        ticket = TICKETS[self._moves.ticket[column]]
        end = self._end_of(state, 0, column)
        return f"detective {int(state.turn) + 1} to {end} by {ticket}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class London(ScotlandYard):
    """The classic game on the London board, as in Student of Games."""

    name = "london"
    summary = "Scotland Yard on the London board: 199 stations, 5 detectives, 24 moves"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Glasses(ScotlandYard):
    """The small map of Student of Games, reconstructed; its value to Mr X is -7/9."""

    name = "glasses"
    summary = "Scotland Yard on a map of 11 stations, taxis only, 5 rounds"

    map: str = changed("map", "glasses")
    rounds: int = changed("rounds", 5)
    reveals: str = changed("reveals", NONE)
    detectives: int = changed("detectives", 2)
    starts: str = changed("starts", "6/1/11")
    taxi: int = changed("taxi", 5)
    bus: int = changed("bus", 0)
    underground: int = changed("underground", 0)
    mr_x_taxi: int = changed("mr_x_taxi", 5)
    mr_x_bus: int = changed("mr_x_bus", 0)
    mr_x_underground: int = changed("mr_x_underground", 0)
    black: int = changed("black", 0)
    doubles: int = changed("doubles", 0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Quarter(ScotlandYard):
    """A quarter of London, of a size between `Glasses` and London, small enough to be solved.

    Mr X has one bus ticket, and shows himself once before the last move.
    """

    name = "quarter"
    summary = "Scotland Yard on 20 stations of London, 4 rounds, of which Mr X shows himself in one"

    map: str = changed("map", "quarter")
    rounds: int = changed("rounds", 4)
    reveals: str = changed("reveals", "3")
    detectives: int = changed("detectives", 2)
    starts: str = changed("starts", "79/96/64")
    taxi: int = changed("taxi", 4)
    bus: int = changed("bus", 0)
    underground: int = changed("underground", 0)
    mr_x_taxi: int = changed("mr_x_taxi", 4)
    mr_x_bus: int = changed("mr_x_bus", 1)
    mr_x_underground: int = changed("mr_x_underground", 0)
    black: int = changed("black", 0)
    doubles: int = changed("doubles", 0)
