"""The histories of an enumerated game as arrays, and walks through them, to learn by sampling.

`arrays.py` says what there is, `layout.py` makes it, `walk.py` samples a game.
"""
