import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
SCRIPT = CHECKOUT / "scripts" / "torture.py"


@pytest.mark.slow
def test_a_minute_of_kills_and_damages_loses_nothing(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    command = [sys.executable, str(SCRIPT), "--minutes", "1", "--json-out", str(found)]
    torture = subprocess.run(command, capture_output=True, text=True, check=False)
    assert torture.returncode == 0, torture.stdout + torture.stderr
    summary = json.loads(found.read_text())
    assert summary["failures"] == []
    assert sum(summary["counts"]["killed"].values()) > 0
    assert sum(summary["counts"]["damaged at rest"].values()) > 0


def test_in_the_background_of_a_shell_it_hears_interrupts_all_the_same(tmp_path: Path) -> None:
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
    with subprocess.Popen(
        [*ignoring, sys.executable, str(SCRIPT), "--minutes", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        text=True,
        start_new_session=True,
    ) as torture:
        try:
            assert torture.stdout is not None
            assert torture.stdout.readline().endswith("training undisturbed\n")
            torture.send_signal(signal.SIGINT)
            assert torture.wait(timeout=60) == -signal.SIGINT
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(torture.pid, signal.SIGKILL)  # with the run that it has begun
