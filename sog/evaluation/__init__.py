"""The exact exploitability of a search agent's composed policy."""

from sog.evaluation.composed import ComposedPolicies, compose

__all__ = ["ComposedPolicies", "compose"]
