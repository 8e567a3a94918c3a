"""`sog evaluate RUN --without-search`: what it prints, and its errors."""

import pytest

from sog.evaluation.network_policy import network_policy
from sog.players.runs import load_run
from sog.tabular import evaluate_policy
from tests.cli.conftest import Run, RunJson, refusal
from tests.tabular.small_games import compiled_game


def test_json_and_text_have_the_exploitability_of_the_networks_own_policy(
    sog: Run, sog_json: RunJson
) -> None:
    printed = sog_json("evaluate", "agent:kuhn", "--without-search")
    assert (printed["game"], printed["unit"]) == ("kuhn(ranks=3)", "chips")
    trained = load_run("agent:kuhn")
    compiled = compiled_game("kuhn")
    expected = evaluate_policy(compiled, network_policy(compiled, trained.evaluator))
    assert printed["checkpoint"] == trained.step
    assert printed["exploitability"] == pytest.approx(float(expected.exploitability[0]), abs=1e-6)
    assert printed["value"] == pytest.approx(float(expected.value[0]), abs=1e-6)
    code, out, _ = sog("evaluate", "agent:kuhn", "--without-search")
    assert code == 0
    assert "the network of agent:kuhn without a search" in out
    assert f"{1000 * printed['exploitability']:.4g} mbb" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["kuhn"], "--without-search needs a run folder or agent:NAME, got kuhn."),
        (["agent:nobody"], "there is no agent 'nobody'"),
        (["agent:kuhn", "--search", "9,1"], "--search has no effect with --without-search."),
        (["agent:kuhn", "--cdbr"], "--cdbr has no effect with --without-search."),
        (["agent:leduc", "--lbr"], "--lbr has no effect with --without-search."),
        (["agent:kuhn", "--seeds", "2"], "--seeds has no effect with --without-search."),
        (["agent:kuhn", "--games", "2"], "--games has no effect without an option that plays"),
        (["agent:kuhn", "--max-nodes", "5"], "the public tree of kuhn(ranks=3) has more than"),
    ],
)
def test_a_mistake_is_one_line(sog: Run, options: list[str], message: str) -> None:
    found = refusal(sog, "evaluate", *options, "--without-search", notes=True)
    assert found.startswith(message)
