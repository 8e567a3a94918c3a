"""Players with a policy from a file: `policy:FILE`."""

import dataclasses
from pathlib import Path
from typing import Any

from sog.games.core import Game
from sog.games.foreign import check_named_by_file
from sog.games.registry import make
from sog.play.policies import is_of_a_domain, is_table, load_any_policy
from sog.play.simple_agents import TabularAgent
from sog.players.player import Host, Player, SearchChanges
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.policy_file import read_metadata
from sog.tabular.policy_table import titles_of


@dataclasses.dataclass(frozen=True, kw_only=True)
class PolicyPlayer:
    """Plays the policy of a file."""

    path: Path
    game: Game[Any] | None
    """The game of the file; None for a table."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `sog.players.player.Candidate`; enumerates the game."""
        tree = host.enumerate(game)
        policy, enumerated = load_any_policy(self.path, tree), EnumeratedGame(tree=tree)

        def make_agent(player: int, seed: int) -> TabularAgent:
            return TabularAgent(enumerated, policy, player=player, seed=seed)

        return Player(name=name, game=game, make=make_agent)


def read_policy_player(text: str, host: Host) -> PolicyPlayer:
    """Reads `policy:FILE`; ValueError unless it is the file of a policy."""
    name = text.partition(":")[2].strip()
    if not name:
        raise ValueError(f"{text!r} is no player: a file is needed, as policy:leduc.npz.")
    path = Path(name)
    if is_of_a_domain(path):
        raise ValueError(f"{text!r}: a blueprint is a player of its own, blueprint:{path}.")
    if is_table(path):
        titles_of(path)
        return PolicyPlayer(path=path, game=None)
    game = str(read_metadata(path)["game"])
    check_named_by_file(game, path)
    return PolicyPlayer(path=path, game=make(game))
