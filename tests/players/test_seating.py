"""From the texts of players to agents, for whoever asks."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from sog.boards.tic_tac_toe import TicTacToe
from sog.games import Game, make
from sog.play.simple_agents import RandomAgent
from sog.players.entry import Entry
from sog.players.player import Host, Player, SearchChanges
from sog.players.seating import is_variant, seat
from sog.players.table import PLAYERS, split_overrides
from sog.tabular import TreeTooLargeError


def test_a_trained_agent_brings_its_game_and_the_search_that_it_was_evaluated_by() -> None:
    (player,) = seat(["agent:kuhn"]).players
    assert player.game.name == "kuhn"
    assert player.search is not None
    assert player.search.num_queries == 0
    assert player.network is not None
    assert player.search_bytes > 0


def test_a_trained_agent_plays_a_variant_that_is_asked_for() -> None:
    heard: list[str] = []

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Listener(Host):
        def notify(self, text: str) -> None:
            heard.append(text)

    players = ["agent:gardner_chess?search=2,1", "random"]
    seating = seat(players, game="gardner_chess", host=Listener())
    assert str(seating.game) == "gardner_chess(max_moves=512)"
    assert heard == ["agent:gardner_chess?search=2,1 was trained on gardner_chess(max_moves=150)."]


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        ("go5", "go5(end_from=12)", True),
        ("go5", "go(size=5,komi=0.5,superko=simple)", True),
        ("go5", "go7", False),
        ("go5", "go5(payoff=diff)", False),
        ("hex(size=6)", "othello(size=6)", False),
        ("holdem(stack=2000)", "holdem(stack=1000)", False),
        ("holdem(draw_stacks=500/1000/2000)", "holdem(draw_stacks=2000)", True),
        ("holdem(ranks=8,suits=2)", "holdem(ranks=4,suits=4)", False),
        ("glasses(rounds=5)", "glasses(rounds=6)", True),
        ("glasses(rounds=6)", "quarter(rounds=6)", False),
    ],
)
def test_variants_differ_in_parameters_that_a_network_does_not_see(
    one: str, other: str, *, fits: bool
) -> None:
    assert is_variant(make(one), make(other)) is fits
    assert is_variant(make(other), make(one)) is fits


def test_games_of_two_kinds_are_no_variants_however_alike() -> None:
    class One(TicTacToe):
        """Of the same form as the other."""

    class Other(TicTacToe):
        """Of the same form as the one."""

    assert is_variant(One(), TicTacToe())
    assert not is_variant(One(), Other())


@pytest.mark.parametrize("search", ["7,1", {"num_simulations": 7}])
def test_all_who_search_are_told_how(search: Any) -> None:
    seating = seat(["zero", "random", "rollout"], game="kuhn", search=search)
    assert [one.search and one.search.num_simulations for one in seating.players] == [7, None, 7]


def test_room_for_the_simulations_of_training_is_not_kept_for_others() -> None:
    (player,) = seat(["agent:kuhn"], search="5,1").players
    assert player.search is not None
    assert player.search.capacity is None


def test_a_host_hears_how_far_players_are() -> None:
    heard: list[str] = []

    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Listener(Host):
        def begin(self, doing: str, total: int | None = None) -> None:
            heard.append(doing)

    seat(["tabular:3"], game="kuhn", host=Listener())
    assert heard == ["enumerating kuhn", "solving kuhn"]


class Engine:
    game = None

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        def make(player: int, seed: int) -> RandomAgent:
            return RandomAgent(game, player=player, seed=seed)

        return Player(name=name, game=game, make=make)


def read_engine(text: str, host: Host) -> Engine:
    return Engine()


def test_another_kind_of_player_is_one_entry_of_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = f"{__name__}:read_engine"
    entry = Entry(form="engine:PATH", summary="an engine", reader=reader)
    monkeypatch.setitem(PLAYERS, "engine", entry)
    (player,) = seat(["engine:/bin/some"], game="kuhn").players
    assert player.name == "engine:/bin/some"


@pytest.mark.parametrize(
    ("texts", "asked", "message"),
    [
        (["random", "tabular"], {}, "game is needed: random and tabular can play any game."),
        (["lduc"], {}, "'lduc' is not a player: did you mean the game leduc or agent:leduc?"),
        (["goofspeil"], {}, "'goofspeil' is not a player: did you mean the game goofspiel?"),
        (["kuhn"], {}, "'kuhn' is not a player: it is a game, which game kuhn sets; a trained"),
        (["agent:kuhn"], {"game": "leduc"}, "the players must play the same game: agent:kuhn"),
        (["agent:nobody"], {}, "there is no agent 'nobody'; there are connect_four, "),
        (["zero"], {"game": "kuhn", "search": {"sims": 5}}, "unknown setting of a search 'sims':"),
        (
            ["zero"],
            {"game": "kuhn", "search": {"alpha": 2}},
            "zero: alpha must be in [0, 1]",
        ),
        (["random?search=5,1"], {"game": "kuhn"}, "random has no search settings to change by ?"),
        (["zero?search=5"], {"game": "kuhn"}, "zero?search=5: search must be two numbers s,c"),
        (["zero?sims=4"], {"game": "kuhn"}, "search.sims is not a configuration key; did you"),
        (
            ["zero?search=5,1&num_simulations=3"],
            {"game": "kuhn"},
            "num_simulations is given twice.",
        ),
        (["zero?search="], {"game": "kuhn"}, "write settings as name=value, got 'search='."),
        (["zero?alpha=2"], {"game": "kuhn"}, "zero?alpha=2: alpha must be in [0, 1], got 2.0"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    texts: list[str], asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        seat(texts, **asked)
    assert "\n" not in str(caught.value)


def test_a_game_with_more_states_than_the_host_allows_is_refused_with_their_number() -> None:
    with pytest.raises(TreeTooLargeError, match="has more than max_nodes = 8 nodes"):
        seat(["tabular"], game="kuhn", host=Host(max_nodes=8))


def test_players_of_one_table_may_search_differently_and_are_called_so() -> None:
    texts = ["zero?search=9,1&c_puct=3", "zero", "agent:kuhn?num_simulations=7"]
    first, second, third = seat(texts, search="5,1").players
    assert first.search is not None
    assert second.search is not None
    assert third.search is not None
    assert (first.search.num_simulations, first.search.c_puct) == (9, 3.0)
    assert (second.search.num_simulations, second.search.c_puct) == (5, 1.25)
    assert third.search.num_simulations == 7
    assert [first.name, second.name] == ["zero, search=9,1&c_puct=3", "zero"]
    assert third.name.endswith(", num_simulations=7")


def test_a_run_whose_path_has_a_question_mark_is_still_that_run(tmp_path: Path) -> None:
    folder = tmp_path / "run?a=b"
    folder.mkdir()
    assert split_overrides(str(folder)) == (str(folder), "")
    assert split_overrides("runs/x@5?a=b&c=d") == ("runs/x@5", "a=b&c=d")
