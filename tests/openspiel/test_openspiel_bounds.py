"""OpenSpiel games that are too large are refused early, in one line that says the bound."""

import sys
from typing import Any

import pytest

from sog.games import make
from sog.openspiel.bounds import limited_memory, read_max_histories
from sog.openspiel.game import load_openspiel
from sog.openspiel.loading import is_surely_larger
from tests.openspiel.openspiel_games import PIG, histories, spiel_game

ONE_MILLION = (
    "it has more than 1,000,000 histories: too large to enumerate; SOG_MAX_HISTORIES=N in the "
    "environment sets the bound, now 1,000,000 histories and 2 GB."
)


@pytest.fixture
def no_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    def enumerated(*_: Any) -> None:
        raise AssertionError("a game was enumerated that should be refused before.")

    monkeypatch.setattr("sog.openspiel.game.enumerate_histories", enumerated)


@pytest.mark.usefixtures("no_enumeration")
@pytest.mark.parametrize("text", ["chess", "backgammon", "latent_ttt", "goofspiel(num_cards=3000)"])
def test_a_much_too_large_game_is_refused_before_it_is_enumerated(text: str) -> None:
    with pytest.raises(ValueError, match="too large") as error:
        make(f"openspiel:{text}")
    assert str(error.value) == f"openspiel:{text}: not supported: {ONE_MILLION}"


@pytest.mark.parametrize("text", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)", PIG])
def test_a_game_within_its_bound_is_never_refused(text: str) -> None:
    spiel = spiel_game(text)
    size = sum(1 for _ in histories(spiel.new_initial_state()))
    assert not is_surely_larger(spiel, size)
    assert len(load_openspiel(text, max_histories=size).histories.parent) == size
    with pytest.raises(ValueError, match="too large to enumerate"):
        load_openspiel(text, max_histories=size - 1)


def test_the_environment_sets_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOG_MAX_HISTORIES", "20")
    with pytest.raises(ValueError, match="more than 20 histories"):
        make("openspiel:kuhn_poker")
    monkeypatch.setenv("SOG_MAX_HISTORIES", " 2000000 ")
    assert read_max_histories() == 2_000_000
    monkeypatch.setenv("SOG_MAX_HISTORIES", "1e6")
    with pytest.raises(ValueError, match="SOG_MAX_HISTORIES must be a positive integer, got '1e6'"):
        make("openspiel:kuhn_poker")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit a process")
def test_a_game_that_asks_for_all_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: str) -> bytearray:
        return bytearray(10**10)

    monkeypatch.setattr("sog.openspiel.game.load_spiel", load)
    with pytest.raises(ValueError, match="more than fits into 1 GB of memory: too large"):
        load_openspiel("kuhn_poker", max_histories=1000)
    with limited_memory(10**11):  # and the limit is gone
        assert len(bytearray(2 * 10**9)) == 2 * 10**9


def test_progress_is_told_from_the_first_history_on() -> None:
    told: list[str] = []
    make("openspiel:liars_dice(dice_sides=3)", progress=told.append)
    assert told[:2] == ["0 histories", "1,000 histories"]
    assert told[-1].endswith("public states")


@pytest.mark.parametrize(
    "text",
    [
        "add_noise(epsilon=0.1,seed=1,game=kuhn_poker())",
        "turn_based_simultaneous_game(game=add_noise(epsilon=0.1,seed=1,game=matrix_rps()))",
    ],
)
def test_noise_that_differs_each_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="add_noise draws the noise of its payoffs in the order"):
        load_openspiel(text)
