"""The complete state of a batch of searches between phases."""

from typing import Any

from jax import Array

from gtcfr.evaluator import Fault
from gtcfr.gadget import Gadget
from gtcfr.locks import HeldPolicies
from gtcfr.query import QuerySample
from gtcfr.tree import SearchTree
from sog.pytree import pytree


@pytree
class Answers:
    """The evaluator's last answers for the leaves of all searches."""

    values: Array  # [row, player, S]
    logits: Array | None  # [row, S, A]; None with `Evaluator.leaves_per_call`
    first: Array  # [batch] int32: the row of a search's first leaf; the others follow it


@pytree
class SearchState:
    """Arrays have the batch axis first."""

    tree: SearchTree
    gadget: Gadget
    root_state: Array  # [batch, width] int32, packed
    ranges: Array  # [batch, player, S]: at the root
    memory: Any  # the evaluator's
    queries: QuerySample
    answers: Answers
    keys: Array  # [batch]
    fault: Fault
    slot: Array
    """[batch] int32: the interior slot of the searched state."""
    num_updates: Array
    """[batch] int32: regret updates made; all equal."""
    num_before: Array
    """[batch] int32: updates of the searches that this one continues, see `gtcfr.tree_reuse`."""
    held: HeldPolicies | None = None
