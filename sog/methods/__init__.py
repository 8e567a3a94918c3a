"""Ways to play and to learn: `sog.players.table` lists them, `make_method("uct:1000")` makes one.

A method knows its parameters, which paper it is from and what it needs of a game, and makes agents
(`sog.play.Agent`); `method.py` states that contract.
"""
