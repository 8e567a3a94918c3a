"""Games in plain Python, for searches that play thousands of them to their end.

`worlds.py` states the one contract of them all, `games.py` leads over to it from a game, and
`agent.py` plays by whatever searches them.
"""
