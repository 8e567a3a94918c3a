"""Methods for simultaneous moves: exact (`backward_induction.py`), learned by sampling
(`learner.py`), and search with a growing tree (`search.py`).
"""
