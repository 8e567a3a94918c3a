"""Methods for simultaneous moves: exact from the end (`backward_induction.py`), learned by sampling
(`learner.py`), and searched with a tree that grows (`search.py`).
"""
