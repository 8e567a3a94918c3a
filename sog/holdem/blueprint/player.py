"""The player `blueprint:FILE`, from a file of `sog blueprint`."""

import dataclasses
from typing import Any, Final

import numpy as np

from sog.games.core import Game
from sog.holdem.blueprint.file import Blueprint, load_blueprint
from sog.holdem.blueprint.policy import BettingPosition, BlueprintPolicy
from sog.holdem.game import Holdem
from sog.play.match import only_at_the_start
from sog.play.simple_agents import SamplingAgent
from sog.players.player import Host, Player, SearchChanges

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
