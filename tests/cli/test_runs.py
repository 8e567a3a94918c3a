"""Run folders on the command line: what is said where one is meant, and where none can be."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

RUN = "runs/my_run"
NEEDS_A_GAME = (
    f"{RUN} is a run folder, where a game is needed; `sog evaluate {RUN}` and `sog play {RUN}` "
    f"take one."
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, with one run in it that has no checkpoint."""
    monkeypatch.chdir(tmp_path)
    for name in ("my_run", "kuhn"):
        Path("runs", name).mkdir(parents=True)
        Path("runs", name, "config.toml").write_text('game = "kuhn"\n')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "my_run"], f"my_run is neither a game nor a run folder: did you mean {RUN}?"),
        (
            ["search", "run/my_run@8"],
            f"run/my_run@8 is neither a game nor a run folder: did you mean {RUN}@8?",
        ),
        (["play", "my_run"], f"'my_run' is not a player: did you mean {RUN}?"),
        (["match", "random", "my_run@8"], f"'my_run@8' is not a player: did you mean {RUN}@8?"),
        (["plot", "my_run"], f"run folder my_run does not exist: did you mean {RUN}?"),
    ],
)
def test_a_run_is_suggested_by_its_name(sog: Run, arguments: list[str], message: str) -> None:
    assert sog(*arguments) == (2, "", f"sog: error: {message}\n")


@pytest.mark.parametrize("command", ["evaluate", "explain", "policy", "search"])
def test_a_folder_that_is_no_run_is_never_taken_for_a_game(sog: Run, command: str) -> None:
    Path("empty").mkdir()
    says = "sog: error: empty is not a run folder: it has no config.toml.\n"
    assert sog(command, "empty") == sog(command, "./empty") == (2, "", says)


def test_a_game_is_meant_though_a_run_is_called_like_it(sog: Run) -> None:
    code, _, err = sog("search", "kuhn", "--history", "raise")
    assert code == 2
    assert err.startswith("sog: error: --history: event 1, 'raise', cannot happen at 'start")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", RUN], NEEDS_A_GAME),
        (["games", RUN], NEEDS_A_GAME),
        (["match", "random", "random", "--game", RUN], NEEDS_A_GAME),
        (
            ["exploitability", "kuhn", RUN],
            f"{RUN} is a run folder; `sog evaluate {RUN}` says how exploitable its agent is.",
        ),
        (
            ["train", RUN],
            f"{RUN} is a run folder, not a configuration; to resume it: "
            f"`sog train {RUN}/config.toml --run {RUN}`.",
        ),
        (
            ["search", RUN, "--evaluator", "zero"],
            "--evaluator has no effect on a run folder, which has a network.",
        ),
        (["search", "runs/no"], "there is not a run folder runs/no; `sog train` makes one."),
    ],
)
def test_what_a_run_cannot_be_used_for_is_told(
    sog: Run, arguments: list[str], message: str
) -> None:
    assert sog(*arguments) == (2, "", f"sog: error: {message}\n")
