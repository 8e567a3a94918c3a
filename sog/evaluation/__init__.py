"""How good an agent that searches really is: the exact exploitability of its composed policy."""

from sog.evaluation.composed import ComposedPolicies, compose

__all__ = ["ComposedPolicies", "compose"]
