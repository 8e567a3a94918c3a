"""Solves a matrix game exactly: a linear program, whose dual is the other player's."""

import numpy as np
import scipy.optimize


def solve_matrix(payoff: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The value to the row player, who maximizes, and optimal strategies [row] and [column].

    payoff: [row, column]. max v, such that sum_r payoff[r, c] x_r >= v for each column and x is a
    distribution (Bosansky et al. 2016, equations 1 to 4). RuntimeError if HiGHS gives up.
    """
    rows, columns = payoff.shape
    if min(rows, columns) == 1:
        best = int(payoff.argmin() if rows == 1 else payoff.argmax())
        pure = (np.arange(max(rows, columns)) == best).astype(float)
        first, second = (np.ones(1), pure) if rows == 1 else (pure, np.ones(1))
        return float(payoff.reshape(-1)[best]), first, second
    result = scipy.optimize.linprog(
        c=np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
    )
    if not result.success:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    first = result.x[:rows].clip(0)
    second = (-result.ineqlin.marginals).clip(0)
    return float(-result.fun), first / first.sum(), second / second.sum()
