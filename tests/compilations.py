"""Counts the programs that XLA compiles, or loads from its cache."""

import contextlib
from collections.abc import Iterator

import jax.monitoring

_COMPILED = "/jax/core/compile/backend_compile_duration"


@contextlib.contextmanager
def compiled_programs() -> Iterator[list[str]]:
    """A list to which the names of the programs are added that are compiled meanwhile."""
    names: list[str] = []

    def listen(event: str, duration_secs: float, **details: str | int) -> None:
        if event == _COMPILED:
            names.append(str(details.get("fun_name")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield names
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
