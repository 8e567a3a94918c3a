"""Starts Ray on this machine for one run, or joins a running cluster.

By default, Ray's processes listen on the network, and any client can run code there. This one
listens on the loopback address only and requires a random token; its folder, with sockets and logs,
is accessible to the user only and is removed at the end, or by the next start if this process was
killed.
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
"""A worker per core is faster than one worker on all cores, unless each starts a thread per
core."""
_KNOCK_SECONDS: Final = 10.0
_MOST_SHOWN: Final = 300
"""Characters of an error: some of Ray's contain a C++ stack trace."""
_CACHE: Final = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


_FOLDER: Final = "sog-ray-"
_RAY: Final = "ray"
_MARK: Final = "SOG_RAY_FOLDER"
"""In the environment of all processes that Ray starts; some of them change their command line."""


@contextlib.contextmanager
def ray_cluster(address: str | None, num_workers: int | None) -> Iterator[int]:
    """A context connected to Ray; yields the number of workers to start.

    address: of a running cluster; None starts one here, for this run only. num_workers: None for
    one per core. The user's own RAY_AUTH_MODE and RAY_AUTH_TOKEN are respected. Raises ValueError,
    in one line, if there is no such cluster, or if it has too few cores.
    """
    # Ray reads them once, when it is imported or started: leave them set.
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
    # The only way to make all of Ray use the loopback address; otherwise it replaces that, even
    # where configured, by one that others can reach.
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
            # Ray makes this folder accessible to everybody, but not its parent.
            _temp_dir=str(folder / _RAY),
        )
    finally:
        del os.environ[_MARK]
    own_address = _ray().util.get_node_ip_address()
    if not ipaddress.ip_address(own_address).is_loopback:
        raise ValueError(
            f"Ray {_ray().__version__} listens on {own_address} although it was configured to stay "
            "on this machine; start it yourself (ray start --head) and give its address."
        )


def remove_leftovers(parent: Path) -> None:
    """Removes what killed processes left behind: Ray's folder, and agents that outlive it."""
    for folder in parent.glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError):  # in use, or of another user
            if not (folder / _RAY).is_dir():  # perhaps a process is about to lock it
                continue
            lock = _lock(folder)
            _kill_marked(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _lock(folder: Path) -> int:
    """Locks a folder until the returned open file is closed; raises OSError if it is locked."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(number)
        raise
    return number


def _kill_marked(folder: Path) -> None:
    """Kills the processes of a folder; only Linux can list them."""
    mark = f"{_MARK}={folder}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # another user's, or ending
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def _knock(address: str) -> None:
    """Raises OSError or ValueError if there is no answer; Ray would retry for many minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("the address must be HOST:PORT")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_SECONDS):
        pass


def _connect(stack: contextlib.ExitStack, **options: Any) -> None:
    ray = _ray()
    stack.callback(ray.shutdown)
    with _sigterm_as_before(), warnings.catch_warnings():
        # JAX warns of every fork; Ray's forks exec another program at once.
        warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
        ray.init(**options, log_to_driver=False, logging_level="error")


@contextlib.contextmanager
def _sigterm_as_before() -> Iterator[None]:
    """Restores the handler of SIGTERM, which Ray replaces."""
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
    """The environment variables for this process's JAX compilation cache."""
    values = {name: getattr(jax.config, name) for name in _CACHE}
    return {name.upper(): str(value) for name, value in values.items() if value is not None}
