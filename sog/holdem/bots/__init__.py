"""Players of betting games only: simple bots, and local best response, which measures others.

All of them know no more of a game than its ranges: `calling_down.py` says what a hand is worth if
nobody bets any more, `bots.py` and `local_best_response.py` play by it.
"""
