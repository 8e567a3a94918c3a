"""Where the values come from by which `sog match --aivat` takes luck out."""

from typing import Any, Final

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.exact import policy_evaluator
from sog.cli.errors import CommandError
from sog.games import Game
from sog.memory import check_memory
from sog.play import Aivat
from sog.players.player import Host
from sog.players.seating import Seating
from sog.tabular import compile_game, solve
from sog.tabular.enumerated_game import EnumeratedGame

_ITERATIONS: Final = 1000  # of CFR+: far below what a match can tell apart
_TABLES: Final = 5  # [node, S, S] arrays of 64-bit numbers while the values are made, about
_OTHERWISE: Final = "--aivat network or zero asks less."


def make_aivat(seating: Seating, values: str | None, host: Host) -> Aivat | None:
    """With the values that were asked for, if any; CommandError where there are none."""
    if values is None:
        return None
    if values == "exact":
        return _exact(seating.game, host)
    if values == "zero":
        return Aivat(seating.game, ZeroEvaluator())
    for player in seating.players:
        if player.network is not None:
            return Aivat(seating.game, player.network)
    names = ", ".join(dict.fromkeys(player.name for player in seating.players))
    raise CommandError(f"--aivat network needs a RUN or agent:GAME as a player, got {names}.")


def _exact(game: Game[Any], host: Host) -> Aivat:
    try:
        tree = host.enumerate(game)
        size = _TABLES * 8 * tree.num_nodes * game.num_infostates**2
        check_memory({f"the exact values of {game}": size})
    except ValueError as error:
        raise CommandError(f"--aivat exact: {error} {_OTHERWISE}") from None
    host.begin(f"solving {game.name} for AIVAT", total=_ITERATIONS)
    solution = solve(
        compile_game(tree),
        iterations=_ITERATIONS,
        on_checkpoint=lambda checkpoint: host.update("", checkpoint.iteration),
    )
    if solution.interrupted:
        raise KeyboardInterrupt
    enumerated = EnumeratedGame(tree=tree)
    return Aivat(enumerated, policy_evaluator(enumerated, solution.policy))
