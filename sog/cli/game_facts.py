"""Facts about games for `sog games`: names, parameters, and counted sizes."""

from typing import Any, Final

from sog.catalog import size_texts
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.lines import fold
from sog.cli.loading import load_game
from sog.games import GAMES, Game, make
from sog.games.packages import installed_games
from sog.games.parts import SolvedApart, game_part
from sog.tabular.sizes import can_be_counted, count_public_tree

QUICK: Final = 1_000_000  # public states: a second at most
WITH_SIZES: Final = 10_000_000  # some seconds, and up to 2 GB


def list_games(limit: int = QUICK) -> list[dict[str, Any]]:
    """All games, each counted up to `limit` public states."""
    start_jax()
    facts = []
    with display.working() as work:
        work.begin("counting public states", total=len(GAMES))
        for number, name in enumerate(GAMES):
            work.update(name, number)
            facts.append(_facts(load_game(name), limit))
    return facts


def list_installed() -> list[dict[str, Any]]:
    """Games of other packages, not counted; one that fails has an "error" instead."""
    start_jax()
    facts: list[dict[str, Any]] = []
    for game in installed_games().values():
        where = {"name": game.name, "package": game.package}
        try:
            if game.name in GAMES:
                raise ValueError(f"{game.package}: the name is taken by a game of ours.")
            facts.append({**_facts(make(game.name), None), **where})
        except Exception as error:  # third-party code may raise anything
            facts.append({**where, "error": " ".join(str(error).split())})
    return facts


def show_game(text: str, *, sizes: bool, as_json: bool) -> None:
    """Prints all facts about one game. sizes: whether larger ones are counted."""
    start_jax()
    with display.working() as work:
        game = load_game(text, work)
        work.begin("counting public states")
        facts = _facts(game, WITH_SIZES if sizes else QUICK)
    if as_json:
        display.print_json(facts)
        return
    states, infostates = size_texts(facts)
    apart = _solved_apart(game)
    if apart and apart.how and facts["num_public_states"] is None:
        states = f"not counted: solved {apart.how}"
    elif not can_be_counted(game):
        states = "not counted: made for search, too large to solve exactly"
    elif facts["num_public_states"] is None and not sizes:
        states = f"{states} (--sizes counts up to {WITH_SIZES:,})"
    display.print_facts(
        f"{display.short_name(game)}: {game.summary}",
        [
            ("public states", states),
            *([("infostates", f"{infostates} (player 0 + player 1)")] if infostates else []),
            ("infostates per public state", f"{game.num_infostates} at most, per player"),
            ("actions, outcomes", f"{game.num_actions}, {game.num_outcomes} at most"),
            ("depth", f"{game.max_depth} public events at most"),
            ("utilities", f"{-game.max_utility:g} to {game.max_utility:g} {game.unit}"),
        ],
    )
    if facts["parameters"]:
        print()
        display.print_parameters(facts["parameters"])
    _print_example(text.strip(), game, facts)


def show_rules(text: str, *, as_json: bool) -> None:
    """Prints the rules of one game."""
    start_jax()
    game = load_game(text)
    if as_json:
        display.print_json({"game": str(game), "summary": game.summary, "rules": game.rules})
        return
    rules = game.rules or f"{display.short_name(game)} comes without a text of its rules."
    rules = fold(rules, display.width(), "  ")
    display.print_text(f"{display.short_name(game)}: {game.summary}\n\n{rules}")


def _print_example(typed: str, game: Game[Any], facts: dict[str, Any]) -> None:
    """A command that solves the game, or counts it further."""
    name = typed if ":" in typed else display.short_name(game)
    quoted = f'"{name}"' if "(" in name else name
    apart, is_counted = _solved_apart(game), facts["num_public_states"] is not None
    if is_counted if apart is None else apart.how:
        print(f"\n  sog solve {quoted} {'--until-mbb 1' if apart is None else apart.until}")
    elif facts["more_public_states_than"] is not None:
        print(f"\n  sog games {quoted} --sizes")


def _solved_apart(game: Game[Any]) -> SolvedApart | None:
    own_solver = game_part(game, "own_solver")
    found: SolvedApart | None = None if own_solver is None else own_solver(game)
    return found


def _facts(game: Game[Any], limit: int | None) -> dict[str, Any]:
    """A game as JSON; limit: up to which public states are counted, None for no counting."""
    limit = limit if can_be_counted(game) else None
    sizes = None if limit is None else count_public_tree(game, limit)
    return {
        "name": game.name,
        "game": str(game),
        **display.values_of(game, "summary", "unit", "milli_unit"),
        "parameters": display.parameter_facts(game),
        "num_public_states": None if sizes is None else sizes.num_public_states,
        "num_infostates": None if sizes is None else sizes.num_infostates,
        "more_public_states_than": limit if sizes is None else None,
        "num_infostates_per_public_state": game.num_infostates,
        **display.values_of(game, "num_actions", "num_outcomes"),
        "depth": game.max_depth,
        "max_utility": game.max_utility,
    }
