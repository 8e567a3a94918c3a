"""OpenSpiel games as public trees, against OpenSpiel's own histories and information states."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.conformance import check_game
from sog.games.core import CHANCE, PLAYER_0, TERMINAL
from sog.games.registry import make
from sog.openspiel.game import OpenSpielState, load_openspiel
from sog.openspiel.texts import private_picture
from tests.openspiel.openspiel_games import (
    COORDINATED,
    HIDDEN_COINS,
    IN_STEP,
    ONE_COIN,
    OVER_AT_ONCE,
    PIG,
    RESTRICTED,
    SECOND_TRY,
    SEEN_CARD,
    WHO_IS_FIRST,
    all_nodes,
    expected_value,
    histories,
    spiel_game,
)

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


# The contract


@pytest.mark.thorough
def test_kuhn_poker_keeps_the_contract() -> None:
    assert check_game(load_openspiel("kuhn_poker")).exhaustive


@pytest.mark.slow
@pytest.mark.parametrize("text", [*IN_STEP, RESTRICTED, PIG])
def test_openspiel_games_keep_the_contract(text: str) -> None:
    check_game(load_openspiel(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "tree",
    [SECOND_TRY, HIDDEN_COINS, SEEN_CARD, ONE_COIN, OVER_AT_ONCE],
    ids=["second try", "hidden coins", "seen card", "one coin", "over at once"],
)
def test_games_from_gambit_files_keep_the_contract(
    tree: str, written: Callable[[str], str]
) -> None:
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


@pytest.mark.parametrize(
    ("theirs", "ours"), [("kuhn_poker()", "kuhn"), ("leduc_poker", "leduc"), ("matrix_rps", "rps")]
)
def test_a_game_has_the_units_of_ours(theirs: str, ours: str) -> None:
    game, twin = load_openspiel(theirs), make(ours)
    assert (game.unit, game.milli_unit) == (twin.unit, twin.milli_unit)


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


def test_a_board_on_which_nothing_is_hidden_is_drawn_as_openspiel_draws_it() -> None:
    game = load_openspiel("clobber(rows=2,columns=2)")
    assert game.draw(game.root()).splitlines() == ["start", "2xo", "1ox", " ab"]
    moved = game.apply(game.root(), jnp.int32(0))
    assert game.draw(moved) == game.describe_state(moved) + "\n" + str(
        spiel_game(game.text).new_initial_state().child(game.spiel_action(game.root(), 0))
    ).rstrip("\n")


def test_a_player_sees_his_own_board_and_not_what_the_other_has_put_on_it() -> None:
    game = load_openspiel("dark_hex(board_size=2)")
    hidden = game.apply(game.root(), jnp.int32(0))  # the first stone
    assert game.draw(hidden) == "hidden"
    first = [game.draw_infostate(hidden, 0, s) for s in range(4)]
    assert sorted(first) == ["..\n.x", "..\nx.", ".x\n..", "x.\n.."]
    assert game.draw_infostate(hidden, 1, 0) == "..\n.."


def test_what_differs_between_the_histories_of_an_infostate_is_not_drawn() -> None:
    class Told:
        """A state of dark hex that tells more than a player knows."""

        def __init__(self, secret: int) -> None:
            self.secret = secret

        def get_game(self) -> Any:
            return spiel_game("dark_hex(board_size=2)")

        def observation_string(self, player: int) -> str:
            return f"the board\nthe other's stone is on {self.secret}"

    assert private_picture([Told(1), Told(1)], 0).startswith("the board\n")
    assert private_picture([Told(1), Told(2)], 0) == ""


def test_chance_and_hidden_moves_in_words() -> None:
    game = load_openspiel(COORDINATED)
    texts = defaultdict(set)
    for node in all_nodes(game):
        for outcome in np.flatnonzero(node.outcomes):
            texts[int(node.actor)].add(game.describe_outcome(node.state, int(outcome)))
    assert texts[PLAYER_0] == {"hidden"}
    assert texts[CHANCE] == {"Top", "Bottom"}


def test_public_states_after_the_same_move_are_told_apart_by_what_a_player_knows_there(
    written: Callable[[str], str],
) -> None:
    game = load_openspiel(written(SEEN_CARD))
    ace, fold, king = (game.describe_outcome(game.root(), outcome) for outcome in range(3))
    assert fold == "fold"
    assert game.num_decision_outcomes == 3  # of two actions
    assert (ace, king) == ("shove #1 (player 1: 1-1-1-ace)", "shove #3 (player 1: 1-1-2-king)")


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
        ("phantom_ttt", "has more than 500 histories"),
        ("connect_four(rows=0)", "it ends the process (SIGSEGV)"),
        ("kriegspiel(fen=x)", "does not check FEN"),
        ("hanabi(ranks=7)", "it ends the process (SIGABRT)"),
        ("breakthrough(columns=1)", "cols_ > 1"),
        ("dark_hex(board_size=0)", "a state that is not terminal has no legal action"),
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
    monkeypatch.setattr("sog.openspiel.histories.CHARACTERS_PER_HISTORY", 1)
    with pytest.raises(ValueError, match="more than 100,000 characters in its infostate strings"):
        load_openspiel(
            "oshi_zumo(coins=3,size=1)", max_histories=100_000
        )  # bids of nothing: 1000 rounds
