"""Programs of others as players: their processes, and the protocols UCI and GTP, client side.

`process.py` starts a program and speaks with it in lines; `uci.py` and `gtp.py` know what to say;
`agent.py` seats one process at as many tables as its player has games.
"""
