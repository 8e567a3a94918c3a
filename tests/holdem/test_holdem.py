"""Hold'em: small games known otherwise, deals, spots, texts, and what is refused."""

import itertools
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.games.core import CHANCE, PLAYER_1, TERMINAL
from sog.games.views import CardsView
from sog.holdem.blueprint.betting_tree import make_betting_tree
from sog.holdem.deck import Deck
from sog.holdem.game import Holdem
from sog.tabular import compile_tree
from tests.holdem.games import holdem

LEDUC = "holdem(ranks=3,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=13,bets=2c|4c,caps=2)"
SMALL = "holdem(ranks=4,suits=2,deals=3/1,blinds=1/2,stack=3,bets=allin)"


@pytest.mark.thorough(but=["-kuhn"])
@pytest.mark.parametrize(
    ("ours", "known"),
    [
        (LEDUC, "leduc"),
        (
            "holdem(ranks=3,suits=2,hole_cards=1,deals=1/1,blinds=none,pot=2,stack=11,"
            "bets=2c|4c|4c,caps=1)",
            "board_poker(ranks=3,suits=2,public_cards=2)",
        ),
        (
            "holdem(ranks=3,suits=1,hole_cards=1,deals=none,blinds=none,pot=2,stack=1,bets=1c)",
            "kuhn",
        ),
    ],
)
def test_small_games_are_the_same_by_this_engine(ours: str, known: str) -> None:
    """Whose values are known: -1/18 and -0.0856 to player 0. Here trees and payoffs are equal."""
    found, expected = compile_tree(make(ours)).tree, compile_tree(make(known)).tree
    for name in ("node_parent", "node_outcome", "node_actor", "node_mask", "node_legal"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.payoff_infostates, expected.payoff_infostates)
    np.testing.assert_allclose(found.payoff, expected.payoff, atol=1e-12)


@pytest.mark.thorough
def test_all_orders_of_a_flop_are_one_event_and_every_deal_has_its_weight() -> None:
    """By counting the deals of eight cards: two each, three and one on the board."""
    game, counts, total = holdem(SMALL), dict[Any, int](), 0
    for deal in itertools.permutations(range(8)):
        total += 1
        hands = frozenset(deal[0:2]), frozenset(deal[2:4])
        seen = (*hands, frozenset(deal[4:7]), deal[7])
        counts[seen] = counts.get(seen, 0) + 1
    numbers = {frozenset(hand): number for number, hand in enumerate(game.hands.cards.tolist())}
    dealt = game.start("call check [AsAhKs] check check [Kh]")
    flop, turn = frozenset(game.deck.parse_cards("AsAhKs")), game.deck.parse_cards("Kh")[0]
    expected = np.zeros((28, 28))
    for (first, second, *public), count in counts.items():
        if public == [flop, turn]:
            expected[numbers[first], numbers[second]] = float(Fraction(count, total))
    with jax.enable_x64(True):
        one_by_one = jnp.stack([jnp.zeros((28, 28)), jnp.eye(28)], axis=1)
        found = jax.vmap(lambda reach: game.compatible_reach(dealt, reach)[0])(one_by_one)
    np.testing.assert_allclose(np.asarray(found).T, expected, rtol=1e-12)
    assert (expected > 0).sum() == 6  # two hands of two out of four cards


@pytest.mark.thorough
def test_where_nobody_can_bet_first_the_cards_are_dealt_at_once() -> None:
    """A river that chance deals is the spot of its board, but for the weight of the board."""
    cards = "ranks=4,suits=2,deals=3/1,blinds=none,pot=4,stack=6"
    whole, spot = (
        holdem(f"holdem({cards},{rest})")
        for rest in ("bets=none|none|1/allin", "bets=1/allin,board=AsAhKsKh")
    )
    state, same = whole.root(), spot.root()
    assert (whole.max_depth, whole.betting.num_silent) == (2 + spot.max_depth, 2)
    for event in ("[AsAhKs]", "[Kh]"):
        assert int(whole.actor(state)) == CHANCE
        (outcome,) = (
            outcome
            for outcome in np.flatnonzero(whole.legal_outcomes(state)).tolist()
            if whole.describe_outcome(state, outcome) == event
        )
        state = whole.apply(state, jnp.int32(outcome))
    reach = jnp.asarray(np.random.default_rng(0).random((2, 28)), jnp.float32)
    boards = 1 / 4  # C(4, 3): of four cards that are left when both hands are dealt
    for action in (2, 1):  # a bet and a call
        assert int(whole.actor(state)) == int(spot.actor(same))
        np.testing.assert_array_equal(whole.legal_actions(state), spot.legal_actions(same))
        state, same = whole.apply(state, jnp.int32(action)), spot.apply(same, jnp.int32(action))
    assert int(whole.actor(state)) == int(spot.actor(same)) == TERMINAL
    won, expected = whole.utilities(state, reach), spot.utilities(same, reach)
    pairs = 28 * 15 / (6 * 1)  # of hands: in the deck, and beside the board
    np.testing.assert_allclose(won, expected * boards / pairs, rtol=1e-5)
    assert np.abs(won).max() > 0
    blinds = holdem("holdem(ranks=4,suits=2,deals=3/1,blinds=1/2,stack=6,bets=none|none|1)")
    assert int(blinds.actor(blinds.root())) == PLAYER_1  # who may fold


@pytest.mark.thorough
def test_the_real_game_has_the_known_sizes() -> None:
    game = holdem()
    assert (game.num_infostates, game.num_actions, game.num_outcomes) == (1326, 5, 22100)
    assert (game.max_utility, game.unit, game.milli_unit) == (200, "big blinds", "mbb")
    root = game.root()
    assert int(game.actor(root)) == PLAYER_1  # the dealer begins
    flop = game.start("call check")
    assert int(game.actor(flop)) == CHANCE
    assert int(game.legal_outcomes(flop).sum()) == 22100
    turn = game.start("call check [KsTh7s] check check")
    assert int(game.legal_outcomes(turn).sum()) == 49
    river = game.apply(game.start("call check [KsTh7s] check check [4d] check check"), jnp.int32(0))
    assert int(game.infostate_mask(river)[0].sum()) == 1081
    opponents = game.compatible_reach(turn, game.infostate_mask(turn).astype(jnp.float32))
    # 1176 hands on a flop, each against 1081: 1326 * 1225 pairs, then 17296 flops without them.
    weight = 1081 / (1326 * 1225 * 17296)
    live = np.asarray(game.infostate_mask(turn))
    np.testing.assert_allclose(np.asarray(opponents)[live], weight, rtol=1e-5)


@pytest.mark.thorough
def test_flops_and_rivers_are_dealt_evenly_from_what_nobody_holds() -> None:
    game = holdem("holdem(ranks=4,suits=2,deals=3/1,blinds=1/2,stack=2,bets=none)")
    hands = jnp.array([0, 5])  # cards {0, 1} and {2, 3}: four cards are left
    draw = jax.jit(
        jax.vmap(lambda key, at: game.transition(key, at, hands, jnp.int32(0))[0], (0, None))
    )
    keys = jax.random.split(jax.random.key(0), 3000)
    flops, counts = np.unique(draw(keys, game.start("call")), return_counts=True)
    names = [game.describe_outcome(game.start("call"), int(flop)) for flop in flops]
    assert sorted(names) == sorted(["[KsKhAs]", "[KsKhAh]"]) or len(names) == 4
    np.testing.assert_allclose(counts / 3000, 1 / 4, atol=0.035)


def uniform_value(game: Holdem, state: Any, reach: jax.Array) -> jax.Array:
    """Cfvs [2, S] of a subtree without chance, where both play every legal action alike often."""
    actor = int(game.actor(state))
    if actor == TERMINAL:
        return game.utilities(state, reach)
    legal = np.asarray(game.legal_outcomes(state))
    share = 1 / legal.sum()
    total = jnp.zeros_like(reach)
    for action in np.flatnonzero(legal).tolist():
        below = reach.at[actor].multiply(share)
        cfvs = uniform_value(game, game.apply(state, jnp.int32(action)), below)
        total += cfvs.at[actor].multiply(share)
    return total


@pytest.mark.thorough
def test_uniform_play_of_one_half_pot_bet_gives_the_first_player_nine_sixteenths_of_the_pot() -> (
    None
):
    """On any board ranges are worth half of the pot at a showdown. A bet is folded to every second
    time: 3/4. After a check it is checked, 1/2, or bet, and then folded to every second time: 1/4.
    """
    game = holdem("holdem(board=KsTh7s4d2c,pot=60,stack=60,bets=0.5,caps=1)")
    reach = game.root_reach()
    values = uniform_value(game, game.root(), reach)
    won = np.sum(np.asarray(values * reach, float), axis=1)
    np.testing.assert_allclose(30 + won, [33.75, 26.25], rtol=1e-5)
    assert game.unit == "chips"


def test_a_spot_begins_with_its_board_and_its_pot() -> None:
    game = holdem("holdem(board=KsTh7s4d,pot=100,stack=200,bets=1/allin)")
    root = game.root()
    assert game.describe_state(root) == "KsTh7s4d: (stakes 0-0)"
    words = "check bet100 allin200 call"
    after = game.start(words)
    assert game.describe_state(after) == f"KsTh7s4d: {words} (stakes 200-200)"
    assert int(game.actor(after)) == CHANCE  # the river, then nobody bets
    over = game.apply(after, jnp.int32(0))
    assert int(game.actor(over)) == TERMINAL
    # 2s is dealt: ace high loses to a pair, and wins nothing but what it was called with.
    pair, high = (game.deck.parse_cards(text) for text in ("KdQc", "AdQh"))
    numbers = {tuple(hand): number for number, hand in enumerate(game.hands.cards.tolist())}
    world = jnp.array([numbers[tuple(sorted(hand))] for hand in (pair, high)])
    assert float(game.world_utility(over, world)) == 50 + 200
    assert "board     Ks Th 7s 4d --" in game.draw(after).splitlines()
    assert "pot       500" in game.draw(after).splitlines()


@pytest.mark.thorough
def test_bets_of_the_pot_are_rounded_and_never_too_small_nor_larger_than_the_stack() -> None:
    game = holdem("holdem(board=KsTh7s4d2c,pot=25,stack=90,bets=0.1/0.5/1/3,raises=0.01/2/allin)")

    def sizes(text: str) -> list[str]:
        state = game.start(text)
        legal = np.flatnonzero(game.legal_outcomes(state)).tolist()
        return [game.describe_outcome(state, outcome) for outcome in legal]

    # 2.5, 12.5, 25 and 75 chips, half a chip up.
    assert sizes("check") == ["check", "bet3", "bet13", "bet25", "bet75"]
    # The pot is 75 after a call: the smaller raise is as large as the bet, the larger all-in.
    assert sizes("bet25") == ["fold", "call", "raise50", "allin90"]
    assert sizes("bet25 raise50") == ["fold", "call", "raise75", "allin90"]
    assert sizes("bet75") == ["fold", "call", "allin90"]
    assert sizes("bet75 allin90") == ["fold", "call"]


@pytest.mark.thorough
def test_fixed_limits_have_their_caps() -> None:
    """Limit hold'em: blinds 1 and 2, bets of 2 and then of 4, four of them in a round."""
    game = holdem("holdem(blinds=1/2,stack=48,bets=2c|2c|4c|4c,caps=3|4|4|4)")
    text = "raise4 raise6 raise8 call [KsTh7s] bet2 raise4 raise6 raise8 call [4d] bet4 call [2c]"
    state = game.start(text)
    assert state.betting.stakes.tolist() == [20, 20]
    full = game.start("raise4 raise6 raise8")
    legal = np.flatnonzero(game.legal_outcomes(full)).tolist()
    assert [game.describe_outcome(full, outcome) for outcome in legal] == ["fold", "call"]
    assert game.max_utility == 24


@pytest.mark.thorough
def test_stacks_and_the_size_of_bets_may_be_drawn_for_every_hand() -> None:
    """As in the paper, whose one size is drawn from half of the pot to the pot."""
    game = holdem("holdem(draw_stacks=1000/20000,draw_bets=0.5/0.75/1,bets=drawn)")
    root = game.root()
    assert (int(game.actor(root)), int(game.legal_outcomes(root).sum())) == (CHANCE, 6)
    drawn = [game.describe_outcome(root, outcome) for outcome in range(6)]
    assert drawn == [
        f"[{stack}:{part}]" for stack in (1000, 20000) for part in ("0.5", "0.75", "1")
    ]
    state = game.start("[1000:0.75] raise250")  # the pot is 200 after a call
    assert game.describe_state(state) == "[1000:0.75] raise250 (stakes 100-250)"
    assert game.parse("[20000:1] raise300")[0] == 5
    whole = [float(game.compatible_reach(at, game.root_reach())[0, 0]) for at in (root, state)]
    np.testing.assert_allclose(whole, [1 / 1326, 1 / 1326 / 6], rtol=1e-5)
    shown = np.asarray(game.observe(state))
    np.testing.assert_allclose(shown[52:], [0.1, 0.25, 1, 0, 0, 0.75, 0.05], rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "raises"),
    [
        # Without raises nobody raises a blind, but later streets begin with a bet.
        ("holdem(blinds=1/2,stack=20,bets=1,raises=none)", (0, 1, 1, 1)),
        ("holdem(blinds=1/2,stack=16,bets=min,raises=allin)", (1, 2, 2, 2)),
        ("holdem(board=KsTh7s,pot=100,stack=300,bets=1,raises=allin)", (2, 2, 2)),
    ],
)
def test_every_street_has_as_many_bets_and_raises_as_the_rules_allow(
    text: str, raises: tuple[int, ...]
) -> None:
    """By all lines of the betting; with a check before the bets and a call after them."""
    game = holdem(text)
    streets = [level.street for level in make_betting_tree(game, 20_000).levels]
    assert game.betting.most_raises == raises
    decisions = [streets.count(street) for street in range(len(raises))]
    assert decisions == [most + 2 for most in raises]
    assert game.betting.most_bets == sum(decisions)


def test_a_size_that_is_drawn_may_be_the_smallest() -> None:
    """Bets of twenty pots, or of a part that is drawn: by as little as a big blind, 17 times."""
    game = holdem("holdem(bets=20/drawn,draw_bets=0.01/20,blinds=1/2,stack=36)")
    raises = " ".join(f"raise{stake}" for stake in range(4, 36, 2))
    state = game.start(f"[36:0.01] {raises} allin36")
    assert int(state.num_events) == game.betting.most_raises[0] == 17


@pytest.mark.thorough
def test_suits_alike_on_the_first_board_may_change_places() -> None:
    names = set()
    for text in ("holdem(board=KsTh7s,pot=9,stack=9)", "holdem(board=KsKh7d,pot=9,stack=9)"):
        game = holdem(text)
        after = game.start("check check [2c]") if "7s" in text else game.start("check check [2s]")
        twins = jax.vmap(lambda key, game=game, after=after: game.random_symmetry(key, after)[0])(
            jax.random.split(jax.random.key(0), 40)
        )
        for row in twins.board.tolist():
            names.add(game.deck.cards_name(row[:3]) + " " + game.deck.card_name(row[3]))
    assert names == {"KsTh7s 2c", "KsTh7s 2d", "KsKh7d 2s", "KsKh7d 2h"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("board=KsKs7d", "board: cards must differ, got Ks twice in 'KsKs7d'."),
        ("board=KsTh", "board must have as many cards as are dealt (3, 4, 5), got KsTh."),
        ("board=KsTh7s", "pot must be at least 1 where nobody posts a blind, got 0."),
        ("deals=none,board=Ks", "board must be none without deals, got Ks."),
        ("deals=1/1/1/1/1", "deals must be at most 4, got 1/1/1/1/1."),
        ("board=KsTh7s,pot=9,blinds=foo", "blinds must be a number of chips, or two joined by /"),
        ("draw_stacks=400/400", "draw_stacks must differ from each other, got '400/400'."),
        ("draw_bets=0.5", "draw_bets must be none where no bets are 'drawn', got 0.5."),
        ("stack=80", "stack must be at least 100, got 80."),
        ("stack=16777216,pot=16777215", "stack must be at most 16777216 with half of the pot, got"),
        ("blinds=2/1", "blinds must be the small one/the big one, got 2/1."),
        ("bets=1/0.5", "bets must ascend, min first and allin last, got '1/0.5'."),
        (
            "bets=30c/0.5",
            "bets must be parts of the pot or chips, not both, since which of them is",
        ),
        ("bets=half", "bets must be parts of the pot such as 0.5 or 50%, chips such as 2c, min"),
        ("bets=0.001", "bets must be 0.01 to 20 of the pot, got '0.001'."),
        ("bets=33.33%", "bets must be whole thousandths of the pot, such as 0.333 or 33.3%, got"),
        (
            "bets=1|1",
            "bets must be one list for all streets or one for each of 4, joined by |, got",
        ),
        ("caps=0", "caps must be none or 1 to 100, got '0' in '0'."),
        ("bets=min", "caps must be set where more than 100 bets and raises are possible on a"),
        ("bets=drawn", "draw_bets must be given where bets are 'drawn', got none."),
        ("deals=3/3", "deals must add up to at most 5 cards, got 3/3."),
        ("ranks=2,suits=4", "deals and hole_cards need 9 cards, but ranks=2 and suits=4 make 8."),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        make(f"holdem({text})")
    assert str(caught.value).startswith(f"holdem: {says}")
    assert len(str(caught.value).splitlines()) == 1


def test_hands_and_cards_are_told_as_people_do() -> None:
    game, deck = holdem(), Deck()
    root = game.root()
    numbers = {tuple(hand): number for number, hand in enumerate(game.hands.cards.tolist())}

    def kind(text: str) -> tuple[str, str]:
        hand = numbers[tuple(sorted(deck.parse_cards(text)))]
        return game.describe_infostate(root, 0, hand), game.describe_kind(root, 0, hand)

    assert kind("KsAs") == ("AsKs", "AKs")
    assert kind("2cAd") == ("Ad2c", "A2o")
    assert kind("7d7h") == ("7h7d", "77")
    state = game.start("raise300 call")
    view = game.view(state, infostates=(numbers[tuple(deck.parse_cards("2s2h"))], None))
    assert (view.cards, view.pot, view.num_public_cards) == ((["2s", "2h"], [None, None]), 600, 5)


@pytest.mark.thorough
def test_all_flops_share_the_probability_of_what_comes_before_them() -> None:
    """In the whole deck, of which `check_game` could not keep 22,100 times 1,326 numbers."""
    game = holdem()
    state = game.start("call check")
    draws = jax.random.uniform(jax.random.key(0), (2, game.num_infostates), minval=0.1)

    def mass(outcome: jax.Array) -> jax.Array:
        action_reach = jnp.zeros((game.num_infostates, game.num_actions)).at[:, 0].set(draws[0])
        reach = game.advance(state, outcome, action_reach, draws[1])
        return jnp.sum(reach * game.compatible_reach(game.apply(state, outcome), reach), axis=1)

    flops = jnp.arange(22100, dtype=jnp.int32)
    masses = jax.jit(lambda: jax.lax.map(mass, flops, batch_size=130))()
    before = np.sum(np.asarray(draws * game.compatible_reach(state, draws), float), axis=1)
    np.testing.assert_allclose(np.asarray(masses, float).sum(axis=0), before, rtol=1e-5)


@pytest.mark.thorough
def test_the_twin_of_a_flop_is_a_flop_of_the_twin() -> None:
    game = holdem()
    before = game.start("call check")
    key, flop = jax.random.key(3), game.parse("call check [KsTh7s]")[-1]
    after, names, _ = game.random_symmetry(key, game.apply(before, jnp.int32(flop)))
    board = [int(card) for card in after.board[:3]]
    again = game.parse(f"call check [{game.deck.cards_name(board)}]")[-1]
    twin, _, _ = game.random_symmetry(key, before)
    expected = game.apply(twin, jnp.int32(again))
    assert jax.tree.all(jax.tree.map(jnp.array_equal, after, expected))
    assert again != flop  # this key does change suits
    masked = game.infostate_mask(game.apply(before, jnp.int32(flop)))
    np.testing.assert_array_equal(
        np.take_along_axis(np.asarray(masked), np.asarray(names), axis=1),
        game.infostate_mask(after),
    )


def test_at_the_end_what_was_not_called_is_no_part_of_the_pot() -> None:
    game = holdem("holdem(stack=2000/500,bets=allin,blinds=50/100)")
    state = game.root()
    for action in (1, 2, 1):  # all in for 2000, of which 500 are called
        state = game.apply(state, jnp.int32(action))
    while int(game.actor(state)) == CHANCE:
        dealt = np.flatnonzero(game.legal_outcomes(state))[0]
        state = game.apply(state, jnp.int32(dealt))
    view = game.view(state)
    assert isinstance(view, CardsView)
    assert (view.pot, view.chips, view.behind) == (1000, (500, 500), (1500, 0))
    assert "pot       1000\nplayer 0  500 put in, 1500 behind" in game.draw(state)
