"""Several devices share a batch of searches, and find what one finds."""

import functools
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.evaluators.exact import exact_evaluator
from gtcfr.mesh import batch_mesh, leaves_per_call
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.tabular import compile_tree
from sog.tabular.enumerated_game import EnumeratedGame

SETTINGS = SearchSettings(num_simulations=12, num_queries=4)


def searched(batch_size: int, **options: Any) -> SearchResult:
    """Kuhn poker with exact leaves, whose solver remembers something of every search."""
    game = EnumeratedGame(tree=compile_tree(make("kuhn")).tree)
    root = start_of_game(game, batch_size=batch_size)
    run = jax.jit(functools.partial(search, game, settings=SETTINGS, **options))
    result: SearchResult = run(
        evaluator=exact_evaluator(game, iterations=3), root=root, key=jax.random.key(5)
    )
    return result


@pytest.mark.thorough
def test_two_devices_find_what_one_finds() -> None:
    mesh = batch_mesh(6)
    assert mesh.size == jax.device_count() == 2
    one, two = searched(6), searched(6, mesh=mesh)
    assert len(two.policy.devices()) == 2
    for first, second in zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True):
        np.testing.assert_allclose(first, second, atol=1e-5, rtol=1e-5)
    policies = np.asarray(two.policy)
    assert len(np.unique(policies, axis=0)) == 6  # every search had a key of its own


def test_a_mesh_has_as_many_devices_as_divide_the_batch() -> None:
    assert [batch_mesh(size).size for size in (1, 2, 3, 4)] == [1, 2, 1, 2]
    assert batch_mesh().size == 2


def test_cores_that_are_devices_get_fewer_leaves_per_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert leaves_per_call() == 8
    one = jax.local_devices()[:1]
    monkeypatch.setattr(jax, "local_devices", lambda: one)
    assert leaves_per_call() == NetworkEvaluator.leaves_per_call == 16


def test_a_batch_that_cannot_be_split_is_refused() -> None:
    message = r"^a batch must be a multiple of the 2 devices of the mesh, got 3\."
    with pytest.raises(ValueError, match=message):
        searched(3, mesh=batch_mesh(2))
