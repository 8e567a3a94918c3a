"""OpenSpiel, an independent implementation, says the same of the same policies.

Rules, joint weights, the compiled form, best response and CFR are all in these numbers at once.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.openspiel.game import OpenSpiel, load_openspiel
from sog.tabular import Solver, compile_tree, evaluate_policy, solve_lp
from tests.tabular.openspiel_oracle import (
    KUHN,
    LEDUC,
    TWINS,
    Twin,
    average_policy,
    evaluate,
    load,
    places,
    private_chance_file,
    pyspiel,
    random_table,
    to_ours,
)
from tests.tabular.small_games import expected_utility, random_policy

EXACT = 1e-9  # 64-bit numbers on both sides, added up in different orders


@pytest.mark.thorough(only=["dice=2", "goofspiel(cards=4)"])
@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_infostates_are_those_of_openspiel(twin: Twin) -> None:
    found = places(twin)
    tree = twin.compiled.tree
    ours = [place for of_string in found.values() for place in of_string]
    assert len(set(ours)) == len(ours) == tree.num_infostates(0) + tree.num_infostates(1)
    if twin.one_to_one:
        assert len(found) == len(ours)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_a_policy_has_the_values_that_openspiel_finds(twin: Twin, seed: int) -> None:
    table = random_table(twin, seed)
    expected = evaluate(load(twin.spiel), table)
    found = evaluate_policy(twin.compiled, to_ours(twin, table))
    assert found.value[0] == pytest.approx(expected.value, abs=EXACT)
    assert found.best_response_value[:, 0] == pytest.approx(
        expected.best_response_values, abs=EXACT
    )
    assert found.nash_conv[0] == pytest.approx(expected.nash_conv, abs=EXACT)
    assert found.exploitability[0] == pytest.approx(expected.nash_conv / 2, abs=EXACT)


# Goofspiel is not among these: its regrets tie exactly, and what rounding makes of a tie decides
# whether regret matching is uniform or pure.


@pytest.mark.parametrize("twin", [KUHN, LEDUC], ids=str)
@pytest.mark.parametrize(
    ("rule", "solver"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)]
)
def test_cfr_is_openspiels_cfr_number_by_number(twin: Twin, rule: str, solver: Any) -> None:
    ours = Solver(twin.compiled, rule, precision="float64")
    ours.run(20)
    theirs = average_policy(twin, solver(load(twin.spiel)), 20)
    np.testing.assert_allclose(ours.average_policy()[..., 0], theirs, atol=EXACT)


@pytest.mark.parametrize(("rule", "solver"), [("linear", "LCFRSolver"), ("dcfr", "DCFRSolver")])
def test_discounted_cfr_is_openspiels_number_by_number(rule: str, solver: str) -> None:
    discounted_cfr = pytest.importorskip("open_spiel.python.algorithms.discounted_cfr")
    ours = Solver(KUHN.compiled, rule, precision="float64")
    ours.run(20)
    theirs = getattr(discounted_cfr, solver)(load(KUHN.spiel))
    for _ in range(20):
        theirs.evaluate_and_update_policy()
    average = theirs.average_policy()
    table = {
        string: list(enumerate(average.policy_for_key(string).tolist())) for string in places(KUHN)
    }
    np.testing.assert_allclose(ours.average_policy()[..., 0], to_ours(KUHN, table), atol=EXACT)


class PrivateChance:
    """A game where chance informs one player in the middle, ours and OpenSpiel's."""

    def __init__(self, folder: Path, informed: int) -> None:
        text = f"efg_game(filename={private_chance_file(folder, informed)})"
        self.informed, self.spiel = informed, load(text)
        self.game: OpenSpiel = load_openspiel(text)
        self.compiled = compile_tree(self.game)

    def table(self, policy: np.ndarray) -> dict[str, list[tuple[int, float]]]:
        """A policy of ours as one of OpenSpiel's."""
        tree, table = self.compiled.tree, {}
        for node in np.flatnonzero(tree.node_actor < 2).tolist():
            player, state = int(tree.node_actor[node]), tree.state(node)
            for infostate in np.flatnonzero(tree.node_mask[node, player]):
                string = self.game.spiel_infostate(state, player, int(infostate))
                table[string] = [
                    (number, float(policy[node, infostate, action]))
                    for action in np.flatnonzero(tree.node_legal[node, infostate])
                    if (number := self.game.spiel_action(state, int(action))) is not None
                ]
        return table


@pytest.fixture(scope="module", params=[0, 1])
def private_chance(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PrivateChance:
    return PrivateChance(tmp_path_factory.mktemp("efg"), request.param)


def test_private_chance_splits_an_infostate_in_two(private_chance: PrivateChance) -> None:
    flow = private_chance.compiled.tree.flows[private_chance.informed]
    entries = zip(flow.node, flow.infostate, flow.parent_infostate, strict=True)
    split = [(node, later) for node, later, before in entries if node in (3, 4) and before == 0]
    assert split == [(3, 0), (3, 1), (4, 0), (4, 1)]  # after "left" and after "right"


@pytest.mark.parametrize("seed", range(3))
def test_values_are_right_where_chance_is_private(private_chance: PrivateChance, seed: int) -> None:
    compiled = private_chance.compiled
    policy = random_policy(compiled.tree, seed)
    expected = evaluate(private_chance.spiel, private_chance.table(policy))
    found = evaluate_policy(compiled, policy)
    assert found.value[0] == pytest.approx(expected.value, abs=EXACT)
    assert expected_utility(compiled.tree, policy) == pytest.approx(expected.value, abs=EXACT)
    assert found.best_response_value[:, 0] == pytest.approx(
        expected.best_response_values, abs=EXACT
    )


def test_solvers_agree_where_chance_is_private(private_chance: PrivateChance) -> None:
    exact = solve_lp(private_chance.compiled)
    assert evaluate(private_chance.spiel, private_chance.table(exact.policy)).nash_conv < EXACT
    solver = Solver(private_chance.compiled, "pcfr+", precision="float64")
    solver.run(500)
    evaluation = solver.evaluate()
    assert evaluation.exploitability[0] < 1e-3
    assert evaluation.value[0] == pytest.approx(exact.value, abs=1e-3)
