"""Games that break the contract are caught, each by the law that it breaks."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from sog.games import CHANCE, TERMINAL, make
from sog.games.boards.tic_tac_toe import TicTacToe
from sog.games.cards.kuhn import Kuhn
from sog.games.cards.leduc import Leduc
from sog.games.conformance import ConformanceError, check_game
from sog.games.conformance.encoding_laws import check_shown_graph, check_shown_hands
from sog.games.core import opponents_weight, public_action
from sog.games.encoding import MOVER, Moves, Planes
from sog.games.scotland_yard.game import Glasses
from tests.games.broken_games import broken, follow_few, kuhn, leduc, renamed_kuhn, shifted_kuhn
from tests.games.hidden_draw import HiddenDraw


def card(key: Array, odds: Array) -> Array:
    return jax.random.choice(key, len(odds), p=odds / odds.sum()).astype(jnp.int32)


def pick(state: Any, at_chance: Any, otherwise: Any) -> Any:
    return jnp.where(state.stage == CHANCE, at_chance, otherwise)


SMALL_HOLDEM: Any = make("holdem(ranks=3,suits=2,deals=1,blinds=1/2,stack=3/4,bets=allin)")
ONE_WAY = Glasses().encoding.roads.copy()
ONE_WAY[0, 5] = True

# Found before the laws of states and worlds are looked at.
EARLY = {
    "a size is not an int": (
        kuhn(num_actions=np.int64(3)),
        "num_actions is a positive int: got np.int64",
    ),
    "it cannot be hashed": (broken(Kuhn(), __hash__=None), "a game is hashable"),
    "it has no name": (
        kuhn(__str__=lambda _: "<object at 0x7f>"),
        "is its name and parameters: got '<object",
    ),
    "a state grows in 64-bit mode": (
        kuhn(
            apply=lambda child, *_: dataclasses.replace(
                child, num_events=jnp.sum(child.num_events[None])
            )
        ),
        "apply keeps .*64-bit mode.: .num_events expected int32.., got int64..",
    ),
    "a float64 table makes float64 of float32": (
        kuhn(compatible_reach=lambda rows, *_: rows * np.array(1.0)),
        "compatible_reach keeps .*64-bit mode.: expected float32.2, 3., got float64",
    ),
    "features are planes": (
        kuhn(observe=lambda features, *_: features.reshape(1, -1)),
        "observe keeps the documented shape",
    ),
    "a list of planes is declared": (
        kuhn(encoding=(1, 2, 3)),
        "encoding is Flat, Planes, Graph or CardHands: got .1, 2, 3.",
    ),
    "planes are fewer than the features": (
        broken(TicTacToe(), encoding=Planes(channels=4, rows=3, columns=3)),
        "planes have as many numbers as observe: got 36 .* and 45 of observe",
    ),
    "a board has no rows": (
        broken(TicTacToe(), encoding=Planes(channels=5, rows=0, columns=3)),
        "the sizes of planes are positive ints",
    ),
    "a pass is declared that is no action": (
        broken(
            TicTacToe(),
            encoding=Planes(channels=5, rows=3, columns=3, moves=Moves(planes=1, others=1)),
        ),
        "the layout of moves has as many as there are actions: got 10 .* num_actions = 9",
    ),
    "a road leads one way": (
        broken(Glasses(), encoding=dataclasses.replace(Glasses().encoding, roads=ONE_WAY)),
        "a road of the graph is the same both ways: between 0 and 5 it leads one way",
    ),
    "an action leads off the map": (
        broken(
            Glasses(),
            encoding=dataclasses.replace(
                Glasses().encoding, action_end=Glasses().encoding.action_end + np.int32(1)
            ),
        ),
        "action_end of the graph lies in 0 to 11: got 1 to 12",
    ),
    "hands have more channels than are said": (
        broken(SMALL_HOLDEM, encoding=dataclasses.replace(SMALL_HOLDEM.encoding, channels=3)),
        r"observe and compare of hands .*: expected float32.15, 3., .*, got float32.15, 23.,",
    ),
    "advance is not linear": (
        kuhn(advance=lambda reach, *_: jnp.where(reach > 0.5, reach, 0)),
        "linear_transpose can transpose advance",
    ),
    "advance multiplies the players' reach": (
        kuhn(advance=lambda reach, state, outcome, action, other: reach * other.sum()),
        "linear_transpose can transpose advance",
    ),
    "the root's reach is normalized": (
        kuhn(root_reach=lambda reach: reach / 3),
        "root_reach is 1 in infostate_mask",
    ),
    "the joint weight is not normalized": (
        kuhn(compatible_reach=lambda rows, *_: 2 * rows),
        "the joint weights of the root add up to 1; .*: got 2.",
    ),
    "the joint weight has the precision of float32": (
        kuhn(compatible_reach=lambda rows, *_: rows.astype(jnp.float32).astype(rows.dtype)),
        "the joint weights of the root add up to 1; .*: got 1.00000",
    ),
    "the joint weight forgets that players hold different cards": (
        kuhn(
            compatible_reach=lambda rows, state, reach: opponents_weight(
                jnp.full((3, 3), 1 / 9, reach.dtype), reach
            )
        ),
        "deal samples pairs .*: pair 0, 0: expected about 2222.2, got 0",
    ),
    "the deal is outside the list": (kuhn(deal=lambda pair, _: pair + 1), "deal returns two"),
    "the deal gives both the same card": (
        kuhn(deal=lambda pair, _: pair[:1].repeat(2)),
        "deal samples pairs of infostates with their joint weights",
    ),
    "the deal gives player 1 the higher card": (
        kuhn(deal=lambda pair, _: jnp.sort(pair)),
        "deal samples",
    ),
    "public actions are more than outcomes": (
        broken(HiddenDraw(), has_public_actions=True, num_actions=4),
        "with has_public_actions every action is an outcome: got 3 outcomes and 4 actions",
    ),
    "max_depth is too small": (kuhn(max_depth=2), "every play ends within max_depth public events"),
    "it never ends": (
        kuhn(apply=lambda child, state, outcome: state),
        "not over after max_depth = 3",
    ),
}


@pytest.mark.parametrize("fault", EARLY)
def test_a_game_with_a_broken_frame_is_caught(fault: str) -> None:
    game, message = EARLY[fault]
    with pytest.raises(ConformanceError, match=message):
        check_game(game)


def test_a_walk_that_does_not_end_is_caught() -> None:
    with pytest.raises(ConformanceError, match="not over after max_depth = 2"):
        check_game(kuhn(max_depth=2), max_states=2)


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
    "advance adds up the players' reach": (
        kuhn(advance=lambda reach, state, outcome, action, other: reach + other[None]),
        "does not depend on other_reach",
    ),
    "advance contains chance": (
        leduc(advance=lambda reach, state, *_: reach * pick(state, 0.25, 1.0)),
        "probability is conserved",
    ),
    "advance renames the infostates of one player": (
        kuhn(advance=lambda reach, *_: jnp.stack([reach[0], jnp.roll(reach[1], 1)])),
        "probability is conserved",
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
    "infostates that get another index are called public actions": (
        kuhn(advance=lambda reach, *_: jnp.roll(reach, 1, axis=1)),
        "with has_public_actions advance is public_action",
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
    "a transition shows another bet": (
        kuhn(
            transition=lambda step, key, state, *_: (
                jnp.where(step[0] == 1, 2, 1).astype(jnp.int32),
                step[1],
            )
        ),
        "transition (leads only|returns a legal)",
    ),
    "a transition swaps the cards": (
        kuhn(transition=lambda step, *_: (step[0], step[1][::-1])),
        "transition leads only to worlds",
    ),
    "a transition shows no outcome": (
        kuhn(transition=lambda step, *_: (step[0] - 4, step[1])),
        "transition returns a legal outcome",
    ),
    "a transition deals a card that is held": (
        leduc(
            transition=lambda step, key, state, *_: (
                pick(state, card(key, jnp.ones(6)), step[0]),
                step[1],
            )
        ),
        "transition leads only to worlds",
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
    "advance renames the infostates of one player",
    "infostates that get another index are called public actions",
    "advance halves a reach and the joint weight doubles it",
    "utilities contain the own reach",
    "an end has outcomes",
    "the actor is nobody",
    "a transition shows another bet",
    "a transition shows no outcome",
    "a transition deals a card that is held",
    "two actions have the same text",
    "a state has no text",
    "advance contains chance",
}


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
