"""Laws of pictures and notation (`static_laws` checks the texts of states)."""

import shlex
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.games.conformance.finding import broken
from sog.games.core import CHANCE, Game
from sog.games.views import View

_MOST_EVENTS: Final = 8


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
    while len(outcomes) < _MOST_EVENTS and np.asarray(game.legal_outcomes(state)).any():
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
