"""Methods that search at every decision an enumerated game; `method.py` states what they share.

With tree=grown they play by `sog.baselines.grown` instead.
"""
