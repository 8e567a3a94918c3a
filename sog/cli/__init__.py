"""The command `sog`: listing games, solving them, and saying how good a policy is.

`main.py` is the entry and turns mistakes into one line each; `arguments.py` has the options and
their help. Every command is a file of its name, imported only when it runs.
"""
