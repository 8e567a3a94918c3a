"""Games that break the contract, made from games that keep it."""

from typing import Any

import jax.numpy as jnp
import pytest

from sog.games import Game, make
from sog.games.cards.kuhn import Kuhn
from sog.games.cards.leduc import Leduc
from sog.games.cards.poker import PokerState
from sog.games.conformance import outcomes

SMALL_HOLDEM: Any = make("holdem(ranks=3,suits=2,deals=1,blinds=1/2,stack=3/4,bets=allin)")


def broken(game: Game[Any], **changes: Any) -> Game[Any]:
    """A game with some methods changed: change(what it returned, *its arguments)."""

    def changed(name: str, change: Any) -> Any:
        original = getattr(type(game), name)
        if not callable(original):  # a size
            return change
        return lambda self, *arguments, **named: change(
            original(self, *arguments, **named), *arguments
        )

    methods = {name: changed(name, change) for name, change in changes.items()}
    made: Game[Any] = type("Broken", (type(game),), methods)(**game.params())
    return made


def kuhn(**changes: Any) -> Game[Any]:
    return broken(Kuhn(), **changes)


def leduc(**changes: Any) -> Game[Any]:
    return broken(Leduc(max_raises=1), **changes)


def follow_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The six cards of Leduc are too many: few are followed, and sums go through two at a time."""
    monkeypatch.setattr(outcomes, "MOST_ENTRIES_PER_CALL", 2 * outcomes._ROWS * 6)


def renamed_kuhn(**changes: Any) -> Game[Any]:
    """Kuhn poker whose actions are counted backwards, and its outcomes forwards."""
    plain = Kuhn()
    return kuhn(
        legal_actions=lambda legal, _: legal[:, ::-1],
        advance=lambda _, state, outcome, action, other: plain.advance(
            state, outcome, action[:, ::-1], other
        ),
        transition=lambda _, key, state, infostates, action: plain.transition(
            key, state, infostates, 2 - action
        ),
        describe_action=lambda _, state, infostate, action: plain.describe_action(
            state, infostate, 2 - action
        ),
        **changes,
    )


class DescribedFromOne(Kuhn):
    def describe_outcome(self, state: PokerState, outcome: int) -> str:
        return Kuhn().describe_outcome(state, outcome - 1)

    def describe_state(self, state: PokerState) -> str:
        return Kuhn().describe_state(state)


def shifted_kuhn(**changes: Any) -> Game[Any]:
    """Kuhn poker whose outcomes are counted from 1."""
    plain = Kuhn()
    return broken(
        DescribedFromOne(),
        num_outcomes=4,
        legal_outcomes=lambda legal, _: jnp.roll(legal, 1),
        apply=lambda _, state, outcome: plain.apply(state, outcome - 1),
        advance=lambda _, state, outcome, action, other: plain.advance(
            state, outcome - 1, action, other
        ),
        transition=lambda step, *_: (step[0] + 1, step[1]),
        **changes,
    )
