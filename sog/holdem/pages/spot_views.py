"""The contents of a spot's page: a node of the tree, and the strategy of every hand there."""

import dataclasses
import math
import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlencode

import numpy as np

from sog.holdem.deck import Deck
from sog.holdem.hand_squares import SHOWN, Shown, action_colors, draw_hand_squares, read_hand_grid
from sog.holdem.pages.solved_spot import Compared, SolvedSpot
from sog.holdem.ranges import class_name, class_of_hands
from sog.holdem.spots import SpotNode, SpotPause
from sog.holdem.spots.network import value_errors
from sog.holdem.spots.walk import mean
from sog.web.pages import inline

_SHOWN_NAMES: Final = {
    "policy": "actions",
    "range": "range",
    "value": "EV",
    "equity": "equity",
}
_CLASS: Final = re.compile("[2-9TJQKA]{2}[so]?")
_NAMES: Final = ("OOP", "IP")
_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def spot_context(
    spot: SolvedSpot, history: tuple[str, ...], shown: str, hands: str
) -> dict[str, Any]:
    """The template's view of a node. hands: the class of hands to list. Raises RequestError."""
    found, deck = spot.see(history), spot.game.deck
    hands = hands if _CLASS.fullmatch(hands) else ""

    def link(at: tuple[str, ...] = history, show: str = shown, hands: str = hands) -> str:
        given = {"at": " ".join(at), "show": "" if show == SHOWN[0] else show, "hands": hands}
        return f"?{urlencode({name: text for name, text in given.items() if text})}"

    view: dict[str, Any] = {
        "history": history,
        "names": _NAMES,
        "where": link()[1:],
        "here": link,
        "way": _way(history, link),
        "node": None,
        "pause": None,
        "network": None,
        "shown": shown,
        "shown_names": {name: (_SHOWN_NAMES[name], link(show=name)) for name in SHOWN},
        "hands": hands,
        "progress": _progress(spot),
        "board": [_card(deck, card) for card in (found or spot.solver.spot).board],
    }
    if isinstance(found, SpotPause):
        view["pause"] = found
        view["deck"] = _deck(deck, found, lambda word: link(at=(*history, word)))
    elif isinstance(found, SpotNode):
        view["node"] = found
        view["actions"] = _actions(found, lambda word: link(at=(*history, word)))
        view["players"] = [
            _player(spot, found, player, shown, link, hands)  # type: ignore[arg-type]
            for player in (found.actor, 1 - found.actor)
        ]
        compared = spot.compared  # another request may remove it
        if compared is not None:
            view["network"] = _network(spot, compared, found, shown, link, hands)
    return view


def _network(
    spot: SolvedSpot,
    compared: Compared,
    node: SpotNode,
    shown: str,
    link: Callable[..., str],
    hands: str,
) -> dict[str, Any]:
    """A network's strategy and values at a node, and the errors of its values."""
    network_node = compared.reader.read(node)
    drawn, players = _in_colors_of(node, network_node), []
    for player, error in enumerate(value_errors(node, network_node)):
        one = _player(spot, drawn, player, shown, link, hands)  # type: ignore[arg-type]
        players.append({**one, "error": _number(error), "share": _number(error / node.pot)})
    if node.actor == 1:
        players.reverse()
    return {
        "name": compared.title,
        "players": players,
        "actions": _actions(network_node, lambda word: ""),
    }


def _in_colors_of(node: SpotNode, network_node: SpotNode) -> SpotNode:
    """The network's node with the solution's actions, for equal colors, if they include its own."""
    if not set(network_node.actions) <= set(node.actions):
        return network_node
    shares = dict(zip(network_node.actions, network_node.policy, strict=True))
    nothing = np.where(np.isfinite(network_node.policy[0]), 0.0, np.nan)
    policy = np.stack([shares.get(action, nothing) for action in node.actions])
    return dataclasses.replace(
        network_node,
        actions=node.actions,
        policy=policy,
        action_value=np.full(policy.shape, np.nan),
    )


def _progress(spot: SolvedSpot) -> float:
    """From 0 to 1: progress toward the target exploitability on a logarithmic scale."""
    now = spot.exploited
    if now is None or math.isnan(now):
        return 0.0
    if now <= 0:
        return 1.0
    first = 100 * spot.checkpoints[0].exploitability / spot.solver.spot.pot
    first = max(first, 10.0, spot.percent * 1.1)
    done = math.log(first / now) / math.log(first / spot.percent)
    return min(max(done, 0.0), 1.0)


def _way(history: tuple[str, ...], link: Callable[..., str]) -> list[tuple[str, str]]:
    """The events so far, with links."""
    places = [history[:count] for count in range(len(history) + 1)]
    return [(place[-1] if place else "start", link(at=place)) for place in places]


def _card(deck: Deck, card: int) -> dict[str, str]:
    name = deck.card_name(card)
    return {"name": name, "rank": name[0], "suit": name[1], "sign": _SUITS[name[1]]}


def _deck(deck: Deck, pause: SpotPause, link: Callable[[str], str]) -> list[list[dict[str, str]]]:
    """All cards, a row for each suit; possible ones have links."""
    rows = []
    for suit in range(deck.suits):
        cards = [rank * deck.suits + suit for rank in range(deck.ranks)[::-1]]
        rows.append(
            [
                {
                    **_card(deck, card),
                    "link": link(f"[{deck.card_name(card)}]") if card in pause.cards else "",
                }
                for card in cards
            ]
        )
    return rows


def _actions(node: SpotNode, link: Callable[[str], str]) -> list[dict[str, Any]]:
    """The actor's actions: frequency, and EV for the hands that choose it."""
    pairs = zip(node.actions, action_colors(node.actions), strict=True)
    return [
        {
            "name": _in_words(action),
            "link": link(action),
            "color": color,
            "share": float(np.nan_to_num(node.frequency[number])),
            "value": _number(node.value_of(number)),
        }
        for number, (action, color) in enumerate(pairs)
    ]


def _in_words(action: str) -> str:
    """Such as "bet 50" or "all-in 200"."""
    word, chips = re.fullmatch("([a-z]+)([0-9]*)", action).groups()  # type: ignore[union-attr]
    return f"{'all-in' if word == 'allin' else word} {chips}".strip()


def _player(
    spot: SolvedSpot,
    node: SpotNode,
    player: int,
    shown: Shown,
    link: Callable[..., str],
    hands: str,
) -> dict[str, Any]:
    """The square of a player's hands, and the hands of the chosen class."""
    deck = spot.game.deck
    acts = node.actor == player
    grid = read_hand_grid(node, deck, player)
    shown = "range" if shown == "policy" and not acts else shown
    known = np.abs(grid.value[np.isfinite(grid.value)])
    square = draw_hand_squares(
        grid,
        shown,
        lambda name: link(hands=name) + "#combos",
        scale=float(known.max()) if known.size else 0.0,
        title=f"{_NAMES[player]}: {_SHOWN_NAMES[shown]}",
        lit=hands,
    )
    seen = node.ranges[player]
    return {
        "player": player,
        "acts": acts,
        "shown": _SHOWN_NAMES[shown],
        "square": inline(square),
        "value": _number(node.value(player)),
        "equity": _number(mean(seen.equity, seen.range_)),
        "actions": [_in_words(action) for action in node.actions] if acts else [],
        "colors": action_colors(node.actions) if acts else [],
        "rows": _rows(deck, node, player, hands) if hands else [],
    }


def _rows(deck: Deck, node: SpotNode, player: int, hands: str) -> list[dict[str, Any]]:
    """The hands of a class in a player's range."""
    seen = node.ranges[player]
    names = [class_name(*one) for one in class_of_hands(deck).tolist()]
    listed = [n for n, name in enumerate(names) if name == hands and seen.range_[n] > 0][::-1]
    return [
        {
            "cards": [_card(deck, card) for card in deck.in_order(deck.hands()[hand].tolist())],
            "weight": float(seen.weight[hand]),
            "value": _number(seen.value[hand]),
            "equity": _number(seen.equity[hand]),
            "cells": [
                (float(share), _number(value))
                for share, value in zip(
                    node.policy[:, hand], node.action_value[:, hand], strict=True
                )
            ]
            if node.actor == player
            else [],
        }
        for hand in listed
    ]


def _number(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None
