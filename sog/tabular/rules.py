"""The members of the CFR family, as data, and what each does with regrets and averages.

Elementwise functions of arrays of any shape: for `sog.tabular.cfr`, searches and spots.
"""

import dataclasses
import math
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

_LEAST_LOG_WEIGHT: Final = -80.0
_MOST_ITERATIONS: Final = 2_000_000_000  # 32-bit counters
_MOST_REACH: Final = 1000  # of a sequence where infostates are merged


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ramp:
    """A power that changes evenly over the iterations planned: a hyperparameter schedule (Zhang,
    McAleer and Sandholm 2026)."""

    start: float
    end: float


class Step(NamedTuple):
    """An iteration, as a rule sees it; float scalars."""

    number: Array
    """t = 1, 2, ..."""
    planned: Array | float
    """N: iterations planned in all. Only a `Ramp` reads it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rule:
    """A member of the CFR family.

    In iteration t the cumulative regrets are multiplied by t'^p / (t'^p + 1), t' = t - 1, with p =
    `positive_power` or `negative_power` by their sign (infinity: no discount), the instant regrets
    are added, and the average policy is weighted by t^`averaging_power`.
    """

    summary: str
    alternating: bool
    """Player 1 answers player 0's updated policy; else both update from the same profile."""
    positive_power: float | Ramp = math.inf
    negative_power: float | Ramp = math.inf
    floor: bool = False
    """Regret matching+: cumulative regrets are never negative."""
    averaging_power: float | Ramp = 0
    prediction: float = 0
    """Weight in regret matching of a prediction: that the next instant regrets are the last."""

    @property
    def is_planned(self) -> bool:
        """Whether averages depend on the number of iterations planned."""
        return isinstance(self.averaging_power, Ramp)


RULES: Final[dict[str, Rule]] = {
    "cfr": Rule(summary="CFR (Zinkevich et al. 2007), alternating", alternating=True),
    "cfr+": Rule(
        summary="CFR+ (Tammelin 2014): regret matching+, alternating, linear averaging",
        alternating=True,
        floor=True,
        averaging_power=1,
    ),
    "sog": Rule(
        summary="Student of Games: regret matching+, simultaneous, linear averaging",
        alternating=False,
        floor=True,
        averaging_power=1,
    ),
    "linear": Rule(
        summary="Linear CFR (Brown and Sandholm 2019)",
        alternating=True,
        positive_power=1.0,
        negative_power=1.0,
        averaging_power=1,
    ),
    "dcfr": Rule(
        summary="Discounted CFR (Brown and Sandholm 2019), alpha 3/2, beta 0, gamma 2",
        alternating=True,
        positive_power=1.5,
        negative_power=0.0,
        averaging_power=2,
    ),
    "dcfr+": Rule(
        summary="DCFR+ (Xu et al. 2024): regret matching+, alpha 3/2, gamma 4",
        alternating=True,
        positive_power=1.5,
        floor=True,
        averaging_power=4,
    ),
    "pcfr+": Rule(
        summary="Predictive CFR+ (Farina et al. 2021): quadratic averaging",
        alternating=True,
        floor=True,
        averaging_power=2,
        prediction=1,
    ),
    "pdcfr+": Rule(
        summary="Predictive DCFR+ (Xu et al. 2024): alpha 2.3, gamma 5",
        alternating=True,
        positive_power=2.3,
        floor=True,
        averaging_power=5,
        prediction=1,
    ),
    "sapcfr+": Rule(
        summary="SAPCFR+ (Meng et al. 2026): PCFR+ with a third of the prediction",
        alternating=True,
        floor=True,
        averaging_power=2,
        prediction=1 / 3,
    ),
    "hs-dcfr": Rule(
        summary="DCFR by schedules of alpha, beta and gamma (Zhang et al. 2026)",
        alternating=True,
        positive_power=Ramp(start=1, end=4),
        negative_power=Ramp(start=-1, end=-3),
        averaging_power=Ramp(start=15, end=10),
    ),
    "hs-pcfr+": Rule(
        summary="PCFR+ by a schedule (Zhang et al. 2026): gamma 15 to 10",
        alternating=True,
        floor=True,
        averaging_power=Ramp(start=15, end=10),
        prediction=1,
    ),
}


def accumulate(rule: Rule, regret: Array, instant: Array, step: Step) -> Array:
    """Cumulative regrets after an iteration; elementwise."""
    factor = _discount(rule, regret, step)
    total = (regret if factor is None else regret * factor) + instant
    return jnp.maximum(total, 0) if rule.floor else total


def predict(rule: Rule, regret: Array, instant: Array, step: Step) -> Array:
    """What regret matching adds to the cumulative regrets after an iteration; elementwise.

    Those are then the regrets of the next iteration if it repeats the instant regrets of this one.
    """
    expected = instant if rule.prediction == 1 else rule.prediction * instant
    factor = _discount(rule, regret, step._replace(number=step.number + 1))
    return expected if factor is None else regret * (factor - 1) + expected


def add_to_average(rule: Rule, total: Array, new: Array, step: Step) -> Array:
    """The weighted sum after an iteration.

    The sums of a scheduled rule are relative to the weight of the last iteration, since t^15 may be
    infinite in 32 bits: they shrink by ((t - 1) / t)^power.
    """
    power, number = rule.averaging_power, step.number
    if not isinstance(power, Ramp):
        return total + number**power * new
    return total * ((number - 1) / number) ** _at(power, step) + new


def averaging_weight(rule: Rule, step: Step) -> Array:
    """The weight of an iteration in sums that are added up, for a known number of iterations.

    Of a scheduled rule relative to the last planned one, and no smaller than 32 bits can tell. With
    powers from a to b it is (t/N)^(a + (b - a) / 2N) exp((b - a) (t/N - 1)), which is very nearly
    what `add_to_average` amounts to.
    """
    power = rule.averaging_power
    if not isinstance(power, Ramp):
        return step.number**power
    share = step.number / step.planned
    change = power.end - power.start
    log = (power.start + change / 2 / step.planned) * jnp.log(share) + change * (share - 1)
    return jnp.exp(jnp.maximum(log, _LEAST_LOG_WEIGHT))


def most_iterations(rule: Rule, dtype: Any) -> int:
    """The most iterations whose weighted sums stay finite in this type, with room for reach above
    1; sums of t^5 overflow 32 bits soon. The weights of a scheduled rule do not grow."""
    power = rule.averaging_power
    if isinstance(power, Ramp):
        return _MOST_ITERATIONS
    largest = float(np.finfo(dtype).max) / _MOST_REACH
    return int(min((largest * (power + 1)) ** (1 / (power + 1)), _MOST_ITERATIONS))


def step_of(number: Array, planned: Array, like: Array) -> Step:
    """An iteration by its number, int32, with scalars of the type of `like`.

    planned: int32, or 0 if it is not known how many there will be. They are then planned to be 128,
    and twice as many whenever that has been reached.
    """
    doubled = jnp.maximum(128, 1 << (32 - jax.lax.clz(number - 1)))
    planned = jnp.where(planned > 0, planned, doubled)
    return Step(number=number.astype(like.dtype), planned=planned.astype(like.dtype))


def _discount(rule: Rule, regret: Array, step: Step) -> Array | None:
    """The factor of the regrets from before an iteration; None for 1."""
    if rule.positive_power == rule.negative_power == math.inf:
        return None

    def factor(power: float | Ramp) -> Array | float:
        if power == math.inf:
            return 1.0
        if isinstance(power, Ramp) or power < 0:  # t' is 0 at first
            return 1 / (1 + (step.number - 1) ** -_at(power, step))
        before = (step.number - 1) ** power
        return before / (before + 1)

    if rule.floor:
        return jnp.asarray(factor(rule.positive_power), regret.dtype)
    chosen = jnp.where(regret > 0, factor(rule.positive_power), factor(rule.negative_power))
    return chosen.astype(regret.dtype)


def _at(power: float | Ramp, step: Step) -> Array | float:
    if not isinstance(power, Ramp):
        return power
    return power.start + (power.end - power.start) * (step.number / step.planned)
