"""Public states of OpenSpiel games: against brute force, and numbers that are known."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import CHANCE, TERMINAL
from sog.openspiel.game import OpenSpiel, OpenSpielState, load_openspiel
from tests.openspiel.openspiel_games import (
    BATTLESHIP,
    DARK_HEX,
    GOOFSPIEL,
    PIG,
    histories,
    spiel_game,
)

History = tuple[int, ...]


def own_moves(spiel: Any, history: History, player: int) -> tuple[Any, ...]:
    """A player's information states and actions so far."""
    state, moves = spiel.new_initial_state(), []
    for move in history:
        if state.current_player() == player:
            moves.append((state.information_state_string(), move))
        state.apply_action(move)
    return tuple(moves)


def common_knowledge(text: str, *, recall: bool) -> set[frozenset[History]]:
    """Sets of histories, at players' moves, that some player cannot tell apart, closed.

    A player knows his infostate string, whether it is his move, and with `recall` his own moves.
    """
    spiel = spiel_game(text)
    groups: list[tuple[set[Any], set[History]]] = []  # what is known in them, and histories
    for state in histories(spiel.new_initial_state()):
        if state.is_terminal() or state.is_chance_node():
            continue
        history = tuple(state.history())
        keys: set[Any] = set()
        for player in (0, 1):
            moves = own_moves(spiel, history, player) if recall else ()
            is_mine = state.current_player() == player
            keys.add((player, state.information_state_string(player), is_mine, moves))
        alike = [group for group in groups if group[0] & keys]
        groups = [group for group in groups if not group[0] & keys]
        groups.append((keys.union(*(g[0] for g in alike)), {history}.union(*(g[1] for g in alike))))
    return {frozenset(members) for _, members in groups}


def our_classes(game: OpenSpiel) -> list[frozenset[History]]:
    tables = game.tables
    nodes = np.flatnonzero(tables.node_actor < CHANCE)
    members = (tables.member_history[tables.members.at(int(node))] for node in nodes)
    return [frozenset(tuple(game.histories.moves_to(int(h))) for h in rows) for rows in members]


@pytest.mark.parametrize("text", ["kuhn_poker", GOOFSPIEL, DARK_HEX, BATTLESHIP, "coordinated_mp"])
def test_public_states_are_what_both_players_know(text: str) -> None:
    ours = our_classes(load_openspiel(text))
    assert len(ours) == len(set(ours))
    assert set(ours) == common_knowledge(text, recall=True)


def test_dark_hex_keeps_apart_what_a_player_knows_of_his_own_attempts() -> None:
    # OpenSpiel's strings forget the order of failed attempts while the other player moves; where
    # he moves himself they have it. So our public states are finer than strings alone give.
    by_strings = common_knowledge(DARK_HEX, recall=False)
    ours = our_classes(load_openspiel(DARK_HEX))
    assert (len(by_strings), len(ours)) == (46, 78)
    assert all(any(own <= whole for whole in by_strings) for own in ours)


@pytest.mark.parametrize(
    ("text", "num_public_states", "num_infostates"),
    [
        ("kuhn_poker", 4, 12),
        ("leduc_poker", 186, 936),
        ("leduc_poker(suit_isomorphism=True)", 96, 288),
        # A public state is an increasing list of the 6 bids: 2^6; times 3 faces.
        ("liars_dice(dice_sides=3)", 64, 192),
        # 39 rounds, in each of which the two players move in turn.
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)", 78, 162),
        ("matrix_rps", 2, 2),
    ],
)
def test_known_numbers_of_public_states_and_infostates(
    text: str, num_public_states: int, num_infostates: int
) -> None:
    tables = load_openspiel(text).tables
    decisions = tables.node_actor < CHANCE
    assert decisions.sum() == num_public_states
    assert len(tables.legal) == num_infostates


def test_the_move_that_ends_a_game_is_told_apart_and_what_it_reveals_is_not() -> None:
    game = load_openspiel("kuhn_poker")
    ends = np.flatnonzero(game.tables.node_actor == TERMINAL)
    texts = [game.describe_state(OpenSpielState(node=jnp.int32(node))) for node in ends]
    assert sorted(texts) == [
        "Bet, Bet",
        "Bet, Pass",
        "Pass, Bet, Bet",
        "Pass, Bet, Pass",
        "Pass, Pass",
    ]


def test_with_perfect_information_every_history_is_a_public_state() -> None:
    for text in ("nim(pile_sizes=1;2)", "mnk(m=2,n=2,k=2)", PIG):  # pig has no infostate strings
        game = load_openspiel(text)
        state = spiel_game(text).new_initial_state()
        assert len(game.tables.node_actor) == sum(1 for _ in histories(state))
        assert game.num_infostates == 1
