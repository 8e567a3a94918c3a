"""What is left of Ray when a process is killed; without Ray itself."""

import fcntl
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from selfplay.ray_cluster import ray_cluster, remove_leftovers


def test_folders_of_killed_processes_go_and_all_others_stay(tmp_path: Path) -> None:
    folders = [tmp_path / f"sog-ray-{name}" for name in ("killed", "used", "new", "linked")]
    killed, used, new, linked = folders
    for folder in (killed, used):
        (folder / "ray" / "logs").mkdir(parents=True)
    new.mkdir()  # its process is about to lock it
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "ray").mkdir(parents=True)
    linked.symlink_to(elsewhere)
    lock = os.open(used, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        remove_leftovers(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([elsewhere, used, new, linked])
    finally:
        os.close(lock)
    remove_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([elsewhere, new, linked])
    assert (elsewhere / "ray").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_agents_that_outlived_a_killed_process_are_killed(tmp_path: Path) -> None:
    (tmp_path / "sog-ray-killed" / "ray").mkdir(parents=True)
    wait = [sys.executable, "-c", "print(flush=True); input()"]

    def start(folder: Path) -> "subprocess.Popen[bytes]":
        environment = os.environ | {"SOG_RAY_FOLDER": str(folder)}
        pipe = subprocess.PIPE
        process = subprocess.Popen(wait, stdin=pipe, stdout=pipe, env=environment)
        assert process.stdout is not None
        process.stdout.readline()
        return process

    with start(tmp_path / "sog-ray-killed") as agent, start(tmp_path / "sog-ray-kill") as other:
        try:
            remove_leftovers(tmp_path)
            assert agent.wait(timeout=60) == -9
            assert other.poll() is None
        finally:
            agent.kill()
            other.kill()
    assert not any(tmp_path.iterdir())


def test_ray_that_does_not_start_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no room for sockets\n" + "*** StackTrace ***\n" * 60)

    for name in ("AUTH_MODE", "AUTH_TOKEN", "USAGE_STATS_ENABLED", "ENABLE_WINDOWS_OR_OSX_CLUSTER"):
        monkeypatch.setenv(f"RAY_{name}", "0")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ray = SimpleNamespace(exceptions=SimpleNamespace(RayError=OSError))
    monkeypatch.setattr("selfplay.ray_cluster._ray", lambda: ray)
    monkeypatch.setattr("selfplay.ray_cluster._connect", fail)
    match = r"^cannot start Ray: no room for sockets \*\*\*"
    with pytest.raises(ValueError, match=match) as error, ray_cluster(None, 1):
        pass
    assert len(str(error.value)) < 350
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())
