"""The betting of a whole game of hold'em as a tree of decisions, without the cards.

Decisions are ordered by street and level, the number of actions on the street before them. Players
alternate on a street, so all decisions of a level belong to one player.
"""

import dataclasses
import functools
from typing import Final

import jax
import numpy as np

from sog.games.core import CHANCE, TERMINAL
from sog.holdem.game import Holdem
from sog.holdem.no_limit import Betting, BettingState, pick

ILLEGAL: Final = -1
OVER: Final = -2
"""A child of OVER or less is the end of number OVER - child."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class BettingLevel:
    """The D decisions of a street after equally many actions on it."""

    street: int
    actor: int
    first: int
    """The number of the first decision."""
    child: np.ndarray
    """int32[D, A]: the decision after each action, or ILLEGAL, or OVER - end."""

    @property
    def legal(self) -> np.ndarray:
        """bool[D, A]."""
        return np.asarray(self.child != ILLEGAL)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class BettingTree:
    """All decisions, and all ends."""

    levels: tuple[BettingLevel, ...]
    """Street by street; a decision's children are in later levels."""
    folder: np.ndarray
    """int8[end]: the player that folded, or NO_FOLDER at a showdown."""
    won: np.ndarray
    """float32[end]: the winner's gain, in the game's unit."""

    @property
    def num_decisions(self) -> int:
        """Decisions of both players on all streets."""
        return sum(len(level.child) for level in self.levels)

    @functools.cached_property
    def child(self) -> np.ndarray:
        """int32[decision, A], see `BettingLevel.child`."""
        return np.concatenate([level.child for level in self.levels])


def make_betting_tree(game: Holdem, most: int) -> BettingTree:
    """Enumerates the betting. Raises ValueError for more than `most` decisions."""
    levels: list[BettingLevel] = []
    folders: list[np.ndarray] = []
    won: list[np.ndarray] = []
    count = num_ends = 0
    begun = game.betting.start()
    for _ in range(game.betting.num_silent):
        begun = game.betting.next_street(begun)
    start = jax.tree.map(lambda leaf: leaf[None], begun)
    for street in range(game.betting.num_silent, len(game.betting.menus)):
        goes_on: list[tuple[np.ndarray, np.ndarray]] = []
        starts: list[BettingState] = []
        now = start
        while len(now.stage):
            if count + len(now.stage) > most:
                raise ValueError(
                    f"{game.name}: its betting has more than {most:,} decisions; use smaller "
                    "stacks or fewer bets."
                )
            legal, after, gains = _after_each(game.betting, now)
            is_over = legal & (after.stage == TERMINAL)
            stays = legal & ~is_over & (after.street == street)
            goes = legal & ~is_over & ~stays
            child = np.full(legal.shape, ILLEGAL, np.int32)
            child[is_over] = OVER - num_ends - np.arange(is_over.sum())
            child[goes] = sum(len(one.stage) for one in starts) + np.arange(goes.sum())
            goes_on.append((child, goes))
            levels.append(
                BettingLevel(street=street, actor=int(now.stage[0]), first=count, child=child)
            )
            count += len(child)
            child[stays] = count + np.arange(stays.sum())
            folders.append(np.asarray(after.folder[is_over]))
            won.append(gains[is_over])
            num_ends += len(won[-1])
            starts.append(pick(after, goes))
            now = pick(after, stays)
        for child, goes in goes_on:
            child[goes] += count
        start = jax.tree.map(lambda *leaves: np.concatenate(leaves), *starts)
    return BettingTree(
        levels=tuple(level for level in levels if len(level.child)),
        folder=np.concatenate(folders),
        won=np.concatenate(won) / np.float32(game.chips_per_unit),
    )


def _after_each(
    betting: Betting, states: BettingState
) -> tuple[np.ndarray, BettingState, np.ndarray]:
    """bool[n, A], legal actions; the states [n, A] after them, cards dealt; the winner's gains."""
    shape = len(states.stage), betting.num_actions
    each: BettingState = jax.tree.map(lambda leaf: leaf.repeat(shape[1], axis=0), states)
    after = betting.bet(each, np.tile(np.arange(shape[1]), shape[0]))
    for _ in betting.menus[1:]:  # all remaining streets if nobody can bet any more
        is_due = after.stage == CHANCE
        dealt = betting.next_street(pick(after, is_due))
        for leaf, new in zip(jax.tree.leaves(after), jax.tree.leaves(dealt), strict=True):
            leaf[is_due] = new
    found: tuple[BettingState, np.ndarray] = jax.tree.map(
        lambda leaf: leaf.reshape(*shape, *leaf.shape[1:]), (after, betting.won(after))
    )
    return betting.legal(states), *found
