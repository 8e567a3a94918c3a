"""Scotland Yard as a graph, for networks: roads, and public features of stations."""

import abc
import dataclasses
import functools
from typing import Final

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1
from sog.games.encoding import Graph, within
from sog.scotland_yard.rules import YardRules
from sog.scotland_yard.setup import YardState
from sog.scotland_yard.station_map import NUM_TICKETS

_FARTHEST: Final = 5  # moves; larger distances are not distinguished


@dataclasses.dataclass(frozen=True, kw_only=True)
class YardGraph(YardRules, abc.ABC):
    """The map as a `Graph`. S stations, M columns of the move table, D detectives."""

    @functools.cached_property
    def encoding(self) -> Graph:
        """The roads; the kind of an action is its outcome: a ticket, and whether it is double."""
        size, moves = self.num_infostates, self._moves
        ends = np.where(moves.exists, moves.destination, size)
        here = np.arange(size)[:, None]  # where Mr X is stuck
        kinds = [moves.ticket + NUM_TICKETS * speed for speed in range(self._speeds)]
        return Graph(
            roads=self._roads(self._num_moves),
            action_end=np.hstack([*[ends] * self._speeds, here]).astype(np.int32),
            action_kind=np.hstack([*kinds, self._stuck_outcome]).astype(np.int32),
            observe=self._observe_graph,
        )

    def _roads(self, num_columns: int) -> np.ndarray:
        """bool[S, S]: stations joined by the first columns of the move table."""
        roads = np.zeros((self.num_infostates, self.num_infostates), bool)
        start, column = np.nonzero(self._moves.exists[:, :num_columns])
        roads[start, self._moves.destination[start, column]] = True
        return roads

    @functools.cached_property
    def _near(self) -> np.ndarray:
        """float32[S + 1, n, S]: 1 for stations at most n + 1 moves from a detective's, ignoring
        tickets; none before the detective is placed."""
        reached = within(self._roads(self._num_ordinary), _FARTHEST)
        nowhere = np.zeros_like(reached[:, :1])
        return np.moveaxis(np.concatenate([reached, nowhere], axis=1), 0, 1).astype(np.float32)

    def _observe_graph(self, state: YardState) -> tuple[Array, Array]:
        """Features [channel, S] of the stations, [feature] of the state; see `Graph`."""
        number = jnp.arange(self.detectives, dtype=jnp.int32)
        is_mover = (state.stage == PLAYER_1) & (number == state.turn)
        # Detectives that can still move before Mr X: all of them if Mr X moves or shows himself.
        comes = (number >= state.turn) | (state.turn == self.detectives)
        groups = jnp.stack([jnp.ones_like(comes), comes]).astype(jnp.float32)
        at = self._is_station(state.stations).astype(jnp.float32)  # [detective, station]
        near = jnp.asarray(self._near)[state.stations].reshape(self.detectives, -1)
        tickets = state.tickets.T.astype(jnp.float32) / max(self._most_each, 1)
        moves, of_ticket = jnp.asarray(self._moves.exists), np.eye(NUM_TICKETS)[self._moves.ticket]
        share_of_ticket = (of_ticket / np.maximum(of_ticket.sum(axis=0), 1)).astype(np.float32)
        free = moves & ~self._occupied(state)[self._moves.destination]
        open_to_mr_x = free & (state.mr_x_tickets > 0)[self._moves.ticket][None]
        moves_left = jnp.concatenate([moves, open_to_mr_x], axis=0) @ share_of_ticket
        channels = [
            is_mover.astype(jnp.float32)[None] @ at,
            groups @ at,
            tickets @ at,
            groups @ self._next_stations(state) / self.detectives,
            (groups @ near).reshape(-1, self.num_infostates) / self.detectives,
            moves_left.T.reshape(-1, self.num_infostates),
            state.possible.astype(jnp.float32)[None],
        ]
        return jnp.concatenate(channels), self._observe_whole(state)

    @property
    def _most_each(self) -> int:
        """Most tickets of a kind that a detective has."""
        return max(self.taxi, self.bus, self.underground)

    def _next_stations(self, state: YardState) -> Array:
        """float32[D, S]: 1 where each detective could move next."""
        legal = self._detective_moves(state.stations, state.tickets)
        ends = jnp.asarray(self._moves.destination[:, : self._num_ordinary])[state.stations]
        return (self._is_station(ends) & legal[:, :, None]).any(axis=1).astype(jnp.float32)

    def _observe_whole(self, state: YardState) -> Array:
        """float32[feature]: remaining tickets, and progress of the game."""
        # Mr X collects tickets; more than these have no use.
        enough = max(self.mr_x_taxi, self.mr_x_bus, self.mr_x_underground, self.black, 1)
        shows = np.append(self._shows_after, True)  # irrelevant at the end
        until_seen = np.array([np.argmax(shows[made + 1 :]) + 1 for made in range(self.rounds + 1)])
        stages = [state.stage == stage for stage in (PLAYER_0, PLAYER_1, CHANCE)]
        shares = [
            jnp.minimum(state.mr_x_tickets, enough) / enough,
            state.tickets.sum(axis=0) / max(self.detectives * self._most_each, 1),
            state.doubles / max(self.doubles, 1),
            state.in_double,
            state.num_moves / self.rounds,
            jnp.asarray(until_seen)[state.num_moves] / until_seen.max(),
            state.turn / self.detectives,
            state.possible.sum() / self.num_infostates,
            *stages,
        ]
        return jnp.concatenate([jnp.atleast_1d(share).astype(jnp.float32) for share in shares])
