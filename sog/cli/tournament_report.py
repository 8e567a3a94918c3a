"""The report of `sog tournament`: a cross table, and ratings."""

import dataclasses
import math
from typing import Any, Final

from sog.cli import display
from sog.cli.match import interval_as_json
from sog.play.elo import Ratings
from sog.play.tournament import Rank, Results, ranking, rate
from sog.players.seating import Seating

_MEAN, _ELO = "mean", "elo"
_ADDED: Final = (
    " A player won or lost everything, so a draw was added to each pairing for the ratings."
)


def print_report(seating: Seating, results: Results, show: str) -> None:
    """Prints the cross table. show: the value of --show."""
    game, players = seating.game, seating.players
    ranked, (rated, ratings) = _ranked(results, show), rate(results)
    if show == _ELO:
        ranked.sort(key=lambda rank: -ratings.elo[rated.index(rank.player)])
    columns = [*map(str, range(1, len(ranked) + 1)), "all"]
    columns += ["Elo", "95%", "better"] if show == _ELO else []
    table = display.plain_table("player", right=columns)
    table.columns[0].no_wrap = False  # names may be long
    for place, rank in enumerate(ranked, start=1):
        cells = [_cell(rank.player, other.player, results, show) for other in ranked]
        cells.append(_number(rank.mean if show == _MEAN else rank.win_rate, show))
        if show == _ELO:
            order = [rated.index(one.player) for one in ranked]
            cells += _rated(ratings, order, place - 1)
        table.add_row(f"{place} {players[rank.player].name}", *cells)
    display.print_table(
        table,
        f"{display.short_name(game)}: round robin",
        _footer(seating, results, show, ratings),
    )


def _footer(seating: Seating, results: Results, show: str, ratings: Ratings) -> str:
    seconds = sum(result.seconds for result in results.values())
    games = sum(result.num_games for result in results.values())
    draws = sum(result.draws for result in results.values())
    what = f"{seating.game.milli_unit} per game"
    if show != _MEAN:
        what = "percent of games won, draws counted as half"
    head = f"{what}, of the row against the column, with the 95% interval.\n"
    if show == _ELO:
        head += (
            "Elo: maximum-likelihood ratings with mean 0; better: probability to be better than "
            f"the next one.{_ADDED if ratings.added_draws else ''}\n"
        )
    drawn = f", {draws:,} of them drawn," if draws else ""
    return (
        f"{head}{games:,} games{drawn} in {seconds:.3g} s; every deal was played twice with roles "
        f"swapped."
    )


def _rated(ratings: Ratings, order: list[int], place: int) -> list[str]:
    """Rating, half its interval, and the probability to be better than the next player."""
    number = order[place]
    better = ""
    if place + 1 < len(order):
        better = f"{100 * ratings.superiority[number, order[place + 1]]:.1f}%"
    return [f"{round(ratings.elo[number]):+d}", f"± {ratings.half_width[number]:.0f}", better]


def _cell(player: int, other: int, results: Results, show: str) -> str:
    result = results.get((min(player, other), max(player, other)))
    if result is None:
        return "-"
    if show == _MEAN:
        value = result.mean if player < other else -result.mean
        width = result.half_width
    else:
        value = result.win_rate if player < other else 1 - result.win_rate
        width = result.win_rate_half_width
    interval = "" if math.isnan(width) else f" ± {_number(width, show)}"
    return f"{_number(value, show)}{interval}"


def _number(value: float, show: str) -> str:
    return display.number(1000 * value) if show == _MEAN else f"{100 * value:.1f}"


def report_as_json(seating: Seating, results: Results, show: str) -> dict[str, Any]:
    """What `--json` prints of the results; the command's help describes it."""
    rated, ratings = rate(results)
    return {
        "game": str(seating.game),
        "unit": seating.game.unit,
        "players": [player.as_json() for player in seating.players],
        "pairings": [
            {
                "first": first,
                "second": second,
                "games": result.num_games,
                **display.values_of(
                    result, "win_rate", "mean", "wins", "draws", "losses", "seconds"
                ),
                "win_interval": interval_as_json(result.win_rate, result.win_rate_half_width),
                "interval": interval_as_json(result.mean, result.half_width),
            }
            for (first, second), result in results.items()
        ],
        "ranking": [dataclasses.asdict(rank) for rank in _ranked(results, show)],
        "elo": [
            {
                "player": player,
                "elo": float(elo),
                "interval": [float(elo - width), float(elo + width)],
                "superiority": {
                    str(other): float(share)
                    for other, share in zip(rated, shares, strict=True)
                    if other != player
                },
            }
            for player, elo, width, shares in zip(
                rated, ratings.elo, ratings.half_width, ratings.superiority, strict=True
            )
        ],
        "added_draws": ratings.added_draws,
        "seconds": sum(result.seconds for result in results.values()),
    }


def _ranked(results: Results, show: str) -> list[Rank]:
    return ranking(results, by_wins=show != _MEAN)
