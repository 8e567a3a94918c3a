"""Prepares players, given as text, for the game that they play.

seating = seat(["agent:leduc", "tabular:200"], search="20,1")
first, second = seating.players
play_match(seating.game, first.make, second.make, num_games=100)
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, Final

import jax

from sog.games import make
from sog.games.core import Game
from sog.games.encoding import form_of
from sog.memory import available_bytes
from sog.players.player import Candidate, Host, Player, SearchChanges
from sog.players.searching import read_simulations
from sog.players.table import entry_of, read_player, split_overrides
from sog.tabular.public_tree import TreeTooLargeError

_SHARE_OF_MEMORY: Final = 0.5  # for batches of searches


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Seating:
    """A game and its players."""

    game: Game[Any]
    players: tuple[Player, ...]

    def batch_size(self, most: int) -> int:
        """Concurrent searches for which there is memory, at most `most`."""
        if any(player.plays_by_turns for player in self.players):
            return 1
        free, largest = available_bytes(), max(player.search_bytes for player in self.players)
        if free is None or largest == 0:
            return most
        return max(1, min(most, int(_SHARE_OF_MEMORY * free) // largest))


def seat(
    texts: Sequence[str],
    *,
    game: Game[Any] | str | None = None,
    search: SearchChanges | str | None = None,
    host: Host = Host(),  # noqa: B008 (frozen)
) -> Seating:
    """Prepares players to play each other.

    texts: as `sog.players.table` lists them. game: may be omitted if a player is a trained network,
    which plays the game it was trained on, or a given variant of it, see `is_variant`. search:
    "s,c" or fields of `SearchSettings`, for all players of this project's search. Before any long
    work, raises ValueError, in one line, for an invalid text and for players, a game and a search
    that do not go together.
    """
    changes = read_simulations(search) if isinstance(search, str) else search or {}
    read = {text: read_player(text, host) for text in texts}
    candidates = {text: candidate for text, (candidate, _) in read.items()}
    played = _common_game(candidates, make(game) if isinstance(game, str) else game, host)
    return Seating(
        game=played,
        players=tuple(_ready(text, *read[text], played, changes, host) for text in texts),
    )


def is_variant(one: Game[Any], other: Game[Any]) -> bool:
    """Whether a network of one game can play the other: observations, actions and utilities have
    the same form, and only parameters such as the komi of Go differ."""
    is_same_kind = isinstance(one, type(other)) or isinstance(other, type(one))
    return is_same_kind and _form(one) == _form(other)


def _form(game: Game[Any]) -> tuple[Any, ...]:
    features = jax.eval_shape(lambda: game.observe(game.root()))
    sizes = (features.shape, game.num_infostates, game.num_actions, game.max_utility)
    return (form_of(game.encoding), *sizes)


def _common_game(
    candidates: dict[str, Candidate], given: Game[Any] | None, host: Host
) -> Game[Any]:
    """The game of all players, or the given one; all must agree."""
    option = host.option("game")
    games = {text: one.game for text, one in candidates.items() if one.game is not None}
    if given is not None:
        for text, own in list(games.items()):
            if str(own) != str(given) and entry_of(text).has_network and is_variant(own, given):
                host.notify(f"{text} was trained on {own}.")
                games[text] = given
        games[option] = given
    if not games:
        raise ValueError(f"{option} is needed: {' and '.join(candidates)} can play any game.")
    (name, game), *others = games.items()
    for other_name, other in others:
        if str(other) != str(game):
            raise ValueError(
                f"the players must play the same game: {name} plays {game}, "
                f"{other_name} {'is' if other_name == option else 'plays'} {other}."
            )
    return game


def _ready(
    text: str,
    candidate: Candidate,
    overrides: SearchChanges,
    game: Game[Any],
    changes: SearchChanges,
    host: Host,
) -> Player:
    name, settings = split_overrides(text) if overrides else (text, "")
    try:
        player = candidate.player(name, game, {**changes, **overrides}, host)
    except TreeTooLargeError:
        raise  # its message is about the game
    except ValueError as error:
        raise ValueError(f"{text}: {error}") from None
    return dataclasses.replace(player, name=f"{player.name}, {settings}") if settings else player
