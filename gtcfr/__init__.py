"""Growing-tree CFR: sound search for games in which players hide things, in batches.

Read `search.py` first, then `update.py` (the regret update phase), `simulation.py` and `growth.py`
(the expansion phase), `tree.py` (the arrays), `gadget.py` and `resolving.py` (safe continual
re-solving). A search takes its leaf evaluator as an argument and knows nothing of networks.
Functions are pure and never compiled here: `jax.jit` is the caller's.
"""
