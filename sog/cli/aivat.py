"""Where the values come from by which `sog match --aivat` takes luck out."""

from typing import Any, Final

from gtcfr.exact import policy_evaluator
from sog.cli.display import Work
from sog.cli.errors import CommandError
from sog.cli.players import Seating
from sog.cli.sizes import can_be_counted
from sog.cli.tree import TOO_LARGE, enumerate_whole_game
from sog.games import Game
from sog.memory import check_memory
from sog.play import Aivat
from sog.tabular import compile_game, solve
from sog.tabular.enumerated_game import EnumeratedGame

_MAX_NODES: Final = 1_000_000
_ITERATIONS: Final = 1000  # of CFR+: far below what a match can tell apart
_TABLES: Final = 5  # [node, S, S] arrays of 64-bit numbers while the values are made, about
_OTHERWISE: Final = "--aivat network asks a trained player's network instead."


def make_aivat(
    seating: Seating, values: str | None, max_nodes: int | None, work: Work
) -> Aivat | None:
    """With the values that were asked for, if any; CommandError where there are none."""
    if values is None:
        return None
    if values == "exact":
        return _exact(seating.game, max_nodes or _MAX_NODES, work)
    for player in seating.players:
        if player.network is not None:
            return Aivat(seating.game, player.network)
    names = ", ".join(dict.fromkeys(player.name for player in seating.players))
    raise CommandError(f"--aivat network needs a RUN or agent:GAME as a player, got {names}.")


def _exact(game: Game[Any], max_nodes: int, work: Work) -> Aivat:
    if not can_be_counted(game):
        raise CommandError(f"--aivat exact: {game.name} is too large to enumerate. {_OTHERWISE}")
    try:
        tree = enumerate_whole_game(game, max_nodes, work)
        size = _TABLES * 8 * tree.num_nodes * game.num_infostates**2
        check_memory({f"the exact values of {game}": size})
    except (*TOO_LARGE, ValueError) as error:
        raise CommandError(f"--aivat exact: {error} {_OTHERWISE}") from None
    work.begin(f"solving {game.name} for AIVAT", total=_ITERATIONS)
    solution = solve(
        compile_game(tree),
        iterations=_ITERATIONS,
        on_checkpoint=lambda checkpoint: work.update("", checkpoint.iteration),
    )
    if solution.interrupted:
        raise KeyboardInterrupt
    enumerated = EnumeratedGame(tree=tree)
    return Aivat(enumerated, policy_evaluator(enumerated, solution.policy))
