"""The betting of one street of a spot, for all lines that lead into it at once.

A line is how the streets before were bet; of it only the pot and the stacks behind are left.
Players act in turns, so a decision at level d of a street is player d % 2's. Decisions of a level
with equally many actions are a group, whose arrays are [action, decision, hand]: one operation
serves all lines. Nothing here knows of cards.
"""

import dataclasses
import functools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, Literal

import jax
import numpy as np

from sog.games.core import CHANCE
from sog.holdem.no_limit import FIRST_SIZE, FOLD, Betting, BettingState, Menu, bet_name, pick

Kind = Literal["fold", "showdown", "next"]
KINDS: Final[tuple[Kind, ...]] = ("fold", "showdown", "next")
"""How a street ends: somebody folds; nobody can bet any more, or it was the last street; else the
next card is dealt."""
_MOST_DECISIONS: Final = 200_000  # of a street


@dataclasses.dataclass(frozen=True)
class Line:
    """What a street begins with: chips in the pot, and behind each player.

    Or a later decision of it, where player 0 is who acts first from there on.
    """

    pot: int
    stack: int
    stakes: tuple[int, int] = (0, 0)
    """Chips that each has bet on this street."""
    words: tuple[str, ...] = ()
    """The actions on this street so far."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Decision:
    """A public state in which a player is to bet."""

    line: int
    level: int
    group: int
    place: int
    """Its number in the group."""
    words: tuple[str, ...]
    """The actions on this street that lead to it."""
    stakes: tuple[int, int]
    """Chips that each has bet on this street."""
    actions: tuple[str, ...]
    children: tuple["Decision | End", ...]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class End:
    """Where the betting of the street ends."""

    kind: Kind
    place: int
    """Its number among those of its kind; of the kind "next", the line of the next street."""
    payoff: float
    """Half of the pot that both have paid for: what player 0 wins by a fold, negative if he folds;
    what the winner of a showdown wins."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Ends:
    """The ends of a kind right after the decisions of a level."""

    actor_row: np.ndarray
    """[end] int32: the actor's reach there, among the rows of the level."""
    other_row: np.ndarray
    """[end] int32: the other's, among the rows of the level before, or the lines."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """Decisions of a level with equally many actions."""

    num_actions: int
    size: int
    actor_row: np.ndarray
    """[decision] int32: the actor's reach, among the rows two levels before, or the lines."""
    child: np.ndarray
    """[action * size + decision] int32: among the ends of the level, kind by kind, and then the
    decisions of the next level, group by group."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Level:
    """The decisions that follow equally many others.

    Its rows are [action, decision] of each group, one group after the other.
    """

    groups: tuple[Group, ...]
    ends: dict[Kind, Ends]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Street:
    """The betting of a street."""

    lines: tuple[Line, ...]
    starts: tuple[Decision, ...]
    """[line]: the first decision."""
    first_row: np.ndarray
    """[line] int32: its first decision among those of level 0, group by group."""
    levels: tuple[Level, ...]
    payoff: dict[Kind, np.ndarray]
    """[end] float32, level by level: what player 0 wins by a fold; the winner of a showdown."""
    next_lines: tuple[Line, ...]

    def groups_of(self, player: int) -> Iterator[tuple[int, Group]]:
        """The groups in which a player decides, numbered over all levels."""
        number = 0
        for depth, level in enumerate(self.levels):
            for group in level.groups:
                if depth % 2 == player:
                    yield number, group
                number += 1

    @functools.cached_property
    def shape(self) -> Hashable:
        """Equal of streets that differ in nothing but chips."""
        levels = tuple(
            (
                tuple(
                    (group.num_actions, group.actor_row.tobytes(), group.child.tobytes())
                    for group in level.groups
                ),
                tuple(
                    (level.ends[kind].actor_row.tobytes(), level.ends[kind].other_row.tobytes())
                    for kind in KINDS
                ),
            )
            for level in self.levels
        )
        return self.first_row.tobytes(), levels

    @property
    def num_decisions(self) -> int:
        """Of all lines."""
        return sum(group.size for level in self.levels for group in level.groups)

    @property
    def num_actions(self) -> int:
        """Of all decisions together."""
        return sum(
            group.size * group.num_actions for level in self.levels for group in level.groups
        )


@dataclasses.dataclass(eq=False)
class _Node:
    """A decision while the street is built."""

    line: int
    level: int
    stakes: tuple[int, int]
    words: tuple[str, ...]
    parent: "tuple[_Node, int] | None"
    """The decision before, and the action taken there."""
    actions: list[str] = dataclasses.field(default_factory=list)
    children: "list[_Node | _Ended]" = dataclasses.field(default_factory=list)
    group: int = 0
    """Its number on the level."""
    place: int = 0


@dataclasses.dataclass(eq=False)
class _Ended:
    """An end while the street is built."""

    kind: Kind
    payoff: float
    after: Line
    node: _Node
    action: int
    place: int = 0


def build_street(lines: Sequence[Line], menu: Menu, *, smallest_bet: int, last: bool) -> Street:
    """The betting of a street. last: whether it is the last one.

    Raises ValueError for more decisions than any machine has the memory for.
    """
    rules, states = _begin(lines, menu, smallest_bet)
    levels: list[list[_Node]] = [
        [_Node(number, 0, line.stakes, line.words, None) for number, line in enumerate(lines)]
    ]
    count = len(lines)
    while levels[-1]:
        chosen, actions = np.nonzero(rules.legal(states))
        raised = rules.raised_stakes(states)[0][chosen, np.maximum(actions - FIRST_SIZE, 0)]
        states = pick(states, chosen)
        after = rules.bet_chips(states, actions, raised)
        goes_on = after.stage < CHANCE
        count += np.count_nonzero(goes_on)
        if count > _MOST_DECISIONS:
            raise ValueError(
                f"a street must have at most {_MOST_DECISIONS:,} decisions, all that is bet "
                f"before it counted: leave out sizes, or set caps."
            )
        stakes = (after.stakes - states.matched[:, None]).tolist()
        choices = zip(chosen.tolist(), actions.tolist(), stakes, goes_on.tolist(), strict=True)
        for at, action, (first, second), is_decision in choices:
            node = levels[-1][at]
            _add_choice(node, lines[node.line], action, (first, second), is_decision, last)
        children = (child for node in levels[-1] for child in node.children)
        levels.append([child for child in children if isinstance(child, _Node)])
        states = pick(after, goes_on)
    return _lay_out(lines, levels[:-1])


def _begin(lines: Sequence[Line], menu: Menu, smallest_bet: int) -> tuple[Betting, BettingState]:
    """The rules of the street alone, and where the lines, which come from one pot, begin it."""
    stack = max(line.stack for line in lines)
    matched = np.array([stack - line.stack for line in lines], np.int32)
    rules = Betting(
        pot=lines[0].pot - 2 * int(matched[0]),
        stacks=(stack, stack),
        blinds=(0, 0),
        smallest_bet=smallest_bet,
        menus=(menu,),
    )
    stakes = np.array([line.stakes for line in lines], np.int32)
    bets = np.array([sum(map(_is_bet, line.words)) for line in lines], np.int8)
    begun: BettingState = jax.tree.map(lambda leaf: leaf[None].repeat(len(lines), 0), rules.start())
    return rules, dataclasses.replace(
        begun,
        stakes=matched[:, None] + stakes,
        matched=matched,
        last_raise=abs(stakes[:, 0] - stakes[:, 1]),
        num_raises=bets,
        has_acted=np.array([len(line.words) for line in lines]) > bets,
    )


def _add_choice(
    node: _Node,
    line: Line,
    action: int,
    stakes: tuple[int, int],
    is_decision: bool,
    last: bool,
) -> None:
    """stakes: after the action, on this street. is_decision: whether one follows."""
    player = node.level % 2
    word = bet_name(action, node.stakes, stakes, player, line.stack)
    if is_decision:
        words = (*node.words, word)
        child: _Node | _Ended = _Node(
            node.line, node.level + 1, stakes, words, (node, len(node.actions))
        )
    else:
        after = Line(line.pot + 2 * min(stakes), line.stack - min(stakes))
        kind: Kind = "fold" if action == FOLD else "next"
        if kind == "next" and (last or after.stack == 0):
            kind = "showdown"
        sign = -1 if kind == "fold" and player == 0 else 1
        child = _Ended(kind, sign * after.pot / 2, after, node, len(node.actions))
    node.actions.append(word)
    node.children.append(child)


def _is_bet(word: str) -> bool:
    return word not in ("fold", "check", "call")


def _lay_out(lines: Sequence[Line], nodes: list[list[_Node]]) -> Street:
    grouped: list[list[list[_Node]]] = []
    for of_level in nodes:
        counts = sorted({len(node.actions) for node in of_level})
        grouped.append([[n for n in of_level if len(n.actions) == count] for count in counts])
        for number, group in enumerate(grouped[-1]):
            for place, node in enumerate(group):
                node.group, node.place = number, place
    ended: dict[Kind, list[_Ended]] = {kind: [] for kind in KINDS}
    levels = []
    for depth, of_level in enumerate(nodes):
        of_kind: dict[Kind, list[_Ended]] = {kind: [] for kind in KINDS}
        for node in of_level:
            for child in node.children:
                if isinstance(child, _Ended):
                    child.place = len(ended[child.kind]) + len(of_kind[child.kind])
                    of_kind[child.kind].append(child)
        for kind in KINDS:
            ended[kind] += of_kind[kind]
        levels.append(_lay_out_level(grouped, depth, of_kind))
    first_group = np.cumsum([0, *map(len, grouped)])
    return Street(
        lines=tuple(lines),
        starts=tuple(_finished(node, first_group) for node in nodes[0]),
        first_row=_ints(np.argsort([node.line for group in grouped[0] for node in group])),
        levels=tuple(levels),
        payoff={
            kind: np.asarray([end.payoff for end in ends], np.float32)
            for kind, ends in ended.items()
        },
        next_lines=tuple(end.after for end in ended["next"]),
    )


def _lay_out_level(
    grouped: list[list[list[_Node]]], depth: int, ends: dict[Kind, list[_Ended]]
) -> Level:
    def row(node: _Node, action: int) -> int:
        """Of an action among the rows of its level."""
        before = grouped[node.level][: node.group]
        start = sum(len(group) * len(group[0].actions) for group in before)
        return start + action * len(grouped[node.level][node.group]) + node.place

    def row_above(node: _Node, steps: int) -> int:
        """The reach that comes from so many decisions before, or from the line."""
        for _ in range(steps - 1):
            if node.parent is None:
                return node.line
            node = node.parent[0]
        return node.line if node.parent is None else row(*node.parent)

    in_order = [end for kind in KINDS for end in ends[kind]]
    number_of = {id(end): number for number, end in enumerate(in_order)}
    groups_below = grouped[depth + 1] if depth + 1 < len(grouped) else []
    starts_below = len(in_order) + np.cumsum([0, *map(len, groups_below)])

    def child_row(child: _Node | _Ended) -> int:
        if isinstance(child, _Node):
            return int(starts_below[child.group]) + child.place
        return number_of[id(child)]

    groups = []
    for group in grouped[depth]:
        num_actions = len(group[0].actions)
        children = [node.children[action] for action in range(num_actions) for node in group]
        groups.append(
            Group(
                num_actions=num_actions,
                size=len(group),
                actor_row=_ints(row_above(node, 2) for node in group),
                child=_ints(map(child_row, children)),
            )
        )
    return Level(
        groups=tuple(groups),
        ends={
            kind: Ends(
                actor_row=_ints(row(end.node, end.action) for end in found),
                other_row=_ints(row_above(end.node, 1) for end in found),
            )
            for kind, found in ends.items()
        },
    )


def _finished(node: _Node, first_group: np.ndarray) -> Decision:
    return Decision(
        line=node.line,
        level=node.level,
        group=int(first_group[node.level]) + node.group,
        place=node.place,
        words=node.words,
        stakes=node.stakes,
        actions=tuple(node.actions),
        children=tuple(
            _finished(child, first_group)
            if isinstance(child, _Node)
            else End(kind=child.kind, place=child.place, payoff=child.payoff)
            for child in node.children
        ),
    )


def _ints(values: Iterable[int]) -> np.ndarray:
    return np.fromiter(values, np.int32)
