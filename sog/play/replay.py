"""Finished games as JSON: actions, infostates and events, in numbers and as text."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sog.games import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.play.game_in_progress import GameInProgress, PlayedGame, Step
from sog.play.game_records import write_record
from sog.play.history import (
    Beginning,
    Opening,
    check_begins_anywhere,
    read_beginning,
    state_at_beginning,
)

_ROUNDING: Final = 1e-6  # of the largest utility: results are computed in 32 bits
_HUMAN: Final = "human"
"""The person's name in record files."""


class ReplayError(ValueError):
    """A game of a file breaks the rules."""


def replay_of(game: Game[Any], human: int, played: PlayedGame) -> dict[str, Any]:
    """A game as `sog play --save` writes it (see its help), including all hidden information.

    human: the person's player.
    """
    ongoing, moves = GameInProgress.of(game, played), list[dict[str, Any]]()
    for one in ongoing.steps:
        text = None
        if one.action is not None:
            text = game.describe_action(one.state, one.infostate, one.action)
        moves.append(
            {
                "state": game.describe_state(one.state),
                "actor": one.actor,
                "action": one.action,
                "text": text,
                "outcome": one.outcome,
                "event": game.describe_outcome(one.state, one.outcome),
            }
        )
    places: list[Step | GameInProgress] = [*ongoing.steps, ongoing]
    names = [
        [game.describe_infostate(at.state, n, int(at.infostates[n])) for n in (0, 1)]
        for at in places
    ]
    return {
        "human": human,
        "utility": played.utility,
        **({} if played.resigned is None else {"resigned": played.resigned}),
        **({"agreed": True} if played.agreed else {}),
        **({} if played.beginning is None else {"begins": played.beginning.text}),
        "moves": moves,
        "infostates": [list(pair) for pair in played.infostates],
        "names": names,
    }


def as_records(
    game: Game[Any], ending: str, replays: Sequence[Mapping[str, Any]], agent: str
) -> str:
    """A record file (see `has_format`) with games of `replay_of` against an agent.

    An unfinished game has no result; only "human", its outcomes and where it began are read.
    """
    records = []
    for one in replays:
        names, begins = (_HUMAN, agent), one.get("begins")
        records.append(
            write_record(
                game,
                ending,
                [move["outcome"] for move in one["moves"]],
                names=names if one["human"] == 0 else names[::-1],
                resigned=one.get("resigned"),
                agreed=bool(one.get("agreed")),
                start=state_at_beginning(game, begins and read_beginning(game, begins)),
            )
        )
    return "\n".join(records)


def played_of(game: Game[Any], record: Mapping[str, Any]) -> PlayedGame:
    """The game of such a record, checked against the rules.

    Raises ReplayError if its events or its result break them, and ValueError, KeyError, IndexError
    or TypeError for other data.
    """
    begins = record.get("begins")
    beginning = None if begins is None else _beginning(game, begins)
    infostates = [(int(first), int(second)) for first, second in record["infostates"]]
    ongoing = GameInProgress(game, Opening(beginning=beginning), infostates=infostates[0])
    for number, move in enumerate(record["moves"], start=1):
        now, outcome, action = ongoing.now, int(move["outcome"]), move["action"]
        action = None if action is None else int(action)
        is_possible = 0 <= outcome < len(now.legal_outcomes) and now.legal_outcomes[outcome]
        is_possible &= (action is None) == (now.actor == CHANCE) and _can_hold(ongoing)
        if not is_possible or (action is not None and action not in ongoing.legal):
            raise ReplayError(f"move {number} is not possible in {game}.")
        ongoing.append(outcome, action, infostates[number])
    ongoing.resigned, ongoing.agreed = record.get("resigned"), bool(record.get("agreed"))
    _check_end(ongoing)
    if not _can_hold(ongoing):
        raise ReplayError(f"the game is not over by the rules of {game}.")
    played = ongoing.played()
    _check_utility(game, float(record["utility"]), played.utility)
    return played


def _check_end(ongoing: GameInProgress) -> None:
    """Raises ReplayError unless the game is over, a player resigned or both agreed on a result."""
    resigned, is_resigned = ongoing.resigned, ongoing.resigned is not None
    if is_resigned and (type(resigned) is not int or resigned not in (PLAYER_0, PLAYER_1)):
        raise ReplayError(f"resigned must be player 0 or 1, got {resigned!r}.")
    if (ongoing.now.actor == TERMINAL) == (is_resigned or ongoing.agreed):
        raise ReplayError(f"the game is not over by the rules of {ongoing.game}.")


def _check_utility(game: Game[Any], said: float, right: float) -> None:
    if not abs(said - right) <= _ROUNDING * game.max_utility:  # nor is NaN
        raise ReplayError(
            f"the file gives {said:g} {game.unit} to player 0, but by the rules of {game} it is "
            f"{right:g}."
        )


def _can_hold(ongoing: GameInProgress) -> bool:
    """Whether both players' infostates are possible."""
    masks = ongoing.now.infostate_mask
    pairs = zip(ongoing.infostates, masks, strict=True)
    return all(0 <= one < masks.shape[1] and mask[one] for one, mask in pairs)


def played_so_far(
    game: Game[Any], opening: Opening, said: float | None = None, is_scored: bool = False
) -> PlayedGame:
    """The game that an opening of a perfect-information game leads to.

    said, is_scored: the result in a file, see `GameRecord`; it counts if the board shows none. The
    utility is NaN if the game is not over. Raises ValueError for hidden information.
    """
    check_begins_anywhere(game)
    ongoing = GameInProgress(game, opening)
    if said is not None and not ongoing.is_over:
        ongoing.resigned = None if said == 0 else PLAYER_0 if said < 0 else PLAYER_1
        ongoing.agreed = said == 0 or is_scored
    return ongoing.played()


def _beginning(game: Game[Any], text: Any) -> Beginning:
    if not isinstance(text, str):
        raise TypeError
    try:
        return read_beginning(game, text)
    except ValueError as error:
        raise ReplayError(f"where it begins: {error}") from None
