"""The histories of an enumerated game as arrays, and walks through them, to learn by sampling.

`arrays.py` defines the arrays, `layout.py` makes them, `walk.py` samples a game.
"""
