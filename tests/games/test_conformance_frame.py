"""Games whose frame is broken (sizes, types, names, walks that do not end) are caught."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.tic_tac_toe import TicTacToe
from sog.games.cards.kuhn import Kuhn
from sog.games.conformance import ConformanceError, check_game
from sog.games.core import opponents_weight
from sog.games.encoding import Moves, Planes
from sog.scotland_yard.game import Glasses
from tests.games.broken_games import SMALL_HOLDEM, broken, kuhn
from tests.games.hidden_draw import HiddenDraw

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


@pytest.mark.thorough(
    only=["max_depth is too small", "the root's reach is normalized", "hands have more channels"]
)
@pytest.mark.parametrize("fault", EARLY)
def test_a_game_with_a_broken_frame_is_caught(fault: str) -> None:
    game, message = EARLY[fault]
    with pytest.raises(ConformanceError, match=message):
        check_game(game)


@pytest.mark.thorough
def test_a_walk_that_does_not_end_is_caught() -> None:
    with pytest.raises(ConformanceError, match="not over after max_depth = 2"):
        check_game(kuhn(max_depth=2), max_states=2)
