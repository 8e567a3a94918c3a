"""Figure 4 of the paper on simultaneous-move MCTS (Lanctot, Lisy, Winands 2013): small Goofspiel.

Example:
    python scripts/reproduce_sm_mcts.py "goofspiel(cards=4,order=random,payoff=wl)" --runs 100 \\
        --episodes 100000

NashConv of what each selection has learned from the root after so many simulations, point cards
being shuffled: the mean over the runs, and the least and the most. Constants are those that the
paper tuned for 13 cards (its table 1; `sog.methods.simultaneous.selection`). OOS is outcome
sampling, SM-OOS that of the journal, both with all states in memory from the start. With --out,
PREFIX.json and PREFIX.png are written, anew after each method.
"""

from typing import Final

from convergence import reproduce

_SELECTIONS: Final = {
    "DUCT(max)": "duct_max",
    "DUCT(mix)": "duct_mix",
    "Exp3": "exp3",
    "RM": "rm",
    "OOS+": "oos_plus",
}
METHODS: Final[dict[str, dict[str, str]]] = {
    f"goofspiel(cards=4,order=random,payoff={payoff})": {
        "SM-OOS": "outcome_sampling(epsilon=0.5,values=state)",
        "OOS": "outcome_sampling(epsilon=0.5)",
        **{
            name: f"sm_mcts(selection={selection},tuned={tuned})"
            for name, selection in _SELECTIONS.items()
        },
    }
    for payoff, tuned in (("wl", "wins"), ("diff", "points"))
}

if __name__ == "__main__":
    reproduce(__doc__, METHODS)
