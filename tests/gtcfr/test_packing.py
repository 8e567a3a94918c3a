"""Public states as rows of words: what they take, and that nothing is lost."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.packing import pack, packed_width, unpack, unpack_kept
from sog.games import make
from sog.pytree import pytree
from tests.games.broken_games import kuhn


@pytree
class Mixed:
    flags: Array  # bool[5]: two words
    board: Array  # int8[3, 3]: three
    heights: Array  # int16[3]: two
    score: Array  # float32: one
    seen: Array  # uint32[2]: two
    nothing: Array  # int32[0]


def of_all_kinds(number: int) -> Mixed:
    random = np.random.default_rng(number)
    return Mixed(
        flags=jnp.asarray(random.random(5) < 0.5),
        board=jnp.asarray(random.integers(-128, 128, (3, 3)), jnp.int8),
        heights=jnp.asarray(random.integers(-(2**15), 2**15, 3), jnp.int16),
        score=jnp.float32(random.normal()),
        seen=jnp.asarray(random.integers(2**31, 2**32, 2), jnp.uint32),
        nothing=jnp.zeros(0, jnp.int32),
    )


def test_a_field_takes_the_words_that_its_bytes_fill_and_comes_back_as_it_was() -> None:
    game: Any = kuhn(root=lambda _: of_all_kinds(0))
    assert packed_width(game) == 2 + 3 + 2 + 1 + 2 == 10
    rows = jnp.stack([pack(of_all_kinds(number)) for number in range(3)])
    assert (rows.shape, rows.dtype) == ((3, 10), jnp.int32)
    back = jax.vmap(lambda row: unpack(game, row))(rows)
    for number in range(3):
        for name, expected in vars(of_all_kinds(number)).items():
            found = getattr(back, name)[number]
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


def test_numbers_of_64_bits_are_refused() -> None:
    with jax.enable_x64(True):
        game: Any = kuhn(root=lambda _: jnp.zeros(2, jnp.int64))
        with pytest.raises(TypeError, match=r"8, 16 or 32 bits, got int64\.$"):
            packed_width(game)


@pytest.mark.thorough
def test_what_is_kept_of_a_terminal_state_is_packed_and_comes_back() -> None:
    game = make("holdem(ranks=3,suits=2,deals=1,blinds=1/2,stack=3,bets=allin)")
    over = game.start("allin3 call [Ks]")
    kept = game.keep_terminal(over)
    again = unpack_kept(game, pack(kept))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool(jnp.array_equal(a, b)), kept, again))
    reach = game.root_reach()
    np.testing.assert_array_equal(game.utilities_of_kept(again, reach), game.utilities(over, reach))
