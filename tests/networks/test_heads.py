"""Policy heads in the shape of the moves: which logit belongs to which cell of the board."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from networks.cvpn import NetworkSettings, make_network
from sog.games import Game, make
from tests.networks.queries import BoardKuhn, apply, observed

MOVES = NetworkSettings(torso="resnet", width=4, depth=1, policy_shape="moves")
CHESS, GO = make("chess"), make("go9")


def logits_of(
    game: Game[Any], features: Any, head: str = "", number: int = 0, settings: Any = MOVES
) -> np.ndarray:
    """[S, A]; to one bias of a part of the head 1 is added."""
    apply_fn, params = make_network(game, settings)
    if head:
        bias = params["policies"][0][head]["bias"]
        params["policies"][0][head]["bias"] = bias.at[number].add(1)
    size = game.num_infostates
    return np.asarray(
        apply(apply_fn, params, features[None], jnp.full((1, 2, size), 1 / size))[1][0]
    )


@pytest.mark.parametrize(("game", "num_moves"), [(CHESS, 4672), (GO, 82)], ids=["chess", "go"])
def test_there_is_a_logit_for_every_move(game: Game[Any], num_moves: int) -> None:
    assert game.num_actions == num_moves
    assert logits_of(game, observed(game)).shape == (1, num_moves)


def test_the_number_of_a_move_is_made_of_row_column_and_plane() -> None:
    more = logits_of(CHESS, observed(CHESS), "cells", 5) - logits_of(CHESS, observed(CHESS))
    expected = np.zeros((8, 8, 73))
    expected[:, :, 5] = 1
    np.testing.assert_allclose(more[0], expected.ravel(), atol=1e-6)


def test_a_stone_is_felt_by_the_moves_near_it_and_by_the_pass() -> None:
    """Four 3 x 3 convolutions lead to the logits of a cell: no farther than four cells."""
    empty = observed(GO)
    difference = np.abs(logits_of(GO, empty.at[0].set(1)) - logits_of(GO, empty))[0]
    felt = difference[:81].reshape(9, 9) > 0
    assert felt[4, 4]
    assert felt[:5, :5].mean() > 0.8
    assert not felt[5:].any()
    assert not felt[:, 5:].any()
    assert difference[81] > 0


def test_with_hidden_information_each_infostate_has_planes_of_its_own() -> None:
    game = BoardKuhn()
    more = logits_of(game, observed(game), "cells", 1) - logits_of(game, observed(game))
    np.testing.assert_allclose(more, [[0, 0, 0], [1, 1, 1], [0, 0, 0]], atol=1e-6)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("connect_four", "for connect_four, which declares no layout of its moves"),
        ("tic_tac_toe", None),
    ],
)
def test_a_game_must_declare_where_its_moves_are(game: str, message: str | None) -> None:
    if message is None:
        make_network(make(game), MOVES)
        return
    with pytest.raises(ValueError, match=rf"^policy_shape must be flat {message}, got moves\.$"):
        make_network(make(game), MOVES)
