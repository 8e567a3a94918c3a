"""Trees that grow as they are searched, for games too large to enumerate.

They play games in plain Python (`sog.baselines.plain`). `is_mcts` and `oos` are the searches;
`pimbot` is one for Scotland Yard.
"""
