"""Games in a browser, without the browser: what the pages say, and what they send."""

import json
import re

import pytest

from sog.games import make
from sog.play.match import Resignation
from sog.play.simple_agents import RandomAgent
from sog.web.security import Guard
from tests.web.visitor import Visitor, actions_in, status_in, turn_in

GAMES = {
    "kuhn": "a hidden card",
    "leduc": "public card",
    "liars_dice": "the 6 counts as any face",
    "goofspiel": "points to win",
    "tic_tac_toe": "<title>b2</title>",
    "connect_four": "column 1",
    "glasses": "station 1: ",
    "rps": "<pre>",
}


@pytest.mark.parametrize(("game", "drawn"), GAMES.items())
def test_every_kind_of_game_is_drawn_and_played_to_its_end(
    visitor: Visitor, game: str, drawn: str
) -> None:
    path = visitor.begin(player="random", game=game)
    assert drawn in visitor.get(path).text
    page = visitor.play_out(path)
    assert re.match(r"(You win|You lose|A draw): ", status_in(page))
    assert "in 1 game: " in page


def test_the_agents_card_is_hidden_until_the_game_is_over(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="kuhn", seed=4)
    page = visitor.get(path).text
    own = re.search(r"You have: (\w)\.", page)
    assert own is not None
    others = {"J", "Q", "K"} - {own[1]}
    assert not any(f"<title>{card}</title>" in page for card in others)
    assert "a hidden card" in page
    assert "The agent has" not in page
    page = visitor.play_out(path)
    told = re.search(r"You have: (\w)\. The agent has: (\w)\.", page)
    assert told is not None
    assert told[1] == own[1]
    assert told[2] in others
    assert "a hidden card" not in page


def test_the_agents_view_is_shown_when_it_is_asked_for_and_hidden_again(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="kuhn", seat=1)
    assert "What the agent thought" not in visitor.get(path).text
    shown = visitor.post(f"{path}/reveal").text
    assert "The agent has: " in shown
    assert "What the agent thought" in shown
    assert "check 50%" in shown  # a random player checks and bets alike
    assert "The agent has: " not in visitor.post(f"{path}/reveal").text


def test_a_replay_shows_earlier_positions_and_offers_no_action_there(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="tic_tac_toe")
    page = visitor.get(path).text
    visitor.choose(path, 4, turn_in(page))
    earlier = visitor.get(f"{path}?at=0").text
    assert earlier.count("a stone of") == 0
    assert not actions_in(earlier)
    assert "After 0 of 2 events." in earlier
    assert visitor.get(path).text.count("a stone of") == 2


def test_a_game_begins_at_a_position_whose_moves_stay(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="tic_tac_toe", history="XX./OO./...")
    page = visitor.get(path).text
    assert page.count("a stone of X") == page.count("a stone of O") == 2
    undone = visitor.post(f"{path}/undo", turn=turn_in(page))
    assert "There is nothing to take back." in undone.text
    won = visitor.choose(path, 2, turn_in(page))
    assert status_in(won).startswith("You win: ")
    visitor.follow(f"{path}/again", turn=turn_in(won))
    assert visitor.wait(path).count("a stone of X") >= 2  # the agent is X now


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"game": "kuhn", "history": "check"}, "only a game of perfect information"),
        ({"game": "connect_four", "history": "48"}, "cannot happen at"),
    ],
)
def test_a_position_that_no_game_can_begin_at_is_refused(
    visitor: Visitor, form: dict[str, str], message: str
) -> None:
    answer = visitor.post("/games", player="random", seat=0, seed=3, search="", **form)
    assert answer.status_code == 400
    assert message in answer.text


def test_a_choice_is_taken_back_with_what_followed(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="tic_tac_toe")
    first = visitor.get(path).text
    page = visitor.choose(path, 4, turn_in(first))
    assert len(actions_in(page)) == 7
    visitor.post(f"{path}/undo", turn=turn_in(page))
    back = visitor.get(path).text
    assert actions_in(back) == actions_in(first)
    assert turn_in(back) == turn_in(first)
    assert visitor.post(f"{path}/undo", turn=turn_in(back)).status_code == 400  # nothing is left


def test_the_end_of_a_game_can_be_taken_back_and_then_does_not_count(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="kuhn")
    page = visitor.play_out(path)
    visitor.post(f"{path}/undo", turn=turn_in(page))
    page = visitor.get(path).text
    assert status_in(page) == "Your move."
    assert 'id="score"' not in page
    assert "; 1 taken back" in visitor.play_out(path)


@pytest.mark.thorough
def test_a_searching_agent_goes_on_from_what_was_taken_back(visitor: Visitor) -> None:
    path = visitor.begin(player="zero", game="kuhn", search="5,1", seat=0)
    first = visitor.get(path).text
    answers = []
    for _ in range(2):
        page = visitor.choose(path, 2, turn_in(first))
        answers.append(re.findall(r"<strong>Agent</strong> <a [^>]*>(\w+)", page))
        visitor.post(f"{path}/undo", turn=turn_in(page))
    assert answers[0] == answers[1]  # the same chain of searches, the same random numbers
    assert len(answers[0]) == 1
    page = visitor.choose(path, 2, turn_in(first))
    assert "worth " in page  # what the search expected


@pytest.mark.thorough
def test_more_choices_can_be_taken_back_than_copies_of_the_agent_are_kept(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.web.table_agent._MOST_KEPT", 1)
    path = visitor.begin(player="zero", game="tic_tac_toe", search="5,1")
    pages = [visitor.get(path).text]
    for _ in range(3):
        pages.append(visitor.choose(path, min(actions_in(pages[-1])), turn_in(pages[-1])))
    for page in reversed(pages[:-1]):
        visitor.post(f"{path}/undo", turn=turn_in(visitor.get(path).text))
        assert actions_in(visitor.get(path).text) == actions_in(page)
    assert "a stone of" in visitor.choose(path, 4, turn_in(pages[0]))  # the agent goes on


def test_seats_change_from_game_to_game_and_the_score_goes_on(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="kuhn", seat=0)
    page = visitor.play_out(path)
    assert "You are player 0." in page
    visitor.post(f"{path}/again", turn=turn_in(page))
    visitor.wait(path)
    page = visitor.play_out(path)
    assert "You are player 1." in page
    assert "in 2 games: " in page


def test_finished_games_are_saved_as_the_terminal_saves_them(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="kuhn", seed=11)
    assert visitor.get(f"{path}/replay.json").status_code == 400
    page = visitor.play_out(path)
    answer = visitor.get(f"{path}/replay.json")
    assert answer.headers["content-disposition"].startswith('attachment; filename="kuhn-')
    saved = json.loads(answer.text)
    assert (saved["game"], saved["unit"], saved["seed"]) == (str(make("kuhn")), "chips", 11)
    assert saved["agent"]["name"] == "random"
    (game,) = saved["games"]
    assert game["human"] == 0
    assert len(game["infostates"]) == len(game["moves"]) + 1
    won = re.search(r": ([+-][\d.]+) chips?", status_in(page))
    assert won is not None
    assert float(won[1]) == game["utility"]


def test_the_same_seed_deals_the_same_cards(visitor: Visitor) -> None:
    pages = [visitor.get(visitor.begin(player="random", game="leduc", seed=s)).text for s in (5, 5)]
    cards = [re.findall(r"You have: (\w+)", page) for page in pages]
    assert cards[0] == cards[1] != []


# What goes wrong.


def test_a_second_tab_cannot_move_in_a_position_that_is_gone(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="tic_tac_toe")
    page = visitor.get(path).text
    visitor.choose(path, 4, turn_in(page))
    late = visitor.post(f"{path}/choose", action=0, turn=turn_in(page))
    assert late.status_code == 409
    assert "The game has moved on since this page was shown." in late.text
    assert f'href="{path}"' in late.text
    assert visitor.get(path).text.count("a stone of") == 2


def test_reloading_in_the_middle_of_a_game_loses_nothing(visitor: Visitor, app: Guard) -> None:
    path = visitor.begin(player="random", game="tic_tac_toe")
    page = visitor.choose(path, 4, turn_in(visitor.get(path).text))
    again = Visitor(app).get(path).text  # another window
    assert actions_in(again) == actions_in(page)
    assert turn_in(again) == turn_in(page)


@pytest.mark.parametrize("action", [0, 10**8, -1, "x"])
def test_an_action_that_cannot_be_is_told(visitor: Visitor, action: object) -> None:
    path = visitor.begin(player="random", game="kuhn")  # 0 would fold, to no bet
    turn = turn_in(visitor.get(path).text)
    assert visitor.post(f"{path}/choose", action=action, turn=turn).status_code == 400
    assert len(actions_in(visitor.get(path).text)) == 2


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"player": "uct", "game": "kuhn"}, "needs perfect information"),
        ({"player": "zero", "game": "kuhn", "search": "0,1"}, "num_simulations must be"),
        ({"player": "zero", "game": "kuhn", "search": "many"}, "must be two numbers"),
        ({"player": "zero", "game": "kuhn", "search": "10,1e-5"}, "100,000 updates"),
        ({"player": "zero", "game": ""}, "Choose a game"),
        ({"player": "random", "game": "kuhn", "seed": "x"}, "seed must be a whole number"),
    ],
)
def test_what_cannot_be_played_is_told_in_a_sentence(
    visitor: Visitor, form: dict[str, str], told: str
) -> None:
    answer = visitor.post("/games", **form)
    assert answer.status_code == 400
    assert told in answer.text


@pytest.mark.parametrize("path", ["/games/999", "/searches/999", "/runs/9", "/games/x"])
def test_what_is_not_there_is_told(visitor: Visitor, path: str) -> None:
    assert visitor.get(path).status_code == 404


def test_an_agent_that_fails_ends_its_game_and_nothing_else(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise ValueError("the tree has no room.")

    monkeypatch.setattr("sog.play.simple_agents.RandomAgent.act", fail)
    path = visitor.begin(player="random", game="kuhn", seat=1)
    assert status_in(visitor.get(path).text) == "The game cannot continue: the tree has no room."
    assert visitor.get("/").status_code == 200


def test_a_game_that_the_agent_gives_up_is_won_and_counts(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(self: RandomAgent, infostate: int) -> int:
        raise Resignation

    path = visitor.begin(player="random", game="tic_tac_toe")
    monkeypatch.setattr(RandomAgent, "act", give_up)
    page = visitor.choose(path, 4, turn_in(visitor.get(path).text))
    assert status_in(page) == "The agent resigns. You win: +1 point."
    saved = json.loads(visitor.get(f"{path}/replay.json").text)
    assert saved["games"][0]["resigned"] == 1
    visitor.post(f"{path}/undo", turn=turn_in(page))
    assert status_in(visitor.get(path).text) == "Your move."


@pytest.mark.thorough
def test_a_position_of_a_game_is_searched_in_one_click(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="connect_four", seed=3)
    page = visitor.choose(path, 3, turn_in(visitor.get(path).text))
    form = dict(re.findall(r'name="(at|evaluator)" value="([^"]*)"', page))
    assert form == {"at": "2", "evaluator": "rollout"}
    found = visitor.follow(f"{path}/search", **form, search="2,1")
    assert "connect_four" in visitor.wait(found)
    assert "connect_four after 2 events" in visitor.get("/").text
    visitor.post(f"{found}/remove")
    home = visitor.get("/").text
    assert "game 1, move 3: your move" in home


@pytest.mark.thorough
def test_the_end_of_a_game_has_nothing_to_search(visitor: Visitor) -> None:
    path = visitor.begin(player="random", game="kuhn")
    page = visitor.play_out(path)
    assert 'id="search"' not in page
    assert 'id="search"' in visitor.get(f"{path}?at=0").text
    assert re.search(r"over; [+-][12] chips? so far", visitor.get("/").text)
