"""Starts JAX for a command: its compilation cache, and its devices."""

import os

import jax

from sog.cli.compilation_cache import use_compilation_cache
from sog.cli.errors import CommandError
from sog.devices import use_all_cores, use_command_buffers
from sog.kept_programs import compile_quickly

_PLATFORMS = "JAX_PLATFORMS"


def start_jax(*, all_cores: bool = False, few_searches: bool = False) -> None:
    """Starts JAX; call it before any other use of JAX.

    all_cores: every core of the CPU is a device. few_searches: a user waits for a few searches, so
    they are compiled quickly (`sog.kept_programs`). Raises CommandError if there is no device of
    the kind that the user wants.
    """
    use_compilation_cache()
    compile_quickly(few_searches)
    # Results do not depend on JAX_ENABLE_X64: code that needs 64 bits enables them itself.
    jax.config.update("jax_enable_x64", False)
    use_command_buffers()
    if all_cores:
        use_all_cores()
    try:
        jax.devices()
    except (RuntimeError, AssertionError) as error:  # the latter has no message
        wanted = os.environ.get(_PLATFORMS)
        if not wanted:
            raise CommandError(f"JAX cannot start: {error}") from None
        raise CommandError(
            f"{_PLATFORMS} must name what JAX finds here ({_platforms()}), got '{wanted}'."
        ) from None


def _platforms() -> str:
    """The platforms that JAX finds by itself."""
    jax.config.update("jax_platforms", "")
    found = dict.fromkeys([jax.default_backend(), "cpu"])
    return ", ".join(found)
