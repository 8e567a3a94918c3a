import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import pytest

from selfplay.runs.config_files import list_configs
from sog.boards.protocol_server import LineInput, _lines_of
from sog.cli.errors import CommandError, check_target
from sog.players.methods import METHODS
from sog.tabular import RULES
from tests.cli.conftest import Run, refusal

SEE_SOLVE = " (see sog solve --help)"
FORMS = ", ".join(entry.form for entry in METHODS.values())
PLAYERS = f"neither a run folder nor one of {FORMS}."
CONFIGS = f"there are {', '.join(list_configs())}. The name of a file ends in .toml."
FIRST_BYTES = {
    ".json": b'{\n "name": "a package"',
    ".npz": b"PK\x03\x04 other arrays",
    ".pdf": b"\x89PNG",
    ".png": b"%PDF-1.4",
    ".svg": b"# Notes",
}
"""Of files that no command of ours writes under such a name."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "leduk"], "unknown game 'leduk': did you mean 'leduc'?"),
        (
            ["solve", "kuhn("],
            "game must look like 'name' or 'name(key=value,...)', got 'kuhn('.",
        ),
        (
            ["solve", "scotland_yard(map=/no/map)"],
            "scotland_yard: map must be glasses, quarter, london or the path of a map file, "
            "got '/no/map': No such file or directory.",
        ),
        (
            ["solve", "kuhn", "--rule", "q"],
            f"--rule: unknown rule 'q'; known: {', '.join(RULES)}.",
        ),
        (
            ["solve", "kuhn", "--iterations", "0"],
            f"argument --iterations: must be from 1 to 2000000000, got 0{SEE_SOLVE}",
        ),
        (
            ["solve", "kuhn", "--iterations", "1.5"],
            f"argument --iterations: must be an integer, got '1.5'{SEE_SOLVE}",
        ),
        (
            ["solve", "kuhn", "--plot", "kuhn.xyz"],
            "--plot: the name must end in one of .png, .pdf, .svg, got kuhn.xyz.",
        ),
        (["solve", "kuhn", "--save", "/no/k.npz"], "--save: folder /no does not exist."),
        (["solve"], f"the following arguments are required: GAME{SEE_SOLVE}"),
        (
            ["match", "zero", "random", "--gmae=kuhn", ""],
            "unrecognized arguments: --gmae=kuhn ''; did you mean --game? (see sog match --help)",
        ),
        (
            ["solv", "leduc"],
            "argument COMMAND: invalid choice: 'solv'; did you mean solve? (see sog --help)",
        ),
        (
            ["solve", "kuhn", "--until-mbb", "1e300"],
            f"argument --until-mbb: must be at most 1e+18, got 1e300{SEE_SOLVE}",
        ),
        (["exploitability", "kuhn", "."], ". is a folder; a file is needed."),
        (["play", "", "--game", "kuhn"], f"'' is not a player: {PLAYERS}"),
        (["play", "RANDOM", "--game", "kuhn"], "'RANDOM' is not a player: did you mean random?"),
        (
            ["match", "goofspiel", "random"],
            "'goofspiel' is not a player: it is a game, which --game goofspiel sets.",
        ),
        (["configs", ""], f"'' is not a configuration; {CONFIGS}"),
        (
            ["play", "kuhn", "--map", "own.csv"],
            "unrecognized arguments: --map own.csv; as a parameter of a game, write it in "
            'parentheses: "GAME(map=...)" (see sog play --help)',
        ),
        (
            ["train", "kuhn", "--seed", "5"],
            "unrecognized arguments: --seed 5; to change a value of the configuration: --set "
            "PART.NAME=VALUE (see sog train --help)",
        ),
        (
            ["train", "kuhn", "--tensorbord"],
            "unrecognized arguments: --tensorbord; did you mean --tensorboard? "
            "(see sog train --help)",
        ),
        (  # not --svg
            ["policy", "kuhn", "--csv", "k.csv"],
            "unrecognized arguments: --csv k.csv (see sog policy --help)",
        ),
        (
            ["solve", "k.npz"],
            "k.npz is a policy file, where a game is needed; `sog policy k.npz` and `sog explain "
            "k.npz` take one.",
        ),
        (
            ["games", "leduc(rank=4)"],
            "leduc: unknown parameter 'rank'; its parameters: ranks, suits, first_raise, "
            "second_raise, max_raises, suit_isomorphism; did you mean ranks?",
        ),
        (["methods", "cfr+"], "unknown method 'cfr+': a rule of CFR is typed tabular(rule=cfr+)."),
        (
            ["match", "CFR", "random", "--game", "kuhn"],
            "'CFR' is not a player: a rule of CFR is typed tabular(rule=cfr).",
        ),
        (
            ["match", "k.npz", "random", "--game", "kuhn"],
            "'k.npz' is not a player: policy:k.npz plays a policy file, sog policy k.npz shows it.",
        ),
        *(
            (
                [command, "london"],
                "london is made for search, too large to enumerate. Without a tree: `sog search "
                "--evaluator zero`, `sog evaluate RUN --cdbr`, and the player zero of `sog match` "
                "and `sog play`. For a small variant of it: --max-nodes N.",
            )
            for command in ("solve", "policy", "explain", "evaluate")
        ),
        (
            ["solve", "holdem"],
            "holdem is made for search, too large to enumerate. With a board it is a spot: `sog "
            'solve "holdem(board=KsTh7s4d,pot=100,stack=200)"`. Without: `sog search agent:holdem` '
            "shows a decision, `sog evaluate agent:holdem --lbr` bounds a player's "
            "exploitability from below. For a small variant of it: --max-nodes N.",
        ),
        (["replay", "no.json"], "no.json: No such file or directory."),
    ],
)
def test_a_mistake_is_told_in_one_line(
    sog: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sog(*arguments) == (2, "", f"sog: error: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_regular_file_is_never_replaced(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # names of sockets must be short
    with socket.socket(socket.AF_UNIX) as device:
        device.bind("device.npz")
    message = "sog: error: --save: device.npz is not a regular file.\n"
    assert sog("solve", "kuhn", "--save", "device.npz") == (2, "", message)
    assert Path("device.npz").is_socket()


@pytest.mark.parametrize("ending", FIRST_BYTES)
def test_a_file_of_another_kind_is_never_replaced(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"mine{ending}"
    file.write_bytes(FIRST_BYTES[ending])
    with pytest.raises(CommandError, match=r"^--out: .*mine.* is not replaced, since it holds"):
        check_target("--out", file, [ending])
    assert file.read_bytes() == FIRST_BYTES[ending]
    file.write_bytes(b"")
    check_target("--out", file, [ending])
    check_target("--out", tmp_path / f"new{ending.upper()}", [ending])
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]


def test_a_tree_that_is_too_large_is_told_with_the_count_reached(sog: Run) -> None:
    assert refusal(sog, "solve", "kuhn", "--max-nodes", "8", notes=True) == (
        "the public tree of kuhn(ranks=3) has more than max_nodes = 8 nodes "
        "(reached 9 at depth 3). A higher limit: --max-nodes N."
    )


def test_no_higher_limit_is_suggested_for_a_tree_that_no_memory_holds(sog: Run) -> None:
    message = refusal(sog, "solve", "connect_four", "--max-nodes", "100", notes=True)
    assert (
        "has more than max_nodes = 100 nodes (reached 400 at depth 3). It has some 1e+" in message
    )
    assert message.endswith(
        " nodes, too many for memory. Without a tree: `sog search --evaluator zero`, `sog "
        "evaluate RUN --cdbr`, and the player zero of `sog match` and `sog play`."
    )


@pytest.mark.parametrize(
    "error", [MemoryError(), jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: 8 GiB")]
)
def test_running_out_of_memory_is_told_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(arguments: object) -> int:
        raise error

    monkeypatch.setattr("sog.cli.games.run", fail)
    message = "out of memory; try a smaller game, fewer simulations, or smaller batches."
    assert sog("games") == (2, "", f"sog: error: {message}\n")


def test_a_limit_of_memory_in_which_jax_ends_the_process_is_refused(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (1_500_000 * 1024, -1))
    assert refusal(sog, "solve", "kuhn") == (
        "JAX needs 2,097,152 kB of memory, and this process may take 1,500,000: raise "
        "the limit, `ulimit -v`."
    )


def test_a_line_of_stdin_without_end_is_not_kept(tmp_path: Path) -> None:
    """Read by a thread; what came before it is answered."""
    (tmp_path / "lines").write_bytes(b"name\n" + b"x" * 2**21)
    with (tmp_path / "lines").open("rb") as file:
        heard = LineInput(_lines_of(file.fileno()))
        assert heard.next() == "name"
        with pytest.raises(CommandError, match="stdin: a line may have at most 1,048,576 bytes"):
            heard.next()
        assert heard.next() is None


@pytest.mark.parametrize(
    ("batch_size", "advice"),
    [
        ("2", "try a --batch-size below 2."),
        ("1", "try a smaller game, fewer simulations, or smaller batches."),
    ],
)
def test_an_evaluation_that_runs_out_of_memory_names_the_batch_if_it_can_be_smaller(
    sog: Run, monkeypatch: pytest.MonkeyPatch, batch_size: str, advice: str
) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: 8 GiB")

    monkeypatch.setattr("sog.cli.evaluate.compose", fail)
    assert (
        refusal(sog, "evaluate", "kuhn", "--search", "10,1", "--batch-size", batch_size, notes=True)
        == f"out of memory; {advice}"
    )


def test_a_missing_package_is_told_with_how_to_get_it(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = "--plot needs matplotlib: pip install 'sog[plot]'."
    assert sog("solve", "kuhn", "--plot", "kuhn.png") == (2, "", f"sog: error: {message}\n")


def test_nobody_reading_is_no_mistake(
    start: "Callable[..., subprocess.Popen[str]]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # what is buffered can fail twice
    process = start("games", "kuhn")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == "sog: counting public states\n"
    assert process.wait(timeout=60) == 141
    process.stderr.close()


@pytest.mark.parametrize("said", ["0", "-2", "two", ""])
def test_impossible_numbers_of_devices_are_refused_in_one_line(
    sog: Run, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", said)
    assert (
        refusal(sog, "evaluate", "kuhn")
        == f"JAX_NUM_CPU_DEVICES must be an integer >= 1, got '{said}'."
    )
