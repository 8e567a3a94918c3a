"""Games that begin at a position, and games from elsewhere that are gone through."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

import jax
import pytest

from sog.boards.record_formats import SGF
from sog.games import make
from sog.play.game_in_progress import GameInProgress
from sog.play.history import read_opening
from sog.play.match import Resignation
from sog.play.replay import as_records
from sog.play.simple_agents import RandomAgent
from sog.players.player import Player
from sog.web.app import make_app
from sog.web.catalog import Catalog
from sog.web.security import Guard
from sog.web.table_agent import TableAgent
from tests.web.visitor import PORT, TOKEN, Visitor, actions_in, alert_in, status_in, turn_in

MATE_IN_1: Final = "2k2/5/2K2/5/R4 w - - 0 1"
PGN: Final = f"""[Event "An end"]
[FEN "{MATE_IN_1}"]
[SetUp "1"]

1. Ra2 {{why not}} Kb5
2. Rb2+ *
"""


def events_in(page: str) -> list[str]:
    """The events as a page lists them."""
    found = re.findall(r'<strong>(.*?)</strong> <a class="event".*?>(.*?)</a>', page)
    return [f"{who}: {what}" for who, what in found]


def saved(visitor: Visitor, path: str) -> Any:
    return json.loads(visitor.get(f"{path}/replay.json").text)


@pytest.fixture(scope="module")
def kuhn_file(app: Guard) -> str:
    """A file with a game of Kuhn poker."""
    visitor = Visitor(app)
    path = visitor.begin(player="random", game="kuhn")
    visitor.play_out(path)
    return str(visitor.get(f"{path}/replay.json").text)


def test_a_game_begins_at_a_position_and_is_saved_with_it(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="gardner_chess", history=MATE_IN_1)
    page = visitor.get(path).text
    assert events_in(page) == []
    mates = [action for action, text in actions_in(page).items() if text == "a1a5"]
    page = visitor.choose(path, mates[0], turn_in(page))
    assert status_in(page) == "You win: +1 point."
    (game,) = saved(visitor, path)["games"]
    assert game["begins"] == MATE_IN_1
    opened = visitor.follow("/games/opened", text=json.dumps(saved(visitor, path)))
    page = visitor.get(opened).text
    assert events_in(page) == ["You: a1a5"]
    assert status_in(page) == "You win: +1 point."


def test_a_game_is_saved_as_pgn_and_opened_again(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="gardner_chess", history=MATE_IN_1, seat=0)
    page = visitor.get(path).text
    assert "games.pgn" not in page  # none is finished
    assert visitor.get(f"{path}/games.pgn").status_code == 400
    (mate,) = [action for action, text in actions_in(page).items() if text == "a1a5"]
    page = visitor.choose(path, mate, turn_in(page))
    assert f'href="{path}/games.pgn"' in page
    assert "games.sgf" not in page  # chess has no such format
    assert visitor.get(f"{path}/games.sgf").status_code == 400
    answer = visitor.get(f"{path}/games.pgn")
    text = answer.text
    name = f"gardner_chess-{path.rpartition('/')[2]}.pgn"
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["content-type"] == "application/vnd.chess-pgn"
    assert '[White "human"]' in text
    assert '[Black "random"]' in text
    assert f'[FEN "{MATE_IN_1}"]' in text
    assert "Ra5#" in text
    page = visitor.get(visitor.follow("/games/opened", text=text)).text
    assert len(events_in(page)) == 1
    assert "human" in page


def test_all_finished_games_of_go_are_in_one_file(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(self: RandomAgent, infostate: int) -> int:
        raise Resignation

    monkeypatch.setattr(RandomAgent, "act", give_up)
    path = visitor.begin(player="random", game="go5", seat=0)
    visitor.choose(path, 12, turn_in(visitor.get(path).text))
    visitor.post(f"{path}/again", turn=turn_in(visitor.get(path).text))
    page = visitor.wait(path)
    assert "The agent resigns" in page
    first, second = SGF.split(visitor.get(f"{path}/games.sgf").text)
    assert "PB[human]PW[random]" in first
    assert "RE[B+R]" in first
    assert ";B[cc]" in first
    assert "PB[random]PW[human]" in second
    assert "RE[W+R]" in second


@pytest.mark.thorough
def test_a_saved_game_is_gone_through_and_judged(visitor: Visitor, kuhn_file: str) -> None:
    path = visitor.follow("/games/opened", text=kuhn_file, player="tabular")
    page = visitor.get(path).text
    assert '<span class="soft">opened</span>' in page
    assert actions_in(page) == {}
    assert 'id="undo"' not in page
    assert 'id="again"' not in page
    assert 'id="leave"' not in page  # something is hidden
    assert "The agent has: " in page
    assert events_in(page)[0].startswith("You: ")
    assert 'id="later"' in visitor.get(f"{path}?at=0").text
    turn = turn_in(page)
    visitor.post(f"{path}/judge", turn=turn)
    page = visitor.wait(path)
    assert 'id="worth"' in page
    assert re.search(r'<th scope="row">Agent</th><td>[+-][12].00</td>', page)
    assert visitor.post(f"{path}/undo", turn=turn).status_code == 400
    assert visitor.post(f"{path}/leave", at=0).status_code == 400


def test_a_game_as_people_write_it_is_gone_through_and_left(visitor: Visitor) -> None:
    path = visitor.follow("/games/opened", text=PGN, game="gardner_chess", player="random")
    page = visitor.get(path).text
    assert events_in(page) == ["Player 0: a1a2", "Player 1: c5b5", "Player 0: a2b2"]
    assert status_in(page) == "The game is unfinished."
    assert 'id="judge"' in page
    left = visitor.follow(f"{path}/leave", at=2)
    page = visitor.wait(left)
    assert events_in(page) == ["You: a1a2", "Agent: c5b5"]
    assert status_in(page) == "Your move."
    assert "a2a5" in actions_in(page).values()
    assert "a2b2" in actions_in(page).values()


def test_a_position_alone_is_opened(visitor: Visitor) -> None:
    form = {"game": "gardner_chess", "player": "random"}
    path = visitor.follow("/games/opened", text=MATE_IN_1, **form)
    assert events_in(visitor.get(path).text) == []
    assert "opened, 0 events" in visitor.get("/").text
    over = "R1k2/5/2K2/5/5 b - - 0 1"
    path = visitor.follow("/games/opened", text=over, **form)
    assert status_in(visitor.get(path).text) == "The end of the game."


def test_a_person_who_was_black_is_named_so() -> None:
    text = as_records(make("gardner_chess"), ".pgn", [{"human": 1, "moves": []}], "random")
    assert '[White "random"]\n[Black "human"]' in text


def test_the_agent_begins_where_the_game_does() -> None:
    game, begun = make("gardner_chess"), list[Any]()

    class Noting(RandomAgent):
        def begin(self, state: Any = None, seed: int | None = None) -> None:
            begun.append(state)
            super().begin(state, seed)

    player = Player(name="x", game=game, make=lambda who, seed: Noting(game, player=who, seed=seed))
    ongoing = GameInProgress.dealt(game, jax.random.key(0), read_opening(game, MATE_IN_1))
    TableAgent(player, 0).catch_up(ongoing, 1)
    assert ongoing.beginning is not None
    assert begun[-1] is ongoing.beginning.state


def change(**values: object) -> Callable[[Any], Any]:
    """A file with something else in it."""
    return lambda content: {**content, **values}


def change_game(**values: object) -> Callable[[Any], Any]:
    return lambda content: {**content, "games": [{**content["games"][0], **values}]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (change(game="poker"), "; SOG_GAMES can name others."),
        (
            change(game="leduc(ranks=3,max_raises=2,suit_isomorphisms=True,and_much_more=1)"),
            "'leduc(ranks=3,max_raises=2,suit_isomorphisms=True,and_much_more=1)' is not a game: "
            "leduc: unknown parameter 'suit_isomorphisms'",
        ),
        (change(game=str(make("tic_tac_toe"))), "This game breaks the rules: move 1 is not"),
        (change(games=[]), "No game in this file is finished"),
        (change(games=3), "This is not a file of games"),
        (change_game(human=2), "This is not a file of games"),
        (change_game(utility=0.5), "This game breaks the rules: the file gives 0.5"),
        (change_game(moves=[]), "This game breaks the rules: the game is not over"),
        (change_game(infostates=[[9, 9]] * 9), "This game breaks the rules: move 1 is not"),
        (change_game(begins="8/8"), "This game breaks the rules: where it begins: "),
        (change_game(begins=8), "This is not a file of games"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_told_in_a_line(
    visitor: Visitor, kuhn_file: str, changed: Callable[[Any], Any], message: str
) -> None:
    text = json.dumps(changed(json.loads(kuhn_file)))
    answer = visitor.post("/games/opened", text=text)
    assert answer.status_code == 400
    assert message in alert_in(answer.text).replace("&#39;", "'")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({}, "Choose a file, or paste a text."),
        ({"text": "e4 e5", "game": ""}, "Choose the game of this text"),
        ({"text": "e4 e9", "game": "chess", "player": "random"}, "Game: move 1... "),
        ({"text": "8/8 w", "game": "chess", "player": "random"}, "Game: "),
        ({"text": "check", "game": "kuhn", "player": "random"}, "Game: only a game of perfect"),
        ({"text": "[" * 50_000, "game": "chess", "player": "random"}, "Game: "),
        ({"text": '{"a":' * 50_000, "game": "chess"}, "This is not a file of games"),
        ({"text": "e4", "game": "chess", "player": "agent:kuhn"}, "plays its own game, not"),
    ],
)
def test_a_text_that_is_no_game_is_told_in_a_line(
    visitor: Visitor, form: dict[str, str], message: str
) -> None:
    answer = visitor.post("/games/opened", **form)
    assert answer.status_code == 400
    assert message in alert_in(answer.text)


def test_one_of_several_games_of_a_file_is_opened(visitor: Visitor, kuhn_file: str) -> None:
    content = json.loads(kuhn_file)
    content["games"] = [content["games"][0], {**content["games"][0], "human": 1}]
    text = json.dumps(content)
    for number, seat in ((1, 0), (2, 1), ("", 1)):
        form = {"text": text, "player": "random", "number": number}
        path = visitor.follow("/games/opened", **form)
        assert f"You were player {seat}." in visitor.get(path).text
    answer = visitor.post("/games/opened", text=text, player="random", number=3)
    assert "Game must be from 1 to 2, the number of games in the file." in answer.text


@pytest.mark.slow
def test_a_position_with_stones_set_up_is_searched_from_a_table() -> None:
    app = make_app(Catalog(games=["go(size=2)"]), token=TOKEN, port=PORT)
    visitor = Visitor(app)
    game = "go(size=2,komi=7.0,superko=positional,move_limit=0,end_from=0,payoff=wl)"
    sgf = "(;SZ[2]AB[aa]PL[W];W[bb])"
    form = {"text": sgf, "game": game, "player": "random"}
    path = visitor.follow("/games/opened", **form)
    found = visitor.follow(f"{path}/search", at=0, evaluator="zero", search="2,1")
    page = visitor.wait(found)
    assert '<h2 id="state">X1/2' in page
    assert "Done." in page


def test_a_game_of_a_file_of_several_is_opened_by_its_number(visitor: Visitor) -> None:
    """The file says of which game it is, who played, and that White gave up."""
    head = "(;GM[1]SZ[5]KM[24.5]PB[Ann]PW[<b>Bob]"
    text = f"{head}RE[B+R];B[cc])\n{head};B[aa];W[bb])"
    path = visitor.follow("/games/opened", text=text, number=1, player="random")
    page = visitor.get(path).text
    assert events_in(page) == ["Ann: C3"]
    assert status_in(page) == "&lt;b&gt;Bob resigned, or lost on time."
    path = visitor.follow("/games/opened", text=text, player="random")
    assert events_in(visitor.get(path).text) == ["Ann: A5", "&lt;b&gt;Bob: B4"]
    path = visitor.follow("/games/opened", text=f"{head}RE[W+3.5];B[cc])", player="random")
    assert status_in(visitor.get(path).text) == "Ann lost: the players agreed on the score."
    answer = visitor.post("/games/opened", text=text, number=3, player="random")
    assert "Game must be from 1 to 2, the number of games in the file." in answer.text
    answer = visitor.post("/games/opened", text=text.replace("24.5", "7"), player="random")
    assert "this server has no game" in answer.text
