"""Trained agents that come with the package."""

import dataclasses
import functools
import importlib.resources
import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.root import start_of_game
from gtcfr.search import search
from gtcfr.shape import tree_shape
from networks.cvpn import NetworkSettings, make_network
from selfplay.settings import AlphaZeroSettings
from sog.evaluation import compose
from sog.games import make
from sog.players import shipped
from sog.players.agents import read_agents
from sog.players.alphazero_agent import AlphaZeroAgent
from sog.players.player import Host
from sog.players.shipped import load_agent, pack_params, unpack_params
from sog.tabular import compile_tree
from tests.compilations import compiled_programs
from tests.players.shipped_answers import RECORD, answers

FOLDER = Path(str(importlib.resources.files("sog.players.agents")))
MOST_BYTES = 4_000_000
_KUHN = read_agents()["kuhn"]


def test_every_agent_has_a_file_and_all_are_small() -> None:
    files = sorted(FOLDER.glob("*.npz"))
    assert [file.stem for file in files] == sorted(read_agents())
    assert sum(file.stat().st_size for file in files) < MOST_BYTES


@pytest.mark.parametrize("name", ["kuhn", "go5"])
def test_loading_an_agent_compiles_nothing(name: str) -> None:
    jax.clear_caches()
    with compiled_programs() as programs:
        load_agent(name)
    assert not programs


@pytest.mark.thorough(but=["connect_four", "kuhn", "leduc", "hex5"])
@pytest.mark.parametrize("name", sorted(read_agents()))
def test_every_agent_answers_as_when_it_was_shipped(name: str) -> None:
    agent = load_agent(name)
    tree_shape(agent.game, agent.settings, 0)  # its search is one that the game can have
    recorded = json.loads(RECORD.read_text("utf-8"))
    assert recorded.keys() == read_agents().keys()
    found = answers(name)
    assert [state["events"] for state in found] == [state["events"] for state in recorded[name]]
    for state, expected in zip(found, recorded[name], strict=True):
        for what in ("values", "policy"):
            # Rounding is another on every machine; see `shipped_answers.py` for what is noticed.
            assert state[what] == pytest.approx(expected[what], abs=2e-3)


@pytest.mark.thorough
def test_the_agent_for_kuhn_is_as_good_as_it_is_said_to_be() -> None:
    agent = load_agent("kuhn")
    compiled = compile_tree(agent.game)
    composed = compose(compiled, agent.evaluator, agent.settings, seeds=1)
    listed = read_agents()["kuhn"].exploitability
    assert listed is not None
    assert float(composed.exploitability[0]) == pytest.approx(listed, abs=5e-4)
    assert listed < 0.001  # a thousandth of a chip; uniform play is at 0.46


@pytest.mark.slow
def test_the_agent_for_go_5_x_5_begins_in_the_center_and_expects_to_win() -> None:
    """That is worth all 25 points (van der Werf et al., 2003), which this one does not know."""
    agent = load_agent("go5")
    settings = dataclasses.replace(
        agent.settings, num_simulations=200, simulations_per_update=4.0, num_queries=0
    )
    run = functools.partial(search, agent.game, evaluator=agent.evaluator, settings=settings)
    found = jax.jit(run)(root=start_of_game(agent.game, batch_size=1), key=jax.random.key(0))
    center = 2 * 5 + 2
    assert found.policy[0, 0, center] > 0.9
    assert 3 < found.values[0, 0, 0] <= 25


def test_half_precision_is_all_that_packing_loses() -> None:
    _, params = make_network(make("kuhn"), NetworkSettings(width=8, depth=2))
    arrays = pack_params(params)
    sizes = [leaf.size for leaf in jax.tree.leaves(params)]
    assert sum(array.nbytes for array in arrays.values()) == 2 * sum(sizes)
    restored = unpack_params(params, arrays)
    jax.tree.map(lambda one, two: np.testing.assert_allclose(one, two, rtol=1e-3), restored, params)


def _other_kind(arrays: dict[str, np.ndarray]) -> np.ndarray:
    return next(iter(arrays.values())).astype(np.int8)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda arrays: arrays.popitem(), r"arrays are needed"),
        (lambda arrays: arrays.update(x=arrays.popitem()[1]), r"must have shape"),
        (lambda arrays: next(iter(arrays.values())).fill(255), r"must be finite"),
        (lambda arrays: arrays.update({next(iter(arrays)): _other_kind(arrays)}), r"must be bytes"),
    ],
)
def test_parameters_of_another_network_are_refused(damage: Any, says: str) -> None:
    _, params = make_network(make("kuhn"), NetworkSettings(width=8, depth=2))
    arrays = pack_params(params)
    damage(arrays)
    with pytest.raises(ValueError, match=says):
        unpack_params(params, arrays)


def test_an_agent_of_alphazero_searches_as_it_was_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mctx")
    entry = dataclasses.replace(read_agents()["tic_tac_toe"], alphazero={"search": "puct"})
    monkeypatch.setattr(shipped, "find_agent", {"tic_tac_toe": entry}.__getitem__)
    told = load_agent("tic_tac_toe")
    assert told.alphazero == AlphaZeroSettings(search="puct")
    agent = told.player("", told.game, {"num_simulations": 8}, Host()).make(0, 0)
    assert isinstance(agent, AlphaZeroAgent)
    assert (agent.alphazero, agent.num_simulations) == (told.alphazero, 8)
    monkeypatch.setattr(shipped, "find_agent", read_agents().__getitem__)
    assert load_agent("tic_tac_toe").alphazero is None
    damaged = dataclasses.replace(entry, alphazero={"search": "uct"})
    monkeypatch.setattr(shipped, "find_agent", {"tic_tac_toe": damaged}.__getitem__)
    with pytest.raises(ValueError, match=r"^agent tic_tac_toe: its entry is damaged \(search"):
        load_agent("tic_tac_toe")


@pytest.mark.parametrize("data", [b"", b"no archive"])
def test_a_damaged_file_is_told_in_one_line(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kuhn.npz").write_bytes(data)
    monkeypatch.setattr("importlib.resources.files", lambda name: tmp_path)
    monkeypatch.setattr(shipped, "find_agent", {"kuhn": _KUHN}.__getitem__)
    with pytest.raises(ValueError, match=r"^agent kuhn: its file is damaged .*; install anew\.$"):
        load_agent("kuhn")


def test_a_file_that_holds_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy would have to unpickle it."""
    held: Any = np.array([print], object)
    np.savez(tmp_path / "kuhn.npz", **dict.fromkeys(("a", "b"), held))
    monkeypatch.setattr("importlib.resources.files", lambda name: tmp_path)
    monkeypatch.setattr(shipped, "find_agent", {"kuhn": _KUHN}.__getitem__)
    with pytest.raises(ValueError, match=r"damaged \(object\(1,\)\)"):
        load_agent("kuhn")


@pytest.mark.parametrize("kind", ["U8", complex])
def test_arrays_of_anything_but_numbers_are_refused(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, params = make_network(make(_KUHN.game), NetworkSettings(**_KUHN.network))
    arrays: dict[str, Any] = pack_params(params)
    name = next(iter(arrays))
    np.savez(tmp_path / "kuhn.npz", **arrays | {name: np.zeros(arrays[name].shape, kind)})
    monkeypatch.setattr("importlib.resources.files", lambda name: tmp_path)
    monkeypatch.setattr(shipped, "find_agent", {"kuhn": _KUHN}.__getitem__)
    with pytest.raises(ValueError, match=r"^agent kuhn: its file is damaged \("):
        load_agent("kuhn")
