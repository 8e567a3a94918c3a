import json
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_minute_of_kills_and_damages_loses_nothing(tmp_path: Path) -> None:
    script = CHECKOUT / "scripts" / "torture.py"
    found = tmp_path / "found.json"
    command = [sys.executable, str(script), "--minutes", "1", "--json-out", str(found)]
    torture = subprocess.run(command, capture_output=True, text=True, check=False)
    assert torture.returncode == 0, torture.stdout + torture.stderr
    summary = json.loads(found.read_text())
    assert summary["failures"] == []
    assert sum(summary["counts"]["killed"].values()) > 0
    assert sum(summary["counts"]["damaged at rest"].values()) > 0
