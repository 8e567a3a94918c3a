"""The test a game must pass: `check_game(game)`.

It checks a game against every sentence of the contract in `sog.games.core`, and raises a
`ConformanceError` that names the game, the broken law, the public state and the numbers. Your own
game needs one test and nothing else of this project:

    import pytest
    from sog.games.conformance import check_game

    from my_game import MyGame  # a frozen dataclass, a subclass of sog.games.Game

    @pytest.mark.parametrize("game", [MyGame(), MyGame(cards=5)], ids=str)
    def test_my_game_keeps_the_contract(game):
        report = check_game(game)
        assert report.exhaustive  # make it small enough that all public states are checked

A game of at most `max_states` public states is checked at all of them, in all worlds when there are
at most `max_worlds` per state; a larger one at states that random walks visit, in random worlds.
Where the outcomes of a state exceed memory, as at the flop of hold'em, a random sample of them is
followed; probabilities are still summed over all. So check a small size of your game exhaustively,
and the real one by walks. Numbers are computed in float64, so that laws hold to 9 digits. The
checks, in this order:

    static_laws   sizes, shapes and dtypes in 32-bit and 64-bit mode; after state_laws the texts,
                  pictures, and that `parse` reads what `describe_outcome` writes
    encoding_laws planes, moves, graph and hands as `Game.encoding` declares them
    frequency     `deal` and `transition` against the joint weights, by sampling
    sample        every play ends within `max_depth`
    state_laws    linearity of `advance`, `compatible_reach` and `utilities`; exactness of masks and
                  legal outcomes; conservation of probability; zero sum and bounds; what a game
                  with `has_public_actions` promises
    symmetry_laws if the game has a `random_symmetry`: the twin's subtree is the state's, renamed
    world_laws    `transition` against `advance` on one-hot ranges, and other functions of worlds
    plain_calls   the same results with and without jit and vmap
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.conformance.encoding_laws import (
    check_encoding,
    check_shown_graph,
    check_shown_hands,
)
from sog.games.conformance.finding import ConformanceError, Finding, found
from sog.games.conformance.frequency import (
    RandomStep,
    check_deals,
    check_transitions,
    random_steps,
)
from sog.games.conformance.outcomes import num_followed
from sog.games.conformance.plain_calls import check_plain_calls, check_plain_transition
from sog.games.conformance.sample import (
    Sample,
    compiled,
    each,
    entries_per_outcome,
    enumerate_states,
    states_per_call,
    walk_states,
)
from sog.games.conformance.state_laws import make_probe, state_laws
from sog.games.conformance.static_laws import (
    check_notation,
    check_shapes,
    check_sizes,
    check_texts,
    check_transpose,
    check_view,
)
from sog.games.conformance.symmetry_laws import (
    has_symmetries,
    probe_symmetry,
    symmetry_laws,
)
from sog.games.conformance.world_laws import (
    SAMPLES_PER_WORLD,
    num_worlds,
    probe_worlds,
    world_laws,
)
from sog.games.core import Game

NUM_DESCRIBED: Final = 12
"""States whose texts are checked."""

__all__ = ["ConformanceError", "ConformanceReport", "check_game"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConformanceReport:
    """The coverage of a passed check."""

    game: str
    num_states: int  # public states
    exhaustive: bool  # whether these are all of the game
    deepest: int  # the most public events seen before the end
    num_worlds: int  # pairs of infostates with an action, over all states

    def __str__(self) -> str:
        """One line."""
        extent = "all" if self.exhaustive else "a sample of"
        return (
            f"{self.game} keeps the contract: {extent} {self.num_states} public states, "
            f"up to {self.deepest} events deep, {self.num_worlds} worlds and actions."
        )


def check_game(
    game: Game[Any],
    *,
    seed: int = 0,
    num_walks: int = 64,
    max_states: int = 1000,
    max_worlds: int = 128,
) -> ConformanceReport:
    """Checks that a game keeps the contract of `sog.games.core`; see the module docstring.

    num_walks: random plays of a game with more than `max_states` public states. max_worlds: pairs
    of infostates with an action, per public state. Raises ConformanceError at the first broken law.
    """
    check_sizes(game)
    check_shapes(game)
    check_encoding(game)
    check_transpose(game)
    with jax.enable_x64(True):
        check_deals(game, seed)
        sample = enumerate_states(game, max_states)
        if sample is None:
            sample = walk_states(game, seed, num_walks, max_states)
        _check_states(game, sample, seed)
        if has_symmetries(game):
            _check_symmetries(game, sample, seed)
        num_worlds_seen = _check_worlds(game, sample, seed, max_worlds)
    return ConformanceReport(
        game=str(game),
        num_states=len(sample),
        exhaustive=sample.exhaustive,
        deepest=sample.deepest,
        num_worlds=num_worlds_seen,
    )


def _check_states(game: Game[Any], sample: Sample, seed: int) -> None:
    """Checks the laws of states."""
    chosen = np.linspace(0, len(sample) - 1, NUM_DESCRIBED).astype(int)
    shown = []
    entries = game.num_outcomes * entries_per_outcome(game)
    for index, (state, probe) in enumerate(_probes(game, sample, seed, make_probe, entries)):
        _hold(game, state_laws(game, probe), state, probe.followed)
        if index in chosen:
            shown.append(jax.tree.map(jnp.asarray, (state, probe)))
    for state, probe in shown:
        check_texts(game, state, probe, seed)
        check_shown_graph(game, state)
        check_shown_hands(game, state)
        check_view(game, state)
    check_notation(game, seed)
    for state, probe in (shown[0], shown[-1]):
        check_plain_calls(game, state, probe)


def _check_symmetries(game: Game[Any], sample: Sample, seed: int) -> None:
    """Checks the laws of symmetries, each state with its own random symmetry."""
    entries = num_followed(game) * game.num_outcomes * entries_per_outcome(game)
    for state, probe in _probes(game, sample, seed, probe_symmetry, entries):
        _hold(game, symmetry_laws(game, probe), state, probe.followed)


def _check_worlds(game: Game[Any], sample: Sample, seed: int, max_worlds: int) -> int:
    """Checks the laws of worlds; returns how many were checked."""
    branches = max(num_followed(game), SAMPLES_PER_WORLD) * num_worlds(game, max_worlds)
    entries = branches * entries_per_outcome(game)
    probe = functools.partial(probe_worlds, max_worlds=max_worlds)
    steps: list[RandomStep] = []
    total = 0
    for index, (state, worlds) in enumerate(_probes(game, sample, seed, probe, entries)):
        _hold(game, world_laws(game, worlds), state, worlds.followed, worlds.names)
        if index == 0:
            check_plain_transition(game, *jax.tree.map(jnp.asarray, (state, worlds)))
        steps += random_steps(state, worlds)
        total += int(worlds.exists.sum())
    check_transitions(game, steps, seed)
    return total


def _probes(
    game: Game[Any], sample: Sample, seed: int, probe: Callable[..., Any], entries: int
) -> Iterator[tuple[Any, Any]]:
    """The states of a sample, each with `probe(game, state, possible, key)`.

    entries: the numbers that a probe of one state computes.
    """

    def probe_at(at: tuple[Any, Array, Array]) -> Any:
        state, possible, index = at
        return probe(game, state, possible, jax.random.fold_in(jax.random.key(seed), index))

    batch = (sample.states, sample.possible, np.arange(len(sample)))
    found = each(compiled(jax.vmap(probe_at)), batch, states_per_call(entries))
    return ((sample.state(index), one) for index, one in enumerate(found))


def _hold(
    game: Game[Any], laws: Iterator[Finding | None], state: Any, followed: Any, worlds: Any = None
) -> None:
    for finding in laws:
        if finding is not None:
            raise found(game, finding, state, followed, worlds)
