"""Figure 4 of the paper on simultaneous-move MCTS (Lanctot, Lisy, Winands 2013): small Goofspiel.

Example:
    python scripts/reproduce_sm_mcts.py "goofspiel(cards=4,order=random,payoff=wl)" --runs 100 \\
        --episodes 100000

NashConv of what each selection has learned from the root after so many simulations, point cards
being shuffled: the mean over the runs, and the least and the most. Parameters are those that the
paper tuned for 13 cards (its table 1). SM-OOS is outcome sampling, with all states in memory from
the start. With --out, PREFIX.json and PREFIX.png are written, anew after each method.
"""

from typing import Final

from convergence import reproduce

COMMON: Final = {
    "DUCT(max)": "sm_mcts(selection=duct_max,c=1.5)",
    "DUCT(mix)": "sm_mcts(selection=duct_mix,c=1.5)",
    "Exp3": "sm_mcts(selection=exp3,gamma=0.2)",
    "RM": "sm_mcts(selection=rm,gamma=0.025)",
    "SM-OOS": "outcome_sampling(epsilon=0.5)",
}
METHODS: Final[dict[str, dict[str, str]]] = {
    "goofspiel(cards=4,order=random,payoff=wl)": {
        **COMMON,
        "OOS+": "sm_mcts(selection=oos_plus,gamma=0.55)",
    },
    # The paper's C of 150 and gamma of 0.01 are for points; here rewards are scaled to [0, 1].
    "goofspiel(cards=4,order=random,payoff=diff)": {
        **COMMON,
        "OOS+": "sm_mcts(selection=oos_plus,gamma=0.4)",
    },
}

if __name__ == "__main__":
    reproduce(__doc__, METHODS)
