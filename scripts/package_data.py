"""Writes data that the package ships: the catalog of games, and trained agents.

Examples:
    python scripts/package_data.py catalog                    after adding or changing a game
    python scripts/package_data.py agent runs/leduc leduc

catalog: collects the facts of all games that `sog games` lists, and counts their public states.

agent: writes the network of a run (RUN, or RUN@STEP), in half precision, to sog/players/agents,
measures the exact exploitability of its composed policy if the game is small enough, and adds it to
agents.json there, which `sog agents` lists. Then `python -m tests.players.shipped_answers`
records what it answers.
"""

import argparse
import dataclasses
import importlib.resources
import json
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from shared import script_parser

import sog.players.agents
from gtcfr.mesh import batch_mesh
from selfplay.recipe import ALPHAZERO
from selfplay.runs.run_folder import RunFolder
from sog.catalog import CATALOG
from sog.cli.game_facts import list_games
from sog.domain import domains
from sog.evaluation import compose
from sog.players.agents import AGENT_PREFIX, AgentEntry, read_agents
from sog.players.runs import split_step
from sog.players.shipped import load_agent, pack_params
from sog.players.trained import load_trained
from sog.tabular import TreeTooLargeError, compile_tree

_MOST_NODES: Final = 20_000
_FOLDER: Final = Path(sog.players.agents.__file__).parent


def write_catalog() -> None:
    """Writes the games of the core, and those of each domain."""
    games = list_games()
    package_of = {name: domain.package for domain in domains() for name in domain.games}
    for package in ("sog", *sorted(set(package_of.values()))):
        listed = [game for game in games if package_of.get(game["name"], "sog") == package]
        file = Path(str(importlib.resources.files(package))) / CATALOG
        file.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
        print(f"written: {file}")


def write_agent(arguments: argparse.Namespace) -> None:
    """Writes the network and the entry of an agent."""
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
        network=_changed_fields(folder.config.network),
        search=_changed_fields(settings),
        exploitability=None,
        measured=None,
        unit=run.game.unit,
        alphazero=None if run.alphazero is None else _changed_fields(run.alphazero),
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


def _changed_fields(settings: Any) -> dict[str, Any]:
    """The settings that are not default, for JSON."""
    return {
        field.name: value
        for field in dataclasses.fields(settings)
        if (value := getattr(settings, field.name)) != field.default
    }


def _write(entries: dict[str, AgentEntry]) -> None:
    listed = [dataclasses.asdict(entries[name]) for name in sorted(entries)]
    text = json.dumps(listed, indent=1) + "\n"
    (_FOLDER / "agents.json").write_text(text, encoding="utf-8")


def main() -> None:
    """Reads the command line."""
    parser = script_parser(__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("catalog")
    agent = kinds.add_parser("agent")
    agent.add_argument("run", metavar="RUN")
    agent.add_argument("name")
    agent.add_argument("--config", help="the configuration of the run (default: the name)")
    agent.add_argument("--seeds", type=int, default=3, help="for the measure (default: 3)")
    given = parser.parse_args()
    if given.kind == "catalog":
        write_catalog()
    else:
        write_agent(given)


if __name__ == "__main__":
    main()
