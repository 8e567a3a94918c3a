"""Methods that search an enumerated game at every decision; `method.py` has their common part.

With tree=grown they use `sog.baselines.grown` instead.
"""
