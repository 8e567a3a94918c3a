"""The domain of baselines: methods to compare the search with, and `sog run`."""

from typing import Final

from sog.domain import Domain
from sog.players.entry import Entry

_PLAYERS: Final = {
    "ismcts": Entry(
        method="sog.baselines.online.is_mcts:IsMcts",
        form="ismcts:N",
        summary="information set Monte Carlo tree search, N simulations per move",
    ),
    "oos": Entry(
        method="sog.baselines.online.oos:OnlineOutcomeSampling",
        form="oos:N",
        summary="online outcome sampling: sound Monte Carlo search, N simulations per move",
    ),
    "outcome_sampling": Entry(
        method="sog.baselines.learners.outcome_sampling:OutcomeSampling",
        form="outcome_sampling:N",
        summary="Monte Carlo CFR from single sampled games, N iterations before the first game",
        learns=True,
    ),
    "external_sampling": Entry(
        method="sog.baselines.learners.external_sampling:ExternalSampling",
        form="external_sampling:N",
        summary="Monte Carlo CFR with all actions of a player, N iterations before the first game",
        learns=True,
    ),
    "extensive_uct": Entry(
        method="sog.baselines.learners.smooth_uct:ExtensiveUct",
        form="extensive_uct:N",
        summary="UCT over infostates in self-play, N iterations before the first game",
        learns=True,
    ),
    "smooth_uct": Entry(
        method="sog.baselines.learners.smooth_uct:SmoothUct",
        form="smooth_uct:N",
        summary="extensive_uct mixed with the average policy, N iterations before the first game",
        learns=True,
    ),
    "sm_mcts": Entry(
        method="sog.baselines.simultaneous.learner:SimultaneousMcts",
        form="sm_mcts:N",
        summary="tree search for simultaneous moves, N iterations before the first game",
        learns=True,
    ),
    "q_learning": Entry(
        method="sog.baselines.learners.q_learning:QLearning",
        form="q_learning:N",
        summary="tabular Q-learning in self-play, N games before the first one; no equilibrium",
        learns=True,
    ),
    "dqn": Entry(
        method="sog.baselines.learners.dqn:Dqn",
        form="dqn:N",
        summary="deep Q-learning in self-play, N times 8 games before the first one; the same",
        learns=True,
    ),
    "a2c": Entry(
        method="sog.baselines.learners.a2c:A2c",
        form="a2c:N",
        summary="advantage actor-critic in self-play, N times 16 games before the first one",
        learns=True,
    ),
    "backward_induction": Entry(
        method="sog.baselines.simultaneous.backward_induction:BackwardInduction",
        form="backward_induction",
        summary="exact, from the end of a game of simultaneous moves; by default DO-alpha-beta",
        solves=True,
    ),
    "sm_search": Entry(
        method="sog.baselines.simultaneous.search:SimultaneousSearch",
        form="sm_search:N",
        summary="tree search for simultaneous moves in Goofspiel of any size, N simulations a move",
    ),
}
DOMAIN: Final = Domain(
    package="sog.baselines",
    players=_PLAYERS,
    commands={"run": "sog.baselines.commands:RUN"},
)
