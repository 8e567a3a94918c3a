"""The command `sog`: lists, solves and searches games, trains, plays and evaluates.

`main.py` is the entry point and prints each error of the user as one line; `arguments.py` has the
parser, and `options.py` every option with its help. Each command is a file or folder of its name,
imported only when it runs.
"""
