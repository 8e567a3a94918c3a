"""What a regret update costs: what has been grown, not what there is room for."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import begin
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.update import regret_update
from sog.games import make
from sog.tabular.rules import Step

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "scripts"))
    import gpu_program

CASES: dict[str, dict[str, Any]] = {
    "connect_four": {},
    "kuhn": {"rule": "pcfr+", "leaf_averaging": 0.5, "leaf_smoothing": 0.5},
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


@pytest.mark.parametrize("text", CASES)
def test_an_update_passes_over_as_many_cells_whatever_there_is_room_for(text: str) -> None:
    game = make(text)

    def cost(room: int) -> int:
        """room: for what so many simulations add."""
        settings = SearchSettings(num_simulations=room, **CASES[text])

        def start() -> SearchState:
            root = start_of_game(game, batch_size=2)
            key = jax.random.key(0)
            return begin(game, evaluator=ZeroEvaluator(), root=root, key=key, settings=settings)

        def updates(state: SearchState, count: jax.Array) -> SearchState:
            def one(number: jax.Array, state: SearchState) -> SearchState:
                step = Step(number.astype(jnp.float32), 100.0)
                return regret_update(game, ZeroEvaluator(), settings, state, step, jnp.int32(0))

            return jax.lax.fori_loop(0, count, one, state)

        compiled = jax.jit(updates).lower(jax.eval_shape(start), jnp.int32(0)).compile()
        return bytes_in_loops(gpu_program.read_program(compiled.as_text() or ""))

    assert 0 < cost(100) == cost(2000)
