"""`sog solve` of a spot of hold'em: ranges of one's own, squares of hands, a walk down the tree."""

import argparse
import dataclasses
import math
from typing import Any, Final

import numpy as np
from rich.table import Table
from rich.text import Text

from sog.cli import display
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError, check_target, mistakes, writing
from sog.cli.interrupts import holding_interrupts
from sog.drawing.hand_grid import HandGrid, action_colors, draw_hand_grid, read_hand_grid
from sog.files import replace_file
from sog.games.cards.holdem import Holdem
from sog.games.cards.ranges import format_range, parse_range
from sog.tabular import Checkpoint
from sog.tabular.solver import find_rule
from sog.tabular.spots.solver import SpotSolution, SpotSolver, solve_spot
from sog.tabular.spots.spot import spot_of
from sog.tabular.spots.walk import SpotNode, split_history, walk

_SOLVING: Final = "solving"
_RULE: Final = "dcfr"
_MOST_ITERATIONS: Final = 10_000
_UNTIL_POT: Final = 0.3
_NOT_OF_SPOTS: Final = ("save", "save_state", "resume", "plot", "precision", "max_nodes", "lock")
_OF_SPOTS: Final = ("range0", "range1", "until_pot", "svg")
_ALL_HANDS: Final = "100%"
_NOTHING: Final = "."


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What is printed and drawn."""

    arguments: argparse.Namespace
    game: Holdem
    rule: str
    ranges: tuple[np.ndarray, np.ndarray]
    solver: SpotSolver
    solution: SpotSolution
    node: SpotNode
    until: float
    """In chips."""

    def percent_of_pot(self, chips: float) -> float:
        """Of the pot at the start."""
        return 100 * chips / self.solver.spot.pot

    @property
    def reached(self) -> bool:
        """Whether the exploitability is as small as it was to be."""
        return self.solution.last.exploitability <= self.until


def is_spot(game: Holdem) -> bool:
    """Whether a game is solved here: nobody posts a blind."""
    return max(game.betting.blinds) == 0


def refuse_options(arguments: argparse.Namespace) -> None:
    """Raises CommandError for options that other games do not have."""
    for name in _OF_SPOTS:
        if getattr(arguments, name) is not None:
            raise CommandError(
                f"--{name.replace('_', '-')} is of a spot of hold'em, such as "
                f'"holdem(board=KsTh7s4d,pot=100,stack=200)".'
            )


def solve_game(game: Holdem, arguments: argparse.Namespace, work: display.Work) -> Result:
    """Solves the spot that a game begins with."""
    ranges = _check(game, arguments)
    history = split_history(arguments.history)
    rule = arguments.rule or _RULE
    until = arguments.until_pot
    if until is None:
        until = _UNTIL_POT if arguments.iterations is None else None
    iterations = arguments.iterations or _MOST_ITERATIONS

    def show(checkpoint: Checkpoint) -> None:
        if work.doing != _SOLVING:
            work.begin(_SOLVING)
        exploited = 100 * checkpoint.exploitability / solver.spot.pot
        detail = f"{checkpoint.iteration:,} iterations, exploitability {exploited:.3g}% of the pot"
        work.update(detail, checkpoint.iteration)

    work.begin("dealing")
    with mistakes():
        solver = SpotSolver(spot_of(game), np.stack(ranges), rule)
    with mistakes("--history: "):
        walk(solver, history)  # a mistake is told before the work
    if arguments.svg is not None and game.hole_cards != 2:
        raise CommandError("--svg draws hands of two cards; leave it out.")
    work.begin("compiling")
    solution = solve_spot(
        solver,
        iterations=iterations,
        until=None if until is None else until / 100 * solver.spot.pot,
        on_checkpoint=show,
    )
    with holding_interrupts():
        return Result(
            arguments=arguments,
            game=game,
            rule=rule,
            ranges=ranges,
            solver=solver,
            solution=solution,
            node=walk(solver, history),
            until=math.inf if until is None else until / 100 * solver.spot.pot,
        )


def tell(result: Result) -> int:
    """Prints what was asked for; returns the exit code."""
    with holding_interrupts():
        _tell(result)
        svg = result.arguments.svg
        if svg is not None:
            with writing(svg):
                replace_file(svg, draw_hand_grid(result.node, result.game.deck, _title(result)))
        _print(result)
    return INTERRUPTED if result.solution.interrupted else SUCCESS


def _check(game: Holdem, arguments: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """The ranges; finds mistakes before the work begins."""
    with mistakes("--rule: "):
        find_rule(arguments.rule or _RULE)
    for name in _NOT_OF_SPOTS:
        if getattr(arguments, name) not in (None, []):
            raise CommandError(f"--{name.replace('_', '-')} is not of a spot; leave it out.")
    if arguments.until_mbb is not None:
        raise CommandError("--until-mbb is not of a spot; --until-pot is.")
    if arguments.svg is not None:
        check_target("--svg", arguments.svg, (".svg",))
    ranges = []
    for player in (0, 1):
        text = getattr(arguments, f"range{player}")
        if game.hole_cards != 2 and text is not None:
            raise CommandError(f"--range{player} is of hands of two cards; leave it out.")
        if game.hole_cards != 2:
            ranges.append(np.ones(game.num_infostates))
            continue
        with mistakes(f"--range{player}: "):
            ranges.append(parse_range(text or _ALL_HANDS, game.deck))
    return ranges[0], ranges[1]


def _tell(result: Result) -> None:
    """Says on stderr what the numbers alone do not."""
    last = result.solution.last
    if result.solution.interrupted:
        display.note(f"interrupted after {last.iteration:,} iterations; this is what was reached.")
    elif not result.reached:
        target = f"{result.percent_of_pot(result.until):.3g}% of the pot"
        display.note(
            f"{target} was not reached in {last.iteration:,} iterations; try more --iterations."
        )


def _title(result: Result) -> str:
    exploited = result.percent_of_pot(result.solution.last.exploitability)
    return f"{display.short_name(result.game)}, exploitability {exploited:.3g}% of the pot"


def _print(result: Result) -> None:
    if result.arguments.json:
        display.print_json(_as_json(result))
        return
    solver, last = result.solver, result.solution.last
    pot, decisions = solver.spot.pot, [street.num_decisions for street in solver.layout.streets]
    boards = [level.size for level in solver.boards]
    places = sum(d * b for d, b in zip(decisions, boards, strict=True))
    facts = [
        ("exploitability", f"{result.percent_of_pot(last.exploitability):.3g}% of the pot"),
        ("player 0 gets", f"{pot / 2 + last.value:.6g} of the {pot} chips in the pot"),
        ("player 1 gets", f"{pot / 2 - last.value:.6g}"),
        ("hands", " against ".join(f"{len(number):,}" for number in solver.hands.number)),
        ("decisions", f"{places:,} on {sum(boards):,} boards"),
        ("iterations", f"{last.iteration:,}"),
        ("solving", f"{last.seconds:.3g} s (compiling {result.solution.compile_seconds:.3g} s)"),
    ]
    display.print_facts(f"{display.short_name(result.game)} by {result.rule}", facts)
    print()
    _print_node(result)


def _print_node(result: Result) -> None:
    node, deck = result.node, result.game.deck
    after = " ".join(node.history) or "the start"
    board = " ".join(map(deck.card_name, node.board))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "of the range", "mean value"):
        table.add_column(column, justify="right" if column else "left")
    seen = node.seen[node.actor]
    for number, action in enumerate(node.actions):
        weights = np.nan_to_num(node.policy[number]) * seen.range_
        known = np.isfinite(node.action_value[number]) & (weights > 0)
        mean = math.nan
        if weights[known].sum() > 0:
            mean = (weights * node.action_value[number])[known].sum() / weights[known].sum()
        table.add_row(f"  {action}", f"{100 * node.frequency[number]:.1f}%", f"{mean:+.4g}")
    display.print_table(
        table,
        f"after {after}: board {board or 'empty'}, pot {node.pot}, behind "
        f"{node.stacks[0]} and {node.stacks[1]}; player {node.actor} to act",
    )
    if result.game.hole_cards != 2:
        return
    grid = read_hand_grid(node, deck)
    for number, action in enumerate(node.actions):
        print()
        display.print_table(_square(grid, number), f"{action}: how often, in percent")
    print()
    display.print_table(_square(grid, None), "value in chips, beyond half of the pot")


def _square(grid: HandGrid, action: int | None) -> Table:
    """A square of hands: frequencies of an action, or values; rows and columns are named."""
    size = len(grid.names)
    letters = [grid.names[number][number][0] for number in range(size)]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("")
    for letter in letters:
        table.add_column(letter, justify="right", min_width=3 if action is not None else 4)
    values = grid.value if action is None else 100 * grid.policy[action]
    style = "" if action is None else action_colors(grid.actions)[action]
    for row in range(size):
        cells = []
        for value in values[row]:
            if math.isnan(value):
                cells.append(Text(_NOTHING, style="dim"))
            elif action is None:
                cells.append(Text(f"{value:.0f}" if abs(value) >= 10 else f"{value:.1f}"))
            else:
                cells.append(Text(f"{value:.0f}", style=f"bold {style}" if value >= 50 else ""))
        table.add_row(Text(letters[row], style="bold"), *cells)
    return table


def _as_json(result: Result) -> dict[str, Any]:
    solver, last, node = result.solver, result.solution.last, result.node
    deck, hole_cards = result.game.deck, result.game.hole_cards
    names = [deck.cards_name(hand) for hand in deck.hands(hole_cards)]
    players = []
    for player, seen in enumerate(node.seen):
        hands = []
        for hand in np.flatnonzero(seen.range_ > 0)[::-1].tolist():
            found: dict[str, Any] = {
                "hand": names[hand],
                "range": float(seen.range_[hand]),
                "weight": float(seen.weight[hand]),
                "value": _number(seen.value[hand]),
                "equity": _number(seen.equity[hand]),
            }
            if player == node.actor:
                found["policy"] = [float(p) for p in node.policy[:, hand]]
                found["action_values"] = [_number(v) for v in node.action_value[:, hand]]
            hands.append(found)
        players.append({"value": _number(node.value(player)), "hands": hands})
    texts = [format_range(one, deck) for one in result.ranges] if hole_cards == 2 else None
    return {
        "game": str(result.game),
        "ranges": texts,
        "rule": result.rule,
        "iterations": last.iteration,
        "interrupted": result.solution.interrupted,
        "reached": result.reached,
        "seconds": last.seconds,
        "compile_seconds": result.solution.compile_seconds,
        "unit": "chips",
        "pot": solver.spot.pot,
        "exploitability": last.exploitability,
        "exploitability_percent": result.percent_of_pot(last.exploitability),
        "value": last.value,
        "checkpoints": [
            {
                "iteration": point.iteration,
                "seconds": point.seconds,
                "exploitability": point.exploitability,
            }
            for point in result.solution.checkpoints
        ],
        "node": {
            "history": list(node.history),
            "board": [deck.card_name(card) for card in node.board],
            "pot": node.pot,
            "stacks": list(node.stacks),
            "actor": node.actor,
            "actions": list(node.actions),
            "frequencies": [_number(f) for f in node.frequency],
            "players": players,
        },
    }


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
