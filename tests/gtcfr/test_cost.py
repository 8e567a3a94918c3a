"""What an update and a simulation cost: what has been grown, not what there is room for."""

from typing import Any

import gpu_program
import jax
import jax.numpy as jnp
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import advance, begin
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from sog.games import make

CASES: dict[str, dict[str, Any]] = {
    "tic_tac_toe": {},
    "kuhn": {"rule": "pcfr+", "leaf_averaging": 0.5, "leaf_smoothing": 0.5, "num_queries": 4},
}


def bytes_in_loops(program: gpu_program.Program) -> int:
    """What the operations in loops write, each of them once; 0 for rows written in place."""

    def below(name: str, *, in_loop: bool) -> int:
        one = program.computations[name]
        others = [*one.calls, *(name for names in one.conditionals for name in names)]
        return (
            sum(one.kernels) * in_loop
            + sum(below(other, in_loop=in_loop) for other in others)
            + sum(below(loop.body, in_loop=True) for loop in one.loops)
        )

    return below(program.entry, in_loop=False)


@pytest.mark.thorough(only=["kuhn"])
@pytest.mark.parametrize("text", CASES)
def test_a_phase_passes_over_as_many_cells_whatever_there_is_room_for(text: str) -> None:
    game, evaluator = make(text), ZeroEvaluator()

    def cost(room: int) -> tuple[int, int]:
        """Bytes, and chunks of both trees; with room for what so many simulations add."""
        settings = SearchSettings(num_simulations=room, **CASES[text])

        def start() -> SearchState:
            root, key = start_of_game(game, batch_size=2), jax.random.key(0)
            return begin(game, evaluator=evaluator, root=root, key=key, settings=settings)

        def phases(state: SearchState, count: jax.Array) -> SearchState:
            return advance(game, evaluator=evaluator, state=state, count=count, settings=settings)

        compiled = jax.jit(phases).lower(jax.eval_shape(start), jnp.int32(0)).compile()
        passed = bytes_in_loops(gpu_program.read_program(compiled.as_text() or ""))
        return passed, 2 * tree_shape(game, settings, 0).num_chunks

    (little, few), (much, many) = cost(100), cost(2000)
    assert 0 <= much - little <= 8 * (many - few)  # chunks in use are counted, and a free one found
