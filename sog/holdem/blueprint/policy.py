"""The policy of a blueprint, positions in its game, and the player `blueprint:FILE`."""

import dataclasses
import os
from typing import Any, Final

import numpy as np

from sog.games.core import Game
from sog.holdem.blueprint.betting_tree import ILLEGAL, BettingLevel
from sog.holdem.blueprint.file import Blueprint, BlueprintFileError, load_blueprint
from sog.holdem.blueprint.strengths import live_hands
from sog.holdem.colex import combinations
from sog.holdem.game import Holdem
from sog.play.match import only_at_the_start
from sog.play.simple_agents import SamplingAgent
from sog.players.player import Host, Player, SearchChanges
from sog.tabular.policy_file import PolicyFileError
from sog.tabular.public_tree import PublicTree

_MOST_KEPT: Final = 4096  # boards whose buckets are cached


@dataclasses.dataclass(frozen=True)
class BettingPosition:
    """A public state: the betting and the public cards."""

    node: int = 0
    """The last decision, also while cards are due; negative when the betting is over."""
    street: int = 0
    """The street whose cards have been dealt."""
    board: tuple[int, ...] = ()


class BlueprintPolicy:
    """The average policy of a blueprint, computed once."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._tree, self._buckets = blueprint.trainer.tree, blueprint.trainer.buckets
        self._policy = blueprint.policy()
        self._first = np.array([level.first for level in self._tree.levels])
        self._known: dict[tuple[int, ...], np.ndarray] = {}

    def after(self, position: BettingPosition, outcome: int) -> BettingPosition:
        """The position after a public event; ValueError if it is impossible now."""
        if position.node < 0:
            return position
        _, level = self._level(position)
        if level.street == position.street:
            children = self._tree.child[position.node]
            if not 0 <= outcome < len(children) or children[outcome] == ILLEGAL:
                legal = np.flatnonzero(children != ILLEGAL).tolist()
                raise ValueError(f"outcome must be one of {legal}, got {outcome!r}.")
            return dataclasses.replace(position, node=int(children[outcome]))
        there = self._buckets.game.num_public
        dealt = there[position.street + 1] - there[position.street]
        sets = combinations(self._buckets.game.deck.num_cards, dealt)
        if not 0 <= outcome < len(sets):
            raise ValueError(f"outcome must be from 0 to {len(sets) - 1}, got {outcome!r}.")
        return BettingPosition(
            node=position.node,
            street=position.street + 1,
            board=(*position.board, *sets[outcome].tolist()),
        )

    def actor(self, position: BettingPosition) -> int | None:
        """The player to act; None if cards are due or the betting is over."""
        if position.node < 0:
            return None
        _, level = self._level(position)
        return level.actor if level.street == position.street else None

    def policies(self, position: BettingPosition) -> np.ndarray:
        """[S, A]: each hand's policy at a decision; 0 for dead hands."""
        number, level = self._level(position)
        board = np.array([position.board], np.int32).reshape(1, -1)
        if position.board not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[position.board] = self._buckets.of_boards(position.street, board)[0]
        by_bucket = self._policy[number][position.node - level.first]
        by_hand = by_bucket[:, self._known[position.board]].T
        live = live_hands(self._buckets.game.hands, board)[0]
        return np.where(live[:, None], by_hand, 0).astype(np.float64)

    def _level(self, position: BettingPosition) -> tuple[int, BettingLevel]:
        number = int(np.searchsorted(self._first, position.node, side="right")) - 1
        return number, self._tree.levels[number]


def read_policy(path: str | os.PathLike[str], tree: PublicTree) -> np.ndarray:
    """[node, S, A]: the policy in a file of `sog blueprint`; PolicyFileError if it is invalid or
    for another game."""
    try:
        blueprint = load_blueprint(path)
    except BlueprintFileError as error:
        raise PolicyFileError(str(error)) from None
    if str(blueprint.game) != str(tree.game):
        raise PolicyFileError(f"{path}: is a blueprint for {blueprint.game}, not for {tree.game}.")
    return policy_on(blueprint, tree)


def policy_on(blueprint: Blueprint, tree: PublicTree) -> np.ndarray:
    """[node, S, A]: the average policy on the whole tree of its game."""
    average, positions = BlueprintPolicy(blueprint), [BettingPosition()]
    for parent, outcome in zip(tree.node_parent[1:], tree.node_outcome[1:], strict=True):
        positions.append(average.after(positions[parent], int(outcome)))
    policy = np.zeros(tree.node_legal.shape)
    for node, position in enumerate(positions):
        if tree.node_actor[node] == average.actor(position):
            policy[node] = average.policies(position)
    return policy


PREFIX: Final = "blueprint:"


class BlueprintAgent(SamplingAgent):
    """Plays the average policy of a blueprint, by the bucket of its hand."""

    def __init__(self, policy: BlueprintPolicy, *, player: int, seed: int = 0) -> None:
        """Sits down as a player, before the first public event."""
        self.player, self._policy = player, policy
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start."""
        only_at_the_start(state)
        self._position = BettingPosition()
        super().begin(state, seed)

    def observe(self, outcome: int) -> None:
        """Observes a public event; ValueError if it is impossible now."""
        self._position = self._policy.after(self._position, outcome)

    def policies(self) -> np.ndarray:
        """[S, A]: the probabilities with which `act` chooses at each infostate."""
        if self._policy.actor(self._position) != self.player:
            raise ValueError(f"player {self.player} cannot move: it is not its turn.")
        return self._policy.policies(self._position)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class BlueprintPlayer:
    """The blueprint that a player's text names."""

    blueprint: Blueprint

    @property
    def game(self) -> Holdem:
        """The blueprint's game."""
        return self.blueprint.game

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `sog.players.player.Candidate`."""
        if game != self.game:
            raise ValueError(f"the blueprint is for {self.game}, not for {game}.")
        policy = BlueprintPolicy(self.blueprint)

        def make(player: int, seed: int) -> BlueprintAgent:
            return BlueprintAgent(policy, player=player, seed=seed)

        return Player(name=name, game=game, make=make)


def read_blueprint(text: str, host: Host) -> BlueprintPlayer:
    """The player of "blueprint:FILE"; BlueprintFileError, a ValueError, for an invalid file."""
    path = text.removeprefix(PREFIX).strip()
    if not path:
        raise ValueError(f"{PREFIX} must be followed by a file of sog blueprint, got {text!r}.")
    return BlueprintPlayer(blueprint=load_blueprint(path))
