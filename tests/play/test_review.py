"""Finished games judged: what choices lost and gave, and what was luck."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.exact import policy_evaluator
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.games import TERMINAL, Game, make
from sog.play import Agent, PlayedGame, SearchAgent
from sog.play.choice import JudgedChoice
from sog.play.review import Review, reviewing
from sog.play.simple_agents import TabularAgent
from sog.tabular import solve
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.profile_analysis import analyze_profile
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


def review(game: Game[Any], played: PlayedGame, advisers: Sequence[Agent]) -> Review:
    *_, found = reviewing(game, played, advisers)
    return found


def judged(played: PlayedGame, advisers: Sequence[TabularAgent]) -> Review:
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


def check_sum(found: Review) -> None:
    for player in (0, 1):
        by_choices = found.given(player) - found.lost(player)
        parts = found.expected(player) + by_choices + found.luck(player) + found.revised(player)
        assert parts == pytest.approx(found.utility(player))


def test_utility_is_what_was_expected_and_luck_and_what_choices_lost_and_gave(
    advisers: list[TabularAgent],
) -> None:
    for played in all_kuhn_games():
        found = judged(played, advisers)
        check_sum(found)
        for player in (0, 1):
            assert found.revised(player) == found.chance(player) == 0
            assert found.hidden(player) == found.luck(player)


def test_what_the_other_one_lost_after_the_first_choice_was_given(
    advisers: list[TabularAgent],
) -> None:
    """Who folds a king to a bet with a jack gives 3 chips; what was before is expected already."""
    found = judged(kuhn_game((KING, JACK), CHECK, BET, FOLD), advisers)
    fold = found.choices[-1].loss
    assert found.given(1) == pytest.approx(fold) == pytest.approx(3, abs=1e-6)
    assert found.given(0) == pytest.approx(found.choices[1].loss)
    assert found.lost(0) == pytest.approx(found.choices[0].loss + fold)


def test_a_bluff_of_the_solution_is_best_though_it_checks_more_often(
    advisers: list[TabularAgent],
) -> None:
    bet = judged(kuhn_game((JACK, QUEEN), BET, FOLD), advisers).choices[0]
    assert 0.01 < bet.policy[BET] < 0.5
    assert bet.grade(KUHN.max_utility) == "best"


@pytest.mark.parametrize("player", [0, 1])
def test_against_the_adviser_luck_is_nothing_on_average_however_one_plays(
    player: int, advisers: list[TabularAgent]
) -> None:
    """The performance difference lemma: what one gets is what a best response gets less losses.

    The player plays at random; the other one as the adviser. All deals and courses are weighted by
    their probabilities.
    """
    luck = given = lost = utility = total = 0.0
    for played in all_kuhn_games():
        found = judged(played, advisers)
        weight = 1 / 6
        for choice in found.choices:
            is_own = choice.player == player
            weight *= 1 / 2 if is_own else choice.policy[choice.action]
        total += weight
        luck += weight * found.luck(player)
        given += weight * found.given(player)
        lost += weight * found.lost(player)
        utility += weight * found.utility(player)
    assert total == pytest.approx(1)
    assert luck + given == pytest.approx(0, abs=1e-5)
    assert 0 <= given < 1e-3  # of a solution that is not quite converged
    examined = analyze_profile(compiled_game("kuhn").tree, advisers[0]._policy)
    best = examined.best_cfvs.of_infostates[0, player].sum()
    assert lost == pytest.approx(best - utility, abs=1e-5)
    assert lost > 0.1


@pytest.mark.thorough
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

    def graded(action: int, worth: float, share: float, doubt: float = 0) -> str:
        return choice_of(action, worth, share, doubt).grade(max_utility=2.0)

    assert graded(2, 0.97, share=0.85) == graded(1, 0.97, share=0.85) == "best"
    assert graded(2, 0.97, share=0.2) == "good"
    assert graded(2, 0.9, share=0.85) == "inaccuracy"
    assert graded(2, 0.995, share=0.02) == "best"
    assert graded(2, 0.995, share=0.002) == "good"


def choice_of(action: int, worth: float, share: float, doubt: float) -> JudgedChoice:
    """Of two actions: 1, worth 1, and 2, which the adviser plays with probability `share`."""
    return JudgedChoice(
        number=0,
        player=0,
        state=None,
        infostate=0,
        action=action,
        legal=np.array([False, True, True]),
        policy=np.array([0.0, 1 - share, share]),
        values=np.array([np.nan, 1.0, worth]),
        doubt=doubt,
    )


def test_what_a_search_likes_best_is_no_mistake_unless_another_action_is_clearly_worth_more() -> (
    None
):
    liked = choice_of(2, 0.8, share=0.85, doubt=0.32)
    assert (liked.best_action, liked.value, liked.loss) == (2, 0.8, 0)
    assert liked.grade(2.0) == "best"
    missed = choice_of(2, 0.6, share=0.85, doubt=0.32)
    assert (missed.best_action, missed.grade(2.0)) == (1, "mistake")


@pytest.mark.thorough
def test_in_a_game_where_nothing_is_hidden_a_win_that_was_missed_is_found() -> None:
    """X does not complete the row above, whereupon O completes that in the middle."""
    game = make("tic_tac_toe")
    moves = (0, 3, 1, 4, 8, 5)
    played = PlayedGame(utility=-1.0, outcomes=moves, actions=moves, infostates=((0, 0),) * 7)
    settings = SearchSettings(num_simulations=100)
    advisers = [SearchAgent(game, ZeroEvaluator(), settings, player=player) for player in (0, 1)]
    *before, found = reviewing(game, played, advisers)
    missed, took = found.choices[4:]
    assert (missed.player, missed.action, missed.best_action) == (0, 8, 2)
    assert missed.value == pytest.approx(1)
    assert missed.grade(1.0) == "mistake"
    assert (took.player, took.best_action, took.grade(1.0)) == (1, 5, "best")
    assert [(len(one.choices), one.num_choices) for one in before] == [(n, 6) for n in range(7)]
    assert not found.has_luck
    assert found.luck(0) == found.luck(1) == 0
    check_sum(found)


def test_nothing_is_worth_more_than_can_be_won() -> None:
    class Boastful(TabularAgent):
        def action_values(self, infostate: int) -> np.ndarray:
            return 10 * super().action_values(infostate)

    policy = solve(compiled_game("kuhn"), rule="cfr+", iterations=10).policy
    game = EnumeratedGame(tree=compiled_game("kuhn").tree)
    boastful = [Boastful(game, policy, player=player) for player in (0, 1)]
    found = judged(kuhn_game((KING, JACK), CHECK, BET, FOLD), boastful)
    assert found.choices[-1].value == KUHN.max_utility
    assert found.choices[-1].loss == 2 * KUHN.max_utility


LEDUC = make("leduc")
CARDS = range(6)
"""Of Leduc, also the numbers of the events by which they are dealt."""


def leduc_game(held: int, other: int, card: int) -> PlayedGame:
    """Both players check before the public card and after it."""
    outcomes, state = (CHECK, CHECK, card, CHECK, CHECK), LEDUC.root()
    for outcome in outcomes:
        state = LEDUC.apply(state, jnp.int32(outcome))
    assert int(LEDUC.actor(state)) == TERMINAL
    return PlayedGame(
        utility=float(LEDUC.world_utility(state, jnp.asarray((held, other)))),
        outcomes=outcomes,
        actions=(CHECK, CHECK, None, CHECK, CHECK),
        infostates=((held, other),) * 6,
    )


@pytest.fixture(scope="module")
def of_leduc() -> tuple[EnumeratedGame, np.ndarray]:
    compiled = compiled_game("leduc")
    policy = solve(compiled, rule="cfr+", iterations=100).policy
    return EnumeratedGame(tree=compiled.tree), policy


@pytest.mark.thorough
def test_chance_is_told_apart_from_what_was_hidden_and_is_nothing_on_average(
    of_leduc: tuple[EnumeratedGame, np.ndarray],
) -> None:
    """Over the cards that can come given his own, with those who check as the adviser does."""
    advisers = [TabularAgent(*of_leduc, player=player) for player in (0, 1)]
    held, mean, by_card = 0, 0.0, dict[int, float]()
    for other, card in itertools.permutations(set(CARDS) - {held}, 2):
        found = review(LEDUC, leduc_game(held, other, card), advisers)
        check_sum(found)
        assert found.chance(0) + found.hidden(0) == pytest.approx(found.luck(0))
        assert found.revised(0) == 0
        mean += found.choices[1].policy[CHECK] * found.chance(0)
        by_card[card] = found.chance(0)
    assert mean == pytest.approx(0, abs=1e-6)
    assert by_card[1] == max(by_card.values())  # a pair of jacks
    assert by_card[1] > 1


@pytest.mark.thorough
def test_a_search_has_its_evaluator_asked_about_what_could_have_come(
    of_leduc: tuple[EnumeratedGame, np.ndarray],
) -> None:
    """Who values everything at 0 cannot tell; then luck stays in one."""
    game, policy = of_leduc
    settings = SearchSettings(num_simulations=50)
    played = leduc_game(0, 3, 1)
    exact = review(game, played, [TabularAgent(game, policy, player=player) for player in (0, 1)])

    def searched(evaluator: Evaluator) -> Review:
        agents = [SearchAgent(game, evaluator, settings, player=player) for player in (0, 1)]
        found = review(game, played, agents)
        check_sum(found)
        return found

    found = searched(policy_evaluator(game, policy))
    for player in (0, 1):
        assert found.chance(player) == pytest.approx(exact.chance(player), abs=0.5)
    blind = searched(ZeroEvaluator())
    assert np.isnan(blind.chance(0))
    assert np.isnan(blind.hidden(0))
    assert not np.isnan(blind.luck(0))
