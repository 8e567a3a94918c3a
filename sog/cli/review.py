"""`sog review`: what every choice of a saved game was worth, and what was luck."""

import argparse
import math
from typing import Any, Final

from rich.table import Table

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, mistakes, writing
from sog.cli.interrupts import concluding
from sog.cli.play.saved import Saved, no_saved, read_saved
from sog.cli.play.screen import signed_units
from sog.cli.players import check_searches, seat_players
from sog.cli.replay import installed_game
from sog.drawing.worth import draw_worth
from sog.files import replace_file
from sog.games import PLAYER_0, PLAYER_1, Game
from sog.play.match import PlayedGame
from sog.play.replay import ReplayError, played_of
from sog.play.review import Adviser, Choice, Review, as_adviser, review
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.player import Player
from sog.tabular.sizes import can_be_counted, count_public_tree

_BOTH: Final = (PLAYER_0, PLAYER_1)
_SMALL: Final = 5000
"""Public states of a game that is solved in seconds."""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    saved = read_saved(arguments.file)
    number = _number(saved, arguments)
    if arguments.svg is not None:
        check_target("--svg", arguments.svg, (".svg",))
    start_jax(few_searches=True)
    game = installed_game(saved.game)
    if game is None:
        raise CommandError(f"{saved.game}, the game of {arguments.file}, is not installed.")
    played = _played(game, saved.games[number - 1], arguments, number)
    arguments.game = str(game)
    by = arguments.by or _usual_adviser(game)
    check_searches([by], arguments)
    with display.working() as work, concluding(work.tell_interrupted), mistakes():
        player = seat_players([by], arguments, work).players[0]

        def show(done: int, total: int) -> None:
            work.update(f"{done} of {total} choices", done)

        advisers = [_adviser(player, seat, arguments.seed + seat) for seat in _BOTH]
        work.begin("judging the choices")
        found = review(game, played, advisers, show)
    human = int(saved.games[number - 1]["human"])
    title = (
        f"{display.short_name(game)}, game {number} of {arguments.file}, judged by {player.name}"
    )
    if arguments.svg is not None:
        with writing(arguments.svg):
            names = (_who(PLAYER_0, human), _who(PLAYER_1, human))
            replace_file(arguments.svg, draw_worth(found, names, title))
    if arguments.json:
        display.print_json(_as_json(found, human, number, player))
    else:
        _print(found, human, title)
    return SUCCESS


def _number(saved: Saved, arguments: argparse.Namespace) -> int:
    """Which game; the last one unless it is said."""
    games = len(saved.games)
    if not games:
        raise CommandError(f"{arguments.file} has no finished game.")
    number = int(arguments.number or games)
    if number > games:
        raise CommandError(
            f"--number must be from 1 to {games}, the games in {arguments.file}, got {number}."
        )
    return number


def _played(
    game: Game[Any], record: dict[str, Any], arguments: argparse.Namespace, number: int
) -> PlayedGame:
    try:
        return played_of(game, record)
    except ReplayError as error:
        raise CommandError(f"{arguments.file}: game {number}: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError):
        raise no_saved(arguments.file) from None


def _usual_adviser(game: Game[Any]) -> str:
    """The exact solution where the game is small, else the agent that comes with the package."""
    if can_be_counted(game) and count_public_tree(game, _SMALL) is not None:
        return "tabular"
    shipped = [name for name, agent in read_agents().items() if agent.game == str(game)]
    if shipped:
        return f"{AGENT_PREFIX}{shipped[0]}"
    raise CommandError(
        f"--by is needed: no agent for {game} comes with the package; a run folder, or rollout, "
        f"can judge its games."
    )


def _adviser(player: Player, seat: int, seed: int) -> Adviser:
    adviser = as_adviser(player.make(seat, seed))
    if adviser is None:
        raise CommandError(
            f"--by must be tabular, or somebody who searches by SoG or AlphaZero, got "
            f"{player.name}: only those can say what an action is worth."
        )
    return adviser


def _print(found: Review, human: int, title: str) -> None:
    game = found.game
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("", "who", "where", "played", "worth", "best", "worth", "lost", ""):
        table.add_column(column, justify="right" if column in ("worth", "lost", "") else "left")
    for choice in found.choices:
        grade = choice.grade(game.max_utility)
        is_best = grade == "best"
        table.add_row(
            str(choice.number + 1),
            _who(choice.player, human),
            _where(found, choice),
            _action(found, choice, choice.action),
            _worth(choice.values[choice.action]),
            "" if is_best else _action(found, choice, choice.best_action),
            "" if is_best else _worth(choice.value),
            "" if is_best else display.number(choice.loss),
            grade,
            style="bold" if grade in ("inaccuracy", "mistake") else "",
        )
    lines = [_total(found, player, human) for player in _BOTH]
    footer = (
        f"Worths and losses are in {game.unit}, to who chose, with what he held and could know;\n"
        f"luck is all that he had no choice in."
    )
    display.print_table(table, title, "\n".join([*lines, "", footer]))


def _total(found: Review, player: int, human: int) -> str:
    choices, max_utility = found.of(player), found.game.max_utility
    grades = [choice.grade(max_utility) for choice in choices]
    counted = ", ".join(
        f"{grades.count(word)} {_plural(word, grades.count(word))}"
        for word in ("inaccuracy", "mistake", "unknown")
        if word in grades
    )
    got = signed_units(found.game, found.utility(player))
    if not choices or math.isnan(found.luck(player)):
        return f"{_who(player, human)}: {got}" + (f"; {counted}." if counted else ".")
    return (
        f"{_who(player, human)}: {got} = {display.number(choices[0].value)} expected at the first "
        f"choice {_signed(found.luck(player))} by luck - {display.number(found.lost(player))} by "
        f"choices" + (f" ({counted})." if counted else ".")
    )


def _plural(word: str, count: int) -> str:
    if count == 1 or word == "unknown":
        return word
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {display.number(abs(value))}"


def _who(player: int, human: int) -> str:
    return "you" if player == human else "agent"


def _where(found: Review, choice: Choice) -> str:
    """The public state, and what the player held if that is his alone."""
    at = found.game.describe_state(choice.state)
    if not found.game.hides_information:
        return at
    held = found.game.describe_infostate(choice.state, choice.player, choice.infostate)
    return f"{at}; {held}"


def _action(found: Review, choice: Choice, action: int) -> str:
    return found.game.describe_action(choice.state, choice.infostate, action)


def _worth(value: float) -> str:
    return "?" if math.isnan(value) else f"{round(float(value), 2) + 0.0:+.2f}"


def _as_json(found: Review, human: int, number: int, player: Player) -> dict[str, Any]:
    return {
        "game": str(found.game),
        "unit": found.game.unit,
        "number": number,
        "human": human,
        "by": player.as_json(),
        "choices": [_choice_as_json(found, choice) for choice in found.choices],
        "players": [
            {
                "utility": found.utility(seat),
                "expected": _known(found.of(seat)[0].value) if found.of(seat) else None,
                "luck": _known(found.luck(seat)),
                "lost": found.lost(seat),
            }
            for seat in _BOTH
        ],
    }


def _choice_as_json(found: Review, choice: Choice) -> dict[str, Any]:
    return {
        "move": choice.number + 1,
        "player": choice.player,
        "state": found.game.describe_state(choice.state),
        "infostate": choice.infostate,
        "action": choice.action,
        "best": choice.best_action,
        "loss": _known(choice.loss),
        "grade": choice.grade(found.game.max_utility),
        "actions": [
            {
                "action": action,
                "text": _action(found, choice, action),
                "policy": float(choice.policy[action]),
                "value": _known(choice.values[action]),
            }
            for action in range(len(choice.legal))
            if choice.legal[action]
        ],
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
