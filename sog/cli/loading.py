"""Loads what a command line names: a game, its public tree, a position, a network."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sog.cli.display import Work, note, working
from sog.cli.errors import CommandError, mistakes, reason
from sog.files import read_any_text
from sog.games import Game, make
from sog.games.registry import has_loader
from sog.play.game_records import endings, format_of
from sog.play.history import History, check_begins_anywhere, read_history
from sog.players.runs import is_run, load_run
from sog.tabular import (
    CompiledGame,
    TreeTooLargeError,
    compile_game,
    enumerate_public_tree,
)
from sog.tabular.public_tree import DEFAULT_MAX_NODES, TreeMemoryError, most_nodes_in_memory
from sog.tabular.sizes import can_be_counted, estimate_public_states

if TYPE_CHECKING:
    from sog.players.trained import Trained

_POSITION_FILES: Final = (".fen", ".epd")
_MOST_BYTES: Final = 2**20


def load_game(text: str, work: Work | None = None) -> Game[Any]:
    """The game that a user named; work: the progress display, if there is one already."""
    text = text.strip()
    if is_run(Path(text)):
        raise CommandError(
            f"{text} is a run folder, where a game is needed; `sog evaluate {text}` and `sog play "
            f"{text}` take one."
        )
    if text.endswith(".npz"):
        raise CommandError(
            f"{text} is a policy file, where a game is needed; `sog policy {text}` and `sog "
            f"explain {text}` take one."
        )
    if not has_loader(text):
        return _make(text, None)
    if work is not None:
        return _make(text, work)
    with working() as own_work:
        return _make(text, own_work)


def load_history(
    game: Game[Any],
    text: str,
    *,
    begins: bool = False,
    anywhere: bool = False,
    may_be_over: bool = False,
) -> History:
    """The position of `--history`, which may name a file that has it.

    begins: whether a game, not a search, starts there. anywhere: whether the text may start with a
    position such as a FEN; implied by `begins`. may_be_over: whether a game may start terminal.
    """
    if text.endswith((*_POSITION_FILES, *endings())):
        text = _read_position_file(text)
    with mistakes("--history: " if text else ""):
        if text and begins:
            check_begins_anywhere(game)
        may_be_over = may_be_over and not text
        anywhere = anywhere or begins
        history = read_history(game, text, anywhere=anywhere, may_be_over=may_be_over)
        _note_other_rules(game, text)
    return history


def _note_other_rules(game: Game[Any], text: str) -> None:
    """Notes rules in the text that differ from the game's: they change values, not moves."""
    found = format_of(text) if text else None
    if found is not None and (notice := found.notice_of(text)):
        note(f"--history: {notice}")
    for name, value in game.rules_in(text).items():
        here = getattr(game, name)
        if value != here:
            note(f"--history says {name} {value:g}; {game.name} has {here:g}, which counts here.")


def _read_position_file(path: str) -> str:
    try:
        return read_any_text(path, _MOST_BYTES).strip()
    except OSError as error:
        raise CommandError(f"--history: cannot read {path}: {reason(error)}.") from None


def load_named_run(text: str) -> "Trained":
    """The network of RUN, RUN@STEP or agent:NAME; notes damaged checkpoints."""
    with mistakes():
        trained = load_run(text)
    for damaged in trained.skipped:
        note(damaged)
    return trained


def _make(text: str, work: Work | None) -> Game[Any]:
    doing = f"loading {text}"

    def show(detail: str) -> None:
        if work is not None:
            if work.doing != doing:  # not before: an error in the text is printed alone
                work.begin(doing)
            work.update(detail)

    try:
        return make(text, progress=show)
    except ValueError as error:
        raise CommandError(str(error)) from None
    except OSError as error:  # a file that a parameter names
        raise CommandError(f"{text}: cannot read {error.filename}: {reason(error)}.") from None


_WITHOUT_TREE: Final = (
    "Without a tree: `sog search --evaluator zero`, `sog evaluate RUN --cdbr`, and the player zero "
    "of `sog match` and `sog play`."
)


def compile_whole_game(
    game: Game[Any],
    max_nodes: int | None,
    work: Work,
    most: int = DEFAULT_MAX_NODES,
    root: Any = None,
) -> CompiledGame:
    """The game's public tree, or its subtree at the public state `root`, compiled for solvers.

    max_nodes: as the user gave it. None stands for `most`, and rejects games that are made for
    search, whose first states alone take long.
    """
    if max_nodes is None and not can_be_counted(game):
        instead = game.where_too_large or _WITHOUT_TREE
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
    """Adds what to do about it to the error that a tree is too large."""
    try:
        yield
    except TreeTooLargeError as error:
        raise CommandError(f"{where}{explain_too_large(error)}") from None


def explain_too_large(error: TreeTooLargeError) -> str:
    """The error, and what to do about it.

    Suggests a higher limit only if the whole tree might fit into memory.
    """
    game = error.game
    if isinstance(error, TreeMemoryError) or not can_be_counted(game):
        return f"{error} {_WITHOUT_TREE}"
    size = estimate_public_states(game)
    if size > most_nodes_in_memory(game):
        return f"{error} It has some {size:.0e} nodes, too many for memory. {_WITHOUT_TREE}"
    return f"{error} A higher limit: --max-nodes N."
