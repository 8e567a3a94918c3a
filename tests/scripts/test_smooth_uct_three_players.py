"""UCT and Smooth UCT for three players, on OpenSpiel's Kuhn poker."""

from pathlib import Path

import pytest

pyspiel = pytest.importorskip("pyspiel")
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPTS))
    import smooth_uct_three_players as three

KUHN = pyspiel.load_game(three.GAME)
ROOT = three.whole_tree(KUHN.new_initial_state())


def ends(node: three.Node) -> list[three.Node]:
    return [end for child in node.children for end in ends(child)] if node.children else [node]


def played(*, smooth: bool, games: int, seed: int = 0) -> three.SelfPlay:
    run = three.SelfPlay(ROOT, smooth, seed)
    for _ in range(games):
        run.play()
    return run


def test_the_tree_is_that_of_the_rules() -> None:
    # 4 * 3 * 2 deals. Nobody bets: one end. Else the two others call or fold: 4 ends for each of
    # the three who may bet. Chips go round.
    assert len(ends(ROOT)) == 24 * (1 + 3 * 4)
    assert all(sum(end.returns) == 0 for end in ends(ROOT))


@pytest.mark.parametrize("smooth", [False, True])
def test_a_game_counts_once_at_each_infostate_it_comes_to_in_the_tree(smooth: bool) -> None:
    run = played(smooth=smooth, games=1)
    # All three trees are empty: each player's first infostate joins, and what comes after does not.
    assert sorted(sum(known.visits) for known in run.table.values()) == [1, 1, 1]
    run = played(smooth=smooth, games=3000)
    assert len(run.table) == 3 * 4 * 4  # four cards, four ways to be asked
    first = [known for name, known in run.table.items() if len(name) == 1]
    assert sum(sum(known.visits) for known in first) == 3000
    for known in run.table.values():
        assert all(abs(value) <= 4 for value in known.values)


@pytest.mark.parametrize("smooth", [False, True])
def test_they_come_nearer_to_an_equilibrium_than_random_play(smooth: bool) -> None:
    uniform = three.nash_conv(KUHN, three.SelfPlay(ROOT, smooth, 0).policy(KUHN))
    few = three.nash_conv(KUHN, played(smooth=smooth, games=1000).policy(KUHN))
    many = three.nash_conv(KUHN, played(smooth=smooth, games=20_000).policy(KUHN))
    assert many < few < uniform
    assert many < 0.15


def test_a_seed_repeats_a_run() -> None:
    tables = [played(smooth=True, games=200, seed=seed).table for seed in (1, 1, 2)]
    assert tables[0] == tables[1] != tables[2]
