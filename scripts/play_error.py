"""How exact networks are where play goes, beside random play and how exploitable they are.

Example:
    python scripts/play_error.py runs/figures/leduc_demo-*

Trainings of one configuration end at different exploitabilities; this tells how exact each network
is. Belief states of play are those that the agent's own composed policies come to, drawn as often
as they do; random ones are those of `sog.evaluation.value_error`. Errors are means of the absolute
error of the values, in the game's unit, over all infostates and over those in range, against
1000 iterations of PCFR+ below each state.
"""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from script_arguments import script_parser

from sog.cli.compilation_cache import use_compilation_cache
from sog.cli.numbers import positive_integer
from sog.evaluation.composed import compose
from sog.evaluation.value_error import HeldOut, random_belief_states
from sog.games.core import TERMINAL
from sog.players.trained import Trained, load_trained
from sog.tabular import CompiledGame, compile_tree
from sog.tabular.examination import examine
from sog.tabular.public_tree import PublicTree

_BATCH: Final = 64


def belief_states_of_play(
    tree: PublicTree, policies: np.ndarray, count: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes [state] and ranges [state, player, S] that policies [policy, node, S, A] come to.

    As many of each policy, each public state as often as it occurs while the game goes on.
    """
    random, nodes, ranges = np.random.default_rng(seed), [], []
    for policy in policies:
        played = examine(tree, policy)
        weight = played.probability[:, 0].sum(axis=-1) * (tree.node_actor != TERMINAL)
        drawn = random.choice(len(weight), count // len(policies), p=weight / weight.sum())
        nodes.append(drawn)
        ranges.append(played.ranges[drawn])
    return np.concatenate(nodes).astype(np.int32), np.concatenate(ranges).astype(np.float32)


def measure(trained: Trained, compiled: CompiledGame, seeds: int, count: int) -> dict[str, Any]:
    """One network."""
    evaluator, settings = trained.evaluator, trained.settings
    composed = compose(compiled, evaluator, settings, seeds=seeds, batch_size=_BATCH)
    kinds = {
        "random": random_belief_states(compiled.tree, count, 0),
        "play": belief_states_of_play(compiled.tree, composed.policy, count, 0),
    }
    found: dict[str, Any] = {
        "run": trained.name,
        "step": trained.step,
        "unit": trained.game.unit,
        "seeds": seeds,
        "exploitability": float(composed.exploitability.mean()),
    }
    for kind, (nodes, ranges) in kinds.items():
        errors = HeldOut(compiled, nodes, ranges).errors(evaluator)
        found[f"error_of_{kind}"] = float(errors.mean_absolute)
        found[f"error_of_{kind}_in_range"] = float(errors.mean_absolute_in_range)
    return found


def main() -> None:
    """Prints a line of JSON for each run."""
    parser = script_parser(__doc__)
    parser.add_argument("runs", metavar="RUN", type=Path, nargs="+", help="run folders of a game")
    parser.add_argument("--seeds", type=positive_integer, default=10, metavar="N")
    parser.add_argument("--count", type=positive_integer, default=1000, help="belief states")
    given = parser.parse_args()
    use_compilation_cache()
    compiled: dict[str, CompiledGame] = {}
    for path in given.runs:
        try:
            trained = load_trained(path)
        except ValueError as error:
            parser.error(str(error))
        name = str(trained.game)
        if name not in compiled:
            compiled[name] = compile_tree(trained.game)
        print(json.dumps(measure(trained, compiled[name], given.seeds, given.count)), flush=True)


if __name__ == "__main__":
    main()
