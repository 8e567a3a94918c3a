"""The betting of limit hold'em for two or three players, without cards, as arrays.

The rest of a street depends only on the players left. So a street is stored once for each set of
players, and a decision of the game is a decision there with the number of its entry, the path to
its start: the millions of decisions of three players take a few megabytes.

Seats are in preflop order of action; the last two have the blinds. The first is the button, which
acts last on later streets.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Final

import numpy as np

FOLD: Final = 0
CALL: Final = 1
RAISE: Final = 2
NUM_ACTIONS: Final = 3
ILLEGAL: Final = -1
OVER: Final = -2
"""At this value and below, an action ends the street: at end OVER - number."""
NOWHERE: Final = -1


@dataclasses.dataclass(frozen=True)
class Limit:
    """A game: its blinds and bets in chips, and the most bets of a street, the big blind one."""

    players: int = 2
    blinds: tuple[int, int] = (1, 2)
    bets: tuple[int, ...] = (2, 2, 4, 4)
    caps: tuple[int, ...] = (4, 4, 4, 4)

    @property
    def first_paid(self) -> tuple[int, ...]:
        """Chips of each seat before the first action."""
        return (0,) * (self.players - 2) + self.blinds

    def left_to_bet(self, street: int, players: int) -> int:
        """The most chips that `players` players can add from the start of a street."""
        later = zip(self.bets[street:], self.caps[street:], strict=True)
        most = players * sum(bet * cap for bet, cap in later)
        return most - sum(self.blinds) if street == 0 else most


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Betting:
    """All streets for all sets of players, concatenated; and all entries."""

    rules: Limit
    street: np.ndarray  # int32[node]
    actor: np.ndarray  # int32[node]
    child: np.ndarray  # int32[node, action]: a node, ILLEGAL, or OVER - end
    pays: np.ndarray  # int32[node, action]: chips
    local: np.ndarray  # int32[node]: its number on its street
    left: np.ndarray  # int32[end]: a bit for each player who has not folded
    next_node: np.ndarray  # int32[end]: where the next street begins, NOWHERE if the hand is over
    next_number: np.ndarray  # int32[end]: its index among the ends of its street that lead on
    masks: tuple[np.ndarray, ...]  # by street, int32[entry]: players left
    next_entry: tuple[np.ndarray, ...]  # by street, int32[entry]: the first one it leads to
    num_nodes: Mapping[tuple[int, int], int]  # by street and players left

    @property
    def num_decisions(self) -> int:
        """The number of decisions of all players on all streets, by path."""
        return int(sum(self._decisions(street).sum() for street in range(len(self.masks))))

    def _decisions(self, street: int) -> np.ndarray:
        masks, which = np.unique(self.masks[street], return_inverse=True)
        found = np.array([self.num_nodes[street, int(mask)] for mask in masks])[which]
        return np.asarray(found, np.int64)

    def first_rows(self, sizes: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """int32[entry], all streets concatenated: the first row of its decisions; and the number of
        rows. sizes: rows of a decision, by street. Raises ValueError for too many rows."""
        each = [self._decisions(street) * size for street, size in enumerate(sizes)]
        ends = np.cumsum(np.concatenate(each))
        if ends[-1] * NUM_ACTIONS >= 2**31:
            raise ValueError(f"{ends[-1]:,} rows are too many; use fewer buckets.")
        return np.concatenate([[0], ends[:-1]]).astype(np.int32), int(ends[-1])

    @functools.cached_property
    def longest(self) -> int:
        """The maximum number of actions of a hand."""
        deepest = np.zeros(len(self.street) + 1, np.int64)  # the last is for no node
        for node in range(len(self.street) - 1, -1, -1):
            after = [int(one) for one in self.child[node] if one != ILLEGAL]
            ways = (one if one >= 0 else self.next_node[OVER - one] for one in after)
            deepest[node] = 1 + max(deepest[way] for way in ways)
        return int(deepest[0])


def make_betting(rules: Limit) -> Betting:
    """Builds all streets."""
    made = _Making(rules)
    masks, next_entry = [np.array([(1 << rules.players) - 1], np.int32)], []
    first = 1
    for street in range(len(rules.bets)):
        ways = {mask: made.ways[street, mask] for mask in np.unique(masks[-1]).tolist()}
        counts = np.array([len(ways[mask]) for mask in masks[-1].tolist()], np.int64)
        next_entry.append((first + np.cumsum(counts) - counts).astype(np.int32))
        if counts.any():
            after = [ways[mask] for mask in masks[-1].tolist()]
            masks.append(np.concatenate(after).astype(np.int32))
            first += len(masks[-1])
    return Betting(
        rules=rules,
        street=np.array(made.street, np.int32),
        actor=np.array(made.actor, np.int32),
        child=np.array(made.child, np.int32),
        pays=np.array(made.pays, np.int32),
        local=np.array(made.local, np.int32),
        left=np.array(made.left, np.int32),
        next_node=np.array([made.first.get(way, NOWHERE) for way in made.leads_to], np.int32),
        next_number=np.array(made.next_number, np.int32),
        masks=tuple(masks),
        next_entry=tuple(next_entry),
        num_nodes=made.num_nodes,
    )


class _Making:
    """Lists that grow while streets are built, each once per set of players left."""

    def __init__(self, rules: Limit) -> None:
        self._rules = rules
        self.street, self.actor, self.local = list[int](), list[int](), list[int]()
        self.child, self.pays = list[list[int]](), list[list[int]]()
        self.left, self.next_number = list[int](), list[int]()
        self.leads_to: list[tuple[int, int]] = []  # by end: street and players left
        self.first: dict[tuple[int, int], int] = {}
        self.ways: dict[tuple[int, int], list[int]] = {}
        self.num_nodes: dict[tuple[int, int], int] = {}
        waiting = [(0, (1 << rules.players) - 1)]
        for street, mask in waiting:
            self._write(street, mask)
            new = {(street + 1, left) for left in self.ways[street, mask]}
            waiting.extend(sorted(new - {*waiting}))

    def _write(self, street: int, mask: int) -> None:
        rules = self._rules
        order = range(rules.players) if street == 0 else (*range(1, rules.players), 0)
        active = tuple(seat for seat in order if mask >> seat & 1)
        paid = rules.first_paid if street == 0 else (0,) * rules.players
        self.first[street, mask], self.ways[street, mask] = len(self.street), []
        self._decision(street, mask, active, active, int(street == 0), paid)
        self.num_nodes[street, mask] = len(self.street) - self.first[street, mask]

    def _decision(
        self,
        street: int,
        start: int,
        active: tuple[int, ...],
        to_act: tuple[int, ...],
        bets: int,
        paid: tuple[int, ...],
    ) -> int:
        """Adds the decision of the first of `to_act`, and its descendants; returns its number."""
        node, seat = len(self.street), to_act[0]
        self.street.append(street)
        self.actor.append(seat)
        self.local.append(node - self.first[street, start])
        child, pays = [ILLEGAL] * NUM_ACTIONS, [0] * NUM_ACTIONS
        self.child.append(child)
        self.pays.append(pays)
        level, bet = max(paid), self._rules.bets[street]

        def go(action: int, left: tuple[int, ...], waiting: tuple[int, ...], total: int) -> None:
            pays[action] = total - paid[seat]
            after = (*paid[:seat], total, *paid[seat + 1 :])
            if len(left) == 1 or not waiting:
                child[action] = self._end(street, start, left)
            else:
                more = bets + (action == RAISE)
                child[action] = self._decision(street, start, left, waiting, more, after)

        if paid[seat] < level:
            go(FOLD, tuple(one for one in active if one != seat), to_act[1:], paid[seat])
        go(CALL, active, to_act[1:], level)
        if bets < self._rules.caps[street]:
            place = active.index(seat)
            go(RAISE, active, active[place + 1 :] + active[:place], level + bet)
        return node

    def _end(self, street: int, start: int, left: tuple[int, ...]) -> int:
        mask, end = sum(1 << seat for seat in left), len(self.left)
        goes_on = len(left) > 1 and street + 1 < len(self._rules.bets)
        ways = self.ways[street, start]
        self.left.append(mask)
        self.leads_to.append((street + 1, mask if goes_on else 0))
        self.next_number.append(len(ways) if goes_on else NOWHERE)
        if goes_on:
            ways.append(mask)
        return OVER - end
