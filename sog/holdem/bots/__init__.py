"""Players of betting games: simple bots, and local best response, which measures others.

`calling_down.py` values hands as if nobody bet any more; `bots.py` and `local_best_response.py`
play by these values.
"""
