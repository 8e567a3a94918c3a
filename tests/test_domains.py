"""Domains plug in: what they declare is there, and without one of them all else works."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sog.catalog import read_catalog
from sog.domain import domains
from sog.games.registry import GAMES
from sog.players.table import PLAYERS

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("sog", "gtcfr", "networks", "selfplay")
FACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())
(CONTRACT,) = (c for c in FACTS["tool"]["importlinter"]["contracts"] if c["type"] == "protected")
NAMES = [name.removeprefix("sog.") for name in CONTRACT["protected_modules"]]
MAY_IMPORT = [tuple(line.split(" -> ")) for line in CONTRACT["ignore_imports"]]
"""Modules that only the domain loads that they import, each with the modules that it may import."""
ENTRY_POINT = "[sog.domains]\n{name} = {path}\n"
WITHOUT = """
import fnmatch, importlib.util, os, pkgutil, sog
assert sog.__file__.startswith(os.getcwd())
from sog.cli.main import main
from sog.domain import domains
assert {name!r} not in [domain.package for domain in domains()]
assert importlib.util.find_spec({name!r}) is None
for package in {packages!r}:
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        is_loaded = not any(fnmatch.fnmatch(module.name, one) for one in {unloaded!r})
        if is_loaded and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
for command in (["--help"], ["games"], ["methods"], ["configs"], ["solve", "kuhn"]):
    assert main(command) == 0, command
for prefix in {loaders!r}:
    try:
        importlib.import_module("sog.games").make(prefix + ":x")
    except ValueError as error:
        assert str(error).startswith(f"game '{{prefix}}:x' cannot be imported"), error
    else:
        raise AssertionError(prefix)
print("games:", *sorted(importlib.import_module("sog.games.registry").GAMES))
"""


@pytest.fixture(autouse=True)
def _found_anew() -> Iterator[None]:
    domains.cache_clear()
    yield
    domains.cache_clear()


def installed(folder: Path, name: str, path: str) -> None:
    """What pip leaves behind for a package with a domain."""
    facts = folder / f"{name}-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINT.format(name=name, path=path))


def run(code: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, that finds modules in the folders first."""
    first = f"import sys; sys.path[:0] = {[str(folder) for folder in folders]!r}\n"
    command = [sys.executable, "-c", first + code]
    return subprocess.run(command, cwd=folders[0], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_everything_else_works_without_a_domain(name: str, tmp_path: Path) -> None:
    (domain,) = (domain for domain in domains() if domain.package == f"sog.{name}")
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    shutil.copytree(ROOT / "configs", tmp_path / "sog" / "configs")
    shutil.rmtree(tmp_path / "sog" / name)
    only_here = (
        # An editable install would find what the copy lacks in the checkout.
        "sys.meta_path[:] = [one for one in sys.meta_path if '__editable__' not in str(one)]\n"
        "import importlib.metadata as metadata\n"
        "found = metadata.entry_points\n"
        "metadata.entry_points = lambda **of: metadata.EntryPoints(\n"
        f"    one for one in found(**of) if not one.value.startswith({domain.package + '.'!r}))\n"
    )
    unloaded = [one for one, imported in MAY_IMPORT if imported.startswith(f"{domain.package}.")]
    code = WITHOUT.format(
        name=domain.package, packages=PACKAGES, loaders=[*domain.loaders], unloaded=unloaded
    )
    done = run(only_here + code, tmp_path)
    assert done.returncode == 0, done.stderr
    listed = done.stdout.rpartition("games: ")[2].split()
    assert sorted([*listed, *domain.games]) == sorted(GAMES)


def test_every_domain_of_the_checkout_is_installed() -> None:
    """If not: `make check` installs the checkout anew, since its entry points have changed."""
    paths = FACTS["project"]["entry-points"]["sog.domains"].values()
    found = {f"{domain.package}.domain:DOMAIN" for domain in domains()}
    assert found >= set(paths)


def test_games_and_players_of_domains_are_listed() -> None:
    listed = {game["name"] for game in read_catalog()}
    for domain in domains():
        assert set(domain.games) <= listed
        assert set(domain.players) <= set(PLAYERS)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no_such_module:DOMAIN", "cannot be imported: No module named 'no_such_module'."),
        ("sys:path", "must be a sog.domain.Domain, got ["),
    ],
)
def test_a_package_whose_domain_is_none_is_named_in_one_line(
    path: str, message: str, tmp_path: Path
) -> None:
    installed(tmp_path, "strange-cards", path)
    done = run("from sog.cli.main import main; sys.exit(main(['games']))", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sog: error: the domain 'strange-cards' of strange-cards (")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            "commands={'bid': 'no_such_module:BID'}",
            "no_such_module:BID, for the command 'bid', cannot be imported: No module named",
        ),
        ("commands={'bid': 'sys:BID'}", "sys:BID, for the command 'bid', cannot be imported: "),
        ("modes={'slove': 'sys:MODE'}", "sys:MODE must be a mode of a command, got 'slove'."),
    ],
)
def test_a_command_that_a_domain_declares_wrongly_is_named_in_one_line(
    declared: str, message: str, tmp_path: Path
) -> None:
    installed(tmp_path, "my-bids", "my_bids:DOMAIN")
    module = f"from sog.domain import Domain\nDOMAIN = Domain(package='my_bids', {declared})\n"
    (tmp_path / "my_bids.py").write_text(module)
    done = run("from sog.cli.main import main; sys.exit(main(['games']))", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"sog: error: {message}")
    assert done.stderr.count("\n") == 1


def test_a_domain_of_others_adds_its_games_and_players(tmp_path: Path) -> None:
    installed(tmp_path, "my-coins", "my_coins:DOMAIN")
    (tmp_path / "my_coins.py").write_text("""
import dataclasses
from sog.domain import Domain
from sog.play.game_records import RecordFormat
from sog.players.entry import Entry

DOMAIN = Domain(
    package="my_coins",
    games=dict.fromkeys(("my_pennies", "kuhn"), "sog.games.matrix:MatchingPennies"),
    players={"heads": Entry(form="heads", summary="heads", method="sog.players.simple:Random")},
    records={".coins": "my_coins:COINS"},
    commands={"solve": "my_coins:COINS"},
    networks={"graph": "my_coins:COINS"},
)
COINS = RecordFormat(
    mark=b"coins:", media_type="text/plain", recognizes=lambda text: text.startswith("coins:"),
    split=str.split, read=None, game_of=None, method="name", given_up=("b", "a"),
    lost_by_score=("b", "a"), agreed="",
)
""")
    code = """
from pathlib import Path
from sog.cli.game_output import check_record_name
from sog.games import make
from sog.play.game_records import format_of, has_format
from sog.players.table import read_player, PLAYERS
print(make("my_pennies").name, make("kuhn").name, PLAYERS["heads"].summary)
check_record_name("--save", Path("x.coins"))
from networks.cvpn import WHOLE_NETWORKS
from sog.cli.arguments import COMMANDS
assert WHOLE_NETWORKS["graph"] == "networks.graph:GraphCVPN"  # the core's names stay its own
assert COMMANDS["solve"].summary.startswith("compute an equilibrium")
print(format_of("coins: h t").mark, has_format(make("kuhn"), ".coins"))
"""
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "matching_pennies kuhn heads\nb'coins:' True\n"
