"""Games in plain Python, for searches that play thousands of them to their end.

`worlds.py` states their contract.
"""
