"""Symmetries of games: what they are, and that a broken one is caught."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.packing import BeliefState, pack, unpack
from selfplay.examples import random_twin, store_example
from sog.games import Game, make
from sog.games.cards.poker import CALL, FIRST_RAISE
from sog.games.conformance import ConformanceError, check_game
from tests.games.broken_games import broken, kuhn, leduc
from tests.games.random_plays import state_after

KEYS = jax.random.split(jax.random.key(0), 200)


def twins(text: str, outcomes: list[int]) -> dict[str, set[tuple[int, ...]]]:
    """The twins of a state, as text, and the names that its infostates and actions have there."""
    game = make(text)
    state = state_after(game, *outcomes)
    found: dict[str, set[tuple[int, ...]]] = {}
    for twin, infostates, actions in zip(
        *jax.device_get(jax.vmap(lambda key: rows(game, key, state))(KEYS)), strict=True
    ):
        name = game.describe_state(unpack(game, jnp.asarray(twin)))
        found.setdefault(name, set()).add((*infostates[0].tolist(), *actions.tolist()))
    return found


def rows(game: Game[Any], key: Array, state: Any) -> tuple[Array, Array, Array]:
    twin, infostates, actions = game.random_symmetry(key, state)
    return pack(twin), infostates, actions


@pytest.mark.thorough
def test_suits_of_leduc_mean_nothing() -> None:
    queen = 2  # of spades; cards are J J Q Q K K
    found = twins("leduc", [CALL, FIRST_RAISE, CALL, queen])
    assert found.keys() == {
        "check bet2 call [Qs] (stakes 3-3)",
        "check bet2 call [Qh] (stakes 3-3)",
    }
    names = set.union(*found.values())
    assert len(names) == 8  # 2 orders of each of 3 pairs of cards
    assert names >= {(0, 1, 2, 3, 4, 5, 0, 1, 2), (1, 0, 3, 2, 5, 4, 0, 1, 2)}
    # The card that has the name of the table's is the table's.
    assert {name[2] for name in found["check bet2 call [Qs] (stakes 3-3)"]} == {queen}
    assert {name[3] for name in found["check bet2 call [Qh] (stakes 3-3)"]} == {queen}


@pytest.mark.thorough
def test_tic_tac_toe_can_be_turned_and_mirrored() -> None:
    found = twins("tic_tac_toe", [0, 1])
    assert found.keys() == {
        f"{board} (X to move)"
        for board in [
            "XO./.../...",
            ".OX/.../...",
            "..X/..O/...",
            ".../..O/..X",
            ".../.../.OX",
            ".../.../XO.",
            ".../O../X..",
            "X../O../...",
        ]
    }
    assert all(len(names) == 1 for names in found.values())


def test_connect_four_has_a_mirror() -> None:
    found = twins("connect_four(rows=2,columns=3,run_length=2)", [0])
    assert found == {
        ".../X.. (O to move)": {(0, 0, 1, 2)},
        ".../..X (O to move)": {(0, 2, 1, 0)},
    }


def test_a_game_without_symmetries_has_no_other_twin() -> None:
    found = twins("liars_dice(dice=1,faces=2)", [0])
    assert len(found) == 1
    assert set.union(*found.values()) == {(*range(2), *range(5))}


@pytest.mark.thorough(but=["outcomes2"])
@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("leduc", [CALL, CALL, 3, FIRST_RAISE]),
        ("leduc", [CALL]),
        ("leduc(ranks=2,suits=3,max_raises=1)", [CALL, CALL, 3]),  # three suits: not all are swaps
        ("connect_four", [0, 1, 1]),
    ],
)
def test_a_twin_of_an_example_is_the_example_of_the_twin(text: str, outcomes: list[int]) -> None:
    """Targets that are functions of the belief state are those of the twin's belief state."""
    game = make(text)

    def example(state: Any, ranges: Array) -> Any:
        own = ranges[jnp.minimum(game.actor(state), 1)]
        weight = game.legal_actions(state) * (1 + own[:, None])
        # Actions differ by where they lead to.
        after = jax.vmap(game.apply, (None, 0))(state, jnp.arange(game.num_actions))
        lines = jnp.sum(jax.vmap(game.observe)(after) ** 2, axis=1)
        policy = weight * lines[None] if game.has_public_actions else weight
        values = game.compatible_reach(state, ranges**2)
        belief = BeliefState(state=pack(state), ranges=ranges)
        return store_example(game, belief, values, policy, jnp.int32(7))

    state = state_after(game, *outcomes)
    ranges = jax.random.uniform(jax.random.key(1), (2, game.num_infostates))
    given = example(state, jnp.where(game.infostate_mask(state), ranges, 0))
    for key in KEYS[:10]:
        twin = random_twin(game, given, key)
        expected = example(unpack(game, twin.state), twin.ranges)
        wanted = vars(expected)
        for name, array in vars(twin).items():
            np.testing.assert_allclose(array, wanted[name], rtol=1e-6, err_msg=name)


def renamed(change: Any) -> Any:
    """A game's symmetry with something wrong: change(twin, infostates, actions)."""
    return lambda found, key, state: change(*found)


FAULTS = {
    "two infostates have one name": (
        kuhn(random_symmetry=renamed(lambda twin, own, actions: (twin, own * 0, actions))),
        "gives each infostate exactly one name",
    ),
    "two actions have one name": (
        kuhn(random_symmetry=renamed(lambda twin, own, actions: (twin, own, actions * 0))),
        "gives each action exactly one name",
    ),
    "players change places": (
        kuhn(
            random_symmetry=renamed(
                lambda twin, own, actions: (
                    dataclasses.replace(twin, stage=jnp.where(twin.stage < 2, 1, twin.stage)),
                    own,
                    actions,
                )
            )
        ),
        "has the same actor",
    ),
    "the card on the table keeps its name": (
        leduc(
            random_symmetry=lambda found, key, state: (
                dataclasses.replace(found[0], board=state.board),
                *found[1:],
            )
        ),
        "by one key, the twin of a child is a child of the twin",
    ),
    "actions are counted backwards": (
        kuhn(random_symmetry=renamed(lambda twin, own, actions: (twin, own, actions[::-1]))),
        "has the same legal_actions",
    ),
    "the best card gets the name of the worst": (
        kuhn(random_symmetry=renamed(lambda twin, own, actions: (twin, own[:, ::-1], actions))),
        "has the same utilities",
    ),
    "every state has a symmetry of its own": (
        leduc(
            random_symmetry=lambda found, key, state: make("leduc(max_raises=1)").random_symmetry(
                jax.random.fold_in(key, state.num_events), state
            )
        ),
        "advance leads to the same reach from the twin",
    ),
    "only one player's cards are renamed": (
        broken(
            make("leduc(max_raises=1)"),
            random_symmetry=renamed(
                lambda twin, own, actions: (twin, jnp.stack([own[0], jnp.arange(6)]), actions)
            ),
        ),
        "has the same (infostate_mask|compatible_reach)",
    ),
}


RARE = {"two actions have one name", "players change places"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=pytest.mark.slow if name in RARE else ()) for name in FAULTS]
)
def test_a_broken_symmetry_is_caught(fault: str) -> None:
    game, message = FAULTS[fault]
    with pytest.raises(ConformanceError, match=message):
        check_game(game)
