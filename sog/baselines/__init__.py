"""Methods that play or learn, in families: `sog.players.methods` lists them by name.

A method has its parameters and its paper, checks its requirements on a game, and makes agents
(`sog.play.Agent`); `sog/players/method.py` states that contract.
"""
