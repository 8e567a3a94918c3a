"""The commands of `sog`: summaries, examples and options.

`playing`, `searching` and `solving` declare them, by means of `command.py`.
"""
