"""Games by name: `make("leduc(ranks=4)")`.

To add a game, write one file in this folder and add its line to `GAMES`; or keep it in a package of
your own, see `sog.games.packages`, or in a domain, see `sog.domain`.
"""

from collections.abc import Callable
from typing import Any, Final

from sog.domain import load_part, with_domains
from sog.games.core import Game
from sog.games.packages import import_typed, installed_games, is_class_path
from sog.parameters import read_parameters, split_call, unknown_name

_CORE: Final = {
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
GAMES: Final[dict[str, str]] = with_domains(_CORE, "games")
"""By name on the command line: module:Class; the module is imported when the game is made."""
LOADERS: Final[dict[str, str]] = with_domains({}, "loaders")
"""By prefix: the loaders of domains, as module:function."""


def game_class(name: str) -> type[Game[Any]]:
    """The class of a game: one of `GAMES`, of an installed package, or `module:Class`.

    Raises ValueError for an unknown name.
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
    """Whether a name is that of a game, built in or installed."""
    return name in GAMES or name in installed_games()


def origin(text: str) -> str:
    """The package and version of an installed game; "" for a built-in or unknown one."""
    call = split_call(text.strip())
    name = "" if call is None else call[0]
    installed = {} if name in GAMES else installed_games()
    return installed[name].package if name in installed else ""


def has_loader(text: str) -> bool:
    """Whether the text is prefix:TEXT, with the prefix of one of `LOADERS`."""
    prefix, colon, _ = text.partition(":")
    return bool(colon) and prefix in LOADERS


def make(text: str, *, progress: Callable[[str], None] | None = None) -> Game[Any]:
    """A game from its name and parameters, as `str(game)` prints them.

    `make("leduc")`, `make("liars_dice(dice=1,faces=6)")`, `make("my_module:MyGame(cards=3)")`, or
    by a domain's loader: `make("openspiel:leduc_poker(suit_isomorphism=True)")`. progress: called
    with the progress of a loader that enumerates the game. Raises ValueError that names the game,
    the parameter, the value and the rule.
    """
    text = text.strip()
    if has_loader(text):
        prefix, _, rest = text.partition(":")
        loaded: Game[Any] = load_part(LOADERS[prefix])(rest, progress=progress)
        return loaded
    call = split_call(text)
    if call is None:
        raise ValueError(f"game must look like 'name' or 'name(key=value,...)', got {text!r}.")
    name, arguments = call
    cls = game_class(name)
    return cls(**read_parameters(cls, name, arguments))
