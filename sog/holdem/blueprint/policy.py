"""The policy of a blueprint at public states of its game, and the player `blueprint:FILE`."""

import os
from typing import Any, Final

import numpy as np

from sog.games.core import CHANCE, Game
from sog.holdem.blueprint.file import Blueprint, BlueprintFileError, load_blueprint
from sog.holdem.policy_agent import PolicyAgent
from sog.holdem.setup import HoldemState
from sog.players.player import Host, Player, SearchChanges
from sog.tabular.policy_file import PolicyFileError
from sog.tabular.public_tree import PublicTree

PREFIX: Final = "blueprint:"
_MOST_KEPT: Final = 4096  # boards whose buckets are cached


class BlueprintPlayer:
    """Plays the average policy of a blueprint, by the buckets of hands."""

    def __init__(self, blueprint: Blueprint) -> None:
        self.game = blueprint.game
        self._tree, self._buckets = blueprint.trainer.tree, blueprint.trainer.buckets
        self._policy = blueprint.policy()
        self._first = np.array([level.first for level in self._tree.levels])
        self._known: dict[bytes, np.ndarray] = {}

    def policies(self, state: HoldemState) -> np.ndarray:
        """[S, A]: each hand's policy where a player acts; 0 for dead hands."""
        node, street = 0, int(state.betting.street)
        for action in np.asarray(state.events)[: int(state.num_events)].tolist():
            node = int(self._tree.child[node, action])
        number = int(np.searchsorted(self._first, node, side="right")) - 1
        board = np.asarray(state.board, np.int32)[None, : self.game.num_public[street]]
        if board.tobytes() not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[board.tobytes()] = self._buckets.of_boards(street, board)[0]
        by_bucket = self._policy[number][node - self._first[number]]
        by_hand = by_bucket[:, self._known[board.tobytes()]].T
        live = self.game.hands.live(board)[0]
        return np.where(live[:, None], by_hand, 0).astype(np.float64)

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `sog.players.player.Candidate`."""
        if game != self.game:
            raise ValueError(f"the blueprint is for {self.game}, not for {game}.")

        def make(player: int, seed: int) -> PolicyAgent:
            return PolicyAgent(game, self.policies, player=player, seed=seed)

        return Player(name=name, game=game, make=make)


def read_blueprint(text: str, host: Host) -> BlueprintPlayer:
    """The player of "blueprint:FILE"; BlueprintFileError, a ValueError, for an invalid file."""
    path = text.removeprefix(PREFIX).strip()
    if not path:
        raise ValueError(f"{PREFIX} must be followed by a file of sog blueprint, got {text!r}.")
    return BlueprintPlayer(load_blueprint(path))


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
    average, policy = BlueprintPlayer(blueprint), np.zeros(tree.node_legal.shape)
    for node in np.flatnonzero(tree.node_actor < CHANCE).tolist():
        policy[node] = average.policies(tree.state(node))
    return policy
