"""Ray, started on this machine for one run, or joined where it runs already.

What Ray starts by itself answers to every machine of the network, and whoever reaches it can run
code. Ours listens to this machine only and asks for a token that is drawn at random; its folder,
with sockets and logs, belongs to the user alone and is removed at the end, or when the next one is
started if this process was killed.
"""

import contextlib
import fcntl
import importlib
import ipaddress
import os
import secrets
import shutil
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jax

_ONE_THREAD: Final = {
    "NPROC": "1",
    "JAX_NUM_CPU_DEVICES": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}
"""A worker per core is faster than one worker on all of them, unless each starts as many threads
as there are cores."""
_KNOCK_SECONDS: Final = 10.0
_MOST_SHOWN: Final = 300
"""Characters of an error: some of Ray's have all that was called in C++."""
_CACHE: Final = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


_FOLDER: Final = "sog-ray-"
_RAY: Final = "ray"
_MARK: Final = "SOG_RAY_FOLDER"
"""In the environment of all that Ray starts; some of it changes its command line."""


@contextlib.contextmanager
def ray_cluster(address: str | None, num_workers: int | None) -> Iterator[int]:
    """Connects to Ray in its body, which gets the number of workers that there are to be.

    address: of a cluster that runs; None starts one here, for this run only. num_workers: None for
    one per core. The user's own RAY_AUTH_MODE and RAY_AUTH_TOKEN are respected. Raises ValueError,
    in one line, if there is no such cluster, or if it has too few cores.
    """
    # Read by Ray when it is imported or started, and once for all: they stay.
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with contextlib.ExitStack() as stack:
        what = "start Ray" if address is None else f"join Ray at {address}"
        try:
            if address is None:
                _start(stack, num_workers)
            else:
                _knock(address)
                _connect(stack, address=address, runtime_env={"env_vars": _worker_environment()})
        except (OSError, RuntimeError, ValueError, _ray().exceptions.RayError) as error:
            why = getattr(error, "strerror", None) or " ".join(str(error).split()).rstrip(".")
            raise ValueError(f"cannot {what}: {why[:_MOST_SHOWN]}.") from None
        cores = int(_ray().cluster_resources().get("CPU", 0))
        wanted = cores if num_workers is None else num_workers
        if not 1 <= wanted <= cores:
            raise ValueError(f"workers must be from 1 to the {cores} cores of Ray, got {wanted}.")
        yield wanted


def _ray() -> Any:
    return importlib.import_module("ray")  # optional, and takes half a second


def _start(stack: contextlib.ExitStack, num_workers: int | None) -> None:
    remove_leftovers(Path(tempfile.gettempdir()))
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    # The only way to make all of Ray take the loopback address as its own; else it replaces that,
    # also where it was told so, by one that others can reach.
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    stack.callback(os.close, _lock(folder))
    os.environ[_MARK] = str(folder)
    try:
        _connect(
            stack,
            address="local",
            num_cpus=num_workers,
            include_dashboard=False,
            runtime_env={"env_vars": _worker_environment() | cache_environment()},
            # Ray opens this one, but not the one around it, to everybody.
            _temp_dir=str(folder / _RAY),
        )
    finally:
        del os.environ[_MARK]
    own_address = _ray().util.get_node_ip_address()
    if not ipaddress.ip_address(own_address).is_loopback:
        raise ValueError(
            f"Ray {_ray().__version__} listens on {own_address} although it was told to stay on "
            "this machine; start it yourself (ray start --head) and give its address."
        )


def remove_leftovers(parent: Path) -> None:
    """Removes what killed processes left of their Ray: its folder, and agents that outlive it."""
    for folder in parent.glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError):  # in use, or of another user
            if not (folder / _RAY).is_dir():  # perhaps of a process that is just about to lock it
                continue
            lock = _lock(folder)
            _kill_marked(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _lock(folder: Path) -> int:
    """Locks a folder until the answer, an open file, is closed; OSError if somebody else does."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        raise
    return number


def _kill_marked(folder: Path) -> None:
    """Kills the processes of a folder; only Linux tells which these are."""
    mark = f"{_MARK}={folder}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # of another user, or at its end
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def _knock(address: str) -> None:
    """Raises OSError or ValueError if nobody answers; Ray would try for many minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("the address must be HOST:PORT")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_SECONDS):
        pass


def _connect(stack: contextlib.ExitStack, **options: Any) -> None:
    ray = _ray()
    stack.callback(ray.shutdown)
    with _sigterm_as_before(), warnings.catch_warnings():
        # JAX warns of every fork; those of Ray become other programs at once.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        ray.init(**options, log_to_driver=False, logging_level="error")


@contextlib.contextmanager
def _sigterm_as_before() -> Iterator[None]:
    """Ray takes the handler of SIGTERM for itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _worker_environment() -> dict[str, str]:
    flags = f"{os.environ.get('XLA_FLAGS', '')} {_ONE_THREAD['XLA_FLAGS']}".strip()
    return _ONE_THREAD | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}


def cache_environment() -> dict[str, str]:
    """JAX's compilation cache, as it is set up in this process."""
    values = {name: getattr(jax.config, name) for name in _CACHE}
    return {name.upper(): str(value) for name, value in values.items() if value is not None}
