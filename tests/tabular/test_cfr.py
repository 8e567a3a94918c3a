"""The CFR family: the papers' formulas on Kuhn, published figures on Leduc, and the batch law."""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sog.tabular import RULES, CompiledGame, Solver, cfr, compiler, payoff_layout, rules
from sog.tabular.cfr import regret_matching
from sog.tabular.sequence_form import DensePayoff, SparsePayoff
from tests.tabular import kuhn_histories as kuhn
from tests.tabular.kuhn_histories import Recipe
from tests.tabular.small_games import compiled_game, random_ranges

RECIPES = {
    # Zinkevich et al. 2007: regrets add up, policies are averaged alike.
    "cfr": Recipe(lambda regret, instant, t: regret + instant, lambda t: 1),
    # Tammelin 2014: regret matching+, the policy of iteration t has weight t.
    "cfr+": Recipe(lambda regret, instant, t: max(regret + instant, 0), lambda t: t),
    # Student of Games, Algorithm 1: the same, both players updated from one profile.
    "sog": Recipe(
        lambda regret, instant, t: max(regret + instant, 0), lambda t: t, alternating=False
    ),
    # Brown and Sandholm 2019, linear CFR: regrets and policies of iteration t have weight t.
    "linear": Recipe(lambda regret, instant, t: regret + t * instant, lambda t: t),
    # The same paper, DCFR(3/2, 0, 2): after iteration t positive cumulative regrets are multiplied
    # by t^1.5 / (t^1.5 + 1), negative ones by 1/2; policies have weight t^2.
    "dcfr": Recipe(lambda regret, instant, t: discounted(regret + instant, t), lambda t: t**2),
    # Farina, Kroer, Sandholm 2021, PCFR+: the last instant regret predicts the next; weight t^2.
    "pcfr+": Recipe(
        lambda regret, instant, t: max(regret + instant, 0),
        lambda t: t**2,
        expected=lambda regret, instant, t: regret + instant,
    ),
    # Xu et al. 2024: both, with the discount of regrets in the prediction, too.
    "dcfr+": Recipe(
        lambda regret, instant, t: max(regret * discount(t - 1, 1.5) + instant, 0), lambda t: t**4
    ),
    "pdcfr+": Recipe(
        lambda regret, instant, t: max(regret * discount(t - 1, 2.3) + instant, 0),
        lambda t: t**5,
        expected=lambda regret, instant, t: regret * discount(t, 2.3) + instant,
    ),
    # Meng et al. 2026, section 4.2: alpha = 2, so predictions count 1 / (1 + alpha).
    "sapcfr+": Recipe(
        lambda regret, instant, t: max(regret + instant, 0),
        lambda t: t**2,
        expected=lambda regret, instant, t: regret + instant / 3,
    ),
    # Hyperparameter schedules: powers move with t / N.
    "hs-dcfr": Recipe(
        lambda regret, instant, t: (
            (discount(t - 1, 1 + 3 * t / N) * regret if regret > 0 else 0)
            + (discount(t - 1, -1 - 2 * t / N) * regret if regret < 0 else 0)
            + instant
        ),
        lambda t: scheduled_weight(t),
    ),
    "hs-pcfr+": Recipe(
        lambda regret, instant, t: max(regret + instant, 0),
        lambda t: scheduled_weight(t),
        expected=lambda regret, instant, t: regret + instant,
    ),
}
N = 128  # planned at first, if the number of iterations is not known


def discounted(regret: float, t: int) -> float:
    return regret * (discount(t, 1.5) if regret > 0 else 0.5)


def discount(t: int, power: float) -> float:
    return float(t**power / (t**power + 1))


def scheduled_weight(t: int) -> float:
    """Before iteration s the sum so far is multiplied by ((s - 1) / s)^(15 - 5 s / N)."""
    return float(math.prod((s / (s - 1)) ** (15 - 5 * s / N) for s in range(2, t + 1)))


@pytest.mark.parametrize("iterations", [2, 20])
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_does_what_its_paper_says(rule: str, iterations: int) -> None:
    compiled = compiled_game("kuhn")
    solver = Solver(compiled, rule, precision="float64")
    solver.run(iterations)
    expected = kuhn.average_policy(RECIPES[rule], iterations)
    np.testing.assert_allclose(
        solver.average_policy()[..., 0], kuhn.to_tree(compiled.tree, expected), atol=1e-9
    )


def test_plain_cfr_on_leduc_has_the_exploitability_that_openspiel_reports() -> None:
    # 0.0939, 0.0214, 0.0118 chips. Its example counts iterations from 0: 100, 500, 999.
    solver, found = Solver(compiled_game("leduc"), "cfr", precision="float64"), []
    for target in (101, 501, 1000):
        solver.run(target - solver.iteration)
        found.append(1000 * float(solver.evaluate().exploitability[0]))
    assert found == pytest.approx([93.9, 21.4, 11.8], abs=0.05)


def test_a_constant_power_is_a_ramp_that_stays_level() -> None:
    """Also below 0: in the first iteration t' = 0, and 0^-1 is infinite."""
    policies = []
    for power in (-1.0, rules.Ramp(start=-1, end=-1)):
        rule = dataclasses.replace(RULES["dcfr"], negative_power=power)
        solver = Solver(compiled_game("kuhn"), rule)
        solver.run(10)
        policies.append(solver.average_policy())
    np.testing.assert_array_equal(policies[0], policies[1])


# Regret matching.


def matched(regret: list[float], num_legal: int) -> np.ndarray:
    """A policy from the regrets of one infostate, the legal actions being the first ones."""
    uniform = np.where(np.arange(len(regret)) < num_legal, 1 / num_legal, 0)
    policy = regret_matching(
        jnp.asarray(regret)[:, None, None], jnp.asarray(uniform)[:, None, None]
    )
    return np.asarray(policy)[:, 0, 0]


def test_regret_matching_plays_in_proportion_to_positive_regret() -> None:
    np.testing.assert_allclose(matched([3.0, -5.0, 1.0, 0.0], 3), [0.75, 0, 0.25, 0])


def test_regret_matching_is_uniform_over_legal_actions_without_positive_regret() -> None:
    np.testing.assert_allclose(matched([-1.0, 0.0, -3.0, 0.0], 3), [1 / 3, 1 / 3, 1 / 3, 0])


@given(
    regret=st.lists(st.floats(-(2.0**100), 2.0**100, width=32), min_size=4, max_size=4),
    num_legal=st.integers(1, 4),
)
def test_regret_matching_gives_probabilities_whatever_the_regrets(
    regret: list[float], num_legal: int
) -> None:
    policy = matched([r if i < num_legal else 0.0 for i, r in enumerate(regret)], num_legal)
    assert (policy >= 0).all()
    assert policy.sum() == pytest.approx(1, abs=1e-5)
    assert not policy[num_legal:].any()


# The batch law: a solve does not depend on the others in its batch.


@pytest.fixture(scope="module", params=["dense", "sparse"])
def compiled(request: pytest.FixtureRequest) -> CompiledGame:
    """Kuhn with either layout of its payoffs."""
    game = compiled_game("kuhn")
    assert isinstance(game.form.payoff, DensePayoff)
    if request.param == "dense":
        return game
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(payoff_layout, "_MOST_DENSE_WASTE", 0)
        sparse = compiler.compile_game(game.tree)
    assert isinstance(sparse.form.payoff, SparsePayoff)
    return sparse


@pytest.mark.parametrize("rule", ["sog", "pcfr+"])
def test_solves_of_a_batch_of_root_reaches_are_those_alone(
    compiled: CompiledGame, rule: str
) -> None:
    ranges = random_ranges(compiled, seed=3, batch=3)
    together = Solver(compiled, rule, root_reach=ranges, precision="float64")
    together.run(30)
    policy, evaluation = together.average_policy(), together.evaluate()
    for one in range(3):
        alone = Solver(compiled, rule, root_reach=ranges[..., [one]], precision="float64")
        alone.run(30)
        np.testing.assert_allclose(policy[..., [one]], alone.average_policy(), atol=1e-9)
        single = alone.evaluate()
        assert evaluation.value[one] == pytest.approx(single.value[0], abs=1e-9)
        np.testing.assert_allclose(evaluation.cfvs[..., [one]], single.cfvs, atol=1e-9)
        np.testing.assert_allclose(
            evaluation.best_response_cfvs[..., [one]], single.best_response_cfvs, atol=1e-9
        )


def with_payoff(compiled: CompiledGame, matrix: Any) -> CompiledGame:
    payoff = DensePayoff(matrices=(matrix,), num_ends=(matrix.shape[2],))
    form = dataclasses.replace(compiled.form, payoff=payoff)
    return dataclasses.replace(compiled, form=form)


def test_solves_of_a_batch_of_payoffs_are_those_alone() -> None:
    compiled = compiled_game("kuhn")
    assert isinstance(compiled.form.payoff, DensePayoff)
    (ante,) = compiled.form.payoff.matrices
    stakes = np.random.default_rng(4).uniform(0.5, 2, size=(*ante.shape[:-1], 3))
    together = Solver(
        with_payoff(compiled, ante * stakes),
        "cfr+",
        root_reach=random_ranges(compiled, seed=5, batch=3),
        precision="float64",
    )
    together.run(30)
    for one in range(3):
        alone = Solver(
            with_payoff(compiled, (ante * stakes)[..., [one]]),
            "cfr+",
            root_reach=random_ranges(compiled, seed=5, batch=3)[..., [one]],
            precision="float64",
        )
        alone.run(30)
        np.testing.assert_allclose(
            together.average_policy()[..., [one]], alone.average_policy(), atol=1e-9
        )
        assert together.evaluate().value[one] == pytest.approx(alone.evaluate().value[0], abs=1e-9)


@pytest.mark.thorough
def test_long_payoff_lists_add_up_to_the_same_cfvs_as_short_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = jax.tree.map(jnp.asarray, compiled_game("ii_goofspiel(cards=4)").form)
    assert isinstance(form.payoff, SparsePayoff)
    for player in (0, 1):
        entries = int(form.treeplex[1 - player].leaf_source.max()) + 1
        sequences = jax.random.uniform(jax.random.key(player), (entries, 2))
        short = cfr.leaf_cfvs(form, player, sequences)
        with monkeypatch.context() as patch:
            patch.setattr(cfr, "_MOST_UNROLLED", 0)
            long = cfr.leaf_cfvs(form, player, sequences)
        assert float(abs(short).max()) > 0
        np.testing.assert_allclose(long, short, rtol=1e-5, atol=1e-6)


def test_sums_that_are_added_up_have_the_weights_that_shrinking_sums_have() -> None:
    """A search adds sums up; relative to each other, its weights are those of the solver."""
    for name in ("hs-dcfr", "pdcfr+"):
        rule, planned = RULES[name], 400
        added, shrunk = np.zeros(planned), np.zeros(planned)
        for number in range(1, planned + 1):
            step = rules.Step(jnp.float32(number), float(planned))
            one = np.arange(1, planned + 1) == number
            added += np.asarray(rules.averaging_weight(rule, step)) * one
            shrunk = np.asarray(
                rules.add_to_average(rule, jnp.asarray(shrunk), jnp.asarray(one), step)
            )
        np.testing.assert_allclose(added / added.sum(), shrunk / shrunk.sum(), atol=2e-4)
