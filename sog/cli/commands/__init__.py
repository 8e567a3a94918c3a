"""The commands of `sog`: summaries, examples and options.

`playing`, `searching`, `solving` and `training` declare them, by means of `command.py`.
"""
