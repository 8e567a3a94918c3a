"""Small games of OpenSpiel, and games written for tests; importing it needs OpenSpiel."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.openspiel.game import OpenSpiel, OpenSpielState

pyspiel = pytest.importorskip("pyspiel")

Policy = Callable[[str, list[int]], dict[int, float]]
"""From an infostate string and the legal actions."""

DARK_HEX = "dark_hex(board_size=2)"
ABRUPT_DARK_HEX = "dark_hex(board_size=2,gameversion=adh)"
BATTLESHIP = (
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2,"
    "allow_repeated_shots=False)"
)
GOOFSPIEL = "goofspiel(imp_info=True,num_cards=3,points_order=descending)"
RESTRICTED = "restricted_nash_response(game=kuhn_poker(),fixed_player=1,p=0.5)"
OSHI_ZUMO = "oshi_zumo(coins=3,size=1,horizon=2)"
PIG = "pig(winscore=2,horizon=4)"
COORDINATED = "coordinated_mp"
IN_STEP = ["kuhn_poker", "leduc_poker(suit_isomorphism=True)", GOOFSPIEL, OSHI_ZUMO, DARK_HEX]
IN_STEP += [ABRUPT_DARK_HEX, BATTLESHIP, COORDINATED, "liars_dice(dice_sides=3)", "matrix_rps"]

# Player 0 may try once more, unseen: player 1's information set has histories of different length.
SECOND_TRY = """EFG 2 R "second try" { "0" "1" } ""
p "" 1 1 "start" { "done" "try" } 0
p "" 2 1 "guess" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 1 2 "again" { "x" "y" } 0
p "" 2 1 "guess" { "l" "r" } 0
t "" 3 "" { -2, 2 }
t "" 4 "" { 2, -2 }
p "" 2 1 "guess" { "l" "r" } 0
t "" 5 "" { 3, -3 }
t "" 6 "" { 0, 0 }
"""

# Nobody sees the coin, nor the second one that follows tails: pairs of infostates have several
# histories, of different length. Player 0 sees only whether it came to his move "c".
HIDDEN_COINS = """EFG 2 R "hidden coins" { "0" "1" } ""
c "" 1 "coin" { "h" 1/3 "t" 2/3 } 0
p "" 1 1 "a" { "l" "r" } 0
p "" 2 1 "b" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "b" { "l" "r" } 0
t "" 3 "" { 1, -1 }
t "" 4 "" { -1, 1 }
c "" 2 "second" { "h" 1/4 "t" 3/4 } 0
p "" 1 1 "a" { "l" "r" } 0
p "" 2 1 "b" { "l" "r" } 0
t "" 5 "" { 5, -5 }
t "" 6 "" { -1, 1 }
p "" 2 1 "b" { "l" "r" } 0
t "" 7 "" { 1, -1 }
t "" 8 "" { -7, 7 }
p "" 1 2 "c" { "l" "r" } 0
t "" 9 "" { 1, -1 }
t "" 10 "" { -1, 1 }
"""

# Player 1 has seen the card, and player 0 not.
SEEN_CARD = """EFG 2 R "seen card" { "0" "1" } ""
c "" 1 "card" { "ace" 1/2 "king" 1/2 } 0
p "" 1 1 "blind" { "shove" "fold" } 0
p "" 2 1 "ace" { "call" "pass" } 0
t "" 1 "" { -2, 2 }
t "" 2 "" { 1, -1 }
t "" 3 "" { -1, 1 }
p "" 1 1 "blind" { "shove" "fold" } 0
p "" 2 2 "king" { "call" "pass" } 0
t "" 4 "" { 2, -2 }
t "" 5 "" { 1, -1 }
t "" 6 "" { -1, 1 }
"""

ONE_COIN = """EFG 2 R "one coin" { "0" "1" } ""
c "" 1 "coin" { "h" 1/3 "t" 2/3 } 0
t "" 1 "" { 3, -3 }
t "" 2 "" { -1, 1 }
"""
OVER_AT_ONCE = """EFG 2 R "over" { "0" "1" } ""
t "" 1 "" { 2, -2 }
"""

# After heads player 0 moves first, after tails player 1, and neither knows which it is.
WHO_IS_FIRST = """EFG 2 R "who is first" { "0" "1" } ""
c "" 1 "coin" { "h" 1/2 "t" 1/2 } 0
p "" 1 1 "a" { "l" "r" } 0
p "" 2 1 "b" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "b" { "l" "r" } 0
t "" 3 "" { 1, -1 }
t "" 4 "" { -1, 1 }
p "" 2 1 "b" { "l" "r" } 0
p "" 1 1 "a" { "l" "r" } 0
t "" 5 "" { 1, -1 }
t "" 6 "" { -1, 1 }
p "" 1 1 "a" { "l" "r" } 0
t "" 7 "" { 1, -1 }
t "" 8 "" { -1, 1 }
"""


def spiel_game(text: str) -> Any:
    game = pyspiel.load_game(text)
    simultaneous = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if simultaneous else game


def histories(state: Any) -> Iterator[Any]:
    yield state
    for move in state.legal_actions() if not state.is_terminal() else []:
        yield from histories(state.child(move))


class Node(NamedTuple):
    """What the game says about one public state, in numpy."""

    state: OpenSpielState
    actor: int
    mask: np.ndarray
    legal: np.ndarray
    outcomes: np.ndarray
    children: np.ndarray

    def infostates(self, player: int) -> range:
        return range(int(self.mask[player].sum()))


def all_nodes(game: OpenSpiel) -> list[Node]:
    """All public states by their numbers, in one batch; the first is the root."""

    def look(state: OpenSpielState) -> tuple[Any, ...]:
        children = jax.vmap(lambda k: game.apply(state, k).node)(
            jnp.arange(game.num_outcomes, dtype=jnp.int32)
        )
        outcomes = game.legal_outcomes(state)
        mask, legal = game.infostate_mask(state), game.legal_actions(state)
        return state, game.actor(state), mask, legal, outcomes, children

    numbers = jnp.arange(game.tables.root, len(game.tables.node_actor), dtype=jnp.int32)
    seen = jax.device_get(jax.jit(jax.vmap(look))(OpenSpielState(node=numbers)))
    return [Node(*(jax.tree.map(lambda leaf, i=i: leaf[i], seen))) for i in range(len(numbers))]


def expected_value(game: OpenSpiel, policy: Policy) -> float:
    """Player 0's utility by pushing reach down the public tree, from infostate strings alone."""
    advance, utilities = jax.jit(game.advance), jax.jit(game.utilities)
    nodes = all_nodes(game)
    total = 0.0
    stack = [(nodes[0], np.asarray(game.root_reach()))]
    while stack:
        node, reach = stack.pop()
        if node.actor == TERMINAL:
            total += float((utilities(node.state, reach)[0] * reach[0]).sum())
            continue
        mover = PLAYER_1 if node.actor == PLAYER_1 else PLAYER_0
        choice = np.zeros((game.num_infostates, game.num_actions), reach.dtype)
        choice[:, 0] = node.actor == CHANCE
        for infostate in node.infostates(mover) if node.actor != CHANCE else []:
            local = np.flatnonzero(node.legal[infostate])
            numbers = [game.spiel_action(node.state, int(action)) for action in local]
            acting = [number for number in numbers if number is not None]
            if not acting:  # it waits
                choice[infostate, local] = 1
                continue
            chosen = policy(game.spiel_infostate(node.state, mover, infostate), acting)
            choice[infostate, local] = [chosen[number] for number in acting]
        action_reach = choice * reach[mover][:, None]
        for outcome in np.flatnonzero(node.outcomes):
            later = advance(node.state, np.int32(outcome), action_reach, reach[1 - mover])
            child = nodes[int(node.children[outcome]) - game.tables.root]
            stack.append((child, np.asarray(later)))
    return total
