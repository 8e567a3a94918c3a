"""Arguments that a command rejects cost no compilation."""

import json
import subprocess
import sys

import pytest

_REJECTED = [
    "search kuhn --lock zzz",
    "search kuhn --history check --set c_puct=-1",
    "search kuhn --set rule=zzz",
    "search kuhn --set max_actions=3",
    "search leduc --set max_outcomes=0",
    "search agent:leduc --evaluator zero",
    "solve kuhn --lock zzz",
    "solve kuhn --history zzz",
    "policy kuhn --iterations 0",
    "play rollout --game kuhn --history zzz",
    "play rollout --game kuhn --set c_puct=-1",
    "match rollout random --game kuhn --history zzz",
    "match rollout uct:10 --game kuhn",
    "review README.md",
    "evaluate agent:leduc --search 0,1",
    "uci rollout --game leduc",
    "gtp rollout --game chess",
    "search chess --history '8/8/8/8 w - - 0 1'",
    "train leduc_demo --set search.max_outcomes=1",
]
_RULES = [
    "search kuhn --history zzz",
    "search kuhn --lock 'check: zzz=1'",
    "search leduc --history 'check check zzz'",
    "search holdem --history zzz",
    "search glasses --history zzz",
    "match rollout random --game connect_four --history zzz",
    "policy kuhn --history zzz",
]
"""These are compared with the rules at the states on the way there."""
_RUN = """
import json, shlex, sys
from sog.cli.main import main
from tests.compilations import compiled_programs
for line in sys.argv[1:]:
    with compiled_programs() as names:
        code = main(shlex.split(line))
    print(json.dumps([line, code, names]))
"""


@pytest.fixture(scope="module")
def compiled() -> dict[str, tuple[int, list[str]]]:
    """The exit code and the programs of each command. One new process runs them all, so a program
    counts where it first occurs."""
    command = [sys.executable, "-c", _RUN, *_REJECTED, *_RULES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    rows = map(json.loads, done.stdout.splitlines())
    return {line: (code, names) for line, code, names in rows}


@pytest.mark.parametrize("line", _REJECTED)
def test_a_rejected_argument_compiles_nothing(
    compiled: dict[str, tuple[int, list[str]]], line: str
) -> None:
    assert compiled[line] == (2, [])


@pytest.mark.parametrize("line", _RULES)
def test_a_rejected_history_compiles_only_the_rules(
    compiled: dict[str, tuple[int, list[str]]], line: str
) -> None:
    code, names = compiled[line]
    assert code == 2
    assert set(names) <= {"jit(_call)", "jit(<lambda>)"}
    assert len(names) <= 5
