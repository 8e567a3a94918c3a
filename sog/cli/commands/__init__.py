"""The commands of `sog`: what each is for, its examples, and which options it has.

`playing`, `searching`, `solving` and `training` declare them, `command.py` says how.
"""
