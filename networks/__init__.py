"""Counterfactual value-and-policy networks: ranges of a public state in, values and policies out.

Empty in this version. Torsos, heads, feature encoding and losses land with self-play training, in
the release after the search. An evaluator that lives here is passed to `gtcfr` as a callable;
neither package imports the other.
"""

__all__: list[str] = []
