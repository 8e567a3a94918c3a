"""Games and spots of hold'em by their texts, and who beats whom, pair by pair."""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from sog.games import make
from sog.holdem.game import Holdem
from sog.holdem.ranges import parse_range
from sog.holdem.showdown import Hands
from sog.holdem.spots import SpotSolver, spot_of


@functools.cache
def holdem(text: str = "holdem") -> Holdem:
    """Made once: those of large decks have large tables."""
    game = make(text)
    assert isinstance(game, Holdem)
    return game


def spot_game(parameters: str) -> Holdem:
    """The game with these parameters."""
    return holdem(f"holdem({parameters})")


def solver_of(text: str, *ranges: str, rule: str = "cfr+", **options: Any) -> SpotSolver:
    """A solver of the spot with these parameters; by default of all hands."""
    game = spot_game(text)
    weights = np.stack([parse_range(one, game.deck) for one in ranges or ("100%", "100%")])
    return SpotSolver(spot_of(game), weights, rule, **options)


def pair_signs(strengths: Any, hands: Hands) -> np.ndarray:
    """float64[S, S]: 1 where the hand of the row beats that of the column, -1 where it loses to it,
    0 where they tie or share a card. strengths: int32[S]."""
    signs = np.sign(np.asarray(strengths)[:, None] - np.asarray(strengths)[None, :])
    return np.where(np.asarray(hands.pairs), signs, 0).astype(np.float64)


def rewritten(path: Path, into: Path, notes: str, changes: dict[str, Any]) -> Path:
    """A copy of a saved file with other metadata, which is in the array `notes`, or other arrays.

    changes: by name, a value of the metadata, or a function of an array; None leaves one out.
    """
    with np.load(path) as archive:
        content: dict[str, Any] = dict(archive)
    metadata = json.loads(str(content[notes]))
    for name, change in changes.items():
        if name in metadata:
            metadata[name] = change
        elif change is None:
            del content[name]
        else:
            content[name] = change(content[name])
    content[notes] = np.array(json.dumps(metadata))
    with into.open("wb") as file:
        np.savez(file, **content)
    return into
