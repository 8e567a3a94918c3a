"""How much of a game a search tree holds: its depth at the start, and its width."""

import dataclasses
from typing import Any, Final

from gtcfr.layout import Layout, layout_of
from sog.games.core import Game
from sog.parameters import check_fields

WHOLE_GAME: Final = 2**30 + 1
"""An unlimited `lookahead`: the tree holds the rest of the game before the first update."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Extent:
    """Which public states a tree starts with, and which children of a state it can have."""

    lookahead: int = 1
    """Levels below the searched state that the tree holds from the start: all states of them, or
    where states get their children one by one (see `num_children`) only the first child of each
    state beyond the first level."""
    grow: bool = True
    """False: no simulations; the tree stays as `lookahead` builds it."""
    num_children: int | None = None
    """k: children that an expansion adds, the best by the prior; all of them if k is at least the
    game's number of actions. None: 1 with perfect information (unless there are no simulations to
    add the others, or chance outcomes come one by one), otherwise all, as games with hidden
    information need."""
    max_actions: int | None = None
    """Actions of a state that are considered, the best by the prior; None for the game's default
    (`Game.num_searched_actions`), which is all of them with hidden information. Trees have entries
    for these only, so games with thousands of actions fit into memory."""
    max_outcomes: int | None = None
    """Chance nodes with more outcomes than this keep a sample of this size; at least the game's
    `least_outcomes`. None for the game's default (`Game.num_searched_outcomes`), which is all of
    them where they fit."""
    spread_outcomes: bool = False
    """Systematic sampling of chance outcomes, over the game's order of them
    (`Game.outcomes_in_order`): every L / n-th of L from a random start, where n are kept. Each is
    as likely to be kept as in a plain sample; where neighbors are similar, the node's value varies
    less from sample to sample."""
    widest_chance: int | None = None
    """Simulations do not expand chance nodes with more outcomes than this: below the searched state
    they stay leaves, which the evaluator values, as DeepStack's network does before the flop.
    Better where sampling noise exceeds the evaluator's error. Re-solves that could start at such a
    state start after it, see `gtcfr.resolving`. None to expand all."""

    def __post_init__(self) -> None:
        check_fields(self, "an integer >= 1", "lookahead", "num_children", "max_actions")
        check_fields(self, "an integer >= 1", "max_outcomes", "widest_chance")

    def children_added(self, game: Game[Any]) -> int | None:
        """Children that an expansion adds, the best by the prior; None for all of them."""
        if self.num_children is not None:
            return self.num_children if self.num_children < game.num_actions else None
        return 1 if self.grow and _names_children(game) else None

    def layout(self, game: Game[Any]) -> Layout:
        """How the children of a node are stored; raises ValueError for an impossible extent."""
        self._check_game(game)
        most_actions = self.max_actions
        if most_actions is None and _can_leave_out(game):
            most_actions = game.num_searched_actions
        most_outcomes = self.max_outcomes or game.num_searched_outcomes
        return layout_of(game, most_actions, most_outcomes)

    def num_states(self, game: Game[Any], path_length: int, num_expansions: int) -> int:
        """The most public states of a tree: the initial ones, and those that expansions can add, if
        at most every second expansion is of a chance node. path_length: as in
        `SearchSettings.shape`."""
        added, everything = self.children_added(game), self.layout(game).num_children
        decision = min(added or game.num_decision_outcomes, everything)
        chance = min(game.num_chance_outcomes, everything)
        on_the_way = decision if added and not game.has_chance else everything
        wider = max(chance - decision, 0) * (num_expansions - num_expansions // 2)
        levels = range(2, min(self.lookahead, game.max_depth) + 1)
        ahead: int = sum(everything**level for level in levels)
        if ahead:  # the expansions of the lookahead may all be of chance nodes
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
    """Whether information is perfect and each action is an outcome, so that a node can have a
    subset of its children."""
    return not game.hides_information and game.num_outcomes >= game.num_actions


def _can_leave_out(game: Game[Any]) -> bool:
    """Whether a tree may leave out some of the actions."""
    return _names_children(game) and not game.has_chance


def least_outcomes(game: Game[Any]) -> tuple[int, str]:
    """The least `max_outcomes` in a game, and the reason for it."""
    least = game.num_decision_outcomes
    if least == 1 < game.num_outcomes and game.has_chance:
        return 2, "the outcome on the path of a re-solve and one that stands for the rest"
    return least, "all outcomes of a decision"
