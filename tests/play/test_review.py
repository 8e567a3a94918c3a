"""Finished games judged: what choices lost, and what was luck."""

import itertools
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.extent import WHOLE_GAME
from gtcfr.settings import SearchSettings
from sog.games import TERMINAL, make
from sog.play import PlayedGame, SearchAgent
from sog.play.review import Choice, Review, review
from sog.play.simple_agents import TabularAgent
from sog.tabular import solve
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.examination import examine
from tests.tabular.small_games import compiled_game

KUHN = make("kuhn")
FOLD, CHECK, BET = 0, 1, 2
JACK, QUEEN, KING = 0, 1, 2


def kuhn_game(cards: tuple[int, int], *actions: int) -> PlayedGame:
    """A game of Kuhn poker: all is public but the cards, and an outcome is the action."""
    state = KUHN.root()
    for action in actions:
        state = KUHN.apply(state, jnp.int32(action))
    assert int(KUHN.actor(state)) == TERMINAL
    return PlayedGame(
        utility=float(KUHN.world_utility(state, jnp.asarray(cards))),
        outcomes=actions,
        actions=actions,
        infostates=(cards,) * (len(actions) + 1),
    )


def all_kuhn_games() -> Iterator[PlayedGame]:
    courses = [(CHECK, CHECK), (CHECK, BET, FOLD), (CHECK, BET, CHECK), (BET, FOLD), (BET, CHECK)]
    for cards in itertools.permutations((JACK, QUEEN, KING), 2):
        for course in courses:
            yield kuhn_game(cards, *course)


@pytest.fixture(scope="module")
def advisers() -> list[TabularAgent]:
    compiled = compiled_game("kuhn")
    policy = solve(compiled, rule="cfr+", iterations=300).policy
    game = EnumeratedGame(tree=compiled.tree)
    return [TabularAgent(game, policy, player=player) for player in (0, 1)]


def judged(played: PlayedGame, advisers: list[TabularAgent]) -> Review:
    return review(KUHN, played, advisers)


def test_what_a_choice_lost_is_what_it_was_worth_less_than_the_best(
    advisers: list[TabularAgent],
) -> None:
    """To fold a king costs the pot: 2 that would be won, and the chip that is lost."""
    found = judged(kuhn_game((KING, JACK), CHECK, BET, FOLD), advisers)
    fold = found.choices[-1]
    assert (fold.number, fold.player, fold.best_action) == (2, 0, CHECK)
    assert fold.loss == pytest.approx(2 + 1, abs=1e-6)
    assert fold.grade(KUHN.max_utility) == "mistake"
    assert found.lost(0) == pytest.approx(sum(choice.loss for choice in found.of(0)))


def test_utility_is_what_was_expected_and_luck_less_what_was_lost(
    advisers: list[TabularAgent],
) -> None:
    for played in all_kuhn_games():
        found = judged(played, advisers)
        for player in (0, 1):
            parts = found.of(player)[0].value + found.luck(player) - found.lost(player)
            assert parts == pytest.approx(found.utility(player))


@pytest.mark.parametrize("player", [0, 1])
def test_against_the_adviser_luck_is_nothing_on_average_however_one_plays(
    player: int, advisers: list[TabularAgent]
) -> None:
    """The performance difference lemma: what one gets is what a best response gets less losses.

    The player plays at random; the other one as the adviser. All deals and courses are weighted by
    their probabilities.
    """
    luck = lost = utility = total = 0.0
    for played in all_kuhn_games():
        found = judged(played, advisers)
        weight = 1 / 6
        for choice in found.choices:
            is_own = choice.player == player
            weight *= 1 / 2 if is_own else choice.policy[choice.action]
        total += weight
        luck += weight * found.luck(player)
        lost += weight * found.lost(player)
        utility += weight * found.utility(player)
    assert total == pytest.approx(1)
    assert luck == pytest.approx(0, abs=1e-5)
    examined = examine(compiled_game("kuhn").tree, advisers[0]._policy)
    best = examined.best_cfvs.of_infostates[0, player].sum()
    assert lost == pytest.approx(best - utility, abs=1e-5)
    assert lost > 0.1


def test_a_search_tells_what_actions_are_worth_as_the_exact_solution_does(
    advisers: list[TabularAgent],
) -> None:
    """With the whole game in its tree; also where it was re-solved, after a check and a bet."""
    settings = SearchSettings(
        num_simulations=1000, lookahead=WHOLE_GAME, grow=False, capacity=9, rule="cfr+"
    )
    agent = SearchAgent(KUHN, ZeroEvaluator(), settings, player=0)
    exact = advisers[0]
    exact.begin()
    for told in ((), (CHECK, BET)):
        for outcome in told:
            agent.observe(outcome)
            exact.observe(outcome)
        for card in (JACK, QUEEN, KING):
            values, right = agent.action_values(card), exact.action_values(card)
            assert (np.isnan(values) == np.isnan(right)).all()
            assert np.nanmax(values) == pytest.approx(np.nanmax(right), abs=0.03)
    assert agent.action_values(KING)[FOLD] == pytest.approx(-1, abs=1e-3)
    assert agent.action_values(KING)[CHECK] == pytest.approx(2, abs=1e-3)


def test_what_the_adviser_mixes_is_best_though_its_search_is_a_little_off() -> None:
    """A mistake is one all the same, and so is what the adviser hardly ever does."""

    def graded(action: int, worth: float, share: float) -> str:
        values = np.array([np.nan, 1.0, worth])
        policy = np.array([0.0, 1 - share, share])
        choice = Choice(
            number=0,
            player=0,
            state=None,
            infostate=0,
            action=action,
            legal=np.array([False, True, True]),
            policy=policy,
            values=values,
        )
        return choice.grade(max_utility=2.0)

    assert graded(2, 0.97, share=0.85) == graded(1, 0.97, share=0.85) == "best"
    assert graded(2, 0.97, share=0.2) == "good"
    assert graded(2, 0.9, share=0.85) == "inaccuracy"


def test_in_a_game_where_nothing_is_hidden_a_win_that_was_missed_is_found() -> None:
    """X does not complete the row above, whereupon O completes that in the middle."""
    game = make("tic_tac_toe")
    moves = (0, 3, 1, 4, 8, 5)
    played = PlayedGame(utility=-1.0, outcomes=moves, actions=moves, infostates=((0, 0),) * 7)
    settings = SearchSettings(num_simulations=100)
    advisers = [SearchAgent(game, ZeroEvaluator(), settings, player=player) for player in (0, 1)]
    done: list[tuple[int, int]] = []
    found = review(game, played, advisers, lambda *numbers: done.append(numbers))
    missed, took = found.choices[4:]
    assert (missed.player, missed.action, missed.best_action) == (0, 8, 2)
    assert missed.value == pytest.approx(1)
    assert missed.grade(1.0) == "mistake"
    assert (took.player, took.best_action, took.grade(1.0)) == (1, 5, "best")
    assert done == [(number, 6) for number in range(1, 7)]
