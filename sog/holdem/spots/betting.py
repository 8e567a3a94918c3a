"""The betting of one street of a spot, for all lines that lead into it at once.

A line is the betting of earlier streets, of which only the pot and the remaining stacks matter.
Players alternate, so a decision at level d of a street is player d % 2's. Decisions of a level with
equally many actions form a group with arrays [action, decision, hand]: one operation serves all
lines. Cards play no part here.
"""

import dataclasses
import functools
import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal

import jax
import numpy as np

from sog.games.core import CHANCE
from sog.holdem.no_limit import FIRST_SIZE, FOLD, Betting, BettingState, Menu, bet_name, pick
from sog.program_names import NOT_DESCRIBED

Kind = Literal["fold", "showdown", "next"]
KINDS: Final[tuple[Kind, ...]] = ("fold", "showdown", "next")
"""How a street ends: a fold; no more betting, by all-in or on the last street; or the next card."""
_MOST_DECISIONS: Final = 200_000  # of a street


@dataclasses.dataclass(frozen=True)
class BettingLine:
    """The pot and the stacks behind at the start of a street.

    Or at a later decision of it, where player 0 is the player to act.
    """

    pot: int
    stack: int
    stakes: tuple[int, int] = (0, 0)
    """Chips that each has bet on this street."""
    words: tuple[str, ...] = ()
    """The actions on this street so far."""


@dataclasses.dataclass(kw_only=True, eq=False)
class SpotDecision:
    """A decision: a public state in which a player acts."""

    line: int
    level: int
    words: tuple[str, ...]
    """The actions on this street that lead to it."""
    stakes: tuple[int, int]
    """Chips that each has bet on this street."""
    before: "tuple[SpotDecision, int] | None" = dataclasses.field(default=None, repr=False)
    """The previous decision on this street, and the number of the action taken there."""
    actions: tuple[str, ...] = ()
    children: "tuple[SpotDecision | End, ...]" = ()
    group: int = 0
    """Numbered over all levels."""
    place: int = 0
    """Its number in the group."""
    number: int = 0
    """Its number on the level, group by group."""
    rows: range = range(0)
    """Of its actions on the level."""

    def row_above(self, steps: int) -> int:
        """The row of the action taken so many decisions before; the line if there was none."""
        if self.before is None:
            return self.line
        at, action = self.before
        return at.rows[action] if steps == 1 else at.row_above(steps - 1)


@dataclasses.dataclass(kw_only=True, eq=False)
class End:
    """An end of the street's betting."""

    kind: Kind
    payoff: float
    """Half of the matched pot: player 0's gain by a fold, negative if player 0 folds; the winner's
    gain at a showdown."""
    after: BettingLine
    """The start of the next street, if there is one."""
    before: tuple[SpotDecision, int] = dataclasses.field(repr=False)
    """The last decision, and the number of the action taken there."""
    place: int = 0
    """Its number among those of its kind; of the kind "next", the line of the next street."""
    number: int = 0
    """Its number among the ends of a level, kind by kind."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Ends:
    """The ends of one kind after the decisions of a level."""

    actor_row: np.ndarray
    """[end] int32: the actor's reach there, among the rows of the level."""
    other_row: np.ndarray
    """[end] int32: the other's, among the rows of the level before, or the lines."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class DecisionGroup:
    """Decisions of a level with equally many actions."""

    num_actions: int
    size: int
    actor_row: np.ndarray
    """[decision] int32: the actor's reach, among the rows two levels before, or the lines."""
    child: np.ndarray
    """[action * size + decision] int32: among the ends of the level, kind by kind, and then the
    decisions of the next level, group by group."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class StreetLevel:
    """The decisions after equally many others.

    Its rows are [action, decision] of each group, one group after the other.
    """

    groups: tuple[DecisionGroup, ...]
    ends: dict[Kind, Ends]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Street:
    """The betting of a street."""

    lines: tuple[BettingLine, ...] = dataclasses.field(metadata=NOT_DESCRIBED)
    starts: tuple[SpotDecision, ...] = dataclasses.field(metadata=NOT_DESCRIBED)
    """[line]: the first decision."""
    first_row: np.ndarray
    """[line] int32: its first decision among those of level 0, group by group."""
    levels: tuple[StreetLevel, ...]
    payoff: dict[Kind, np.ndarray] = dataclasses.field(metadata=NOT_DESCRIBED)
    """[end] float32, level by level: player 0's gain by a fold; the winner's at a showdown."""
    next_lines: tuple[BettingLine, ...] = dataclasses.field(metadata=NOT_DESCRIBED)

    def groups_of(self, player: int) -> Iterator[tuple[int, DecisionGroup]]:
        """The groups in which a player decides, numbered over all levels."""
        number = 0
        for depth, level in enumerate(self.levels):
            for group in level.groups:
                if depth % 2 == player:
                    yield number, group
                number += 1

    @functools.cached_property
    def shape(self) -> Hashable:
        """Equal for streets that differ only in chips."""
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
        """Decisions of all lines."""
        return sum(group.size for level in self.levels for group in level.groups)

    @property
    def num_actions(self) -> int:
        """Actions of all decisions."""
        return sum(
            group.size * group.num_actions for level in self.levels for group in level.groups
        )


def build_street(
    lines: Sequence[BettingLine], menu: Menu, *, smallest_bet: int, last: bool
) -> Street:
    """The betting of a street. last: whether it is the last one.

    Raises ValueError for too many decisions.
    """
    rules, states = _begin(lines, menu, smallest_bet)
    levels = [
        [
            SpotDecision(line=number, level=0, words=line.words, stakes=line.stakes)
            for number, line in enumerate(lines)
        ]
    ]
    count = len(lines)
    while levels[-1]:
        chosen, actions = np.nonzero(rules.legal(states))
        raised = rules.raised_stakes(states)[0][chosen, np.maximum(actions - FIRST_SIZE, 0)]
        states = pick(states, chosen)
        after = rules.bet_chips(states, actions, raised)
        goes_on = after.stage < CHANCE
        count += int(np.count_nonzero(goes_on))
        if count > _MOST_DECISIONS:
            raise ValueError(
                f"a street must have at most {_MOST_DECISIONS:,} decisions, after all betting "
                f"before it: leave out sizes, or set caps."
            )
        stakes = (after.stakes - states.matched[:, None]).tolist()
        choices = zip(chosen.tolist(), actions.tolist(), stakes, goes_on.tolist(), strict=True)
        for at, action, (first, second), is_decision in choices:
            node = levels[-1][at]
            _add_choice(node, lines[node.line], action, (first, second), is_decision, last)
        children = (child for node in levels[-1] for child in node.children)
        levels.append([child for child in children if isinstance(child, SpotDecision)])
        states = pick(after, goes_on)
    return _lay_out(lines, levels[:-1])


def _begin(
    lines: Sequence[BettingLine], menu: Menu, smallest_bet: int
) -> tuple[Betting, BettingState]:
    """The rules of the street alone, and the lines' states at its start."""
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
    bets = np.array([sum(map(is_bet, line.words)) for line in lines], np.int8)
    begun: BettingState = jax.tree.map(lambda leaf: leaf[None].repeat(len(lines), 0), rules.start())
    now: dict[str, Any] = {
        "stakes": matched[:, None] + stakes,
        "matched": matched,
        "last_raise": abs(stakes[:, 0] - stakes[:, 1]),
        "num_raises": bets,
        "has_acted": np.array([len(line.words) for line in lines]) > bets,
    }
    return rules, dataclasses.replace(begun, **now)


def _add_choice(
    node: SpotDecision,
    line: BettingLine,
    action: int,
    stakes: tuple[int, int],
    is_decision: bool,
    last: bool,
) -> None:
    """stakes: after the action, on this street. is_decision: whether one follows."""
    player = node.level % 2
    word = bet_name(action, node.stakes, stakes, player, line.stack)
    before = node, len(node.actions)
    child: SpotDecision | End
    if is_decision:
        child = SpotDecision(
            line=node.line,
            level=node.level + 1,
            words=(*node.words, word),
            stakes=stakes,
            before=before,
        )
    else:
        after = BettingLine(line.pot + 2 * min(stakes), line.stack - min(stakes))
        kind: Kind = "fold" if action == FOLD else "next"
        if kind == "next" and (last or after.stack == 0):
            kind = "showdown"
        sign = -1 if kind == "fold" and player == 0 else 1
        child = End(kind=kind, payoff=sign * after.pot / 2, after=after, before=before)
    node.actions += (word,)
    node.children += (child,)


def is_bet(word: str) -> bool:
    """Whether an action is a bet or raise."""
    return word not in ("fold", "check", "call")


def _lay_out(lines: Sequence[BettingLine], nodes: list[list[SpotDecision]]) -> Street:
    """nodes: by level."""
    grouped = [_grouped(of_level) for of_level in nodes]
    firsts = itertools.accumulate(map(len, grouped), initial=0)
    for first, groups in zip(firsts, grouped, strict=False):
        number = row = 0
        for group_number, group in enumerate(groups, first):
            size, num_actions = len(group), len(group[0].actions)
            for place, node in enumerate(group):
                node.group, node.place, node.number = group_number, place, number + place
                node.rows = range(row + place, row + place + num_actions * size, size)
            number, row = number + size, row + num_actions * size
    ended: dict[Kind, list[End]] = {kind: [] for kind in KINDS}
    levels = []
    for of_level, groups in zip(nodes, grouped, strict=True):
        ends = [child for node in of_level for child in node.children if isinstance(child, End)]
        of_kind = {kind: [end for end in ends if end.kind == kind] for kind in KINDS}
        for number, end in enumerate(itertools.chain(*of_kind.values())):
            end.number, end.place = number, len(ended[end.kind])
            ended[end.kind].append(end)
        levels.append(
            StreetLevel(
                groups=tuple(_lay_out_group(group, len(ends)) for group in groups),
                ends={
                    kind: Ends(
                        actor_row=_ints(at.rows[action] for at, action in places),
                        other_row=_ints(at.row_above(1) for at, _ in places),
                    )
                    for kind, places in (
                        (kind, [end.before for end in found]) for kind, found in of_kind.items()
                    )
                },
            )
        )
    return Street(
        lines=tuple(lines),
        starts=tuple(nodes[0]),
        first_row=_ints(node.number for node in nodes[0]),
        levels=tuple(levels),
        payoff={
            kind: np.asarray([end.payoff for end in ends], np.float32)
            for kind, ends in ended.items()
        },
        next_lines=tuple(end.after for end in ended["next"]),
    )


def _grouped(nodes: list[SpotDecision]) -> list[list[SpotDecision]]:
    """Groups decisions by their number of actions."""
    counts = sorted({len(node.actions) for node in nodes})
    return [[node for node in nodes if len(node.actions) == count] for count in counts]


def _lay_out_group(nodes: list[SpotDecision], num_ends: int) -> DecisionGroup:
    """num_ends: of the level, which come before decisions."""
    num_actions = len(nodes[0].actions)
    children = [node.children[action] for action in range(num_actions) for node in nodes]
    return DecisionGroup(
        num_actions=num_actions,
        size=len(nodes),
        actor_row=_ints(node.row_above(2) for node in nodes),
        child=_ints(one.number + num_ends * isinstance(one, SpotDecision) for one in children),
    )


def _ints(values: Iterable[int]) -> np.ndarray:
    return np.fromiter(values, np.int32)
