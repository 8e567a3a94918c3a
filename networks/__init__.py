"""Counterfactual value-and-policy networks: ranges of a public state in, values and policies out.

Read `cvpn.py` (torsos and heads), then `losses.py`. A network goes into a search as a callable
(`gtcfr.evaluator.NetworkEvaluator`); this package and `gtcfr` never import each other.
"""

__all__: list[str] = []
