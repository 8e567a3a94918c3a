"""Files of users are opened by `sog.files` alone, which is careful with what may lie there."""

import re
from pathlib import Path
from typing import Final

_OPENS: Final = re.compile(
    r"(?<!def )(?<![.\w])open\(|(?:os|path)\.open\(|np\.load\(|\.(?:read|write)_(?:text|bytes)\("
)
_OF_THE_SYSTEM: Final = {
    "selfplay/ray_cluster.py",
    "sog/devices.py",
    "sog/cli/main.py",
    "sog/openspiel/bounds.py",
    "sog/memory.py",
}
_INSTALLED_WITH_US: Final = {
    "selfplay/runs/config_files.py",
    "sog/players/shipped.py",
    "sog/scotland_yard/station_map.py",
    "sog/web/pages.py",
}
_JUST_MADE_OR_LOOKED_AT: Final = {"selfplay/runs/manifest.py", "sog/cli/errors.py"}


def test_every_other_file_is_opened_by_one_door() -> None:
    root = Path(__file__).resolve().parents[1]
    found = {
        file.relative_to(root).as_posix()
        for room in ("sog", "selfplay", "gtcfr", "networks")
        for file in (root / room).rglob("*.py")
        if _OPENS.search(file.read_text())
    }
    door = {"sog/files.py"}
    assert found == door | _OF_THE_SYSTEM | _INSTALLED_WITH_US | _JUST_MADE_OR_LOOKED_AT
