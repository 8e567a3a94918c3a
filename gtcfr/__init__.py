"""Growing-tree CFR: sound search for games in which players hide things, in batches.

Empty in this version. The search tree, the regret update and expansion phases, the re-solving
gadget and continual re-solving land with the next release, on top of `sog.games` and `sog.tabular`.
Nothing here will import `networks`: a search takes its leaf evaluator as an argument.
"""

__all__: list[str] = []
