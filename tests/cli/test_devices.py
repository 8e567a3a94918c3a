"""On a CPU every core is a device, unless the user has said otherwise."""

import os
import subprocess
import sys

import pytest

from sog.cli.devices import num_cores

PROGRAM = """
import jax
from sog.cli.devices import use_all_cores
use_all_cores()
print(jax.device_count())
"""


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, num_cores()),
        ({"JAX_NUM_CPU_DEVICES": "3"}, 3),
        ({"XLA_FLAGS": "--xla_force_host_platform_device_count=5"}, 5),
    ],
)
def test_cores_are_devices(said: dict[str, str], expected: int) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "JAX_NUM_CPU_DEVICES"}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**environment, "JAX_PLATFORMS": "cpu", **said},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(found.stdout) == expected
