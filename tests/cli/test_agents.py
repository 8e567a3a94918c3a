"""`sog agents`, and agents of the package wherever a run folder may stand."""

import dataclasses
import importlib.resources
import json
from pathlib import Path

import pytest

from sog.players.agents import read_agents
from sog.players.shipped import find_agent
from tests.cli.conftest import Run, output, refusal


def test_agents_are_listed_with_how_good_they_are(sog: Run) -> None:
    out = output(sog, "agents")
    for name, agent in read_agents().items():
        (line,) = [line for line in out.splitlines() if line.startswith(f"agent:{name} ")]
        told = "-" if agent.exploitability is None else f"{agent.exploitability:.4g} {agent.unit}"
        assert line.endswith(f"  {told}")
    assert "measured by `sog evaluate agent:glasses --seeds 5`" in out


def test_programs_get_everything(sog: Run) -> None:
    out = output(sog, "agents", "--json")
    assert {agent["name"] for agent in json.loads(out)} == set(read_agents())


def test_a_command_is_named_only_for_what_it_measured() -> None:
    for agent in read_agents().values():
        assert (agent.measured is None) == (agent.exploitability is None)


@pytest.mark.thorough
def test_an_agent_plays_a_match(sog: Run) -> None:
    out = output(sog, "match", "agent:kuhn", "random", "--games", "2", "--search", "2,1", "--json")
    assert json.loads(out)["players"][0]["name"].startswith("agent:kuhn at step ")


_ENTRY = dataclasses.asdict(read_agents()["kuhn"])
_DAMAGES = {
    "no JSON": "{",
    "a list of something else": '[{"name": "kuhn"}]',
    "another key": json.dumps([_ENTRY | {"more": 1}]),
    "a network of another kind": json.dumps([_ENTRY | {"network": {"width": "x", "y": 1}}]),
    "a search of another kind": json.dumps([_ENTRY | {"search": {"num_simulations": "x"}}]),
}


@pytest.mark.parametrize("damage", _DAMAGES)
@pytest.mark.parametrize(
    "command",
    [
        "agents",
        "play kuhn",
        "evaluate agent:kuhn",
        "explain agent:kuhn",
        "serve agent:kuhn",
    ],
)
def test_a_damaged_list_of_agents_is_told_in_a_line(
    sog: Run, command: str, damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "of another kind" in damage and command in ("agents", "serve agent:kuhn"):
        return  # which make no agent yet
    (tmp_path / "agents.json").write_text(_DAMAGES[damage])
    real = importlib.resources.files
    monkeypatch.setattr(
        "importlib.resources.files",
        lambda name: tmp_path if name == "sog.players.agents" else real(name),
    )
    find_agent.cache_clear()
    error = refusal(sog, *command.split(), notes=True)
    find_agent.cache_clear()
    assert error.endswith("install sog anew.")


@pytest.mark.slow
def test_the_command_that_measured_an_agent_finds_the_same_again(sog: Run) -> None:
    kuhn = read_agents()["kuhn"]
    assert kuhn.measured is not None
    out = output(sog, *kuhn.measured.split()[1:], "--json")
    (search,) = json.loads(out)["results"]
    assert search["exploitability"]["mean"] == pytest.approx(kuhn.exploitability, rel=0.5)


def test_an_agent_has_no_checkpoints_to_evaluate(sog: Run) -> None:
    assert refusal(sog, "evaluate", "agent:kuhn@5", notes=True).startswith(
        "there is no agent 'kuhn@5'"
    )


def test_a_game_where_a_player_should_be_leads_to_its_agent(sog: Run) -> None:
    _, _, err = sog("match", "kuhn", "random")
    assert "a trained agent is agent:kuhn." in err
