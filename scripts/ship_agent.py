"""Adds a trained agent to the package: `python scripts/ship_agent.py runs/leduc leduc`.

Writes the network of a run (RUN, or RUN@STEP), in half precision, to sog/players/agents, measures
the exact exploitability of its composed policy if the game is small enough, and adds it to
agents.json there, which `sog agents` lists. Then `python -m tests.players.shipped_answers`
records what it answers.
"""

import argparse
import dataclasses
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

import sog.players.agents
from gtcfr.mesh import batch_mesh
from selfplay.recipe import ALPHAZERO
from selfplay.runs.run_folder import RunFolder
from sog.evaluation import compose
from sog.players.agents import AGENT_PREFIX, AgentEntry, read_agents
from sog.players.runs import split_step
from sog.players.shipped import changed_fields, dump_agents, load_agent, pack_params
from sog.players.trained import load_trained
from sog.tabular import TreeTooLargeError, compile_tree

_MOST_NODES: Final = 20_000
_FOLDER: Final = Path(sog.players.agents.__file__).parent


def main() -> None:
    """Writes the file and the entry."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("name")
    parser.add_argument("--config", help="the configuration of the run (default: the name)")
    parser.add_argument("--seeds", type=int, default=3, help="for the measure (default: 3)")
    arguments = parser.parse_args()
    path, step = split_step(arguments.run)
    run, folder = load_trained(path, step), RunFolder.read(path)
    entries, name = read_agents(), arguments.name
    # Processing of nodes depends on the machine of the agent.
    settings = dataclasses.replace(run.settings, chunk_size=None)
    arrays: dict[str, Any] = pack_params(run.evaluator.params)
    np.savez_compressed(_FOLDER / f"{name}.npz", **arrays)
    algorithm = "" if run.alphazero is None else f" --set algorithm={ALPHAZERO}"
    entry = AgentEntry(
        name=name,
        game=folder.config.game,
        trained=f"sog train {arguments.config or name}{algorithm}",
        step=run.step,
        network=changed_fields(folder.config.network),
        search=changed_fields(settings),
        exploitability=None,
        measured=None,
        unit=run.game.unit,
        alphazero=None if run.alphazero is None else changed_fields(run.alphazero),
    )
    _write({**entries, name: entry})
    agent = load_agent(name)  # what users get
    if agent.alphazero is not None:
        print(f"{name}: only the search of Student of Games has an exploitability")
        return
    try:
        compiled = compile_tree(agent.game, max_nodes=_MOST_NODES)
    except TreeTooLargeError:
        print(f"{name}: too large for exact exploitability")
        return
    composed = compose(
        compiled, agent.evaluator, agent.settings, seeds=arguments.seeds, mesh=batch_mesh()
    )
    exploitability = round(float(jax.device_get(composed.exploitability).mean()), 6)
    measured = dataclasses.replace(
        entry,
        exploitability=exploitability,
        measured=f"sog evaluate {AGENT_PREFIX}{name} --seeds {arguments.seeds}",
    )
    _write({**entries, name: measured})
    print(f"{name}: exploitability {exploitability} {entry.unit}")


def _write(entries: dict[str, AgentEntry]) -> None:
    (_FOLDER / "agents.json").write_text(dump_agents(entries), encoding="utf-8")


if __name__ == "__main__":
    main()
