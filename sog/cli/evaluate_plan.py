"""What `sog evaluate` is to do: its options, read and held against each other."""

import argparse
import dataclasses
import math
from typing import Final

from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.cli import display
from sog.cli.errors import CommandError, check_target
from sog.cli.evaluate_options import DEFAULT_SEARCH, DEFAULT_SEEDS
from sog.cli.numbers import MOST, MOST_SEED
from sog.cli.plot import check_plot
from sog.tabular.solver import find_rule

_RULE: Final = "sog"
_ALPHA: Final = 0.5
_EVALUATOR: Final = "exact"
_SOLVER_ITERATIONS: Final = 30
_SOLVER_FADING: Final = 0.9


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """The searches to evaluate, and what they have in common."""

    arguments: argparse.Namespace
    searches: tuple[SearchSettings, ...]
    """Before the game is known: see `settings`."""

    @property
    def rule(self) -> str:
        """The name of the rule, of the searches and of the tabular solver beside them."""
        return str(self.arguments.rule)

    @property
    def evaluator(self) -> str:
        """The name of what values the leaves; zero where there are none."""
        return "zero" if self.arguments.whole_game else self.arguments.evaluator or _EVALUATOR

    @property
    def noise(self) -> float:
        """The largest error of a value, in the game's unit."""
        return self.arguments.noise or 0.0

    @property
    def solver_iterations(self) -> int:
        """Of the exact evaluator."""
        return self.arguments.solver_iterations or _SOLVER_ITERATIONS

    @property
    def solver_fading(self) -> float:
        """Of the exact evaluator."""
        fading: float | None = self.arguments.solver_fading
        return _SOLVER_FADING if fading is None else fading

    @property
    def alpha(self) -> float:
        """Share of the gadget's range."""
        alpha: float | None = self.arguments.alpha
        return _ALPHA if alpha is None else alpha

    @property
    def grows(self) -> bool:
        """Whether simulations add to the trees."""
        return not (self.arguments.whole_game or self.arguments.no_growth)

    @property
    def is_random(self) -> bool:
        """Whether seeds make a difference."""
        return self.grows or self.noise > 0

    @property
    def num_seeds(self) -> int:
        """Policies to compose."""
        return (self.arguments.seeds or DEFAULT_SEEDS) if self.is_random else 1

    @property
    def first_seed(self) -> int:
        """The others follow it."""
        return int(self.arguments.seed)

    def settings(self, search: SearchSettings, max_depth: int, capacity: int) -> SearchSettings:
        """A search in a game of some depth, with room for so many public states."""
        lookahead = self.arguments.lookahead or 1
        if self.arguments.whole_game or lookahead >= max_depth:
            lookahead = WHOLE_GAME
        return dataclasses.replace(
            search,
            alpha=self.alpha,
            rule=self.rule,
            lookahead=lookahead,
            grow=self.grows,
            capacity=capacity,
        )

    def words(self) -> list[str]:
        """What distinguishes these searches, for a title."""
        arguments = self.arguments
        words = ["unsafe re-solving" if arguments.unsafe else "continual re-solving"]
        if arguments.search_everywhere:
            words.append("searches everywhere")
        if arguments.alpha is not None:
            words.append(f"alpha {self.alpha:g}")
        if arguments.whole_game:
            words.append("whole game in the tree")
        elif arguments.lookahead is not None or arguments.no_growth:
            words.append(f"lookahead {arguments.lookahead or 1}")
        if arguments.no_growth:
            words.append("no growth")
        if not arguments.whole_game:
            words.append(f"{self.evaluator} evaluator")
        if arguments.solver_iterations is not None or arguments.solver_fading is not None:
            words.append(f"{self.solver_iterations} iterations fading {self.solver_fading:g}")
        if self.noise:
            words.append(f"noise {self.noise:g}")
        return words if self.rule == _RULE else [*words, f"rule {self.rule}"]


def name_of(search: SearchSettings) -> str:
    """As the paper writes it: SoG(100, 1)."""
    return f"SoG({search.num_simulations}, {search.simulations_per_update:g})"


def read_plan(arguments: argparse.Namespace) -> Plan:
    """Reads the options and finds mistakes before the work begins."""
    try:
        find_rule(arguments.rule)
    except ValueError as error:
        raise CommandError(f"--rule: {error}") from None
    _check_contradictions(arguments)
    searches = tuple(_read_search(text) for text in arguments.search or [DEFAULT_SEARCH])
    plan = Plan(arguments=arguments, searches=searches)
    if plan.first_seed + plan.num_seeds - 1 > MOST_SEED:
        raise CommandError(
            f"--seed must be at most {MOST_SEED - plan.num_seeds + 1} for {plan.num_seeds} seeds, "
            f"got {plan.first_seed}."
        )
    if arguments.plot is not None:
        check_target("--plot", arguments.plot)
        check_plot(arguments.plot)
    if (arguments.seeds or 1) > plan.num_seeds:
        display.note("nothing is random without growth and noise: one policy is composed.")
    return plan


def _check_contradictions(arguments: argparse.Namespace) -> None:
    """Refuses options that others leave without an effect."""
    for option in ("lookahead", "evaluator", "noise", "solver_iterations", "solver_fading"):
        value = getattr(arguments, option)
        if arguments.whole_game and value is not None:
            why = "holds all levels" if option == "lookahead" else "leaves no leaf to value"
            raise CommandError(
                f"{_flag(option)} {value} has no effect with --whole-game, which {why}."
            )
    for option in ("solver_iterations", "solver_fading"):
        value = getattr(arguments, option)
        if value is not None and (arguments.evaluator or _EVALUATOR) != "exact":
            raise CommandError(
                f"{_flag(option)} {value} needs --evaluator exact, got {arguments.evaluator}."
            )
    if arguments.unsafe and arguments.alpha is not None:
        raise CommandError(
            f"--alpha {arguments.alpha:g} has no effect with --unsafe, which has no gadget."
        )


def _flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def _read_search(text: str) -> SearchSettings:
    first, _, second = text.partition(",")
    try:
        simulations, per_update = int(first), float(second)
    except ValueError:
        raise CommandError(
            f"--search must be two numbers s,c such as {DEFAULT_SEARCH}, got {text!r}."
        ) from None
    try:
        search = SearchSettings(num_simulations=simulations, simulations_per_update=per_update)
    except ValueError as error:
        raise CommandError(f"--search {text}: {error}") from None
    # 1 / c may be too large for an integer.
    updates = simulations / max(math.ceil(per_update), 1) * max(1 / per_update, 1)
    if max(simulations, updates) > MOST:
        raise CommandError(
            f"--search {text}: s and the updates must be at most {MOST}, got {updates:g} updates."
        )
    return search
