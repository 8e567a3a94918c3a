"""What is installed, and what importing it costs."""

import importlib.resources
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
ROOMS = ("sog", "networks", "gtcfr", "selfplay")


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def constraints() -> list[str]:
    lines = (CHECKOUT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def normalized(requirement: str) -> str:
    """The name of a requirement, as package indexes compare names."""
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def test_every_folder_of_the_rooms_is_listed_in_pyproject(pyproject: dict[str, Any]) -> None:
    found = {
        ".".join(file.parent.relative_to(CHECKOUT).parts)
        for room in ROOMS
        for file in (CHECKOUT / room).rglob("*")  # data, too: it is in folders of its own
        if file.is_file() and file.parent.name != "__pycache__"
    }
    assert found | {"sog.configs"} == set(pyproject["tool"]["setuptools"]["packages"])


def test_every_requirement_has_a_tested_version(
    pyproject: dict[str, Any], constraints: list[str]
) -> None:
    project = pyproject["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {normalized(requirement) for group in groups for requirement in group}
    tested = {normalized(line) for line in constraints}
    assert wanted - tested == {"sog"}


def test_what_is_missing_is_asked_for_as_one_of_our_extras(pyproject: dict[str, Any]) -> None:
    sources = [file.read_text() for room in ROOMS for file in (CHECKOUT / room).rglob("*.py")]
    asked = re.findall(r"pip install (\S+)", " ".join(sources))
    extras = [*pyproject["project"]["optional-dependencies"], "{extra}"]
    assert set(asked) >= {"'sog[plot]')\"),", "'sog[web]'."}
    assert [one for one in asked if not re.match(rf"'sog\[({'|'.join(extras)})\]'", one)] == []


def test_constraints_are_exact_versions_and_nothing_else(constraints: list[str]) -> None:
    exact = re.compile(r'[\w.-]+==[\w.]+( ; python_version (<|>=) "3\.12")?')
    assert [line for line in constraints if not exact.fullmatch(line)] == []


def test_the_version_is_the_newest_of_the_changelog_with_its_date_and_that_of_the_readme() -> None:
    from sog import __version__

    headings = re.findall(r"^## (.*)$", (CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE)
    released = [heading for heading in headings if heading != "[Unreleased]"]
    assert re.fullmatch(rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", released[0])
    readme = (CHECKOUT / "README.md").read_text()
    assert f"Version {__version__}." in " ".join(readme.split())
    assert f"dist/sog-{__version__}-py3-none-any.whl" in readme


def test_configs_are_found_as_data_of_the_installed_package() -> None:
    folder = importlib.resources.files("sog.configs")
    shipped = {file.name for file in (CHECKOUT / "configs").iterdir() if file.is_file()}
    assert shipped <= {entry.name for entry in folder.iterdir()}


def test_importing_sog_loads_nothing_heavy() -> None:
    heavy = "{'jax', 'numpy', 'scipy', 'rich', 'sog.games'}"
    code = f"import sog, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["networks", "selfplay"])
@pytest.mark.parametrize("module", ["sog.play", "sog.players.seating", "selfplay.training"])
def test_a_file_of_a_user_that_hides_a_package_is_named(
    tmp_path: Path, name: str, module: str
) -> None:
    if module.startswith(name):
        return  # that is the file itself
    (tmp_path / f"{name}.py").write_text("")
    (tmp_path / "script.py").write_text(f"import {module}\n")
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {tmp_path}/{name}.py hides the package {name!r}")
