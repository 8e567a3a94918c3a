"""Single worlds of Scotland Yard, in which Mr X's station is known, for fast random games.

A world needs neither the moves from all stations nor the list of possible ones. No function here
reads that list, so programs that only play worlds do not maintain it.
"""

import abc
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1
from sog.scotland_yard.rules import YardRules
from sog.scotland_yard.setup import YardState
from sog.scotland_yard.station_map import NUM_TICKETS


@dataclasses.dataclass(frozen=True, kw_only=True)
class YardWorlds(YardRules, abc.ABC):
    """Single worlds on the tables of `YardSetup`. M columns of the move table, D detectives."""

    def deal(self, key: Array) -> Array:
        cards = self._start_indices if self._deals else self._start_indices[:1]
        return jnp.stack([jax.random.choice(key, jnp.asarray(cards)), jnp.int32(0)])

    def transition(
        self, key: Array, state: YardState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        here, ends = infostates[0], jnp.asarray(self._moves.destination)
        stuck = action == self._stuck_action
        column = action % self._num_moves
        ticket = jnp.asarray(self._moves.ticket)[column]
        double = action // self._num_moves * NUM_TICKETS
        caught = ends[state.stations[state.turn], column] == here
        event = here  # Mr X shows himself
        if self._deals:
            event = jnp.where(state.turn == self.detectives, here, self._card(key, state, here))
        outcome = jax.lax.select_n(
            jnp.minimum(state.stage, CHANCE),
            jnp.where(stuck, self._stuck_outcome, double + ticket).astype(jnp.int32),
            (2 * action + caught).astype(jnp.int32),
            event,
        )
        moves = (state.stage == PLAYER_0) & ~stuck
        return outcome, infostates.at[0].set(jnp.where(moves, ends[here, column], here))

    def _card(self, key: Array, state: YardState, mr_x: Array) -> Array:
        """int32: a station, uniform over the start cards not dealt."""
        cards = jnp.asarray(np.sort(self._start_indices))
        is_left = (cards != mr_x) & ~(cards[:, None] == state.stations[None]).any(axis=1)
        number = jax.random.randint(key, (), 0, jnp.maximum(is_left.sum(), 1))
        return cards[jnp.argmax(jnp.cumsum(is_left) > number)]

    def world_actions(self, state: YardState, infostates: Array) -> Array:
        is_mr_x, is_detective = state.stage == PLAYER_0, state.stage == PLAYER_1
        mover = jnp.minimum(state.turn, self.detectives - 1)
        here = jnp.where(is_mr_x, infostates[0], state.stations[mover])
        ends = jnp.asarray(self._moves.destination)[here]
        is_free = jnp.asarray(self._moves.exists)[here]
        is_free &= ~(ends[:, None] == state.stations[None]).any(axis=1)
        no_black = jnp.zeros(1, jnp.int32)
        own = jnp.concatenate([state.tickets[mover], no_black])
        single = is_free & (jnp.where(is_mr_x, state.mr_x_tickets, own) > 0)[self._moves.ticket]
        speeds = [single & (is_mr_x | is_detective)]
        if self._speeds > 1:
            can_declare = is_mr_x & (state.doubles > 0) & ~state.in_double
            can_declare &= state.num_moves + 2 <= self.rounds
            speeds.append(single & can_declare & self._can_move_on_from(state, ends))
        stuck = is_mr_x & ~single.any()
        actions = jnp.concatenate([*speeds, stuck[None]])
        return actions.at[0].set(actions[0] | (state.stage == CHANCE))

    def _can_move_on_from(self, state: YardState, ends: Array) -> Array:
        """bool[M]: whether Mr X can move on from the end of a column reached by its ticket.

        Counts the lines of each ticket from there that do not lead to a detective.
        """
        tickets = np.arange(NUM_TICKETS)
        links = jnp.asarray(self._links)[ends[:, None], state.stations[None]]  # [M, D]
        taken = (links[:, :, None] >> tickets[None, None] & 1).sum(axis=1)
        is_open = jnp.asarray(self._num_lines)[ends] > taken
        left = state.mr_x_tickets[None] - jnp.eye(NUM_TICKETS, dtype=jnp.int32) > 0
        return (is_open & left[self._moves.ticket]).any(axis=1)

    def world_utility(self, state: YardState, infostates: Array) -> Array:
        return state.winner.astype(jnp.result_type(float))

    @functools.cached_property
    def _links(self) -> np.ndarray:
        """int32[S, S]: bit set of the tickets that pay for a line between two stations."""
        links = np.zeros((self.num_infostates,) * 2, np.int32)
        start, column = np.nonzero(self._moves.exists)
        bits = 1 << self._moves.ticket[column]
        np.bitwise_or.at(links, (start, self._moves.destination[start, column]), bits)
        return links

    @functools.cached_property
    def _num_lines(self) -> np.ndarray:
        """int32[S, NUM_TICKETS]: number of lines from a station that a ticket pays for."""
        return np.stack(
            [
                self._moves.exists[:, self._moves.columns(ticket)].sum(axis=1, dtype=np.int32)
                for ticket in range(NUM_TICKETS)
            ],
            axis=1,
        )
