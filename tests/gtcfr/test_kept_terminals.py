"""What a search keeps of terminal states: the game says it, and what is found stays the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.packing import pack, unpack_kept
from sog.games import make

TEXT = "holdem(ranks=3,suits=2,deals=1,blinds=1/2,stack=3,bets=allin)"


@pytest.mark.thorough
def test_what_is_kept_is_packed_and_comes_back() -> None:
    game = make(TEXT)
    over = game.start("allin3 call [Ks]")
    kept = game.keep_terminal(over)
    again = unpack_kept(game, pack(kept))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool(jnp.array_equal(a, b)), kept, again))
    reach = game.root_reach()
    np.testing.assert_array_equal(game.utilities_of_kept(again, reach), game.utilities(over, reach))
