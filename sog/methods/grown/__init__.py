"""Trees that grow as they are searched, for games too large to enumerate.

`worlds` says what a game has to offer in plain Python, one file for each that does follows it;
`is_mcts` and `oos` are the searches, `agent` plays by them.
"""
