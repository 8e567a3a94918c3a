"""Local best response: its worth over the whole tree, its choices against a count by hand, and
`sog evaluate RUN --lbr`.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sog.games import make
from sog.games.core import Game
from sog.holdem.bots.local_best_response import pot_size
from sog.holdem.no_limit import FIRST_SIZE
from sog.play import TabularAgent
from sog.play.arena import play_match
from sog.play.rules import after, first_state
from sog.players.seating import seat
from sog.tabular import PublicTree, compile_tree, evaluate_policy, uniform_policy
from tests.responses import random_policy, response_to

LEDUC = "leduc"
SMALL = "holdem(ranks=3,suits=2,hole_cards=1,deals=1,blinds=1/2,stack=8,bets=1/allin)"
FOLD, CALL, POT, ALL_IN = range(4)


def make_lbr(text: str, game: Game[Any], player: int) -> Any:
    return seat([text], game=game).players[0].make(player, 0)


def local_best_response(text: str, tree: PublicTree, policy: np.ndarray, player: int) -> np.ndarray:
    """[node, S, A]: what it plays as a player against a policy, at every node of the tree."""
    return response_to(policy, tree, make_lbr(text, tree.game, player))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "text"),
    [
        (LEDUC, "lbr(bets=all)"),
        (SMALL, "lbr(bets=pot)"),
        pytest.param(LEDUC, "lbr", marks=pytest.mark.slow),
        pytest.param(SMALL, "lbr(bets=all)", marks=pytest.mark.slow),
    ],
)
def test_it_never_wins_more_than_a_best_response(game: str, text: str) -> None:
    compiled = compile_tree(make(game))
    tree = compiled.tree
    for policy in (uniform_policy(compiled), random_policy(tree)):
        exact = evaluate_policy(compiled, policy)
        for player, sign in enumerate((1, -1)):
            played = local_best_response(text, tree, policy, player)
            won = sign * evaluate_policy(compiled, played).value
            best = exact.best_response_value[player]
            assert won <= best + 1e-6
            # And it finds most of what there is to find, far more than the policy itself gets.
            own = sign * exact.value
            if text == "lbr(bets=all)":
                assert won > own + 0.5 * (best - own)


@pytest.mark.thorough
def test_against_one_who_always_folds_it_gets_750_thousandths_of_a_big_blind() -> None:
    """It has both blinds, in turns: half a big blind and a whole one."""
    for bets in ("pot", "all"):
        lbr, folds = seat([f"lbr(bets={bets})", "always_fold"], game=SMALL).players
        result = play_match(lbr.game, lbr.make, folds.make, num_games=4)
        assert result.mean == 0.75
        assert result.standard_error == 0


@pytest.mark.thorough
def test_without_bets_it_gets_250_thousandths_of_one_who_always_folds() -> None:
    """The half of a big blind that he folds; where he is the big blind, both check to the end."""
    compiled = compile_tree(make(SMALL))
    tree = compiled.tree
    # Folding comes first, calling second.
    policy = tree.node_legal & (np.cumsum(tree.node_legal, axis=-1) == 1)
    won = [
        sign * evaluate_policy(compiled, local_best_response("lbr", tree, policy, player)).value
        for player, sign in enumerate((1, -1))
    ]
    np.testing.assert_allclose(np.ravel(won), [0.5, 0], atol=1e-6)  # the first has the big blind


def test_where_cards_lie_on_the_table_it_may_bet() -> None:
    """A spot begins with them: half of the pot is his who is folded to, on either seat."""
    spot = "holdem(ranks=4,suits=2,hole_cards=1,deals=1,board=Ah,pot=4,stack=4,bets=1)"
    lbr, folds = seat(["lbr(bets=pot)", "always_fold"], game=spot).players
    assert play_match(lbr.game, lbr.make, folds.make, num_games=4).mean == 2


def test_what_it_does_is_what_a_count_of_all_cards_says() -> None:
    """In Leduc, after "check bet2", against one who bets kings and aces of that deck more often."""
    game = make(LEDUC)
    rank = np.array([card // 2 for card in range(6)])
    bets = np.array([0.1, 0.1, 0.5, 0.5, 0.9, 0.9])
    folds_to_raise = np.array([0.9, 0.9, 0.4, 0.4, 0.0, 0.0])

    class Opponent(TabularAgent):
        """Bets so, and answers a raise so."""

        def __init__(self) -> None:
            self.state = first_state(game)

        def observe(self, outcome: int) -> None:
            self.state = after(game, self.state, outcome)

        def policies(self) -> np.ndarray:
            if int(self.state.num_raises) == 0:
                return np.stack([0 * bets, 1 - bets, bets], axis=1)
            return np.stack([folds_to_raise, 1 - folds_to_raise, 0 * bets], axis=1)

    def showdown(own: int, other: int, public: int) -> float:
        pairs = int(rank[own] == rank[public]) - int(rank[other] == rank[public])
        return float(np.sign(10 * pairs + np.sign(rank[own] - rank[other])))

    lbr, other = make_lbr("lbr(bets=all)", game, 0), Opponent()
    lbr.watch(other)
    for outcome in (1, 2):  # check, bet of 2
        lbr.observe(outcome)
        other.observe(outcome)
    for own in range(6):
        values = np.zeros(3)
        for held in set(range(6)) - {own}:
            left = set(range(6)) - {own, held}
            share = sum(showdown(own, held, public) for public in left) / len(left)
            fold = folds_to_raise[held]
            values += bets[held] * np.array([-1, 3 * share, 3 * fold + 5 * (1 - fold) * share])
        chosen = lbr.act(own)
        assert chosen == values.argmax(), (own, values)


@pytest.mark.parametrize(
    ("players", "told"),
    [
        (["lbr", "lbr"], "lbr cannot play lbr: each would wait"),
        (["lbr", "ismcts:10"], "lbr needs an opponent that reveals its policies"),
    ],
)
def test_who_cannot_be_watched_is_told(players: list[str], told: str) -> None:
    first, second = seat(players, game=LEDUC).players
    with pytest.raises(ValueError, match=told):
        play_match(first.game, first.make, second.make, num_games=2)


def test_a_pot_sized_bet_needs_a_game_with_sizes() -> None:
    with pytest.raises(ValueError, match=r"bets must be none or all in leduc, which has fixed"):
        seat(["lbr(bets=pot)"], game=LEDUC)
    with pytest.raises(ValueError, match=r"bets must be none or all in holdem, which has fixed"):
        seat(["lbr(bets=pot)"], game="holdem(bets=100c|100c|200c|200c,caps=3|4|4|4,stack=4800)")


def test_a_bet_of_the_pot_is_of_the_pot_after_a_call() -> None:
    """To call 200 of 100 and 300 makes a pot of 600: the raise is to 900."""
    betting = SimpleNamespace(raised_stakes=lambda _: (np.array([600, 900, 1200]), None))
    game: Any = SimpleNamespace(pot=0, betting=betting)
    state = SimpleNamespace(betting=SimpleNamespace(stakes=[100, 300]))
    sizes = [FIRST_SIZE + number for number in range(3)]
    assert pot_size(game, state, sizes) == sizes[1]


Run = Callable[..., tuple[int, str, str]]
LITTLE = ("evaluate", "agent:leduc", "--lbr", "--games", "4", "--search", "1,1")


@pytest.mark.thorough
def test_json_has_what_is_won_with_and_without_bets(sog_json: Callable[..., Any]) -> None:
    printed = sog_json(*LITTLE, "--seed", "3")
    assert (printed["unit"], printed["player"], printed["seed"]) == ("chips", "agent:leduc", 3)
    calling, betting = printed["lbr"]
    assert (calling["bets"], betting["bets"]) == ("none", "all")
    for one in (calling, betting):
        assert one["games"] == 4
        low, high = one["interval"]
        assert low < one["mean"] < high
        # Four games of whole chips, 13 at most.
        assert abs(one["without_aivat"]["mean"]) <= 13
        assert abs(one["without_aivat"]["mean"] * 4) % 1 == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["leduc", "--lbr"],
            "--lbr needs a run folder or agent:NAME, got leduc; of other players it is sog match "
            "lbr PLAYER --game leduc --aivat zero.",
        ),
        (["agent:leduc", "--lbr", "--whole-game"], "--whole-game has no effect with --lbr, which"),
        (
            ["agent:leduc", "--games", "20"],
            "--games has no effect without an option that plays them",
        ),
        (["agent:leduc", "--lbr", "--games", "3"], "--games must be even, since every deal is"),
        (
            ["agent:leduc", "--lbr", "--search", "1,1", "--search", "2,1"],
            "--search must be given once with --lbr.",
        ),
    ],
)
def test_what_cannot_be_is_told_in_one_line(sog: Run, options: list[str], message: str) -> None:
    code, out, err = sog("evaluate", *options)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"sog: error: {message}")
