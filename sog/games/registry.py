"""Games by name: `make("leduc(ranks=4)")`.

To add a game, write one file in this folder and add its line to `GAMES`; or keep it in a package of
your own, see `sog.games.packages`, or in a domain, see `sog.domain`.
"""

from collections.abc import Callable
from typing import Any, Final

from sog.domain import domains, load_part
from sog.games.core import Game
from sog.games.packages import import_typed, installed_games, is_class_path
from sog.parameters import read_parameters, split_call, unknown_name

OPENSPIEL_PREFIX: Final = "openspiel:"
PGX_PREFIX: Final = "pgx:"

GAMES: Final[dict[str, str]] = {
    "matching_pennies": "sog.games.matrix:MatchingPennies",
    "rps": "sog.games.matrix:RockPaperScissors",
    "biased_rps": "sog.games.matrix:BiasedRockPaperScissors",
    "non_locality": "sog.games.non_locality:NonLocality",
    "kuhn": "sog.games.cards.kuhn:Kuhn",
    "leduc": "sog.games.cards.leduc:Leduc",
    "generic_poker": "sog.games.cards.generic_poker:GenericPoker",
    "board_poker": "sog.games.cards.board_poker:BoardPoker",
    "liars_dice": "sog.games.liars_dice:LiarsDice",
    "goofspiel": "sog.games.goofspiel:Goofspiel",
    "ii_goofspiel": "sog.games.ii_goofspiel:IIGoofspiel",
    "oshi_zumo": "sog.games.oshi_zumo:OshiZumo",
    "random_game": "sog.games.random_game:RandomGame",
    "tron": "sog.games.tron:Tron",
    "pursuit_evasion": "sog.games.pursuit_evasion:PursuitEvasion",
}
"""By name on the command line: module:Class, of which the module is imported when the game is made.
The games of domains are among them; none takes the name of one of the core."""
for _domain in domains():
    GAMES.update((name, path) for name, path in _domain.games.items() if name not in GAMES)


def game_class(name: str) -> type[Game[Any]]:
    """The class of a game: one of `GAMES`, of an installed package, or `module:Class`.

    Raises ValueError if there is none of that name.
    """
    if name in GAMES:
        found: type[Game[Any]] = load_part(GAMES[name])
        return found
    if is_class_path(name):
        return import_typed(name)
    installed = installed_games()
    if name not in installed:
        raise ValueError(unknown_name("game", name, [*GAMES, *installed]))
    return installed[name].load()


def is_game(name: str) -> bool:
    """Whether a name is that of a game, ours or installed."""
    return name in GAMES or name in installed_games()


def origin(text: str) -> str:
    """The package and version that a game comes from; "" for one of ours or an unknown one."""
    call = split_call(text.strip())
    name = "" if call is None else call[0]
    installed = {} if name in GAMES else installed_games()
    return installed[name].package if name in installed else ""


def make(text: str, *, progress: Callable[[str], None] | None = None) -> Game[Any]:
    """A game from its name and parameters, as `str(game)` prints them.

    `make("leduc")`, `make("liars_dice(dice=1,faces=6)")`, `make("my_module:MyGame(cards=3)")`, or
    `make("openspiel:leduc_poker(suit_isomorphism=True)")` with the `openspiel` extra installed, or
    `make("pgx:go_9x9")` with the extra `pgx`.
    progress: called with how far it is, for a game of OpenSpiel's, which is enumerated here.
    Raises ValueError that names the game, the parameter, the value and the rule.
    """
    text = text.strip()
    if text.startswith(OPENSPIEL_PREFIX):
        from sog.openspiel.game import load_openspiel

        return load_openspiel(text.removeprefix(OPENSPIEL_PREFIX), progress=progress)
    if text.startswith(PGX_PREFIX):
        from sog.boards.pgx_game import load_pgx

        return load_pgx(text.removeprefix(PGX_PREFIX))
    call = split_call(text)
    if call is None:
        raise ValueError(f"game must look like 'name' or 'name(key=value,...)', got {text!r}.")
    name, arguments = call
    cls = game_class(name)
    return cls(**read_parameters(cls, name, arguments))
