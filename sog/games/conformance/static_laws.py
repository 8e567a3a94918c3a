"""Laws that need no numbers: sizes, shapes, that `advance` can be transposed, texts, pictures."""

import math
import shlex
from collections.abc import Iterator
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.conformance.finding import broken
from sog.games.conformance.state_laws import Probe
from sog.games.core import CHANCE, Game
from sog.games.views import View

MOST_DESCRIBED: Final = 12
"""Infostates per state whose texts are checked: describing runs on the host and may be slow."""
MOST_EVENTS: Final = 8
"""Events of a play whose notation is checked."""

Shape = jax.ShapeDtypeStruct


def check_sizes(game: Game[Any]) -> None:
    """Checks sizes, hash and name."""
    for size in ("num_infostates", "num_actions", "num_outcomes", "max_depth"):
        value = getattr(game, size)
        if type(value) is not int or value < 1:
            raise broken(game, f"{size} is a positive int", numbers=f"got {value!r}")
    if game.has_public_actions and game.num_outcomes < game.num_actions:
        numbers = f"got {game.num_outcomes} outcomes and {game.num_actions} actions"
        raise broken(game, "with has_public_actions every action is an outcome", numbers=numbers)
    if not (math.isfinite(game.max_utility) and game.max_utility > 0):
        raise broken(game, "max_utility is positive", numbers=f"got {game.max_utility!r}")
    try:
        hash(game)
    except TypeError as error:
        raise broken(game, "a game is hashable", numbers=str(error)) from None
    text = str(game)
    if not text.startswith(game.name) or not text.isprintable() or " at 0x" in text:
        raise broken(game, "str(game) is its name and parameters", numbers=f"got {text!r}")


def check_shapes(game: Game[Any]) -> None:
    """Checks shapes and dtypes of every function, with and without 64-bit types."""
    roots = []
    for x64 in (False, True):
        with jax.enable_x64(x64):
            bits = 64 if x64 else 32
            root = jax.eval_shape(game.root)
            roots.append(root)
            for name, wanted, got in _outputs(game, root):
                text = f"{name} keeps the documented shape and dtype ({bits}-bit mode)"
                _same(game, text, wanted, got)
    _same(game, "root has the same dtypes in 32-bit and 64-bit mode", *roots)


def _outputs(game: Game[Any], state: Any) -> Iterator[tuple[str, Any, Any]]:
    """(function, wanted shapes, shapes) for every function of the contract."""
    size, actions, outcomes = game.num_infostates, game.num_actions, game.num_outcomes
    number, pair = Shape((), jnp.int32), Shape((2,), jnp.int32)
    key = jax.eval_shape(lambda: jax.random.key(0))
    plain = Shape((2, size), jnp.result_type(float))
    of = jax.eval_shape
    yield "actor", number, of(game.actor, state)
    yield "legal_outcomes", Shape((outcomes,), bool), of(game.legal_outcomes, state)
    yield "apply", state, of(game.apply, state, number)
    yield "infostate_mask", Shape((2, size), bool), of(game.infostate_mask, state)
    yield "legal_actions", Shape((size, actions), bool), of(game.legal_actions, state)
    yield "root_reach", plain, of(game.root_reach)
    for dtype in {jnp.dtype("float32"), plain.dtype}:
        reach, other = Shape((2, size), dtype), Shape((size,), dtype)
        action = Shape((size, actions), dtype)
        yield "advance", reach, of(game.advance, state, number, action, other)
        yield "compatible_reach", reach, of(game.compatible_reach, state, reach)
        yield "utilities", reach, of(game.utilities, state, reach)
    observed = of(game.observe, state)
    yield "observe", Shape((math.prod(observed.shape),), jnp.float32), observed
    yield "deal", pair, of(game.deal, key)
    yield "transition", (number, pair), of(game.transition, key, state, pair, number)


def _same(game: Game[Any], text: str, wanted: Any, got: Any) -> None:
    structures = [str(jax.tree.structure(tree)) for tree in (wanted, got)]
    if structures[0] != structures[1]:
        numbers = f"expected {structures[0]}, got {structures[1]}"
        raise broken(game, text, numbers=numbers)
    leaves = zip(jax.tree.leaves_with_path(wanted), jax.tree.leaves(got), strict=True)
    for (path, one), other in leaves:
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            names = [f"{leaf.dtype}{list(leaf.shape)}" for leaf in (one, other)]
            place = jax.tree_util.keystr(path)
            raise broken(game, text, numbers=f"{place} expected {names[0]}, got {names[1]}")


def check_transpose(game: Game[Any]) -> None:
    """Checks that `advance` has a linear transpose, through which cfvs flow up."""

    def pull() -> Any:
        state, size = game.root(), game.num_infostates
        inputs = (jnp.zeros((size, game.num_actions)), jnp.zeros(size))
        transpose = jax.linear_transpose(
            lambda action, other: game.advance(state, jnp.int32(0), action, other), *inputs
        )
        return transpose(jnp.zeros((2, size)))

    try:
        jax.eval_shape(pull)
    except Exception as error:
        text = "jax.linear_transpose can transpose advance (nothing nonlinear is done to reach)"
        raise broken(game, text, numbers=str(error)) from error


def check_texts(game: Game[Any], state: Any, probe: Probe, seed: int) -> None:
    """Checks that the texts of a state exist, and distinguish its legal actions and outcomes."""
    rng = np.random.default_rng(seed)

    def is_text(function: str, text: Any) -> None:
        if not isinstance(text, str) or not text.strip() or "\n" in text:
            raise broken(game, f"{function} is one line of text", state, f"got {text!r}")

    def distinct(function: str, numbers: list[int], texts: list[str]) -> None:
        first: dict[str, int] = {}
        for number, text in zip(numbers, texts, strict=True):
            is_text(function, text)
            if text in first:
                same = f"{first[text]} and {number} are both {text!r}"
                raise broken(game, f"{function} tells them apart", state, same)
            first[text] = number

    is_text("describe_state", game.describe_state(state))
    mask = np.asarray(probe.mask, float)
    ranges = mask / np.maximum(mask.sum(axis=1, keepdims=True), 1)
    for drawn in (game.draw(state), game.draw(state, ranges)):
        if not isinstance(drawn, str) or not drawn.strip():
            raise broken(game, "draw is text, with ranges and without", state, f"got {drawn!r}")
    for player, infostate in rng.permutation(np.argwhere(probe.mask))[:MOST_DESCRIBED].tolist():
        text = game.describe_infostate(state, player, infostate)
        is_text("describe_infostate", text)
        seen = game.draw_infostate(state, player, infostate)
        if not isinstance(seen, str) or not seen.strip():
            raise broken(game, "draw_infostate is text", state, f"got {seen!r}")
    outcomes = np.asarray(probe.followed)[np.asarray(probe.follows_legal)].tolist()
    texts = [game.describe_outcome(state, outcome) for outcome in outcomes]
    distinct("describe_outcome", outcomes, texts)
    acting = rng.permutation(np.flatnonzero(probe.legal.any(axis=1)))[:MOST_DESCRIBED]
    for infostate in acting.tolist():
        actions = np.flatnonzero(probe.legal[infostate]).tolist()
        texts = [game.describe_action(state, infostate, action) for action in actions]
        distinct("describe_action", actions, texts)


def check_view(game: Game[Any], state: Any) -> None:
    """Checks that `view` returns a `View` or None, whatever is visible and clickable."""
    actor, legal = int(game.actor(state)), np.asarray(game.legal_actions(state))
    asked: list[dict[str, Any]] = [{}]
    acting = np.flatnonzero(legal.any(axis=1)).tolist()
    if actor < CHANCE:
        own = acting[-1]
        seen = (own, None) if actor == 0 else (None, own)
        asked.append({"infostates": seen, "choices": np.flatnonzero(legal[own]).tolist()})
    for options in asked:
        view = game.view(state, **options)
        if view is not None and not isinstance(view, View):
            raise broken(game, "view is a View of sog.games.views or None", state, f"got {view!r}")
    for player in (0, 1):
        side = game.describe_seat(player)
        if not isinstance(side, str) or "\n" in side:
            raise broken(
                game, "describe_seat is one line of text or empty", numbers=f"got {side!r}"
            )


def check_notation(game: Game[Any], seed: int) -> None:
    """Checks that `parse` reads the texts of `describe_outcome`."""
    rng, state = np.random.default_rng(seed), game.root()
    outcomes: list[int] = []
    texts: list[str] = []
    while len(outcomes) < MOST_EVENTS and np.asarray(game.legal_outcomes(state)).any():
        outcome = int(rng.choice(np.flatnonzero(game.legal_outcomes(state))))
        outcomes.append(outcome)
        texts.append(game.describe_outcome(state, outcome))
        state = game.apply(state, jnp.int32(outcome))
    text = shlex.join(texts)
    law = "parse reads the events that describe_outcome tells"
    try:
        read = game.parse(text)
    except ValueError as error:
        raise broken(game, law, numbers=f"of {text!r} it says: {error}") from None
    if read != tuple(outcomes):
        numbers = f"of {text!r} expected {tuple(outcomes)}, got {read}"
        raise broken(game, law, numbers=numbers)
