"""Measures the structure of the project: lines by domain, imports of modules, options, cycles.

python scripts/structure.py
"""

import ast
import dataclasses
from collections import Counter
from pathlib import Path
from typing import Final

import grimp

from gtcfr.settings import SearchSettings
from sog.cli.arguments import COMMANDS
from sog.domain import domains
from sog.games.registry import GAMES

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("sog", "gtcfr", "networks", "selfplay")
CLOSURES: Final = ("gtcfr.search", "selfplay.loop", "sog.play.agent")


def lines_of(path: Path) -> int:
    """The lines of a file."""
    return len(path.read_text().splitlines())


def folders() -> dict[str, Counter[str]]:
    """Files and lines of the core, of each domain, of scripts and of tests."""
    names = [domain.package.replace(".", "/") for domain in domains()]
    found: dict[str, Counter[str]] = {"core": Counter()}
    for top in (*PACKAGES, "scripts", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            file = path.relative_to(ROOT).as_posix()
            own = next((name for name in names if file.startswith(f"{name}/")), None)
            name = own or ("core" if top in PACKAGES else top)
            found.setdefault(name, Counter()).update(files=1, lines=lines_of(path))
    return found


def imports() -> tuple[dict[str, str], int]:
    """The transitive imports of some modules, and import cycles of files."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True)
    closures = {}
    for module in CLOSURES:
        needed = graph.find_upstream_modules(module) | {module}
        files = [ROOT / f"{name.replace('.', '/')}.py" for name in needed]
        lines = sum(lines_of(file) for file in files if file.exists())
        closures[module] = f"{len(needed)} modules, {lines:,} lines"
    nearest = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    after = {name: graph.find_upstream_modules(name) for name in graph.modules}
    pairs = {tuple(sorted((a, b))) for a in nearest for b in nearest[a] if a in after[b]}
    return closures, len(pairs)


def sources(text: str) -> int:
    """Files of the packages that contain a text."""
    files = (path for top in PACKAGES for path in (ROOT / top).rglob("*.py"))
    return sum(text in path.read_text() for path in files)


def games_by_isinstance() -> int:
    """isinstance checks of game classes in the core."""
    classes = {path.partition(":")[2] for path in GAMES.values()}
    of_domains = tuple(str(ROOT / domain.package.replace(".", "/")) for domain in domains())
    count = 0
    for path in (path for top in PACKAGES for path in (ROOT / top).rglob("*.py")):
        if str(path).startswith(of_domains):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                names = {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
                count += bool(names & classes)
    return count


def main() -> None:
    """Prints the table."""
    table = {name: f"{c['files']} files, {c['lines']:,} lines" for name, c in folders().items()}
    closures, circles = imports()
    slots = sum(
        not (option if isinstance(option, str) else option[0]).endswith(":")
        for command in COMMANDS.values()
        for option in command.options
    )
    words = sum(len(page.read_text().split()) for page in (ROOT / "docs" / "results").glob("*.md"))
    table |= {f"needed by {module}": needed for module, needed in closures.items()}
    table |= {
        "pairs of modules in a circle": f"{circles}",
        "files that know Namespace": f"{sources('Namespace')}",
        "commands, option slots": f"{len(COMMANDS)}, {slots}",
        "fields of a search": f"{len(dataclasses.fields(SearchSettings))}",
        "isinstance on games in the core": f"{games_by_isinstance()}",
        "words of docs/results": f"{words:,}",
    }
    for name, value in table.items():
        print(f"{name:<36} {value}")


if __name__ == "__main__":
    main()
