"""`sog explain`: the public states where a strategy loses most against the best response."""

import argparse
import dataclasses
from typing import Any, Final

import numpy as np
from rich.table import Table

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS
from sog.cli.interrupts import concluding
from sog.cli.strategy import Strategy, check_source, load_strategy
from sog.drawing.grid import history_of
from sog.drawing.outline import percent
from sog.games import Game

_WORST: Final = 3  # infostates shown of a public state
_LEAST_SHARE: Final = 0.05  # of the loss of its public state, to be shown
_LEAST_PLAYED: Final = 5e-4


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Mistake:
    """The loss at an infostate, in the game's unit, as `--json` prints it."""

    infostate: int
    name: str
    loss: float
    policy: dict[str, float]
    best: str
    """The best action if all later actions are best, too."""
    share: float
    """The loss as a share of the exploitability."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Place:
    """The loss at a public state, as `--json` prints it."""

    history: tuple[str, ...]
    state: str
    player: int
    loss: float
    share: float
    infostates: tuple[_Mistake, ...]
    """Largest loss first."""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    check_source(arguments)
    start_jax(all_cores=True)
    with display.working() as work, concluding(work.report_interrupt):
        strategy = load_strategy(arguments, work)
    places = _worst_places(strategy, arguments.top)
    if arguments.json:
        found = strategy.examination
        display.print_json(
            {
                "game": str(strategy.game),
                "source": strategy.source,
                "unit": strategy.game.unit,
                "exploitability": found.exploitability,
                "gains": found.gains.tolist(),
                "states": [dataclasses.asdict(place) for place in places],
            }
        )
    else:
        _print(strategy, places)
    return SUCCESS


def _worst_places(strategy: Strategy, most: int) -> list[_Place]:
    """The public states with the largest losses."""
    found = strategy.examination
    by_node = found.losses.sum(axis=1)
    order = np.argsort(-by_node, kind="stable")[:most]
    least = display.rounding(strategy.game)
    return [_place(strategy, int(node)) for node in order if by_node[node] > least]


def _place(strategy: Strategy, node: int) -> _Place:
    found = strategy.examination
    losses = found.losses[node]
    order = np.argsort(-losses, kind="stable")
    return _Place(
        history=history_of(found, node),
        state=strategy.game.describe_state(found.tree.state(node)),
        player=int(found.tree.node_actor[node]),
        loss=float(losses.sum()),
        share=float(losses.sum()) / found.exploitability,
        infostates=tuple(
            _mistake(strategy, node, infostate)
            for infostate in order.tolist()
            if losses[infostate] > display.rounding(strategy.game)
        ),
    )


def _mistake(strategy: Strategy, node: int, infostate: int) -> _Mistake:
    found, game = strategy.examination, strategy.game
    state, player = found.tree.state(node), int(found.tree.node_actor[node])
    legal = np.flatnonzero(found.tree.node_legal[node, infostate]).tolist()
    worth = found.best_cfvs.of_actions[node, infostate]
    names = {action: game.describe_action(state, infostate, action) for action in legal}
    return _Mistake(
        infostate=infostate,
        name=game.describe_infostate(state, player, infostate),
        loss=float(found.losses[node, infostate]),
        policy={name: float(found.policy[node, infostate, a]) for a, name in names.items()},
        best=names[max(legal, key=lambda action: worth[action])],
        share=float(found.losses[node, infostate]) / found.exploitability,
    )


def _print(strategy: Strategy, places: list[_Place]) -> None:
    game, found = strategy.game, strategy.examination
    gains = found.gains
    display.print_facts(
        strategy.title,
        [
            ("exploitability", display.in_milli_units(game, found.exploitability)),
            ("player 0 could win", f"{display.in_milli_units(game, gains[0])} more"),
            ("player 1 could win", f"{display.in_milli_units(game, gains[1])} more"),
        ],
    )
    print()
    if not places:
        print("It loses nowhere.")
        return
    states = f"{len(places):,} public state{'' if len(places) == 1 else 's'}"
    shown = percent(sum(place.loss for place in places) / found.exploitability)
    display.print_table(
        _table(game, places),
        footer=f"{states} of {found.tree.num_nodes:,}, with {shown} of the exploitability. Losses "
        f"of all states add up to it;\neach is that of the player who acts, against the other's "
        f"strategy.",
    )


def _table(game: Game[Any], places: list[_Place]) -> Table:
    table = display.plain_table()
    table.add_column("", justify="right", style="dim")
    table.add_column(game.milli_unit, justify="right", no_wrap=True)
    table.add_column("share", justify="right")
    table.add_column("", style="dim", no_wrap=True)
    table.add_column("public state, and where most of it is lost")
    for number, place in enumerate(places, start=1):
        lost, who = display.number(1000 * place.loss), f"player {place.player}"
        table.add_row(str(number), lost, percent(place.share), who, place.state)
        for names, loss, text in _alike(place.infostates)[:_WORST]:
            if loss >= _LEAST_SHARE * place.loss:
                table.add_row("", "", "", f"  {percent(loss / place.loss)}", f"  {names} {text}")
    return table


def _alike(mistakes: tuple[_Mistake, ...]) -> list[tuple[str, float, str]]:
    """Names, loss and text of mistakes, largest first; merges those with the same text."""
    by_text: dict[str, list[_Mistake]] = {}
    for mistake in mistakes:
        by_text.setdefault(_describe(mistake), []).append(mistake)
    joined = [
        (", ".join(mistake.name for mistake in same), sum(mistake.loss for mistake in same), text)
        for text, same in by_text.items()
    ]
    return sorted(joined, key=lambda entry: -entry[1])


def _describe(mistake: _Mistake) -> str:
    rest = sum(share for name, share in mistake.policy.items() if name != mistake.best)
    if rest < _LEAST_PLAYED:  # the best one would read 1.000, and lose something
        return f"plays {mistake.best}, but for {rest:.1g}"
    likely = sorted(mistake.policy.items(), key=lambda pair: -pair[1])
    played = [f"{name} {share:.3f}" for name, share in likely if share >= _LEAST_PLAYED]
    return f"plays {', '.join(played)}; best is {mistake.best}"
