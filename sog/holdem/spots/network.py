"""A network's output at a decision of a solved spot, to compare with the exact solution.

A network knows the game it was trained on, with other stacks and bets. Only proportions of chips
matter, so a decision of a spot corresponds to one in that game: with the same board, ranges and
player to act, and chips in the pot and behind in the same proportion. Values are converted to the
spot's chips.
"""

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, evaluate_beliefs
from sog.games.core import Game
from sog.holdem.game import Holdem
from sog.holdem.no_limit import CALL, FIRST_SIZE, FOLD, BettingState, on_host
from sog.holdem.spots.betting import is_bet
from sog.holdem.spots.spot import Spot
from sog.holdem.spots.walk import SpotNode, mean
from sog.precision import in_32_bits


class SpotReader:
    """Evaluates a network at decisions of spots; compiles at the first one."""

    def __init__(self, game: Game[Any], evaluator: Evaluator, spot: Spot) -> None:
        """game: of the network. Raises ValueError if the spot's decisions have no counterpart."""
        if not isinstance(game, Holdem):
            raise ValueError(f"a network for holdem is needed for a spot, got one for {game.name}.")
        for name in ("deck", "hole_cards"):
            own, asked = getattr(game, name), getattr(spot, name)
            if own != asked:
                raise ValueError(f"the network's {name} must be the spot's {asked}, got {own}.")
        streets = [game.num_public[street] for street in range(len(game.betting.menus))]
        for missing in range(len(spot.menus)):
            if len(spot.board) + missing not in streets[game.betting.num_silent :]:
                raise ValueError(
                    f"the network must know boards of {len(spot.board) + missing} cards, got one "
                    f"for {game}."
                )
        self._game, self._evaluator = game, evaluator
        start = game.betting.start()
        if game.betting.setups:
            start = game.betting.draw(start, jnp.int32(len(game.betting.setups) - 1))
        self._start, self._stack = start, int(start.stacks.min())
        self._program: Any = jax.jit(self._ask)

    @in_32_bits
    def read(self, node: SpotNode) -> SpotNode:
        """The decision by the network: its values, its prior policy, and its own bets; range,
        weight and equity are the spot's. Values of actions are NaN.
        """
        state, scale = self._state(node)
        weights = np.stack([np.nan_to_num(one.weight) for one in node.ranges])
        totals = weights.sum(axis=1, keepdims=True)
        ranges = weights / np.where(totals > 0, totals, 1)
        values, policy = self._program(state, jnp.asarray(ranges, jnp.float32))
        rules, betting = self._game.betting, on_host(state.betting)
        legal, stakes = rules.legal(betting), rules.raised_stakes(betting)[0]
        chips = np.asarray(values, np.float64) * self._game.chips_per_unit / scale
        valued = [
            dataclasses.replace(one, value=np.where(np.isfinite(one.value), value, np.nan))
            for one, value in zip(node.ranges, chips, strict=True)
        ]
        is_there = node.ranges[node.actor].weight > 0
        shares = np.where(is_there, np.asarray(policy, np.float64).T[legal], np.nan)
        return dataclasses.replace(
            node,
            actions=self._words(node, np.flatnonzero(legal), stakes, scale),
            ranges=(valued[0], valued[1]),
            policy=shares,
            action_value=np.full(shares.shape, np.nan),
        )

    def _ask(self, state: Any, ranges: Array) -> tuple[Array, Array]:
        """Values [player, S] in utility units; the actor's policy [S, A]."""
        game, evaluator = self._game, self._evaluator
        states = jax.tree.map(lambda leaf: leaf[None], state)
        answer = evaluate_beliefs(game, evaluator, states, ranges[None])
        legal = game.betting.legal(state.betting)
        logits = jnp.where(legal, answer.policy_logits[0], -jnp.inf)
        return answer.values[0], jax.nn.softmax(logits, axis=1)

    def _state(self, node: SpotNode) -> tuple[Any, float]:
        """The corresponding public state, and its chips per chip of the spot."""
        game, stack = self._game, self._stack
        scale = (game.pot + 2 * stack) / (node.pot + sum(node.stacks))
        behind = [scale * chips for chips in node.stacks]
        stakes = [round(stack - chips) for chips in behind]
        # Chips are integers, and the player to act has some left.
        most = [stack - (player == node.actor) for player in (0, 1)]
        stakes = [min(max(stake, 0), limit) for stake, limit in zip(stakes, most, strict=True)]
        betting: BettingState = dataclasses.replace(
            self._start,
            stage=jnp.int8(node.actor),
            street=jnp.int8(game.num_public.index(len(node.board))),
            stakes=jnp.array(stakes, jnp.int32),
            matched=jnp.int32(round(stack - scale * (node.stacks[0] + node.street_stakes[0]))),
            last_raise=jnp.int32(abs(stakes[0] - stakes[1])),
            num_raises=jnp.int8(sum(map(is_bet, node.street_actions))),
            has_acted=jnp.bool_(not all(map(is_bet, node.street_actions))),
        )
        root = game.root()
        board = np.full(len(root.board), game.deck.num_cards, np.int8)
        board[: len(node.board)] = node.board
        for first, last in itertools.pairwise((0, *game.num_public)):
            board[first:last].sort()
        return dataclasses.replace(root, betting=betting, board=jnp.asarray(board)), scale

    def _words(
        self, node: SpotNode, legal: np.ndarray, stakes: np.ndarray, scale: float
    ) -> tuple[str, ...]:
        """Names of the actions in the spot's chips, like `SpotNode.actions`."""
        facing = node.street_stakes[1 - node.actor] > node.street_stakes[node.actor]
        before = node.stacks[node.actor] + node.street_stakes[node.actor]
        words = []
        for action in legal.tolist():
            if action in (FOLD, CALL):
                words.append("fold" if action == FOLD else "call" if facing else "check")
                continue
            left = max(self._stack - int(stakes[action - FIRST_SIZE]), 0)
            word = "raise" if facing else "bet"
            words.append(f"{word if left else 'allin'}{round(before - left / scale)}")
        return tuple(words)


def value_errors(exact: SpotNode, network_node: SpotNode) -> tuple[float, float]:
    """Each player's mean absolute error of values over its range, in chips; NaN for an empty
    range."""
    pairs = zip(exact.ranges, network_node.ranges, strict=True)
    first, second = (mean(abs(other.value - one.value), one.range_) for one, other in pairs)
    return first, second
