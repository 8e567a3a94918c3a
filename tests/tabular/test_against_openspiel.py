"""OpenSpiel, an independent implementation, says the same of the same policies.

Rules, joint weights, the compiled form, best response and CFR are all in these numbers at once;
`sog.openspiel.policy_tables` carries policies over.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.openspiel.game import OpenSpiel, load_openspiel
from sog.openspiel.loading import load_spiel
from sog.openspiel.policy_tables import from_openspiel, to_openspiel
from sog.openspiel.twins import twin_of
from sog.tabular import Solver, compile_tree, evaluate_policy, solve_lp
from tests.tabular.small_games import compiled_game, expected_utility, random_policy

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.policy import (  # noqa: E402 (where it is installed)
    python_policy_to_pyspiel_policy,
)

EXACT = 1e-9  # 64-bit numbers on both sides, added up in different orders
TWINS = (
    "kuhn",
    "leduc",
    "liars_dice(dice=2,faces=2)",
    "ii_goofspiel(cards=3,order=random)",
    "ii_goofspiel(cards=4)",
)


def check_values(compiled: Any, policy: np.ndarray, spiel: Any, table: Any) -> None:
    """What a policy and best responses to it win, by both."""
    found, start = evaluate_policy(compiled, policy), spiel.new_initial_state()
    value, _ = pyspiel.expected_returns(start, table, -1, True)
    assert found.value[0] == pytest.approx(value, abs=EXACT)
    for player in (0, 1):
        best = pyspiel.TabularBestResponse(spiel, player, table).value_from_state(start)
        assert found.best_response_value[player, 0] == pytest.approx(best, abs=EXACT)
    nash_conv = pyspiel.nash_conv(spiel, table)
    assert found.nash_conv[0] == pytest.approx(nash_conv, abs=EXACT)
    assert found.exploitability[0] == pytest.approx(nash_conv / 2, abs=EXACT)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("game", TWINS)
def test_a_policy_has_the_values_that_openspiel_finds(game: str, seed: int) -> None:
    compiled = compiled_game(game)
    policy = random_policy(compiled.tree, seed)
    table = to_openspiel(compiled.tree, policy)
    check_values(compiled, policy, table.game, python_policy_to_pyspiel_policy(table))


def solved_by_openspiel(game: str, solver: Any) -> np.ndarray:
    """[node, S, A]: the average policy after 20 iterations of a CFR solver of OpenSpiel's."""
    compiled = compiled_game(game)
    theirs = solver(load_spiel(twin_of(compiled.tree.game).spiel))
    for _ in range(20):
        theirs.evaluate_and_update_policy()
    has_table = hasattr(theirs, "tabular_average_policy")  # in C++
    average = theirs.tabular_average_policy() if has_table else theirs.average_policy()
    return from_openspiel(compiled.tree, average)


# Goofspiel is not among these: its regrets tie exactly, and what rounding makes of a tie decides
# whether regret matching is uniform or pure.


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
@pytest.mark.parametrize(
    ("rule", "solver"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)]
)
def test_cfr_is_openspiels_cfr_number_by_number(game: str, rule: str, solver: Any) -> None:
    ours = Solver(compiled_game(game), rule, precision="float64")
    ours.run(20)
    theirs = solved_by_openspiel(game, solver)
    np.testing.assert_allclose(ours.average_policy()[..., 0], theirs, atol=EXACT)


@pytest.mark.parametrize(("rule", "solver"), [("linear", "LCFRSolver"), ("dcfr", "DCFRSolver")])
def test_discounted_cfr_is_openspiels_number_by_number(rule: str, solver: str) -> None:
    discounted_cfr = pytest.importorskip("open_spiel.python.algorithms.discounted_cfr")
    ours = Solver(compiled_game("kuhn"), rule, precision="float64")
    ours.run(20)
    theirs = solved_by_openspiel("kuhn", getattr(discounted_cfr, solver))
    np.testing.assert_allclose(ours.average_policy()[..., 0], theirs, atol=EXACT)


def private_chance_file(folder: Path, informed: int) -> Path:
    """A Gambit file where chance privately tells a player something in the middle of the game.

    The informed player goes left or right, which both see; chance draws x or y, which he alone
    sees; he moves again, for both to see, and the other moves last. None of our own games has such
    a draw.
    """
    payoffs = enumerate([3, -2, 0, 4, -1, 5, 2, -4, 1, 1, -3, 2, 6, -5, 0, -1], start=1)
    own, other = 1 + informed, 2 - informed
    lines = ['EFG 2 R "private chance" { "first" "second" }', f'p "" {own} 1 "" {{ "l" "r" }} 0']
    for way, (x, y) in enumerate([("1/4", "3/4"), ("2/3", "1/3")]):
        lines.append(f'c "" {1 + way} "" {{ "x" {x} "y" {y} }} 0')
        for drawn in range(2):
            lines.append(f'p "" {own} {2 + 2 * way + drawn} "" {{ "f" "g" }} 0')
            for moved in range(2):
                lines.append(f'p "" {other} {1 + 2 * way + moved} "" {{ "u" "d" }} 0')
                for _ in "ud":
                    outcome, payoff = next(payoffs)
                    lines.append(f't "" {outcome} "" {{ {payoff} {-payoff} }}')
    file = folder / "private_chance.efg"
    file.write_text("\n".join(lines) + "\n")
    return file


class PrivateChance:
    """A game where chance informs one player in the middle, ours and OpenSpiel's."""

    def __init__(self, folder: Path, informed: int) -> None:
        text = f"efg_game(filename={private_chance_file(folder, informed)})"
        self.informed, self.spiel = informed, load_spiel(text)
        self.game: OpenSpiel = load_openspiel(text)
        self.compiled = compile_tree(self.game)

    def table(self, policy: np.ndarray) -> Any:
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
        return pyspiel.TabularPolicy(table)


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
    check_values(compiled, policy, private_chance.spiel, private_chance.table(policy))
    value = evaluate_policy(compiled, policy).value[0]
    assert expected_utility(compiled.tree, policy) == pytest.approx(value, abs=EXACT)


def test_solvers_agree_where_chance_is_private(private_chance: PrivateChance) -> None:
    exact = solve_lp(private_chance.compiled)
    table = private_chance.table(exact.policy)
    assert pyspiel.nash_conv(private_chance.spiel, table) < EXACT
    solver = Solver(private_chance.compiled, "pcfr+", precision="float64")
    solver.run(500)
    evaluation = solver.evaluate()
    assert evaluation.exploitability[0] < 1e-3
    assert evaluation.value[0] == pytest.approx(exact.value, abs=1e-3)
