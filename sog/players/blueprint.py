"""Who plays a blueprint: `blueprint:FILE`, of `sog blueprint`."""

import dataclasses
from typing import Any, Final

import numpy as np

from sog.games.cards.colex import combinations
from sog.games.cards.holdem import Holdem
from sog.games.core import Game
from sog.play.match import Agent, only_at_the_start
from sog.players.player import Host, Player, SearchChanges
from sog.tabular.blueprint.betting_tree import ILLEGAL
from sog.tabular.blueprint.file import Blueprint, load_blueprint
from sog.tabular.blueprint.strengths import live_hands

PREFIX: Final = "blueprint:"
_MOST_KEPT: Final = 4096  # boards whose buckets are not looked up again


class BlueprintAgent(Agent):
    """Plays the average policy of a blueprint, by the bucket of its hand."""

    def __init__(
        self, blueprint: Blueprint, policy: list[np.ndarray], *, player: int, seed: int = 0
    ) -> None:
        """Sits down as a player, before the first public event.

        policy: by level of the tree of betting, see `Blueprint.policy`.
        """
        self.player, self._policy = player, policy
        self._tree, self._buckets = blueprint.trainer.tree, blueprint.trainer.buckets
        self._first = np.array([level.first for level in self._tree.levels])
        self._known: dict[tuple[int, ...], np.ndarray] = {}
        self.begin(seed=seed)

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at its start."""
        only_at_the_start(state)
        self._node, self._street, self._board = 0, 0, tuple[int, ...]()
        if seed is not None:
            self._random = np.random.default_rng(seed)

    def observe(self, outcome: int) -> None:
        """Tells the agent a public event; ValueError if it cannot happen now."""
        if self._node < 0:
            return  # nobody bets any more
        level = self._tree.levels[self._level]
        if level.street == self._street:
            children = self._tree.child[self._node]
            if not 0 <= outcome < len(children) or children[outcome] == ILLEGAL:
                legal = np.flatnonzero(children != ILLEGAL).tolist()
                raise ValueError(f"outcome must be one of {legal}, got {outcome!r}.")
            self._node = int(children[outcome])
            return
        there = self._buckets.cards.num_public
        dealt = there[self._street + 1] - there[self._street]
        sets = combinations(self._buckets.cards.deck.num_cards, dealt)
        if not 0 <= outcome < len(sets):
            raise ValueError(f"outcome must be from 0 to {len(sets) - 1}, got {outcome!r}.")
        self._board = (*self._board, *sets[outcome].tolist())
        self._street += 1

    def policies(self) -> np.ndarray:
        """[S, A]: the probabilities with which `act` chooses at each infostate."""
        level = self._tree.levels[self._level]
        if self._node < 0 or level.actor != self.player or level.street != self._street:
            raise ValueError(f"player {self.player} cannot move: it is not his turn.")
        policy = self._policy[self._level][self._node - level.first]
        cards, board = self._buckets.cards, self._board_array
        live = live_hands(cards.deck, cards.hole_cards, board)[0]
        return np.where(live[:, None], policy[:, self._bucket()].T, 0).astype(np.float64)

    def policy(self, infostate: int) -> np.ndarray:
        """[A]: the probabilities with which `act` chooses."""
        return np.asarray(self.policies()[infostate])

    def act(self, infostate: int) -> int:
        """Chooses an action at an infostate of the agent's player."""
        policy = self.policy(infostate)
        return int(self._random.choice(len(policy), p=policy / policy.sum()))

    @property
    def _level(self) -> int:
        """Of the decision."""
        return int(np.searchsorted(self._first, self._node, side="right")) - 1

    @property
    def _board_array(self) -> np.ndarray:
        """int32[1, cards]."""
        return np.array([self._board], np.int32).reshape(1, -1)

    def _bucket(self) -> np.ndarray:
        """uint16[S]: of every hand on the present board."""
        if self._board not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            found = self._buckets.of_boards(self._street, self._board_array)
            self._known[self._board] = found[0]
        return self._known[self._board]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class BlueprintPlayer:
    """Whom a text names."""

    blueprint: Blueprint

    @property
    def game(self) -> Holdem:
        """The game that it is of."""
        return self.blueprint.game

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """As of `sog.players.player.Candidate`."""
        if game != self.game:
            raise ValueError(f"{name} is a blueprint of {self.game}, not of {game}.")
        policy = self.blueprint.policy()

        def make(player: int, seed: int) -> BlueprintAgent:
            return BlueprintAgent(self.blueprint, policy, player=player, seed=seed)

        return Player(name=name, game=game, make=make)


def read_blueprint(text: str, host: Host) -> BlueprintPlayer:
    """The player of "blueprint:FILE"; BlueprintFileError, a ValueError, for what is none."""
    path = text.removeprefix(PREFIX).strip()
    if not path:
        raise ValueError(f"{PREFIX} must be followed by a file of sog blueprint, got {text!r}.")
    return BlueprintPlayer(blueprint=load_blueprint(path))
