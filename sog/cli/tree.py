"""The public tree of a game, enumerated for a command."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from sog.cli.display import Work
from sog.cli.errors import CommandError
from sog.games import Game
from sog.games.cards.holdem import Holdem
from sog.methods.plain.games import infostate_game
from sog.tabular import (
    CompiledGame,
    TreeTooLargeError,
    compile_game,
    enumerate_public_tree,
)
from sog.tabular.public_tree import DEFAULT_MAX_NODES, TreeMemoryError, most_nodes_in_memory
from sog.tabular.sizes import can_be_counted, estimate_public_states

_WITHOUT_TREE: Final = (
    "Without a tree: `sog search --evaluator zero`, and the player zero of `sog match` and `sog "
    "play`."
)
_OF_HOLDEM: Final = (
    'With a board it is a spot: `sog solve "holdem(board=KsTh7s4d,pot=100,stack=200)"`. Without: '
    "`sog search agent:holdem` shows a decision, `sog evaluate agent:holdem --lbr` what a player "
    "loses at least."
)


def compile_whole_game(
    game: Game[Any],
    max_nodes: int | None,
    work: Work,
    most: int = DEFAULT_MAX_NODES,
    root: Any = None,
) -> CompiledGame:
    """The game's public tree, ready for solvers; or what lies below a public state `root`.

    max_nodes: as the user said; None for `most`, and for a refusal of games that are made for
    search, whose first states alone take long.
    """
    if max_nodes is None and not can_be_counted(game):
        instead = _OF_HOLDEM if isinstance(game, Holdem) else _WITHOUT_TREE
        raise CommandError(
            f"{game.name} is made for search, too large to enumerate. {instead} For a small "
            f"variant of it: --max-nodes N."
        )
    work.begin(f"enumerating {game.name}")
    with explaining_size():
        tree = enumerate_public_tree(
            game,
            root=root,
            max_nodes=max_nodes or most,
            progress=lambda count: work.update(f"{count:,} public states"),
        )
    work.begin(f"laying out {tree.num_nodes:,} public states")
    return compile_game(tree)


@contextlib.contextmanager
def explaining_size(where: str = "") -> Iterator[None]:
    """Where the body finds that a tree is too large, the mistake says what to do about it."""
    try:
        yield
    except TreeTooLargeError as error:
        raise CommandError(f"{where}{explain_too_large(error)}") from None


def explain_too_large(error: TreeTooLargeError) -> str:
    """What is wrong, and what to do about it.

    A higher limit is named only where the whole tree has a chance to fit into memory.
    """
    game = error.game
    if isinstance(error, TreeMemoryError) or not can_be_counted(game):
        return f"{error} {_WITHOUT_TREE}"
    size = estimate_public_states(game)
    if size > most_nodes_in_memory(game):
        grown = " oos and ismcts play it with tree=grown." if infostate_game(game) else ""
        return f"{error} It has some {size:.0e} nodes, too many for memory. {_WITHOUT_TREE}{grown}"
    return f"{error} A higher limit: --max-nodes N."
