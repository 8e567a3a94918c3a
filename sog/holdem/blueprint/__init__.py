"""Blueprints: strategies over buckets for whole games of hold'em, too large for the exact tools.

Read `strengths.py` (E[HS^2], exactly), `buckets.py` (the card abstraction), `betting_tree.py` (the
game without its cards), `public_chance.py` (the learning), `file.py` (a blueprint: begun, trained,
saved and loaded), and `policy.py` (the policy it plays).
"""
