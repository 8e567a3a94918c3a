"""Games that break the contract are caught, each by the law that it breaks."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import Array

from sog.games import CHANCE, TERMINAL
from sog.games.cards.leduc import Leduc
from sog.games.conformance import ConformanceError, check_game
from sog.games.conformance.encoding_laws import check_shown_graph, check_shown_hands
from sog.games.core import public_action
from sog.games.encoding import MOVER
from sog.scotland_yard.game import Glasses
from tests.games.broken_games import (
    SMALL_HOLDEM,
    broken,
    follow_few,
    kuhn,
    leduc,
    renamed_kuhn,
    shifted_kuhn,
)
from tests.games.hidden_draw import HiddenDraw


def card(key: Array, odds: Array) -> Array:
    return jax.random.choice(key, len(odds), p=odds / odds.sum()).astype(jnp.int32)


def pick(state: Any, at_chance: Any, otherwise: Any) -> Any:
    return jnp.where(state.stage == CHANCE, at_chance, otherwise)


LATE = {
    "a decision has more outcomes than it says": (
        kuhn(num_decision_outcomes=1),
        "a decision has at most num_decision_outcomes legal outcomes; .*expected 1, got 2",
    ),
    "chance has more outcomes than it says": (
        leduc(num_chance_outcomes=2),
        "chance has at most num_chance_outcomes legal outcomes; .*expected 2, got 6",
    ),
    "advance forgets the public card": (
        leduc(
            advance=lambda reach, state, outcome, action, other: public_action(
                state.stage, outcome, action, other
            )
        ),
        "advance is zero outside the child's infostate_mask",
    ),
    "advance_all mixes up the outcomes where it is asked for all": (
        broken(
            HiddenDraw(),
            advance_all=lambda below, state, outcomes, *_: (
                below[::-1] if outcomes is None else below
            ),
        ),
        "advance_all is advance inside the child's infostate_mask; .*call 1",
    ),
    "advance adds up the players' reach": (
        kuhn(advance=lambda reach, state, outcome, action, other: reach + other[None]),
        "does not depend on other_reach",
    ),
    "advance renames the infostates of both players": (
        kuhn(advance=lambda reach, *_: jnp.roll(reach, 1, axis=1), has_public_actions=False),
        "transition leads only to worlds",
    ),
    "a hidden draw is called a public action": (
        broken(HiddenDraw(), has_public_actions=True),
        "with has_public_actions advance is public_action .*; at 'start': "
        "outcome 0, player 1, infostate 1, expected 0, got 0[.]",
    ),
    "chance draws a card where it is said not to act": (
        broken(HiddenDraw(), has_chance=False),
        "without has_chance it is never chance's turn",
    ),
    "actions of another number than their outcome are called public": (
        renamed_kuhn(),
        "with has_public_actions advance is public_action",
    ),
    "outcomes that are no action's number are called public actions": (
        shifted_kuhn(),
        "with has_public_actions a legal outcome of a decision is an action's number",
    ),
    "advance halves a reach and the joint weight doubles it": (
        broken(
            HiddenDraw(),
            advance=lambda reach, state, *_: reach * pick(state, 0.5, 1.0),
            compatible_reach=lambda rows, state, _: rows * pick(state, 1.0, 4.0),
            utilities=lambda cfvs, *_: cfvs * 4,
        ),
        "every coefficient of advance is 0 or 1",
    ),
    "the joint weight forgets the public card": (
        leduc(
            compatible_reach=lambda rows, state, reach: Leduc(max_raises=1).compatible_reach(
                dataclasses.replace(state, board=jnp.array([6], jnp.int32)), reach
            )
        ),
        "probability is conserved",
    ),
    "the joint weight has an infostate that cannot occur": (
        broken(
            HiddenDraw(),
            compatible_reach=lambda rows, state, reach: rows.at[0, 1].set(
                pick(state, 0.0, reach[1].sum())
            ),
        ),
        "compatible_reach is zero outside infostate_mask",
    ),
    "the players see different joint weights": (
        kuhn(compatible_reach=lambda rows, *_: jnp.stack([rows[0, ::-1], rows[1]])),
        "come from the same joint weight",
    ),
    "compatible reach contains the own reach": (
        kuhn(compatible_reach=lambda rows, state, reach: rows.at[0].add(reach[0])),
        "row i of compatible_reach is linear in the reach of the other",
    ),
    "utilities are the same for both": (
        kuhn(utilities=lambda cfvs, *_: cfvs.at[1].multiply(-1)),
        "utilities are zero-sum",
    ),
    "utilities contain the own reach": (
        kuhn(utilities=lambda cfvs, state, reach: cfvs * reach),
        "row i of utilities is linear in the reach of the other",
    ),
    "what is kept of a terminal state has other utilities": (
        kuhn(utilities_of_kept=lambda cfvs, *_: 2 * cfvs),
        "utilities_of_kept is utilities of the state that was kept",
    ),
    "utilities are larger than max_utility": (
        kuhn(max_utility=1.5),
        "utilities lie within max_utility .* at 'bet1 call .*: player ., infostate ., expected",
    ),
    "a legal outcome is missing": (
        kuhn(legal_outcomes=lambda legal, _: legal & jnp.array([True, True, False])),
        "probability is conserved: .*; at 'start",
    ),
    "an outcome never happens": (
        kuhn(legal_outcomes=lambda legal, state: legal.at[0].set(state.stage != TERMINAL)),
        "every legal outcome has positive probability .*: outcome 0, expected 1, got 0",
    ),
    "an end has outcomes": (
        kuhn(legal_outcomes=lambda legal, state: legal | (state.stage == TERMINAL)),
        "there is a legal outcome if and only if",
    ),
    "the actor is nobody": (
        leduc(actor=lambda actor, _: jnp.where(actor == CHANCE, -1, actor)),
        "actor is PLAYER_0",
    ),
    "the mask has a card that is on the table": (
        leduc(infostate_mask=lambda mask, _: jnp.ones_like(mask)),
        "infostate_mask holds exactly .*expected 0, got 1",
    ),
    "an infostate has no action": (
        kuhn(legal_actions=lambda legal, _: legal.at[1].set(False)),
        "an infostate of the actor has a legal action if and only if",
    ),
    "chance has a choice of actions": (
        leduc(legal_actions=lambda legal, state: legal | (legal[:, :1] & (state.stage == CHANCE))),
        "at a chance state column 0",
    ),
    "a transition swaps the cards": (
        kuhn(transition=lambda step, *_: (step[0], step[1][::-1])),
        "transition leads only to worlds",
    ),
    "a transition shows no outcome": (
        kuhn(transition=lambda step, *_: (step[0] - 4, step[1])),
        "transition returns a legal outcome",
    ),
    "a transition deals low cards more often": (
        leduc(
            transition=lambda step, key, state, infostates, _: (
                pick(
                    state,
                    card(key, jnp.array([2.0, 2, 1, 1, 1, 1]).at[infostates].set(0)),
                    step[0],
                ),
                step[1],
            )
        ),
        "transition samples with the probabilities",
    ),
    "a transition draws hidden cards with wrong odds": (
        broken(
            HiddenDraw(),
            transition=lambda step, key, state, infostates, _: (
                step[0],
                pick(
                    state,
                    jnp.stack([jnp.int32(0), card(key, jnp.array([0.4, 0.4, 0.2]))]),
                    infostates,
                ),
            ),
        ),
        "transition samples with .* an even sample of probability",
    ),
    "a world has an action more": (
        kuhn(world_actions=lambda row, *_: row.at[0].set(True)),
        "world_actions is the acting player's row of legal_actions; .*action 0, expected 0, got 1",
    ),
    "a world is worth what player 1 gets": (
        kuhn(world_utility=lambda utility, *_: -utility),
        "world_utility is player 0's utility of a world that is over",
    ),
    "features are not finite": (
        kuhn(observe=lambda features, _: features / 0),
        "features are finite",
    ),
    "a plain call is different": (
        kuhn(
            observe=lambda features, _: (
                features if isinstance(features, jax.core.Tracer) else features + 1
            )
        ),
        "observe gives in a plain call what it gives under jit",
    ),
    "two outcomes have the same text": (
        kuhn(describe_outcome=lambda *_: "moves"),
        "describe_outcome tells them apart; at 'start .*: 1 and 2 are both 'moves'",
    ),
    "two actions have the same text": (
        kuhn(describe_action=lambda *_: "moves"),
        "describe_action tells them apart",
    ),
    "a state has no text": (
        kuhn(describe_state=lambda *_: ""),
        "describe_state is one line of text",
    ),
    "a picture is a text": (
        kuhn(view=lambda *_: "a table"),
        "view is a View of sog.games.views or None; at 'start .*: got 'a table'",
    ),
    "an event cannot be read": (
        kuhn(parse=lambda read, _: (0, *read)),
        "parse reads the events that describe_outcome tells: of '.*' expected .*, got",
    ),
    "a board is empty": (
        kuhn(draw=lambda *_: "\n"),
        "draw is text, with ranges and without",
    ),
}


RARE = {
    "features are not finite",
    "a plain call is different",
    "compatible reach contains the own reach",
    "chance has a choice of actions",
    "advance adds up the players' reach",
    "an infostate has no action",
    "advance halves a reach and the joint weight doubles it",
    "utilities contain the own reach",
    "an end has outcomes",
    "the actor is nobody",
    "a transition shows no outcome",
    "two actions have the same text",
    "a state has no text",
}


@pytest.mark.thorough(but=["the joint weight has", "utilities are the same"])
@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=pytest.mark.slow if fault in RARE else ()) for fault in LATE],
)
def test_a_game_that_breaks_a_law_is_caught(fault: str) -> None:
    game, message = LATE[fault]
    with pytest.raises(ConformanceError, match=message) as caught:
        check_game(game)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{game} breaks a law of games: ")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fault",
    [
        "the joint weight forgets the public card",
        pytest.param("a transition deals low cards more often", marks=pytest.mark.slow),
    ],
)
def test_a_fault_of_a_wide_chance_event_is_caught_though_few_outcomes_are_followed(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow_few(monkeypatch)
    game, message = LATE[fault]
    with pytest.raises(ConformanceError, match=message):
        check_game(game)


@pytest.mark.thorough
def test_what_a_graph_says_of_a_state_is_checked() -> None:
    glasses = Glasses()
    plain = glasses.encoding.observe

    def nobody_moves(state: Any) -> tuple[Array, Array]:
        nodes, whole = plain(state)
        return nodes.at[MOVER].set(0), whole

    silent = broken(glasses, encoding=dataclasses.replace(glasses.encoding, observe=nobody_moves))
    state = glasses.apply(glasses.root(), jnp.int32(0))  # a detective is to move
    check_shown_graph(glasses, state)
    with pytest.raises(ConformanceError, match="channel MOVER of a graph is 1 at one node where"):
        check_shown_graph(silent, state)
    two_hide = kuhn(encoding=glasses.encoding)
    with pytest.raises(
        ConformanceError, match=r"player 1 has the one infostate 0; .*got \[0, 1, 2\]"
    ):
        check_shown_graph(two_hide, two_hide.root())


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (lambda wins, meets: (wins, jnp.ones_like(meets)), "let it meet; at .*: off by 0"),
        (lambda wins, meets: (wins + 2 * meets, meets), "a hand wins at most what it meets"),
    ],
)
def test_what_hands_say_of_a_state_is_checked(changed: Any, says: str) -> None:
    hands, state = SMALL_HOLDEM.encoding, SMALL_HOLDEM.root()

    def compare(*arguments: Array) -> tuple[Array, Array]:
        found: tuple[Array, Array] = changed(*hands.compare(*arguments))
        return found

    faulty = broken(SMALL_HOLDEM, encoding=dataclasses.replace(hands, compare=compare))
    check_shown_hands(SMALL_HOLDEM, state)
    with pytest.raises(ConformanceError, match=says):
        check_shown_hands(faulty, state)
