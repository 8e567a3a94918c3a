"""A game of OpenSpiel's is enumerated when a command loads it: that is shown, and can be stopped.

What OpenSpiel itself raises is told in one line.
"""

import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.parametrize(
    ("command", "far"),
    [
        (["solve", "GAME"], "there is nothing to keep yet"),
        (["search", "GAME"], "there is nothing to keep yet"),
        (["evaluate", "GAME", "--search", "10,1"], "there is nothing to keep yet"),
        (["match", "random", "random", "--game", "GAME"], "there is nothing to keep yet"),
        (["play", "random", "--game", "GAME"], ""),
        (["games", "GAME"], ""),
        (["exploitability", "GAME", "x.npz"], ""),
    ],
)
def test_an_interrupt_while_a_game_is_enumerated_ends_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch, command: list[str], far: str
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sog.openspiel.game.enumerate_histories", interrupt)
    game = "openspiel:pig(winscore=6)"
    code, out, err = sog(*(game if word == "GAME" else word for word in command))
    begun, ended = err.splitlines()
    assert (code, out, begun) == (130, "", f"sog: loading {game}")
    assert ended.startswith("sog: interrupted")
    assert far in ended


def test_a_game_that_is_too_large_is_a_mistake_told_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOG_MAX_HISTORIES", "100")
    code, out, err = sog("solve", "openspiel:leduc_poker", "--json")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "sog: error: openspiel:leduc_poker: not supported: it has more than 100 histories: too "
        "large to enumerate; SOG_MAX_HISTORIES=N in the environment sets the bound, now 100 "
        "histories and 1 GB.",
    ]


def test_an_error_of_openspiel_is_told_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(arguments: object) -> int:
        raise pyspiel.SpielError("game.cc:87 player < 2\nplayer = 2")

    monkeypatch.setattr("sog.cli.games.run", fail)
    assert sog("games") == (2, "", "sog: error: OpenSpiel: game.cc:87 player < 2 player = 2\n")


def test_without_openspiel_a_game_of_it_is_told_with_how_to_get_it(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    message = "openspiel games need OpenSpiel: pip install 'sog[openspiel]'."
    assert sog("games", "openspiel:kuhn_poker") == (2, "", f"sog: error: {message}\n")
