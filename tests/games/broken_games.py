"""Games that break the contract, made from games that keep it."""

from typing import Any

from sog.games import Game
from sog.games.kuhn import Kuhn
from sog.games.leduc import Leduc


def broken(game: Game[Any], **changes: Any) -> Game[Any]:
    """A game with some methods changed: change(what it returned, *its arguments)."""

    def changed(name: str, change: Any) -> Any:
        original = getattr(type(game), name)
        if not callable(original):  # a size
            return change
        return lambda self, *arguments: change(original(self, *arguments), *arguments)

    methods = {name: changed(name, change) for name, change in changes.items()}
    made: Game[Any] = type("Broken", (type(game),), methods)(**game.params())
    return made


def kuhn(**changes: Any) -> Game[Any]:
    return broken(Kuhn(), **changes)


def leduc(**changes: Any) -> Game[Any]:
    return broken(Leduc(max_raises=1), **changes)
