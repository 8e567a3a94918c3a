"""The installed wheel, used from outside the checkout: run by `.ci/run` in a fresh environment."""

import importlib
import importlib.resources
import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

BIN = Path(sysconfig.get_path("scripts"))
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))


def sog_json(*arguments: str) -> Any:
    command = [str(BIN / "sog"), *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


@pytest.mark.parametrize("package", ["sog", "networks", "gtcfr", "selfplay"])
def test_each_package_is_imported_from_the_wheel_and_is_typed(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__file__ is not None
    folder = Path(module.__file__).parent
    assert folder == SITE_PACKAGES / package
    assert (folder / "py.typed").is_file()


def test_only_our_packages_are_installed_at_the_top_level() -> None:
    for stray in ("configs", "tests", "scripts"):
        assert not (SITE_PACKAGES / stray).exists()


def test_the_data_files_came_along() -> None:
    assert importlib.resources.files("sog.configs").is_dir()
    maps = importlib.resources.files("sog.scotland_yard") / "maps"
    assert [entry for entry in maps.iterdir() if entry.is_file()]
    pages = importlib.resources.files("sog.web")
    assert (pages / "templates" / "base.html").is_file()
    assert (pages / "static" / "style.css").is_file()


def test_games_are_listed() -> None:
    assert "leduc" in json.dumps(sog_json("games"))


def test_kuhn_is_solved() -> None:
    result = sog_json("solve", "kuhn", "--iterations", "100")
    assert result["iterations"] == 100
    assert result["num_infostates"] == [6, 6]
    assert result["value"] == pytest.approx(-1 / 18, abs=0.01)
