"""UCT and Smooth UCT over buckets of limit hold'em, for two players and three: rules against
OpenSpiel's, statistics, and what is learned.
"""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.holdem.blueprint import limit_betting as betting
from sog.holdem.blueprint import limit_learning as learning
from sog.holdem.blueprint.betting_tree import make_betting_tree
from sog.holdem.blueprint.buckets import Buckets, cards_of, make_buckets
from sog.holdem.game import Holdem

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPTS))
    import limit_holdem as limit

WHOLE = Holdem(blinds="1/2", stack="48", bets="2c|2c|4c|4c", caps="3|4|4|4")
SMALL = Holdem(ranks=5, suits=3, deals="3")
"""Of its cards; the betting is that of two streets."""
STREETS = {"bets": (2, 2), "caps": (4, 4)}
BUCKETS = 3


@pytest.fixture(scope="module")
def buckets() -> Buckets:
    return make_buckets(cards_of(SMALL), (25, 50), "grid")


@pytest.fixture(scope="module", params=[2, 3])
def rules(request: pytest.FixtureRequest, buckets: Buckets) -> learning.Rules:
    made = betting.make_betting(betting.Limit(request.param, **STREETS))
    return learning.make_rules(made, buckets.sizes)


def players_of(rules: learning.Rules) -> int:
    return rules.betting.rules.players


def test_there_are_as_many_decisions_and_rows_as_elsewhere() -> None:
    two, three = (betting.make_betting(betting.Limit(players)) for players in (2, 3))
    assert two.num_decisions == make_betting_tree(WHOLE, 10_000).num_decisions == 6378
    assert two.longest == 5 + 3 * 6  # call and four bets, the big blind one; check, and so on
    rows = three.first_rows((169, 1000, 100, 20))[1]
    # "Each final greedy strategy profile's uncompressed size was about 435 MB": two bytes each.
    assert 2 * rows / 1e6 == pytest.approx(435, rel=0.02)
    with pytest.raises(ValueError, match="rows are too many"):
        three.first_rows((169, 1000, 500, 200))


@pytest.mark.thorough(but=["2"])
@pytest.mark.parametrize("players", [2, 3])
def test_hands_go_as_by_the_rules_of_openspiel(players: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    blinds, first = ("1 2", "1 2 2 2") if players == 2 else ("0 1 2", "1 2 2 2")
    openspiel = pyspiel.load_game(
        f"universal_poker(betting=limit,numPlayers={players},numRounds=4,blind={blinds},"
        f"firstPlayer={first},numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
        "raiseSize=2 2 4 4,maxRaises=3 4 4 4)"
    )
    made = betting.make_betting(betting.Limit(players))
    by_bucket = learning.make_rules(made, (BUCKETS,) * 4)
    random = np.random.default_rng(players)
    policy = random_policy(by_bucket, random)
    board, held = learning.draw_cards(cards_of(WHOLE), random, players, 300)
    strengths = learning.strengths(WHOLE.deck, board, held)
    buckets = random.integers(BUCKETS, size=(players, 4, 300)).astype(np.uint16)
    deals = learning.Deals(bucket=jnp.asarray(buckets), strength=jnp.asarray(strengths))
    found = 2 * np.asarray(learning.match(by_bucket, [jnp.asarray(policy)] * players, deals))
    rows: dict[tuple[int, ...], int] = {}
    for game in range(300):
        state, actions = openspiel.new_initial_state(), tuple[int, ...]()
        for card in held[game].ravel():
            state.apply_action(int(card))
        node, entry, shown = 0, 0, 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(int(board[game, shown]))
                shown += 1
                continue
            child = made.child[node]
            assert state.current_player() == made.actor[node]
            assert state.legal_actions() == np.flatnonzero(child != betting.ILLEGAL).tolist()
            row = int(by_bucket.first_row[entry] + made.local[node] * BUCKETS)
            assert rows.setdefault(actions, row) == row
            bucket = buckets[made.actor[node], made.street[node], game]
            action = int(policy[row + int(bucket)])
            actions += (action,)
            state.apply_action(action)
            if child[action] >= 0:
                node = child[action]
                continue
            end = betting.OVER - child[action]
            street, node = made.street[node], made.next_node[end]
            if node >= 0:
                before = sum(len(masks) for masks in made.masks[:street])
                entry = made.next_entry[street][entry - before] + made.next_number[end]
        np.testing.assert_allclose(found[:, game], state.returns())
    assert len({*rows.values()}) == len(rows) > 250  # each way has a row of its own


def random_policy(rules: learning.Rules, random: np.random.Generator) -> np.ndarray:
    """int8[row]: legal actions, folds seldom so that hands go on."""
    made = rules.betting
    found = np.zeros(rules.num_rows, np.int8)
    entries = np.concatenate(made.masks)
    streets = np.repeat(np.arange(len(made.masks)), [len(masks) for masks in made.masks])
    for (street, mask), first in first_nodes(made).items():
        nodes = slice(first, first + made.num_nodes[street, mask])
        legal = made.child[nodes].repeat(BUCKETS, axis=0) != betting.ILLEGAL
        rows = rules.first_row[(streets == street) & (entries == mask)]
        score = random.random((len(rows), *legal.shape), np.float32) * legal
        score[..., betting.FOLD] *= 0.4
        found[rows[:, None] + np.arange(len(legal))] = score.argmax(axis=2)
    return found


def first_nodes(made: betting.Betting) -> dict[tuple[int, int], int]:
    """By street and who is left."""
    ends = np.flatnonzero(made.next_node >= 0)
    found = {
        (int(made.street[made.next_node[end]]), int(made.left[end])): int(made.next_node[end])
        for end in ends
    }
    return {(0, (1 << made.rules.players) - 1): 0} | found


@pytest.mark.parametrize(("players", "least", "most"), [(2, 10, 24), (3, 10, 36)])
def test_exploration_is_that_of_the_paper(players: int, least: int, most: int) -> None:
    """ "This results in exploration parameter values of c in [10, 24]" with two."""
    rules = learning.make_rules(betting.make_betting(betting.Limit(players)), (1, 1, 1, 1))
    nothing = jnp.zeros((players, 4, 1000), jnp.uint16)
    deals = learning.Deals(bucket=nothing, strength=jnp.zeros((players, 1000), jnp.int32))

    def choose(out: Any, place: Any, key: Any) -> Any:
        score = jax.random.uniform(key, place.legal.shape) * place.legal
        shown = jnp.where(place.is_running, place.exploration, jnp.nan)
        return jnp.argmax(score, axis=1).astype(jnp.int32), out, shown

    found = learning._play(rules, deals, choose, jnp.bool_(False), jax.random.key(0))[1]
    assert (found[0] == most).all()
    assert (np.nanmin(found), np.nanmax(found)) == (least, most)


def test_deals_have_the_buckets_of_their_boards(buckets: Buckets) -> None:
    deals = learning.deal(buckets, np.random.default_rng(3), 3, 4000)
    found = np.asarray(deals.bucket)
    assert found.shape == (3, 2, 4000)
    expected = np.bincount(buckets.of_boards(0, np.zeros((1, 0), np.int32))[0]) / 105
    for player in range(3):
        # 5 pairs of 3 hands each, 10 suited ones of 3, and 10 offsuit ones of 6, of 105.
        pairs = np.bincount(found[player, 0], minlength=25) / 4000
        np.testing.assert_allclose(pairs, expected, atol=0.02)
    better = np.asarray(deals.strength)[0] > np.asarray(deals.strength)[1]
    assert found[0, 1, better].mean() > found[1, 1, better].mean() + 5


def test_matches_are_played_by_the_rules(rules: learning.Rules, buckets: Buckets) -> None:
    players = players_of(rules)
    deals = learning.deal(buckets, np.random.default_rng(0), players, 64)
    simple = learning.simple_policies(rules)
    calls, raises = simple["always call"], simple["always raise"]
    strength = np.asarray(deals.strength)
    wins = strength == strength.max(axis=0)
    share = players * wins / wins.sum(axis=0) - 1
    for stake, at_table in ((1, [calls] * players), (8, [raises] * players)):
        np.testing.assert_allclose(learning.match(rules, at_table, deals), stake * share)
    can_fold = rules.betting.child[:, betting.FOLD] != betting.ILLEGAL
    folds = jnp.asarray(np.where(can_fold, betting.FOLD, betting.CALL).astype(np.int8))
    found = learning.match(rules, [folds] * (players - 1) + [raises], deals)
    np.testing.assert_allclose(found[-1], 0.5)  # the small blind
    assert limit.play_match(rules, buckets, raises, [raises] * (players - 1), 1)[0] == (
        pytest.approx(0, abs=1e-3)
    )


@pytest.mark.parametrize("smooth", [False, True])
def test_statistics_are_visits_and_mean_gains(
    rules: learning.Rules, buckets: Buckets, smooth: bool
) -> None:
    players = players_of(rules)
    tree = learning.empty_tree(rules)
    random = np.random.default_rng(1)
    for number in range(3):
        deals = learning.deal(buckets, random, players, 500)
        tree = learning.learn(rules, smooth, tree, deals, jax.random.key(number))
    visits, value = np.asarray(tree.visits), np.asarray(tree.value)
    assert visits[:25].sum() == 1500  # every game begins there
    for node in range(rules.betting.num_nodes[0, (1 << players) - 1]):
        illegal = rules.betting.child[node] == betting.ILLEGAL
        rows = slice(25 * node, 25 * (node + 1))
        assert (visits[rows][:, illegal] == 0).all()
        if node == 0:  # who folds at once loses what he has put in
            folded = visits[rows, betting.FOLD] > 0
            paid = -rules.betting.rules.first_paid[0] / 2
            np.testing.assert_allclose(value[rows, betting.FOLD][folded], paid, rtol=1e-6)
    assert np.abs(value).max() <= 8 * (players - 1)  # nobody wins more than the others have


@pytest.mark.slow
def test_greedy_policies_beat_those_who_always_do_the_same(
    rules: learning.Rules, buckets: Buckets
) -> None:
    players = players_of(rules)
    random, simple = np.random.default_rng(2), learning.simple_policies(rules)
    trees = {name: learning.empty_tree(rules) for name in limit.METHODS}
    for number in range(150 if players == 2 else 300):
        deals = learning.deal(buckets, random, players, 2048)
        for name, smooth in limit.METHODS.items():
            trees[name] = learning.learn(rules, smooth, trees[name], deals, jax.random.key(number))
    for tree in trees.values():
        greedy = learning.greedy_policy(tree)
        for other in simple.values():
            mean, error = limit.play_match(rules, buckets, greedy, [other] * (players - 1), 2)
            assert mean > 4 * error > 0


@pytest.mark.thorough
def test_a_whole_run_says_what_it_found(
    buckets: Buckets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """From the command line's function, on the small deck."""
    monkeypatch.setattr(limit, "make_buckets", lambda *arguments, **options: buckets)
    monkeypatch.setattr(limit, "Limit", lambda players: betting.Limit(players, **STREETS))
    limit.run(3, 8 * limit.GAMES, 1, 0, tmp_path / "found.json")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == limit._POINTS * len([*limit.pairs_of(3)])
    assert "Smooth UCT against UCT and UCT" in lines[-3]
    assert [*limit.pairs_of(2)][2] == ("Smooth UCT", ("UCT",))
    assert (tmp_path / "found.json").stat().st_size > 1000
