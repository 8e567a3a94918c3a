"""The public tree of Scotland Yard: legal moves and transitions."""

import abc
import dataclasses
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.scotland_yard.setup import YardSetup, YardState
from sog.scotland_yard.station_map import NO_TICKET, NUM_TICKETS

MR_X_WINS: Final = 1
DETECTIVES_WIN: Final = -1


@dataclasses.dataclass(frozen=True, kw_only=True)
class YardRules(YardSetup, abc.ABC):
    """The moves, on the tables of `YardSetup`. M columns of the move table, D detectives."""

    def root(self) -> YardState:
        size, pawns = self.num_infostates, self._start_indices[1 : 1 + self.detectives]
        mr_x = self._start_indices[: None if self._deals else 1]
        tickets = [[self.taxi, self.bus, self.underground]] * self.detectives
        mr_x_tickets = [self.mr_x_taxi, self.mr_x_bus, self.mr_x_underground, self.black]
        return YardState(  # NumPy arrays, so that nothing is compiled
            stage=jnp.int32(CHANCE if self._deals else PLAYER_0),
            winner=jnp.int32(0),
            turn=jnp.int32(0 if self._deals else self.detectives),
            stations=jnp.asarray(np.full_like(pawns, size) if self._deals else pawns),
            tickets=jnp.asarray(np.array(tickets, np.int32)),
            mr_x_tickets=jnp.asarray(np.array(mr_x_tickets, np.int32)),
            doubles=jnp.int32(self.doubles),
            in_double=jnp.bool_(False),
            num_moves=jnp.int32(0),
            possible=jnp.asarray(np.isin(np.arange(size), mr_x)),
            log=jnp.asarray(np.full(self.rounds, NO_TICKET, np.int32)),
            seen=jnp.asarray(np.full(self.rounds, size, np.int32)),
        )

    def actor(self, state: YardState) -> Array:
        return state.stage

    # Legal moves.

    def _is_station(self, station: Array) -> Array:
        """bool[..., S] from [...]."""
        return jax.nn.one_hot(station, self.num_infostates, dtype=bool)

    def _occupied(self, state: YardState) -> Array:
        """bool[S]: stations with a detective."""
        return self._is_station(state.stations).any(axis=0)

    def _mr_x_moves(self, state: YardState) -> Array:
        """bool[S, A]: legal actions of Mr X at each possible station."""
        free = jnp.asarray(self._moves.exists) & ~self._occupied(state)[self._moves.destination]
        payable = (state.mr_x_tickets > 0)[self._moves.ticket]
        single = state.possible[:, None] & free & payable[None, :]
        speeds = [single]
        if self._speeds > 1:
            can_declare = (state.doubles > 0) & ~state.in_double
            can_declare &= state.num_moves + 2 <= self.rounds
            goes_on = self._can_move_on(state, free)[self._moves.destination, self._moves.ticket]
            speeds.append(single & goes_on & can_declare)
        stuck = state.possible & ~single.any(axis=1)
        return jnp.concatenate([*speeds, stuck[:, None]], axis=1)

    def _can_move_on(self, state: YardState, free: Array) -> Array:
        """bool[S, NUM_TICKETS]: whether Mr X can move on from a station reached with a ticket.

        free: bool[S, M], the moves to stations without a detective.
        """
        tickets = range(NUM_TICKETS)
        open_with = jnp.stack([free[:, self._moves.columns(k)].any(axis=1) for k in tickets])
        left = state.mr_x_tickets[None, :] - jnp.eye(NUM_TICKETS, dtype=jnp.int32) > 0
        return (open_with.T[:, None, :] & left[None, :, :]).any(axis=2)

    def _detective_moves(self, stations: Array, tickets: Array) -> Array:
        """bool[D, E]: legal moves of each detective if it were next."""
        columns = slice(self._num_ordinary)
        exists = jnp.asarray(self._moves.exists[:, columns])[stations]
        destination = jnp.asarray(self._moves.destination[:, columns])[stations]
        payable = tickets[:, self._moves.ticket[columns]] > 0
        occupied = (destination[:, :, None] == stations[None, None, :]).any(axis=2)
        return exists & payable & ~occupied

    def _undealt(self, state: YardState) -> Array:
        """bool[S]: start cards that no detective has."""
        cards = jnp.zeros_like(state.possible).at[self._start_indices].set(True)
        return cards & ~self._occupied(state)

    def legal_actions(self, state: YardState) -> Array:
        none = jnp.zeros((self.num_infostates, self.num_actions), bool)

        def detective() -> Array:
            moves = self._detective_moves(state.stations, state.tickets)[state.turn]
            return none.at[0, : len(moves)].set(moves)

        def chance() -> Array:
            return none.at[:, 0].set(state.possible)

        branches = [lambda: self._mr_x_moves(state), detective, chance, lambda: none]
        return jnp.asarray(jax.lax.switch(state.stage, branches))

    def legal_outcomes(self, state: YardState) -> Array:
        none = jnp.zeros(self.num_outcomes, bool)
        elsewhere = state.possible.sum(dtype=jnp.int32) - state.possible > 0  # than a station

        def mr_x() -> Array:
            actions = self._mr_x_moves(state).any(axis=0)
            moves = actions[: self._stuck_action].reshape(self._speeds, self._num_moves, 1)
            pays = self._moves.ticket[:, None] == np.arange(NUM_TICKETS)
            outcomes = (moves & pays[None]).any(axis=1).reshape(-1)
            legal = jnp.append(outcomes, actions[self._stuck_action])
            return none.at[: len(legal)].set(legal)

        def detective() -> Array:
            moves = self._detective_moves(state.stations, state.tickets)[state.turn]
            ends = jnp.asarray(self._moves.destination)[state.stations[state.turn], : len(moves)]
            results = jnp.stack([elsewhere[ends], state.possible[ends]], axis=1)
            return none.at[: 2 * len(moves)].set((moves[:, None] & results).reshape(-1))

        def chance() -> Array:
            shows = state.turn == self.detectives
            legal = jnp.where(shows, state.possible, self._undealt(state) & elsewhere)
            # Without chance there may be fewer outcomes than stations; unreachable then.
            return none.at[: len(legal)].set(legal[: len(none)])

        return jnp.asarray(jax.lax.switch(state.stage, [mr_x, detective, chance, lambda: none]))

    # Transitions.

    def apply(self, state: YardState, outcome: Array) -> YardState:
        outcome = outcome.astype(jnp.int32)
        branches = [
            lambda: self._after_mr_x(state, outcome),
            lambda: self._after_detective(state, outcome),
            lambda: self._after_chance(state, outcome),
            lambda: state,
        ]
        moved = jax.lax.switch(state.stage, branches)
        return _where(moved.stage < CHANCE, self._pass_turn(moved), moved)

    def _pass_turn(self, state: YardState) -> YardState:
        """Passes the turn to the first detective from `turn` on who can move, then to Mr X.

        Mr X wins instead after the last move, or if no detective can move.
        """
        can_move = self._detective_moves(state.stations, state.tickets).any(axis=1)
        detectives = jnp.arange(self.detectives, dtype=jnp.int32)
        to_come = can_move & (detectives >= state.turn)
        over = ~can_move.any() | (state.num_moves >= self.rounds)
        mr_x_or_end = jnp.where(over, TERMINAL, PLAYER_0)
        stage = jnp.where(to_come.any(), PLAYER_1, mr_x_or_end).astype(jnp.int32)
        first = jnp.argmax(to_come).astype(jnp.int32)
        return dataclasses.replace(
            state,
            stage=stage,
            turn=jnp.where(to_come.any(), first, self.detectives),
            winner=jnp.where(stage == TERMINAL, MR_X_WINS, 0).astype(jnp.int32),
        )

    # Each of these leaves `stage` at PLAYER_0 if the turn passes on, from the detective `turn` on.

    def _after_mr_x(self, state: YardState, outcome: Array) -> YardState:
        double, ticket = outcome // NUM_TICKETS, outcome % NUM_TICKETS
        possible = self._arrivals(self._mr_x_moves(state))[outcome]
        state = dataclasses.replace(state, possible=possible)
        num_moves = state.num_moves + 1
        shows = jnp.asarray(self._shows_after)[num_moves]
        moved = dataclasses.replace(
            state,
            stage=jnp.where(shows, CHANCE, PLAYER_0).astype(jnp.int32),
            turn=jnp.where(shows | (double == 1), self.detectives, jnp.int32(0)),
            mr_x_tickets=state.mr_x_tickets.at[ticket].add(-1),
            doubles=state.doubles - double,
            in_double=double == 1,
            num_moves=num_moves,
            log=state.log.at[state.num_moves].set(ticket),
        )
        return _where(outcome == self._stuck_outcome, _lost(state), moved)

    def _after_detective(self, state: YardState, outcome: Array) -> YardState:
        column, caught = outcome // 2, outcome % 2 == 1
        ticket = jnp.asarray(self._moves.ticket)[column]
        moved = dataclasses.replace(
            state,
            stage=jnp.int32(PLAYER_0),
            turn=state.turn + 1,
            stations=state.stations.at[state.turn].set(self._end(state, column)),
            tickets=state.tickets.at[state.turn, ticket].add(-1),
            mr_x_tickets=state.mr_x_tickets.at[ticket].add(1),
            possible=self._after_search(state, outcome),
        )
        return _where(caught, _lost(moved), moved)

    def _end(self, state: YardState, column: Array) -> Array:
        """The station that the current detective's move leads to."""
        return jnp.asarray(self._moves.destination)[state.stations[state.turn], column]

    def _after_search(self, state: YardState, outcome: Array) -> Array:
        """bool[S]: possible stations of Mr X after a detective's search."""
        column, caught = outcome // 2, outcome % 2 == 1
        return state.possible & (self._is_station(self._end(state, column)) == caught)

    def _after_chance(self, state: YardState, outcome: Array) -> YardState:
        turn, possible = state.turn + 1, self._after_event(state, outcome)
        dealt = dataclasses.replace(
            state,
            stage=jnp.where(turn == self.detectives, PLAYER_0, CHANCE).astype(jnp.int32),
            turn=turn,
            stations=state.stations.at[state.turn].set(outcome),
            possible=possible,
        )
        shown = dataclasses.replace(
            state,
            stage=jnp.int32(PLAYER_0),
            turn=jnp.where(state.in_double, self.detectives, jnp.int32(0)),
            possible=possible,
            seen=state.seen.at[state.num_moves - 1].set(outcome),
        )
        return _where(state.turn == self.detectives, shown, dealt)

    def _after_event(self, state: YardState, outcome: Array) -> Array:
        """bool[S]: possible stations of Mr X after Mr X is seen or after a detective's card."""
        shows, is_station = state.turn == self.detectives, self._is_station(outcome)
        return state.possible & (is_station == shows)

    def _arrivals(self, amount: Array) -> Array:
        """[outcome, S] from [S, A]: sum (or any) of what each outcome of Mr X moves to a station.

        Every move has a reverse, so moves are brought to their ends by swapping them with their
        reverses. That is its own transpose, but JAX would transpose it to a slow scatter.
        """
        size = self.num_infostates
        moves = amount.T[: self._stuck_action].reshape(self._speeds, self._num_moves * size)
        if amount.dtype == bool:
            arrived = self._swap_ends(moves)
        else:
            arrived = jax.lax.custom_linear_solve(
                self._swap_ends, moves, lambda _, ends: self._swap_ends(ends), symmetric=True
            )
        exists = jnp.asarray(self._moves.exists.T)
        arrived = jnp.where(exists, arrived.reshape(self._speeds, *exists.shape), 0)
        add = jnp.any if amount.dtype == bool else jnp.sum
        columns = [self._moves.columns(ticket) for ticket in range(NUM_TICKETS)]
        by_ticket = jnp.stack([add(arrived[:, each], axis=1) for each in columns], axis=1)
        stuck = amount[:, self._stuck_action]
        return jnp.concatenate([by_ticket.reshape(-1, size), stuck[None]])

    def _swap_ends(self, moves: Array) -> Array:
        """[speed, M * S], by column and station: swaps the entry of each move with its reverse;
        entries without a move stay."""
        station = np.arange(self.num_infostates)
        there = self._moves.reverse.T * self.num_infostates + self._moves.destination.T
        here = np.arange(self._num_moves)[:, None] * self.num_infostates + station
        back = np.where(self._moves.exists.T, there, here).reshape(-1)
        return jnp.take(moves, back, axis=-1, unique_indices=True, mode="clip")


def _lost(state: YardState) -> YardState:
    return dataclasses.replace(state, stage=jnp.int32(TERMINAL), winner=jnp.int32(DETECTIVES_WIN))


def _where(condition: Array, this: YardState, other: YardState) -> YardState:
    chosen: YardState = jax.tree.map(lambda a, b: jnp.where(condition, a, b), this, other)
    return chosen
