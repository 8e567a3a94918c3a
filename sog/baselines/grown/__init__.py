"""Trees that grow as they are searched, for games too large to enumerate.

The searches, `is_mcts` and `oos`, play games in plain Python (`sog.baselines.plain`).
"""
