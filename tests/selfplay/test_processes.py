"""The processes schedule, from the command line to its workers and their deaths, on Ray."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from selfplay.runs.checkpoint import checkpoint_steps, load_checkpoint
from selfplay.runs.metrics import read_metrics
from sog.play.arena import play_match
from sog.players.alphazero_agent import AlphaZeroAgent
from sog.players.seating import seat
from tests.waiting import PATIENCE, wait_until

pytest.importorskip("ray", reason="needs the extra `processes`")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

CONFIG: Final = """
game = "kuhn"
network = { width = 4, depth = 1 }
search = { num_simulations = 2 }
selfplay = { batch_size = 4, td1 = 0.5 }
solver = { batch_size = 4, search = { num_simulations = 2 } }
replay = { size = 256, least = 16 }
learner = { batch_size = 8 }
run = { steps = 1_000_000, checkpoint_every = 50 }
"""
ALPHAZERO: Final = """
game = "tic_tac_toe"
algorithm = "alphazero"
network = { width = 4, depth = 1 }
search = { num_simulations = 2 }
selfplay = { batch_size = 4 }
replay = { size = 256, least = 16 }
learner = { batch_size = 8 }
run = { steps = 60, checkpoint_every = 20 }
"""
CLUSTER: Final = """
import sys
from ray.cluster_utils import Cluster
cluster = Cluster()
for _ in range(2):
    cluster.add_node(num_cpus=1, include_dashboard=False)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""
STRANGER: Final = """
import sys
import ray
ray.init(address=sys.argv[1], log_to_driver=False)
"""


@contextlib.contextmanager
def training(
    folder: Path, *options: str, config: str = CONFIG, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    """Runs `sog train`; its process group is killed at the end, if it is still there."""
    (folder / "tiny.toml").write_text(config)
    command = [sys.executable, "-m", "sog", "train", str(folder / "tiny.toml")]
    command += ["--run", str(folder / "run"), "--schedule", "processes", "--json", *options]
    with (
        (folder / "stderr").open("a") as errors,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(
    condition: Callable[[], bool], folder: Path, process: subprocess.Popen[str] | None = None
) -> None:
    """Fails with what the run said if it takes too long, or if its process is at its end."""

    def holds() -> bool:
        assert process is None or process.poll() is None, (folder / "stderr").read_text()
        return condition()

    wait_until(holds, (folder / "stderr").read_text)


def newest(folder: Path) -> int:
    """The step of the newest checkpoint; -1 if there is none."""
    return max(checkpoint_steps(folder / "run" / "checkpoints"), default=-1)


def descendants(root: int) -> dict[int, tuple[int, str]]:
    """The processes below one: their parents and command lines."""
    listing = subprocess.check_output(["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], text=True)
    fields = [line.split(None, 2) for line in listing.splitlines()]
    every = {int(pid): (int(parent), args) for pid, parent, args in fields}
    below = {root}
    while found := {pid for pid, (parent, _) in every.items() if parent in below} - below:
        below |= found
    return {pid: every[pid] for pid in below - {root} if pid in every}


def workers(root: int) -> dict[int, int]:
    """The worker processes below one, and their parents."""
    found = descendants(root).items()
    return {pid: parent for pid, (parent, args) in found if args.startswith("ray::Worker")}


def ray_option(name: str, root: int) -> str:
    """An option that Ray's daemon below a process was started with."""
    daemon = next(args for _, args in descendants(root).values() if "/raylet " in args)
    found = re.search(rf"--{name}=(\S+)", daemon)
    assert found is not None, daemon
    return found[1]


def token_of(root: int) -> str:
    """What Ray's daemon below a process asks others for."""
    daemon = next(pid for pid, (_, args) in descendants(root).items() if "/raylet " in args)
    found = re.search(r"(?:^|\0)RAY_AUTH_TOKEN=(\w+)", Path(f"/proc/{daemon}/environ").read_text())
    assert found is not None
    return found[1]


def can_join(address: str, **environment: str) -> bool:
    """Whether a stranger on this machine is let in."""
    stranger = subprocess.run(
        [sys.executable, "-c", STRANGER, address],
        env=os.environ | {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"} | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return stranger.returncode == 0


def listening_addresses(pids: set[int]) -> set[str]:
    """The addresses that processes accept connections at, in the hexadecimal of /proc."""
    inodes = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for file in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    inodes |= set(re.findall(r"socket:\[(\d+)\]", str(file.readlink())))
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes}


def stop(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


def test_workers_train_on_a_ray_that_nobody_else_can_reach(tmp_path: Path) -> None:
    with training(tmp_path, "--workers", "2") as process:
        wait_for(lambda: newest(tmp_path) >= 100, tmp_path, process)
        found = descendants(process.pid)
        assert len(workers(process.pid)) == 2
        loopback = {"0100007F", "0000000000000000FFFF00000100007F"}  # 127.0.0.1, as IPv6 as well
        addresses = listening_addresses({process.pid, *found})
        assert addresses
        assert addresses <= loopback
        address = ray_option("gcs-address", process.pid)
        token = token_of(process.pid)
        assert len(token) == 64
        assert can_join(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=token)
        assert not can_join(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64)
        assert not can_join(address, RAY_AUTH_MODE="disabled")
        private = Path(ray_option("temp-dir", process.pid)).parent
        assert private.stat().st_mode & 0o077 == 0
        code, output = stop(process)
    assert code == 128 + signal.SIGTERM
    assert output.startswith("{")
    assert output.count("\n") == 1  # one JSON object, and nothing of Ray's
    assert not private.exists()
    lines = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert lines[-1]["searches"] > 0
    assert lines[-1]["solves"] > 0


def test_alphazero_is_trained_by_workers_goes_on_and_plays_by_its_own_search(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mctx")
    for steps in (60, 80):
        options = ("--workers", "1", "--set", f"run.steps={steps}")
        with training(tmp_path, *options, config=ALPHAZERO) as process:
            process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, (tmp_path / "stderr").read_text()
        assert newest(tmp_path) == steps
    lines = read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert lines[-1]["games"] > lines[0]["games"] == 0
    assert lines[-1]["solves"] == lines[-1]["queue"] == 0  # nothing is asked to be solved
    texts = [f"{tmp_path / 'run'}?search=2,1", f"{tmp_path / 'run'}@60?search=2,1"]
    seating = seat(texts)
    first, second = (player.make for player in seating.players)
    assert isinstance(first(0, 0), AlphaZeroAgent)
    assert play_match(seating.game, first, second, num_games=2).num_games == 2


def test_a_worker_that_is_killed_is_replaced(tmp_path: Path) -> None:
    with training(tmp_path, "--workers", "2") as process:
        wait_for(lambda: newest(tmp_path) >= 50, tmp_path, process)
        before = set(workers(process.pid))
        os.kill(min(before), signal.SIGKILL)
        wait_for(lambda: len(set(workers(process.pid)) - before) == 1, tmp_path, process)
        step = newest(tmp_path)
        wait_for(lambda: newest(tmp_path) >= step + 100, tmp_path, process)
        code, output = stop(process)
    assert code == 128 + signal.SIGTERM
    assert output.count("\n") == 1
    assert "sog: a worker died and is replaced" in (tmp_path / "stderr").read_text()


def test_a_killed_run_takes_ray_with_it_and_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    with training(tmp_path, "--workers", "1") as process:
        wait_for(lambda: newest(tmp_path) >= 100, tmp_path, process)
        found = descendants(process.pid)
        left_behind = Path(ray_option("temp-dir", process.pid)).parent
        process.kill()
        for pid, (parent, _) in found.items():  # what is connected to Ray, too
            if parent == process.pid:
                os.kill(pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    assert left_behind.exists()
    step = newest(tmp_path)
    searches = load_checkpoint(tmp_path / "run" / "checkpoints").meta["counts"]["searches"]
    with training(tmp_path, "--workers", "1", "--set", f"run.steps={step + 20}") as process:
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found), tmp_path)
        output, _ = process.communicate(timeout=PATIENCE)
    assert not left_behind.exists()
    assert process.returncode == 0
    assert f"resuming from the checkpoint of step {step:,}" in (tmp_path / "stderr").read_text()
    found_last = load_checkpoint(tmp_path / "run" / "checkpoints")
    assert found_last.step == step + 20
    assert found_last.meta["counts"]["searches"] > searches
    assert f'"step": {step + 20}' in output


def test_ray_goes_when_only_the_command_is_killed(tmp_path: Path) -> None:
    with training(tmp_path, "--workers", "1") as process:
        wait_for(lambda: newest(tmp_path) >= 0 and bool(workers(process.pid)), tmp_path, process)
        found = descendants(process.pid)
        folder = Path(ray_option("temp-dir", process.pid)).parent
        process.kill()
        process.wait(timeout=PATIENCE)
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found), tmp_path)
    wait_for(lambda: not folder.exists(), tmp_path)


def kill(root: int, *names: str) -> None:
    """Kills processes below one by what is in their command lines."""
    found = descendants(root).items()
    for name in names:
        (pid,) = [pid for pid, (_, args) in found if name in args]
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "daemon",
    [
        "/raylet ",
        "/gcs_server ",  # found out after a minute
        "selfplay.remote_object",  # no daemon: what is connected to Ray
    ],
)
def test_a_run_whose_ray_dies_is_saved_and_ends_in_one_line(daemon: str, tmp_path: Path) -> None:
    with training(tmp_path, "--workers", "1", "--set", "run.checkpoint_every=1_000_000") as process:
        metrics = tmp_path / "run" / "metrics.jsonl"
        wait_for(lambda: any(x["step"] > 0 for x in read_metrics(metrics)), tmp_path, process)
        step = read_metrics(metrics)[-1]["step"]
        folder = Path(ray_option("temp-dir", process.pid)).parent
        kill(process.pid, daemon)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    said = (tmp_path / "stderr").read_text()
    assert said.splitlines()[-1].startswith("sog: error: Ray ended, as it does when one of its")
    assert all(line.startswith("sog: ") for line in said.splitlines())
    assert newest(tmp_path) >= step > 0
    assert not folder.exists()


def test_a_run_goes_on_without_the_daemons_that_it_does_not_need(tmp_path: Path) -> None:
    with training(tmp_path, "--workers", "1") as process:
        wait_for(lambda: newest(tmp_path) >= 50, tmp_path, process)
        kill(process.pid, "/dashboard/dashboard.py", "/log_monitor.py", "/autoscaler/")
        step = newest(tmp_path)
        wait_for(lambda: newest(tmp_path) >= step + 100, tmp_path, process)
        code, _ = stop(process)
    assert code == 128 + signal.SIGTERM


def test_a_mistake_that_a_worker_finds_ends_the_run_in_one_line(tmp_path: Path) -> None:
    # A bet and the answer are two events between two decisions of a player.
    with training(tmp_path, "--workers", "1", "--set", "selfplay.max_events=1") as process:
        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert output == ""
    last = (tmp_path / "stderr").read_text().splitlines()[-1]
    assert last.startswith("sog: error: selfplay: max_events must be larger in kuhn")


def test_an_address_without_ray_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        token = {"RAY_AUTH_TOKEN": "1" * 64}
        with training(tmp_path, "--ray-address", address, **token) as process:
            process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    last = (tmp_path / "stderr").read_text().splitlines()[-1]
    assert last == f"sog: error: cannot join Ray at {address}: Connection refused."


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, str]]:
    """Two Ray nodes of one core each: the process that they are below, and their address."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "2" * 64)
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # see `selfplay.ray_cluster`
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.pid, process.stdout.readline().strip()
        finally:
            process.stdin.close()


def test_two_nodes_of_a_cluster_work_for_one_run(cluster: tuple[int, str], tmp_path: Path) -> None:
    root, address = cluster
    with training(tmp_path, "--ray-address", address) as process:
        wait_for(lambda: newest(tmp_path) >= 100, tmp_path, process)
        parents = list(workers(root).values())
        assert len(parents) == 2
        assert len(set(parents)) == 2  # a worker below each node's own daemon
        code, _ = stop(process)
    assert code == 128 + signal.SIGTERM
    wait_for(lambda: not workers(root), tmp_path)  # the cluster is left as it was
    with training(tmp_path, "--ray-address", address, "--workers", "3") as process:
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    last = (tmp_path / "stderr").read_text().splitlines()[-1]
    assert last == "sog: error: workers must be from 1 to the 2 cores of Ray, got 3."
