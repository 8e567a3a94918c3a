"""A finished game for a file: what was done, known and seen, in numbers and in words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax
import numpy as np

from sog.games import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.games.boards.game_records import write_record
from sog.play.history import (
    Beginning,
    Opening,
    check_begins_anywhere,
    read_beginning,
    state_at_beginning,
)
from sog.play.match import PlayedGame, outcome_of
from sog.play.rules import Situation, after, deal, situation, step

_ROUNDING: Final = 1e-6  # of the largest utility: results are computed in 32 bits
_HUMAN: Final = "human"
"""What the person is called in files of PGN and SGF."""


class ReplayError(ValueError):
    """A game of a file is not one by the rules."""


def replay_of(game: Game[Any], human: int, played: PlayedGame) -> dict[str, Any]:
    """A game as `sog play --save` writes it, which its help describes; human: the person's player.

    Everything is in it, also what was hidden.
    """
    state, moves = state_at_beginning(game, played.beginning), list[dict[str, Any]]()
    names = [_names(game, state, played, 0)]
    for number, (outcome, action) in enumerate(zip(played.outcomes, played.actions, strict=True)):
        moves.append(
            {
                "state": game.describe_state(state),
                "actor": situation(game, state).actor,
                "action": action,
                "text": None if action is None else _action_text(game, state, played, number),
                "outcome": outcome,
                "event": game.describe_outcome(state, outcome),
            }
        )
        state = after(game, state, outcome)
        names.append(_names(game, state, played, number + 1))
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
    """A file of PGN or SGF (see `has_format`) with games of `replay_of` against an agent.

    A game that was left has no result; of it, only who the person is, its outcomes and where it
    began are asked for.
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
    """The game of such a record, held against the rules.

    Raises ReplayError if they deny its events, or what these led to, and ValueError, KeyError,
    IndexError or TypeError for what is no record.
    """
    begins = record.get("begins")
    beginning = None if begins is None else _beginning(game, begins)
    state, outcomes = state_at_beginning(game, beginning), []
    actions: list[int | None] = []
    infostates = [(int(first), int(second)) for first, second in record["infostates"]]
    for number, move in enumerate(record["moves"]):
        now, outcome, action = situation(game, state), int(move["outcome"]), move["action"]
        held = infostates[number]
        is_possible = 0 <= outcome < len(now.legal_outcomes) and now.legal_outcomes[outcome]
        is_possible &= (action is None) == (now.actor == CHANCE) and _can_hold(now, held)
        if is_possible and action is not None:
            is_possible = bool(now.legal_actions[held[now.actor], int(action)])
        if not is_possible:
            raise ReplayError(f"move {number + 1} is not possible in {game}.")
        outcomes.append(outcome)
        actions.append(None if action is None else int(action))
        state = after(game, state, outcome)
    resigned, agreed = record.get("resigned"), bool(record.get("agreed"))
    end, held_last = situation(game, state), infostates[len(outcomes)]
    _check_end(game, end, resigned, agreed=agreed)
    if not _can_hold(end, held_last):
        raise ReplayError(f"its end is none in {game}.")
    right = outcome_of(game, state, np.asarray(held_last, np.int32), resigned, agreed=agreed)
    _check_utility(game, float(record["utility"]), right)
    return PlayedGame(
        utility=right,
        outcomes=tuple(outcomes),
        actions=tuple(actions),
        infostates=tuple(infostates),
        resigned=resigned,
        agreed=agreed,
        beginning=beginning,
    )


def check_public(
    game: Game[Any], state: Any, outcomes: Sequence[int], resigned: int | None, said: float
) -> None:
    """Holds what is public of a game against the rules: its events from a state on, and its end.

    said: the utility of player 0, which where things are hidden need only be a possible one.
    Raises ReplayError.
    """
    for number, outcome in enumerate(outcomes, start=1):
        legal = situation(game, state).legal_outcomes
        if not (0 <= outcome < len(legal) and legal[outcome]):
            raise ReplayError(f"event {number} is not possible in {game}.")
        state = after(game, state, outcome)
    _check_end(game, situation(game, state), resigned)
    if game.hides_information and resigned is None:
        _check_utility(game, said, float(np.clip(said, -game.max_utility, game.max_utility)))
    else:
        _check_utility(game, said, outcome_of(game, state, np.zeros(2, np.int32), resigned))


def _check_end(game: Game[Any], end: Situation, resigned: Any, *, agreed: bool = False) -> None:
    """Raises ReplayError unless the game is over, one player resigned or both agreed to a draw."""
    is_resigned = resigned is not None
    if is_resigned and (type(resigned) is not int or resigned not in (PLAYER_0, PLAYER_1)):
        raise ReplayError(f"resigned must be player 0 or 1, got {resigned!r}.")
    if (end.actor == TERMINAL) + is_resigned + agreed != 1:
        raise ReplayError(f"its end is none in {game}.")


def _check_utility(game: Game[Any], said: float, right: float) -> None:
    if not abs(said - right) <= _ROUNDING * game.max_utility:  # nor is NaN
        raise ReplayError(
            f"it is said to give {said:g} {game.unit} to player 0, by the rules of {game} it is "
            f"{right:g}."
        )


def _can_hold(now: Situation, pair: tuple[int, int]) -> bool:
    """Whether each player may have his infostate of the pair."""
    size = now.infostate_mask.shape[1]
    return all(
        0 <= one < size and mask[one] for one, mask in zip(pair, now.infostate_mask, strict=True)
    )


def played_so_far(game: Game[Any], opening: Opening, said: float | None = None) -> PlayedGame:
    """A game of perfect information as far as its opening tells it.

    said: the result that a file says, see `GameRecord`; it counts where the board shows none. A
    game that goes on has no utility, NaN. Raises ValueError for a game where something is hidden.
    """
    check_begins_anywhere(game)
    key = jax.random.key(0)  # nothing is drawn
    state, held = state_at_beginning(game, opening.beginning), deal(game, key)
    infostates = [held]
    for outcome in opening.outcomes:
        _, held = step(game, key, state, held, outcome)
        state = after(game, state, outcome)
        infostates.append(held)
    is_over = situation(game, state).actor == TERMINAL
    resigned = None if is_over or not said else PLAYER_0 if said < 0 else PLAYER_1
    agreed = not is_over and said == 0
    is_over |= said is not None
    utility = outcome_of(game, state, held, resigned, agreed=agreed) if is_over else math.nan
    return PlayedGame(
        utility=utility,
        outcomes=opening.outcomes,
        actions=opening.outcomes,
        infostates=tuple((int(first), int(second)) for first, second in infostates),
        resigned=resigned,
        agreed=agreed,
        beginning=opening.beginning,
    )


def _beginning(game: Game[Any], text: Any) -> Beginning:
    if not isinstance(text, str):
        raise TypeError
    try:
        return read_beginning(game, text)
    except ValueError as error:
        raise ReplayError(f"where it begins: {error}") from None


def _action_text(game: Game[Any], state: Any, played: PlayedGame, number: int) -> str:
    infostate = played.infostates[number][situation(game, state).actor]
    return game.describe_action(state, infostate, played.actions[number] or 0)


def _names(game: Game[Any], state: Any, played: PlayedGame, number: int) -> list[str]:
    pair = played.infostates[number]
    return [game.describe_infostate(state, player, pair[player]) for player in (0, 1)]
