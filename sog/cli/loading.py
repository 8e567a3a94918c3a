"""From the text of a command line to a game."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sog.cli.display import Work, note, working
from sog.cli.errors import CommandError, mistakes, reason
from sog.files import read_any_text
from sog.games import Game, make
from sog.games.boards.game_records import is_record, notice_of
from sog.games.registry import OPENSPIEL_PREFIX
from sog.play.history import History, check_begins_anywhere, read_history
from sog.players.runs import is_run, load_run

if TYPE_CHECKING:
    from sog.players.trained import Trained

_POSITION_FILES: Final = (".fen", ".epd", ".pgn", ".sgf")
_MOST_BYTES: Final = 2**20


def load_game(text: str, work: Work | None = None) -> Game[Any]:
    """The game that a user named; work: where progress is shown, if a command shows any yet."""
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
    if not text.startswith(OPENSPIEL_PREFIX):
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
    """The position of `--history`, which may name a file that says it.

    begins: whether a game is to begin there, and not a search. anywhere: whether it may begin with
    a position, as a FEN; a game may. may_be_over: whether a game may be over at its start.
    """
    if text.endswith(_POSITION_FILES):
        text = _read_position_file(text)
    with mistakes("--history: " if text else ""):
        if text and begins:
            check_begins_anywhere(game)
        may_be_over = may_be_over and not text
        anywhere = anywhere or begins
        history = read_history(game, text, anywhere=anywhere, may_be_over=may_be_over)
        _tell_other_rules(game, text)
    return history


def _tell_other_rules(game: Game[Any], text: str) -> None:
    """The moves are the same under them, but not what they are worth."""
    if is_record(text) and (notice := notice_of(text)):
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
    """The network of RUN, RUN@STEP or agent:NAME; tells of checkpoints that were damaged."""
    with mistakes():
        trained = load_run(text)
    for damaged in trained.skipped:
        note(damaged)
    return trained


def _make(text: str, work: Work | None) -> Game[Any]:
    doing = f"loading {text}"

    def show(detail: str) -> None:
        if work is not None:
            if work.doing != doing:  # not before: a mistake in the text is told alone
                work.begin(doing)
            work.update(detail)

    try:
        return make(text, progress=show)
    except ValueError as error:
        raise CommandError(str(error)) from None
    except OSError as error:  # a file that a parameter names
        raise CommandError(f"{text}: cannot read {error.filename}: {reason(error)}.") from None
