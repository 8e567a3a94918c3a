"""Ways to play and to learn, in families: `sog.players.methods` lists them by name.

A method knows its parameters, which paper it is from and what it needs of a game, and makes agents
(`sog.play.Agent`); `sog/players/method.py` states that contract.
"""
