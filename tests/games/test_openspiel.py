"""OpenSpiel games as public trees, against OpenSpiel's own histories and information states."""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.conformance import check_game
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.games.openspiel import OpenSpiel, OpenSpielState, load_openspiel
from sog.games.registry import make

pyspiel = pytest.importorskip("pyspiel")

Policy = Callable[[str, list[int]], dict[int, float]]

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


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], str]:
    """A function that writes a game as a Gambit file and returns OpenSpiel's text for it."""

    def write(tree: str) -> str:
        path = tmp_path / "game.efg"
        path.write_text(tree)
        return f"efg_game(filename={path})"

    return write


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


# Infostates and actions


@pytest.mark.parametrize("text", IN_STEP)
def test_every_information_state_is_one_infostate_and_has_its_actions(text: str) -> None:
    game = load_openspiel(text)
    wanted = {
        (state.current_player(), state.information_state_string()): set(state.legal_actions())
        for state in histories(spiel_game(text).new_initial_state())
        if state.current_player() in (0, 1)
    }
    seen = []
    for node in all_nodes(game):
        player = int(node.actor)
        if player in (CHANCE, TERMINAL):
            continue
        for infostate in node.infostates(player):
            key = player, game.spiel_infostate(node.state, player, infostate)
            actions = np.flatnonzero(node.legal[infostate])
            numbers = {game.spiel_action(node.state, int(action)) for action in actions}
            assert numbers == wanted[key]
            seen.append(key)
    assert sorted(seen) == sorted(wanted)


# Histories that move at different times


def test_an_infostate_waits_while_another_has_a_second_try(
    written: Callable[[str], str],
) -> None:
    game = load_openspiel(written(SECOND_TRY))
    start, second, guess, end = all_nodes(game)
    assert [node.actor for node in (start, second, guess, end)] == [0, 0, 1, TERMINAL]
    assert game.describe_outcome(start.state, 0) == "hidden"
    shown = [
        [game.describe_action(second.state, s, int(a)) for a in np.flatnonzero(second.legal[s])]
        for s in second.infostates(PLAYER_0)
    ]
    assert sorted(shown) == [["wait"], ["x", "y"]]
    # Player 1 cannot tell "done" from "try, x" and "try, y"; player 0 can.
    assert [len(guess.infostates(player)) for player in (0, 1)] == [3, 1]


def test_hidden_chance_is_averaged_over_the_histories_of_a_pair(
    written: Callable[[str], str],
) -> None:
    game = load_openspiel(written(HIDDEN_COINS))
    at_a = [
        node.state
        for node in all_nodes(game)
        if node.actor == PLAYER_0 and game.spiel_infostate(node.state, 0, 0).endswith("-a")
    ]
    assert len(at_a) == 1
    reach = jnp.ones((2, game.num_infostates), jnp.float32)
    # Heads, or tails and heads: 1/3 + 2/3 * 1/4.
    assert game.compatible_reach(at_a[0], reach)[0, 0] == pytest.approx(1 / 2)
    # Left, left: 1 after heads (1/3), 5 after tails and heads (1/6), 1 at "c" (1/2).
    value = expected_value(game, lambda _, legal: {a: float(a == legal[0]) for a in legal})
    assert value == pytest.approx(1 / 3 + 5 / 6 + 1 / 2)


def test_a_game_without_an_order_of_play_is_refused(written: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match=r"not supported: no order of play: .* '0-0-1-a'"):
        load_openspiel(written(WHO_IS_FIRST))


# Values


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


def value_by_histories(state: Any, policy: Policy) -> float:
    if state.is_terminal():
        return float(state.returns()[0])
    odds: dict[int, float]
    if state.is_chance_node():
        odds = dict(state.chance_outcomes())
    else:
        odds = policy(state.information_state_string(), state.legal_actions())
    return sum(p * value_by_histories(state.child(move), policy) for move, p in odds.items())


def random_policy(seed: int) -> Policy:
    rng, chosen = np.random.default_rng(seed), dict[str, dict[int, float]]()

    def policy(infostate: str, legal: list[int]) -> dict[int, float]:
        if infostate not in chosen:
            odds = rng.dirichlet(np.full(len(legal), 0.5))
            chosen[infostate] = dict(zip(legal, odds.tolist(), strict=True))
        return chosen[infostate]

    return policy


def check_values(text: str) -> None:
    game = load_openspiel(text)
    policy = random_policy(seed=7)
    with jax.enable_x64(True):
        value = expected_value(game, policy)
    assert value == pytest.approx(
        value_by_histories(spiel_game(text).new_initial_state(), policy), abs=1e-9
    )


@pytest.mark.parametrize("text", [*IN_STEP, RESTRICTED])
def test_random_policies_are_worth_what_they_are_in_openspiel(text: str) -> None:
    check_values(text)


@pytest.mark.parametrize("tree", [SECOND_TRY, HIDDEN_COINS], ids=["second try", "hidden coins"])
def test_waiting_and_hidden_chance_change_no_value(
    tree: str, written: Callable[[str], str]
) -> None:
    check_values(written(tree))


def test_kuhn_poker_from_a_gambit_file_is_worth_the_same(written: Callable[[str], str]) -> None:
    # What OpenSpiel tells of such a game between a player's moves shows the other's card; he has
    # forgotten it when he moves. His own card he knows: each goes with two cards of the other.
    text = written(pyspiel.get_kuhn_poker_efg_data())
    game = load_openspiel(text)
    assert game.infostate_mask(game.root()).sum(axis=1).tolist() == [3, 3]
    one_card = jnp.array([[0, 0, 0], [1, 0, 0]], jnp.float32)
    pairs = game.compatible_reach(game.root(), one_card)[0]
    np.testing.assert_allclose(np.sort(pairs), [0, 1 / 6, 1 / 6], rtol=1e-6)
    check_values(text)


# The contract


def test_kuhn_poker_keeps_the_contract() -> None:
    assert check_game(load_openspiel("kuhn_poker")).exhaustive


@pytest.mark.slow
@pytest.mark.parametrize("text", [*IN_STEP, RESTRICTED, PIG])
def test_openspiel_games_keep_the_contract(text: str) -> None:
    check_game(load_openspiel(text))


@pytest.mark.slow
@pytest.mark.parametrize("tree", [SECOND_TRY, HIDDEN_COINS], ids=["second try", "hidden coins"])
def test_games_that_wait_keep_the_contract(tree: str, written: Callable[[str], str]) -> None:
    assert check_game(load_openspiel(written(tree))).exhaustive


@pytest.mark.slow
def test_tic_tac_toe_is_small_enough() -> None:
    # 549,946 is the known number of positions with their histories, the empty board included.
    assert len(load_openspiel("tic_tac_toe").tables.node_actor) == 549_946


def test_features_tell_public_states_apart() -> None:
    game = load_openspiel("leduc_poker(suit_isomorphism=True)")
    nodes = jnp.arange(game.tables.root, len(game.tables.node_actor), dtype=jnp.int32)
    features = np.asarray(jax.jit(jax.vmap(game.observe))(OpenSpielState(node=nodes)))
    assert len(np.unique(features, axis=0)) == len(nodes)
    assert features.min() >= -1
    assert features.max() <= 1


# The game as an object


def test_the_registry_reads_what_a_game_prints() -> None:
    game = make("openspiel: leduc_poker(suit_isomorphism=True)")
    assert str(game) == "openspiel:leduc_poker(suit_isomorphism=True)"
    again = make(str(game))
    assert (again, hash(again)) == (game, hash(game))
    assert again != make("openspiel:kuhn_poker")
    assert game.max_utility == 13  # ante 1, two raises of 2, two of 4


def test_kuhn_poker_in_words() -> None:
    game = load_openspiel("kuhn_poker")
    root = game.root()
    assert game.describe_state(root) == "start"
    assert [game.describe_infostate(root, 0, s) for s in range(3)] == ["0", "1", "2"]
    assert [game.describe_action(root, 0, a) for a in range(2)] == ["Pass", "Bet"]
    state = root
    for outcome in (0, 1):
        state = game.apply(state, jnp.int32(outcome))
    assert game.describe_state(state) == "Pass, Bet"
    assert game.describe_infostate(state, 1, 2) == "2pb"
    assert game.spiel_infostate(state, 0, 1) == "1pb"


def test_chance_and_hidden_moves_in_words() -> None:
    game = load_openspiel(COORDINATED)
    texts = defaultdict(set)
    for node in all_nodes(game):
        for outcome in np.flatnonzero(node.outcomes):
            texts[int(node.actor)].add(game.describe_outcome(node.state, int(outcome)))
    assert texts[PLAYER_0] == {"hidden"}
    assert texts[CHANCE] == {"Top", "Bottom"}


# Refusals


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kuhn_pokr", "unknown OpenSpiel game 'kuhn_pokr': did you mean 'kuhn_poker'?"),
        ("kuhn_poker(cards=4)", "Unknown parameter 'cards'"),
        ("kuhn_poker(players=3)", "needs 2 players, has 3"),
        ("tiny_hanabi", "must be zero-sum, is identical"),
        ("matrix_pd", "must be zero-sum, is general_sum"),
        ("dark_chess", "no information state strings"),
        ("goofspiel(num_cards=4)", "player 0 has no perfect recall"),
        ("dark_hex_ir(board_size=2)", "player 1 has no perfect recall"),
        ("phantom_ttt", "has more than max_histories = 500 histories"),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  checked below, as plain text
        load_openspiel(text, max_histories=20_000 if "phantom" not in text else 500)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_deep_game_is_refused_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sog.games.openspiel_histories.MAX_CHARACTERS", 10**5)
    with pytest.raises(ValueError, match="infostate strings have over 100000 characters"):
        load_openspiel("oshi_zumo(coins=3,size=1)")  # bids of nothing: 1000 rounds


def test_without_open_spiel_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match=r"pip install 'sog\[openspiel\]'"):
        make("openspiel:kuhn_poker")
