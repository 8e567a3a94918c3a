"""Growing-tree CFR: sound search for games in which players hide things, in batches.

`docs/how_it_works.md` says in which order to read its files. A search takes its leaf evaluator as
an argument and knows nothing of networks. Functions are pure and never compiled here: `jax.jit` is
the caller's.
"""
