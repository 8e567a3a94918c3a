"""`sog rules`: which rule of the CFR family solves a game best."""

import argparse
from typing import Any

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes
from sog.cli.loading import load_game
from sog.games import Game
from sog.tabular.public_tree import TreeTooLargeError
from sog.tabular.rule_trial import (
    LENGTHS,
    Problem,
    RuleTrial,
    random_subgames,
    try_rules,
    whole_game,
)
from sog.tabular.rules import RULES
from sog.tabular.sizes import can_be_counted

_SECONDS = 10.0
_MOST_NODES = 20_000
_NUM_SUBGAMES = 4
_MOST_INFOSTATES = 500


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    start_jax()
    game, trials = load_game(arguments.game), []
    with display.working() as work:
        work.begin(f"enumerating {game.name}")
        problems, is_whole = _problems(game, arguments.seed)
        running = try_rules(problems, seconds=arguments.seconds or _SECONDS, rules=tuple(RULES))
        for rule in RULES:
            work.begin(f"trying {rule}")
            trials.append(next(running))
    if arguments.json:
        display.print_json(_as_json(game, problems, is_whole, trials))
        return SUCCESS
    table = display.plain_table(
        "rule",
        right=("iterations", *(f"after {length:,}" for length in LENGTHS), "in time"),
    )
    for trial in trials:
        numbers = (f"{1000 * value:.3g}" for value in (*trial.after, trial.in_time))
        table.add_row(trial.rule, f"{trial.iterations:,}", *numbers)
    what = "the whole game" if is_whole else f"{len(problems)} random subgames of it"
    best = [f"{_best(trials, at) or 'any'} after {length:,}" for at, length in enumerate(LENGTHS)]
    display.print_table(
        table,
        f"{display.short_name(game)}: {what}, {arguments.seconds or _SECONDS:g} s for each rule",
        f"Exploitability of average policies, {game.milli_unit}. Best: {', '.join(best)}, "
        f"{_best(trials) or 'any'} in time.",
    )
    return SUCCESS


def _problems(game: Game[Any], seed: int) -> tuple[list[Problem], bool]:
    if game.num_infostates > _MOST_INFOSTATES:
        raise CommandError(
            f"{game.name} has {game.num_infostates:,} infostates per public state, too many to try "
            f"every rule on: {_MOST_INFOSTATES} at most."
        )
    if can_be_counted(game):
        try:
            return whole_game(game, _MOST_NODES), True
        except TreeTooLargeError:
            pass
    with mistakes():
        return random_subgames(game, _NUM_SUBGAMES, seed), False


def _best(trials: list[RuleTrial], length: int | None = None) -> str | None:
    """The rule of the least exploitability, after one of `LENGTHS` or in time; None if all tie."""
    found = {
        trial.rule: trial.in_time if length is None else trial.after[length] for trial in trials
    }
    return min(found, key=found.__getitem__) if len(set(found.values())) > 1 else None


def _as_json(
    game: Game[Any], problems: list[Problem], is_whole: bool, trials: list[RuleTrial]
) -> dict[str, Any]:
    return {
        "game": str(game),
        "unit": game.unit,
        "whole_game": is_whole,
        "nodes": [compiled.tree.num_nodes for compiled, _ in problems],
        "rules": [
            {
                "rule": trial.rule,
                "iterations": trial.iterations,
                "exploitability": {
                    **dict(zip(map(str, LENGTHS), trial.after, strict=True)),
                    "in_time": trial.in_time,
                },
            }
            for trial in trials
        ],
        "best": {
            **{str(length): _best(trials, at) for at, length in enumerate(LENGTHS)},
            "in_time": _best(trials),
        },
    }
