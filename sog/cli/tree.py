"""The public tree of a game, enumerated for a command."""

from typing import Any

from sog.cli.display import Work
from sog.cli.errors import CommandError
from sog.games import Game
from sog.tabular import CompiledGame, TreeTooLargeError, compile_game, enumerate_public_tree
from sog.tabular.public_tree import DEFAULT_MAX_NODES, TreeMemoryError


def compile_whole_game(game: Game[Any], max_nodes: int | None, work: Work) -> CompiledGame:
    """The game's public tree, ready for solvers."""
    work.begin(f"enumerating {game.name}")
    try:
        tree = enumerate_public_tree(
            game,
            max_nodes=max_nodes or DEFAULT_MAX_NODES,
            progress=lambda count: work.update(f"{count:,} public states"),
        )
    except TreeTooLargeError as error:
        raise CommandError(f"{error} A higher limit: --max-nodes N.") from None
    except TreeMemoryError as error:
        raise CommandError(str(error)) from None
    work.begin(f"laying out {tree.num_nodes:,} public states")
    return compile_game(tree)
