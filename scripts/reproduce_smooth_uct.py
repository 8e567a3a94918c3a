"""Figures 1 and 2 of the Smooth UCT paper (Heinrich and Silver 2015): Kuhn poker and Leduc hold'em.

Examples:
    python scripts/reproduce_smooth_uct.py kuhn --runs 50 --episodes 20000000
    python scripts/reproduce_smooth_uct.py leduc --runs 5 --episodes 500000000    # days

Each method with the parameters that the paper found best. NashConv, which the paper calls
exploitability, of the average policies against sampled games: the mean over the runs, and the least
and the most. (For Kuhn poker the paper has the squared error to the closest equilibrium instead.)
With --out, PREFIX.json and PREFIX.png are written, anew after each method.
"""

from typing import Final

from convergence import reproduce

LEDUC: Final = {
    "UCT": f"extensive_uct(c={20 / 13})",
    "Smooth UCT": f"smooth_uct(c={18 / 13},gamma=0.1,eta=0.9,d=0.002)",
    "Parallel Outcome Sampling": "outcome_sampling(epsilon=0.5,updates=parallel)",
    "Alternating Outcome Sampling": "outcome_sampling(epsilon=0.5,updates=alternating)",
}
METHODS: Final[dict[str, dict[str, str]]] = {
    "kuhn": {
        "UCT": "extensive_uct(c=1)",
        "Smooth UCT": "smooth_uct(c=0.875,gamma=0.1,eta=0.9,d=0.001)",
    },
    "leduc": LEDUC,
    "leduc(suit_isomorphism=true)": LEDUC,
}
"""Of each game, as section 4 of the paper says; its c is in chips, ours a share of the most that
can be won, 2 and 13 chips. (It does not say whether suits are told apart.)"""


if __name__ == "__main__":
    reproduce(__doc__, METHODS)
