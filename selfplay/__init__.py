"""Sound self-play: games played by search become training data for networks.

Empty in this version. Rollouts, the query solver, replay, the learner and checkpoints land with
`sog train`, once `gtcfr` and `networks` hold what this package brings together.
"""

__all__: list[str] = []
