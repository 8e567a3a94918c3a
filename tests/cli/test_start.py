import subprocess
import sys
from pathlib import Path

import pytest

from sog import __version__
from tests.cli.conftest import Run, Start, output

HEAVY = "{'jax', 'numpy', 'scipy', 'rich', 'matplotlib', 'sog.games', 'sog.tabular'}"


def loaded_by(*arguments: str) -> str:
    """The exit code of a command, and what it loaded of what takes long."""
    code = (
        "import sys\nfrom sog.cli.main import main\n"
        f"code = main({arguments})\nprint(code, sorted({HEAVY} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["solve", "--help"], ["policy", "--help"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    assert loaded_by(*arguments) == "0 []"


@pytest.mark.parametrize("arguments", [["games"], ["games", "--json"], ["configs"]])
def test_lists_load_nothing_but_what_draws_tables(arguments: list[str]) -> None:
    assert loaded_by(*arguments) == "0 ['rich']"


def test_help_teaches_by_example(sog: Run) -> None:
    for command in (
        [],
        ["games"],
        ["solve"],
        ["exploitability"],
        ["search"],
        ["evaluate"],
        ["policy"],
        ["explain"],
    ):
        out = output(sog, *command, "--help")
        assert "examples:\n  sog " in out


def test_the_version_is_that_of_the_package(sog: Run) -> None:
    assert sog("--version") == (0, f"sog {__version__}\n", "")


def run_with_cache(
    start: Start, monkeypatch: pytest.MonkeyPatch, folder: str
) -> tuple[int, str, str]:
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR")
    monkeypatch.delenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS")
    monkeypatch.setenv("SOG_CACHE_DIR", folder)
    process = start("games", "rps")
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_compiled_programs_are_kept_in_the_cache_folder(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, _, err = run_with_cache(start, monkeypatch, str(tmp_path / "cache"))
    assert code == 0, err
    assert any("visit_chunk" in entry.name for entry in (tmp_path / "cache" / "xla").iterdir())


def test_programs_that_others_could_have_put_there_are_not_run(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "xla").mkdir()
    (tmp_path / "xla").chmod(0o777)
    code, _, err = run_with_cache(start, monkeypatch, str(tmp_path))
    assert code == 0
    assert err.startswith("sog: compiled programs are not cached, so the next run starts as")
    assert f"{tmp_path}/xla: Others may write there, or own it" in err
    assert not list((tmp_path / "xla").iterdir())


@pytest.mark.parametrize("wanted", ["file/cache", ""])
def test_a_cache_folder_that_cannot_be_written_is_told_and_done_without(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wanted: str
) -> None:
    (tmp_path / "file").touch()
    folder = wanted and str(tmp_path / wanted)
    code, out, err = run_with_cache(start, monkeypatch, folder)
    assert code == 0
    assert "public states" in out
    says = (
        f"sog: compiled programs are not cached, so the next run starts as slowly: "
        f"{folder}/xla: Not a directory. SOG_CACHE_DIR names another folder.\n"
    )
    assert err == f"{says if wanted else ''}sog: counting public states\n"
