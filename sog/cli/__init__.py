"""The command `sog`: listing games, solving and searching them, and saying how good it is.

`main.py` is the entry and turns mistakes into one line each; `arguments.py` has the parser, and
`COMMAND_options.py` the options of a larger command with their help. Every command is a file of its
name, imported only when it runs.
"""
