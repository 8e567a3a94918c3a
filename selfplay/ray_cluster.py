"""Ray, started on this machine for one run, or joined where it runs already.

What Ray starts by itself answers to every machine of the network, and whoever reaches it can run
code. Ours listens to this machine only and asks for a token that is drawn at random; its folder,
with sockets and logs, belongs to the user alone and is removed at the end.
"""

import contextlib
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
_CACHE: Final = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


@contextlib.contextmanager
def ray_cluster(address: str | None, num_workers: int | None) -> Iterator[int]:
    """Connects to Ray in its body; yields how many workers there are to be.

    address: of a cluster that runs; None starts one here, for this run only. num_workers: None for
    one per core. The user's own RAY_AUTH_MODE and RAY_AUTH_TOKEN are respected. Raises ValueError,
    in one line, if there is no such cluster, or if it has too few cores.
    """
    # Read by Ray when it is imported or started, and once for all: they stay.
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with contextlib.ExitStack() as stack:
        if address is None:
            _start(stack, num_workers)
        else:
            _join(stack, address)
        cores = int(_ray().cluster_resources().get("CPU", 0))
        wanted = cores if num_workers is None else num_workers
        if not 1 <= wanted <= cores:
            raise ValueError(f"workers must be from 1 to the {cores} cores of Ray, got {wanted}.")
        yield wanted


def _ray() -> Any:
    return importlib.import_module("ray")  # optional, and takes half a second


def _start(stack: contextlib.ExitStack, num_workers: int | None) -> None:
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    # The only way to make all of Ray take the loopback address as its own; else it replaces that,
    # also where it was told so, by one that others can reach.
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    folder = Path(tempfile.mkdtemp(prefix="sog-ray-"))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    _connect(
        stack,
        address="local",
        num_cpus=num_workers,
        include_dashboard=False,
        runtime_env={"env_vars": _worker_environment() | _cache_environment()},
        _temp_dir=str(
            folder / "ray"
        ),  # Ray opens this one, but not the one around it, to everybody
    )
    own_address = _ray().util.get_node_ip_address()
    if not ipaddress.ip_address(own_address).is_loopback:
        raise ValueError(
            f"Ray {_ray().__version__} listens on {own_address} although it was told to stay on "
            "this machine; start it yourself (ray start --head) and give its address."
        )


def _join(stack: contextlib.ExitStack, address: str) -> None:
    try:
        _knock(address)
        _connect(stack, address=address, runtime_env={"env_vars": _worker_environment()})
    except (OSError, RuntimeError, ValueError, _ray().exceptions.RayError) as error:
        why = getattr(error, "strerror", None) or " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"cannot join Ray at {address}: {why}.") from None


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


def _cache_environment() -> dict[str, str]:
    """JAX's compilation cache, as it is set up in this process."""
    values = {name: getattr(jax.config, name) for name in _CACHE}
    return {name.upper(): str(value) for name, value in values.items() if value is not None}
