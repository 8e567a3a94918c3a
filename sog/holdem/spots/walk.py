"""Reading a solved spot: frequencies, values and equity of every hand at a public state.

Reach is followed from the start of the spot, on the canonical boards of the cards named; values are
computed by one pass over the state's street and all later ones.
"""

import dataclasses
import functools
import re
from collections.abc import Sequence
from typing import Final

import jax.numpy as jnp
import numpy as np

from sog.holdem.spots.betting import End, SpotDecision
from sog.holdem.spots.boards import rename_hands, rename_suits
from sog.holdem.spots.passes import action_values
from sog.holdem.spots.showdowns import against, at_showdown
from sog.holdem.spots.solver import PROGRAMS, SpotSolver
from sog.kept_programs import kept_jit
from sog.parameters import near_name

_MOST_NAMED: Final = 8


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class PlayerRange:
    """A player's range at a public state; arrays are [hand of the deck], NaN for hands outside the
    range."""

    range_: np.ndarray
    """Sums to 1 over all hands; 0 outside the range."""
    weight: np.ndarray
    """The weight in the initial range times own reach by the average policy."""
    value: np.ndarray
    """Expected gain in chips, relative to half of the initial pot, by the average policies."""
    equity: np.ndarray
    """The expected share of the pot at a showdown without further betting."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SpotNode:
    """A decision of a solved spot; hands are those of the deck."""

    history: tuple[str, ...]
    board: tuple[int, ...]
    pot: int
    """The initial pot and all bets so far."""
    stacks: tuple[int, int]
    """Chips behind each player."""
    street_stakes: tuple[int, int]
    """Bets of each player on this street."""
    street_actions: tuple[str, ...]
    """The actions on this street so far."""
    actor: int
    actions: tuple[str, ...]
    ranges: tuple[PlayerRange, PlayerRange]
    """By player."""
    policy: np.ndarray
    """[action, hand]: of the player to act; NaN for hands outside the range."""
    action_value: np.ndarray
    """[action, hand]: chips, like `PlayerRange.value`."""

    @property
    def frequency(self) -> np.ndarray:
        """[action]: the whole range's frequency of each; NaN if the range is empty."""
        range_ = self.ranges[self.actor].range_
        if not range_.any():
            return np.full(len(self.actions), np.nan)
        return np.asarray(np.nansum(self.policy * range_, axis=1))

    def value(self, player: int) -> float:
        """The mean over the player's range; NaN if it is empty."""
        return mean(self.ranges[player].value, self.ranges[player].range_)

    def value_of(self, action: int) -> float:
        """An action's mean value over the hands that choose it."""
        chosen = np.nan_to_num(self.policy[action]) * self.ranges[self.actor].range_
        return mean(self.action_value[action], chosen)


def mean(values: np.ndarray, weights: np.ndarray) -> float:
    """The weighted mean of the finite values; NaN if they have no weight."""
    known = np.isfinite(values)
    total = weights[known].sum()
    return float((weights * values)[known].sum() / total) if total > 0 else float("nan")


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpotPause:
    """A public state without a decision: a card comes, or the hand is over."""

    history: tuple[str, ...]
    board: tuple[int, ...]
    pot: int
    stacks: tuple[int, int]
    cards: tuple[int, ...]
    """Cards that may come; none if the hand is over."""
    is_fold: bool
    """Whether the hand ended by a fold."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Place:
    """A public state on the walk; reach is by the canonical board's suits."""

    street: int
    board: int
    """The number of the canonical board."""
    cards: tuple[int, ...]
    """The actual board."""
    suits: tuple[int, ...]
    """The canonical suit of each actual suit."""
    line: int
    at: SpotDecision | End
    start: tuple[np.ndarray, np.ndarray]
    """[hand]: the reach of both at the start of the street."""
    reach: tuple[np.ndarray, np.ndarray]


def walk(solver: SpotSolver, history: Sequence[str]) -> SpotNode:
    """The decision after events: bets as "check", "bet50" or "bet_50", cards as "[Td]" or "Td".

    Raises ValueError, also if there is no decision; names an impossible event and possible ones.
    """
    found = look(solver, history)
    if isinstance(found, SpotNode):
        return found
    if found.cards:
        raise ValueError(
            f"after {' '.join(history)!r} a card is dealt; name it, such as "
            f"[{solver.spot.deck.card_name(found.cards[-1])}]."
        )
    raise ValueError(f"there is no decision after {' '.join(history)!r}: the hand is over.")


def look(solver: SpotSolver, history: Sequence[str]) -> SpotNode | SpotPause:
    """Likewise, also if a card is due or the hand is over."""
    reach = (np.asarray(solver.reach[0][0]), np.asarray(solver.reach[1][0]))
    place = _Place(
        street=0,
        board=0,
        cards=tuple(solver.boards[0].cards[0].tolist()),
        suits=tuple(range(solver.spot.deck.suits)),
        line=0,
        at=solver.layout.streets[0].starts[0],
        start=reach,
        reach=reach,
    )
    for number, word in enumerate(history):
        if isinstance(place.at, End) and place.at.kind != "next":
            raise ValueError(
                f"nothing can follow {' '.join(history[:number])!r}: the hand is over."
            )
        place = (
            _deal(solver, place, word) if isinstance(place.at, End) else _bet(solver, place, word)
        )
    if isinstance(place.at, End):
        return _pause(solver, place, place.at, tuple(history))
    return _examine(solver, place, place.at, tuple(history))


def split_history(text: str) -> tuple[str, ...]:
    """Events separated by spaces or commas."""
    return tuple(filter(None, re.split(r"[\s,]+", text)))


def _bet(solver: SpotSolver, place: _Place, word: str) -> _Place:
    at = place.at
    assert isinstance(at, SpotDecision)
    wanted = word.lower().replace("_", "")
    if wanted not in at.actions:
        near = near_name(wanted, at.actions)
        hint = f"; did you mean {near}?" if near else "."
        raise ValueError(f"{word!r} is not possible; choose from {', '.join(at.actions)}{hint}")
    action, player = at.actions.index(wanted), at.level % 2
    chosen = place.reach[player] * solver.average_policy(place.street, at, place.board)[action]
    reach = (chosen, place.reach[1]) if player == 0 else (place.reach[0], chosen)
    return dataclasses.replace(place, at=at.children[action], reach=reach)


def _deal(solver: SpotSolver, place: _Place, word: str) -> _Place:
    assert isinstance(place.at, End)
    deck, known = solver.spot.deck, _possible_cards(solver, place)
    try:
        cards = deck.parse_cards(word.strip("[]"))
    except ValueError:
        cards = ()
    if len(cards) != 1 or cards[0] not in known:
        shown = ", ".join(map(deck.card_name, known[:_MOST_NAMED]))
        more = ", ..." if len(known) > _MOST_NAMED else ""
        raise ValueError(f"{word!r} cannot be dealt; choose one of {shown}{more}.")
    street = place.street + 1
    renamed = int(rename_suits(deck, np.asarray(cards), place.suits)[0])
    board, suits = solver.boards[street].stands_for[place.board][renamed]
    masks = (solver.boards[street].mask[player][board] for player in (0, 1))
    first, second = (reach * mask for reach, mask in zip(place.reach, masks, strict=True))
    return _Place(
        street=street,
        board=board,
        cards=(*place.cards, cards[0]),
        suits=tuple(suits[suit] for suit in place.suits),
        line=place.at.place,
        at=solver.layout.streets[street].starts[place.at.place],
        start=(first, second),
        reach=(first, second),
    )


def _possible_cards(solver: SpotSolver, place: _Place) -> list[int]:
    return sorted(set(range(solver.spot.deck.num_cards)) - set(place.cards))


def _pause(solver: SpotSolver, place: _Place, at: End, history: tuple[str, ...]) -> SpotPause:
    pot, behind = round(2 * abs(at.payoff)), solver.spot.stack
    behind -= (pot - solver.spot.pot) // 2
    is_next = at.kind == "next"
    return SpotPause(
        history=history,
        board=place.cards,
        pot=pot,
        stacks=(behind, behind),
        cards=tuple(_possible_cards(solver, place)) if is_next else (),
        is_fold=at.kind == "fold",
    )


def _examine(
    solver: SpotSolver, place: _Place, at: SpotDecision, history: tuple[str, ...]
) -> SpotNode:
    actor, street = at.level % 2, solver.layout.streets[place.street]
    line = street.lines[place.line]
    policy = solver.average_policy(place.street, at, place.board)
    ranges: list[PlayerRange] = []
    of_actions = np.zeros(0)
    for player in (0, 1):
        cfvs = _cfvs(solver, place, at, player)
        met, net = _equity(solver, place, player)
        is_there = place.reach[player] > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(is_there & (met > 0), cfvs / met, np.nan)
            equities = np.where(is_there & (met > 0), (1 + net / met) / 2, np.nan)
        if player == actor:
            of_actions = values
            value = np.asarray((policy * values).sum(axis=0))
        else:  # the values of hands include the other's policy in its reach
            value = np.asarray(values.sum(axis=0))
        spread = functools.partial(_spread, solver, place, player)
        weight = spread(place.reach[player], nothing=0.0)
        range_ = spread(place.reach[player] * met, nothing=0.0)
        total = range_.sum()
        ranges.append(
            PlayerRange(
                range_=range_ / total if total > 0 else range_,
                weight=weight,
                value=spread(value),
                equity=spread(equities),
            )
        )
    spread = functools.partial(_spread, solver, place, actor)
    is_there = place.reach[actor] > 0
    return SpotNode(
        history=history,
        board=place.cards,
        pot=line.pot + sum(at.stakes),
        stacks=(line.stack - at.stakes[0], line.stack - at.stakes[1]),
        street_stakes=at.stakes,
        street_actions=at.words,
        actor=actor,
        actions=at.actions,
        ranges=(ranges[0], ranges[1]),
        policy=np.stack([spread(row) for row in np.where(is_there, policy, np.nan)]),
        action_value=np.stack([spread(np.asarray(row)) for row in of_actions]),
    )


def _cfvs(solver: SpotSolver, place: _Place, at: SpotDecision, player: int) -> np.ndarray:
    """[action, hand] float64 at a decision."""
    lines = len(solver.layout.streets[place.street].lines)
    starts = []
    for reach in place.start:
        of_lines = np.zeros((lines, len(reach)), np.float32)
        of_lines[place.line] = reach
        starts.append(jnp.asarray(of_lines))
    found = _action_values(
        solver.layout,
        solver.cards,
        solver.equities,
        solver.memory,
        place.street,
        jnp.int32(place.board),
        (starts[0], starts[1]),
        player,
    )
    return np.asarray(found[at.group][:, at.place], np.float64)


def _equity(solver: SpotSolver, place: _Place, player: int) -> tuple[np.ndarray, np.ndarray]:
    """[hand] float64: the reach of hands met, and the net reach beaten."""
    reach = jnp.asarray(place.reach[1 - player], jnp.float32)[None, None]
    board = jnp.int32(place.board)
    met = _against(solver.layout, solver.cards, player, reach)
    net = _at_showdown(
        solver.layout, solver.cards, solver.equities, player, place.street, board, 1, reach
    )
    return np.asarray(met, np.float64)[0, 0], np.asarray(net, np.float64)[0, 0]


def _spread(
    solver: SpotSolver, place: _Place, player: int, values: np.ndarray, nothing: float = np.nan
) -> np.ndarray:
    """[hand of the deck] in actual suits, from [hand] of a player's list."""
    deck, hands = solver.spot.deck, solver.hands
    whole = np.full(deck.num_hands(hands.hole_cards), nothing)
    whole[hands.number[player]] = values
    return np.asarray(whole[rename_hands(deck, hands.hole_cards, place.suits)])


def forget_programs() -> None:
    """Drops the compiled programs of all spots, some 45 MB each; they are recompiled when needed.
    For processes that make many spots."""
    for program in (*PROGRAMS, _action_values, _against, _at_showdown):
        program.clear_cache()


_action_values = kept_jit(action_values, static=("layout", "street", "player"))
_against = kept_jit(against, static=("layout", "player"))
_at_showdown = kept_jit(at_showdown, static=("layout", "player", "street", "size"))
