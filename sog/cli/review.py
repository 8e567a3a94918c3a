"""`sog review`: the value of every choice in a game of a file, and the part of luck."""

import argparse
import math
from typing import Final

from rich.table import Table

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, mistakes, write_file
from sog.cli.games_file import OneGame, open_games
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.play_screen import signed_units
from sog.cli.players import check_searches, seat_players
from sog.drawing.curves import draw_worth
from sog.games import PLAYER_0, PLAYER_1
from sog.play.choice import JudgedChoice
from sog.play.match import Agent
from sog.play.review import Review, reviewing
from sog.play.review_record import record_of
from sog.players.judges import usual_judge
from sog.players.player import Player

_BOTH: Final = (PLAYER_0, PLAYER_1)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    file = open_games(arguments.file, arguments.game)
    number = file.number(arguments.number)
    check_target("--svg", arguments.svg, (".svg",))
    start_jax(few_searches=True)
    one = file.get(number)
    game, played = one.game, one.played
    if game is None or played is None:
        raise CommandError(f"{one.name}, the game of {arguments.file}, is not installed.")
    by = arguments.by or usual_judge(game, is_from_the_start=played.beginning is None)
    check_searches([by], arguments)
    so_far: list[tuple[Review, Player]] = []
    with display.working() as work:

        def conclude() -> None:
            if not so_far or not so_far[-1][0].choices:
                work.report_interrupt()
                return
            found, player = so_far[-1]
            of_all = f"{len(found.choices)} of {found.num_choices} choices"
            display.note(f"interrupted: these are {of_all}.")
            _report(found, player, one, number, arguments, interrupted=True)

        with concluding(conclude), mistakes():
            seating = seat_players(
                [by], arguments, work, game=game, game_from=f"the game of {arguments.file}"
            )
            (player,) = seating.players
            advisers = [_adviser(player, seat, arguments.seed + seat) for seat in _BOTH]
            work.begin("judging the choices")
            for found in reviewing(game, played, advisers):
                so_far[:] = [(found, player)]
                done = len(found.choices)
                work.update(f"{done} of {found.num_choices} choices", done)
    with holding_interrupts():
        _report(found, player, one, number, arguments)
    return SUCCESS


def _report(
    found: Review,
    player: Player,
    one: OneGame,
    number: int,
    arguments: argparse.Namespace,
    *,
    interrupted: bool = False,
) -> None:
    name = f"{display.short_name(found.game)}, game {number} of {arguments.file}"
    title = f"{name}, judged by {player.name}"
    names = one.names if one.human is None else (one.names[0].lower(), one.names[1].lower())
    if arguments.svg is not None:
        write_file(arguments.svg, draw_worth(found, names, title), "the picture")
    if arguments.json:
        game_facts = {"number": number, "human": one.human, "names": names, "by": player.as_json()}
        display.print_json({**record_of(found), **game_facts, "interrupted": interrupted})
    else:
        _print(found, names, title)


def _adviser(player: Player, seat: int, seed: int) -> Agent:
    adviser = player.make(seat, seed)
    if adviser.doubt is None:
        raise CommandError(
            f"--by must be tabular, or a player that searches by SoG or AlphaZero, got "
            f"{player.name}: only those have values of actions."
        )
    return adviser


def _print(found: Review, names: tuple[str, str], title: str) -> None:
    game = found.game
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("", "who", "where", "played", "value", "best", "value", "lost", ""):
        table.add_column(column, justify="right" if column in ("value", "lost", "") else "left")
    for choice in found.choices:
        grade = choice.grade(game.max_utility)
        is_best = grade == "best"
        table.add_row(
            str(choice.number + 1),
            names[choice.player],
            _where(found, choice),
            _action(found, choice, choice.action),
            _worth(choice.values[choice.action]),
            "" if is_best else _action(found, choice, choice.best_action),
            "" if is_best else _worth(choice.value),
            "" if is_best else _loss(choice.loss),
            grade,
            style="bold" if grade in ("inaccuracy", "mistake") else "",
        )
    lines = [_total(found, player, names[player]) for player in _BOTH]
    footer = f"Values and losses are in {game.unit}, to the player who chose, given its infostate."
    display.print_table(table, title, "\n".join([*lines, "", footer, *_explained(found)]))


def _explained(found: Review) -> list[str]:
    """Explains the last term of a total."""
    if not found.is_whole:
        return ["The other terms follow when all choices are judged."]
    if math.isnan(found.played.utility):
        return []
    if found.has_luck:
        return [
            "Luck is what neither chose: chance, and hidden information, as a bluff that is called."
        ]
    return ["Re-evaluated: the judge changed its value of a position once the game had reached it."]


def _total(found: Review, player: int, name: str) -> str:
    grades = [choice.grade(found.game.max_utility) for choice in found.of(player)]
    counted = ", ".join(
        f"{grades.count(word)} {_plural(word, grades.count(word))}"
        for word in ("inaccuracy", "mistake", "unknown")
        if word in grades
    )
    grade_counts = f" ({counted})" if counted else ""
    utility, lost = found.utility(player), _loss(found.lost(player))
    is_left = math.isnan(utility)
    got = f"{name}: {'the game was left' if is_left else signed_units(found.game, utility)}"
    if not found.is_whole:
        return f"{got}; {lost} lost so far{grade_counts}."
    if is_left:
        return f"{got}; {lost} lost by choices{grade_counts}."
    if math.isnan(found.luck(player) + found.revised(player)):
        return f"{got}; {counted}." if counted else f"{got}."
    rest = [f"{_signed(found.luck(player))} by luck{_divided(found, player)}"]
    if not found.has_luck:
        rest = [f"{_signed(found.revised(player))} re-evaluated"]
    elif not found.game.hides_information:
        rest.append(f"{_signed(found.revised(player))} re-evaluated")
    parts = [
        f"{_worth(found.expected(player))} expected at the first choice",
        f"- {_loss(found.lost(player))} lost by choices{grade_counts}",
        f"+ {_loss(found.given(player))} given by the other one's",
        *rest,
    ]
    return f"{got} = {' '.join(parts)}."


def _divided(found: Review, player: int) -> str:
    """Luck by its cause, if both causes exist and can be separated."""
    chance, hidden = found.chance(player), found.hidden(player)
    if None not in found.played.actions or not found.game.hides_information or math.isnan(chance):
        return ""
    return f" ({_worth(chance)} by chance, {_worth(hidden)} by hidden information)"


def _plural(word: str, count: int) -> str:
    if count == 1 or word == "unknown":
        return word
    return f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def _signed(value: float) -> str:
    text = _worth(value)
    return f"{text[0]} {text[1:]}"


def _loss(value: float) -> str:
    return "?" if math.isnan(value) else f"{value:.2f}"


def _where(found: Review, choice: JudgedChoice) -> str:
    """The public state, and the infostate if the game hides information."""
    at = found.game.describe_state(choice.state)
    if not found.game.hides_information:
        return at
    held = found.game.describe_infostate(choice.state, choice.player, choice.infostate)
    return f"{at}; {held}"


def _action(found: Review, choice: JudgedChoice, action: int) -> str:
    return found.game.describe_action(choice.state, choice.infostate, action)


def _worth(value: float) -> str:
    return "?" if math.isnan(value) else f"{round(float(value), 2) + 0.0:+.2f}"
