"""Blueprints: strategies of whole games of hold'em, too large for the exact tools, over buckets.

Read `strengths.py` (E[HS^2], exactly), `buckets.py` (which hands are not told apart),
`betting_tree.py` (the game without its cards), `public_chance.py` (what learns), `file.py` (a
blueprint, begun, trained, saved and loaded), and `position.py` (what it plays).
"""
