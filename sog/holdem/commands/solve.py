"""`sog solve` for spots of hold'em."""

import argparse
import dataclasses
import math
from typing import Any, Final

import numpy as np

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError, check_target, mistakes, writing
from sog.cli.interrupts import concluding, holding_interrupts
from sog.files import replace_file
from sog.games.registry import game_class, make
from sog.holdem.commands.spot_node import network_as_json, node_as_json, print_network, print_node
from sog.holdem.game import Holdem
from sog.holdem.hand_squares import draw_hand_grid
from sog.holdem.ranges import format_range, parse_range
from sog.holdem.spots.network import SpotReader
from sog.holdem.spots.solver import SpotSolution, SpotSolver, solve_spot, usual_rule
from sog.holdem.spots.spot import is_spot, spot_of
from sog.holdem.spots.spot_file import ENDING, check_saved, load_spot, save_spot
from sog.holdem.spots.tables import PRECISIONS
from sog.holdem.spots.walk import SpotNode, split_history, walk
from sog.parameters import split_call
from sog.players.runs import load_run
from sog.tabular import Checkpoint
from sog.tabular.rules import RULES
from sog.tabular.solver import find_rule

_SOLVING: Final = "solving"
_MOST_ITERATIONS: Final = 10_000
_UNTIL_POT: Final = 0.3
_NOT_OF_SPOTS: Final = ("save_state", "plot", "max_nodes", "lock")
_OF_SPOTS: Final = ("range0", "range1", "until_pot", "svg", "network")
_ALL_HANDS: Final = "100%"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """A solved spot to print and draw."""

    arguments: argparse.Namespace
    game: Holdem
    rule: str
    ranges: tuple[np.ndarray, np.ndarray]
    solver: SpotSolver
    solution: SpotSolution
    node: SpotNode
    network_node: SpotNode | None
    """The same decision by the network to compare with."""
    network: str
    """The network's title."""
    until: float
    """In chips."""

    def percent_of_pot(self, chips: float) -> float:
        """Chips in percent of the initial pot."""
        return 100 * chips / self.solver.spot.pot

    @property
    def reached(self) -> bool:
        """Whether the target exploitability is reached."""
        return self.solution.last.exploitability <= self.until


def takes(arguments: argparse.Namespace) -> bool:
    """Whether the game of `sog solve` is a spot; CommandError for options only spots have."""
    start_jax()  # before a typed class of a game is imported
    if _is_spot(arguments.game):
        return True
    given = ["precision int16"] if arguments.precision == "int16" else []
    given += [name.replace("_", "-") for name in _OF_SPOTS if getattr(arguments, name) is not None]
    if given:
        with mistakes():
            make(arguments.game)  # a mistake in its text is told first
        raise CommandError(
            f"--{given[0]} needs a spot of hold'em, such as "
            f'"holdem(board=KsTh7s4d,pot=100,stack=200)".'
        )
    return False


def _is_spot(text: str) -> bool:
    """Whether a game's text is a spot; False for an invalid one, whose error comes later."""
    call = split_call(text.strip())
    try:
        return call is not None and issubclass(game_class(call[0]), Holdem) and is_spot(make(text))
    except (ValueError, OSError):
        return False


def run(arguments: argparse.Namespace) -> int:
    """Solves the spot that the game begins with, and prints it; returns the exit code."""
    with display.working() as work:

        def awaited() -> str:
            return "these iterations" if work.doing == _SOLVING else ""

        with concluding(work.report_interrupt, awaited):
            game: Any = make(arguments.game)
            result = solve_game(game, arguments, work)
    return report(result)


def solve_game(game: Holdem, arguments: argparse.Namespace, work: display.Work) -> Result:
    """Solves the spot that a game begins with."""
    ranges = _check(game, arguments)
    history = split_history(arguments.history)
    precision = arguments.precision or PRECISIONS[0]
    until = arguments.until_pot
    if until is None:
        until = _UNTIL_POT if arguments.iterations is None else None
    iterations = arguments.iterations or _MOST_ITERATIONS

    def show(checkpoint: Checkpoint) -> None:
        exploited = 100 * checkpoint.exploitability / solver.spot.pot
        detail = f"{checkpoint.iteration:,} iterations, exploitability {exploited:.3g}% of the pot"
        work.update(detail, checkpoint.iteration)

    work.begin("dealing")
    if arguments.resume is not None:
        rule, ranges, solver = _resume(game, arguments)
    else:
        with mistakes():
            spot = spot_of(game)
            rule = arguments.rule or usual_rule(spot)
            solver = SpotSolver(spot, np.stack(ranges), rule, precision=precision)
    with mistakes("--history: "):
        walk(solver, history)  # finds mistakes before solving
    trained = reader = None
    if arguments.network is not None:
        with mistakes("--network: "):
            trained = load_run(arguments.network)
            reader = SpotReader(trained.game, trained.evaluator, solver.spot)
    if arguments.save is not None:
        with mistakes("--save: "):
            check_saved(solver)
    if arguments.svg is not None and game.hole_cards != 2:
        raise CommandError("--svg draws hands of two cards; leave it out.")
    work.begin("compiling")
    solution = solve_spot(
        solver,
        iterations=iterations,
        until=None if until is None else until / 100 * solver.spot.pot,
        on_start=lambda: work.begin(_SOLVING),
        on_checkpoint=show,
    )
    with holding_interrupts():
        node = walk(solver, history)
        return Result(
            arguments=arguments,
            game=game,
            rule=rule,
            ranges=ranges,
            solver=solver,
            solution=solution,
            node=node,
            network_node=None if reader is None else reader.read(node),
            network=trained.title if trained else "",
            until=math.inf if until is None else until / 100 * solver.spot.pot,
        )


def report(result: Result) -> int:
    """Prints the result and writes files; returns the exit code."""
    with holding_interrupts():
        _note_outcome(result)
        failures = _write_files(result)
        _print(result)
    if failures:
        raise CommandError("; ".join(failures))
    return INTERRUPTED if result.solution.interrupted else SUCCESS


def _write_files(result: Result) -> list[str]:
    """Saves and draws as the options ask; returns what went wrong."""
    save, svg = result.arguments.save, result.arguments.svg
    failures: list[str] = []
    if save is not None:
        with writing(save, "the solved spot", failures):
            save_spot(save, result.solver, result.game, np.stack(result.ranges))
    if svg is not None:
        with writing(svg, "the picture", failures):
            replace_file(svg, draw_hand_grid(result.node, result.game.deck, _title(result)))
    return failures


def _check(game: Holdem, arguments: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """The ranges; raises for mistakes before solving."""
    with mistakes("--rule: "):
        if arguments.rule is not None:
            find_rule(arguments.rule)
    for name in _NOT_OF_SPOTS:
        if getattr(arguments, name) not in (None, []):
            raise CommandError(f"--{name.replace('_', '-')} does not apply to spots; leave it out.")
    if arguments.precision not in (None, *PRECISIONS):
        raise CommandError(
            f"--precision of a spot must be one of {', '.join(PRECISIONS)}, got "
            f"{arguments.precision}."
        )
    if arguments.until_mbb is not None:
        raise CommandError("--until-mbb does not apply to spots; use --until-pot.")
    if arguments.svg is not None:
        check_target("--svg", arguments.svg, (".svg",))
    if arguments.save is not None:
        check_target("--save", arguments.save, (ENDING,), mark=b"ranges.npy")
    ranges = []
    for player in (0, 1):
        text = getattr(arguments, f"range{player}")
        if arguments.resume is not None and text is not None:
            raise CommandError(f"--range{player}: --resume has its own ranges; leave it out.")
        if game.hole_cards != 2 and text is not None:
            raise CommandError(f"--range{player} needs hands of two cards; leave it out.")
        if game.hole_cards != 2:
            ranges.append(np.ones(game.num_infostates))
            continue
        with mistakes(f"--range{player}: "):
            ranges.append(parse_range(_ALL_HANDS if text is None else text, game.deck))
    return ranges[0], ranges[1]


def _resume(
    game: Holdem, arguments: argparse.Namespace
) -> tuple[str, tuple[np.ndarray, np.ndarray], SpotSolver]:
    """The rule, ranges and solver of a saved spot, which must match the command's game."""
    path = arguments.resume
    with mistakes("--resume: "):
        saved = load_spot(path)
    rule = next(name for name, known in RULES.items() if known == saved.solver.rule)
    for word, found, wanted in (
        ("of", saved.game, game),
        ("by", rule, arguments.rule),
        ("in", saved.solver.precision, arguments.precision),
    ):
        if wanted is not None and str(found) != str(wanted):
            raise CommandError(f"--resume: {path}: is a solve {word} {found}, not {word} {wanted}.")
    made = saved.solver.iteration
    if arguments.iterations is not None and arguments.iterations <= made:
        raise CommandError(
            f"--iterations must be more than the {made:,} of {path}, got {arguments.iterations:,}."
        )
    return rule, (saved.ranges[0], saved.ranges[1]), saved.solver


def _note_outcome(result: Result) -> None:
    """Notes on stderr how the solve ended."""
    last = result.solution.last
    if result.solution.interrupted:
        display.note(f"interrupted after {last.iteration:,} iterations; this is the result so far.")
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
        ("hands", " against ".join(f"{held.sum():,}" for held in solver.hands.is_held)),
        ("decisions", f"{places:,} on {sum(boards):,} boards"),
        ("iterations", f"{last.iteration:,}"),
        ("solving", f"{last.seconds:.3g} s (compiling {result.solution.compile_seconds:.3g} s)"),
    ]
    display.print_facts(f"{display.short_name(result.game)} by {result.rule}", facts)
    print()
    print_node(result.node, result.game)
    if result.network_node is not None:
        print()
        print_network(result.node, result.network_node, result.game, result.network)


def _as_json(result: Result) -> dict[str, Any]:
    solver, last = result.solver, result.solution.last
    deck, hole_cards = result.game.deck, result.game.hole_cards
    texts = [format_range(one, deck) for one in result.ranges] if hole_cards == 2 else None
    return {
        "game": str(result.game),
        "ranges": texts,
        "rule": result.rule,
        "precision": solver.precision,
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
        "node": node_as_json(result.node, result.game),
        "network": result.network_node
        and network_as_json(result.node, result.network_node, result.game),
    }
