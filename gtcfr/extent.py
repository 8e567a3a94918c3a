"""How much of a game a search tree holds: how deep at the start, and how wide."""

import dataclasses
from typing import Any, Final

from gtcfr.layout import Layout, layout_of
from sog.games.core import Game
from sog.parameters import check_fields

WHOLE_GAME: Final = 2**30 + 1
"""A `lookahead` without end: the tree holds the rest of the game before the first update, as far as
`lookahead` says."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Extent:
    """Which public states a tree begins with, and which of a state's children it can have."""

    lookahead: int = 1
    """Public events below the state that is searched that the tree holds from the start: all of
    them, or where states get their children one by one (see `num_children`) the first child of each
    state below its children."""
    grow: bool = True
    """False: no simulations, the tree stays what `lookahead` makes it."""
    num_children: int | None = None
    """k: children that an expansion adds, the best by the prior; from the game's number of actions
    on, all of them. None for 1 where information is perfect (but where there are no simulations to
    add others, or outcomes of chance come one by one), and else for all, which games with hidden
    information need."""
    max_actions: int | None = None
    """Actions of a state that are considered, the best by the prior; None for as many as the game
    says (`Game.num_searched_actions`), which are all of them where things are hidden. A tree keeps
    numbers of these only, so where there are thousands this is what makes a search fit."""
    max_outcomes: int | None = None
    """Chance nodes with more outcomes than this keep a sample of so many; at least what
    `least_outcomes` says of the game. None for as many as the game says
    (`Game.num_searched_outcomes`), all of them where they can be held."""
    spread_outcomes: bool = False
    """A sample of chance's outcomes is spread evenly over the order in which the game has them
    (`Game.outcomes_in_order`): every L / n-th of L from a random start on, where n are kept. Each
    is as likely to be kept as in a plain sample; where similar outcomes stand next to each other,
    what the node is worth varies less from sample to sample."""
    widest_chance: int | None = None
    """States of chance with more outcomes than this are not expanded by simulations: below the
    state that is searched they stay leaves, of which the evaluator says what they are worth, as
    DeepStack asks a network before the flop. Better where a sample of the outcomes is noisier than
    the evaluator is wrong. Re-solves that could start at such a state start after it, see
    `gtcfr.resolving`. None to expand all."""

    def __post_init__(self) -> None:
        check_fields(self, "an integer >= 1", "lookahead", "num_children", "max_actions")
        check_fields(self, "an integer >= 1", "max_outcomes", "widest_chance")

    def children_added(self, game: Game[Any]) -> int | None:
        """Children that an expansion adds, the best by the prior; None for all of them."""
        if self.num_children is not None:
            return self.num_children if self.num_children < game.num_actions else None
        return 1 if self.grow and _names_children(game) else None

    def layout(self, game: Game[Any]) -> Layout:
        """How the children of a node are stored; ValueError for an extent that cannot be."""
        self._check_game(game)
        most_actions = self.max_actions
        if most_actions is None and _can_leave_out(game):
            most_actions = game.num_searched_actions
        most_outcomes = self.max_outcomes or game.num_searched_outcomes
        return layout_of(game, most_actions, most_outcomes)

    def num_states(self, game: Game[Any], path_length: int, num_expansions: int) -> int:
        """The most public states of a tree: those of the start, and what expansions can add, if at
        most every second one is of a chance node. path_length: as in `SearchSettings.shape`."""
        added, everything = self.children_added(game), self.layout(game).num_children
        decision = min(added or game.num_decision_outcomes, everything)
        chance = min(game.num_chance_outcomes, everything)
        on_the_way = decision if added and not game.has_chance else everything
        wider = max(chance - decision, 0) * (num_expansions - num_expansions // 2)
        levels = range(2, min(self.lookahead, game.max_depth) + 1)
        ahead: int = sum(everything**level for level in levels)
        if ahead:  # an expansion of what was ahead may be of chance nodes alone
            wider = max(chance - decision, 0) * num_expansions
        start = 1 + everything + path_length * on_the_way + ahead
        return start + num_expansions * decision + wider

    def _check_game(self, game: Game[Any]) -> None:
        least, why = least_outcomes(game)
        if self.max_outcomes is not None and self.max_outcomes < least:
            raise ValueError(
                f"max_outcomes must be at least {least} in {game}, for {why}, got "
                f"{self.max_outcomes}."
            )
        for name in ("num_children", "max_actions"):
            if getattr(self, name) is None:
                continue
            if game.hides_information:
                raise ValueError(
                    f"{name} must be left out in a game with hidden information such as {game}: "
                    f"an infostate could be left without an action; got {getattr(self, name)}."
                )
            if game.num_outcomes < game.num_actions:
                raise ValueError(
                    f"{name} must be left out in {game}, whose outcomes are not its actions."
                )
        if self.max_actions is not None and game.has_chance:
            raise ValueError(
                f"max_actions must be left out in {game}, where chance may act, "
                f"got {self.max_actions}."
            )


def _names_children(game: Game[Any]) -> bool:
    """Whether information is perfect, and each action an outcome: a node can have some of all."""
    return not game.hides_information and game.num_outcomes >= game.num_actions


def _can_leave_out(game: Game[Any]) -> bool:
    """Whether a tree may do without some of the actions."""
    return _names_children(game) and not game.has_chance


def least_outcomes(game: Game[Any]) -> tuple[int, str]:
    """The least that `max_outcomes` may be in a game, and what they are for."""
    least = game.num_decision_outcomes
    if least == 1 < game.num_outcomes and game.has_chance:
        return 2, "what chance did on the way of a re-solve and one that stands for the rest"
    return least, "all outcomes of a decision"
