"""The README is short, and it and the pages beside it do what they say."""

import re
import shlex
from pathlib import Path

import pytest

from sog.cli.arguments import make_parser

CHECKOUT = Path(__file__).resolve().parents[1]
README = CHECKOUT / "README.md"
TUTORIAL = CHECKOUT / "docs" / "tutorial.md"
LIBRARY = CHECKOUT / "docs" / "library.md"
SPOTS = CHECKOUT / "docs" / "holdem_spots.md"
RESULTS = CHECKOUT / "docs" / "results"
PAGES = [README, CHECKOUT / "CONTRIBUTING.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]


def _run_example(page: Path, number: int, count: int) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) == count
    exec(compile(blocks[number], str(page), "exec"), {})


def _heading_anchors(page: Path) -> set[str]:
    """What a link can point to inside a page, made of its headings as code hosts do."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_has_less_than_1000_words() -> None:
    assert len(README.read_text().split()) < 1000


def test_the_readme_has_one_table() -> None:
    assert len(re.findall(r"^\|(?:---\|)+$", README.read_text(), re.MULTILINE)) == 1


def test_the_search_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(README, 0, 1)
    assert capsys.readouterr().out == "(4, 6, 3)\n(4, 2, 6)\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_link_of_a_page_points_to_a_file_or_a_heading_that_exists(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", link):
            continue  # of another site
        file, _, anchor = link.partition("#")
        target = page.parent / file if file else page
        assert target.is_file(), link
        assert not anchor or anchor in _heading_anchors(target), link


def _commands(page: Path) -> list[str]:
    """The lines of `sog` in the code of a page, those that go on with a backslash put together."""
    text = page.read_text().replace("\\\n", " ")
    return re.findall(r"^ {4}(?:\[[ \d]+ s\] \$ )?(sog .*)$", text, re.MULTILINE)


def test_commands_are_found() -> None:
    assert len(_commands(README)) == 11
    assert 'sog policy leduc.npz --history "check bet2"' in _commands(TUTORIAL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_command_of_a_page_is_one(page: Path) -> None:
    for command in _commands(page):
        words = shlex.split(command, comments=True)[1:]
        if any(word.isupper() and len(word) > 1 for word in words):
            continue  # a template
        make_parser().parse_args(words)  # raises CommandError


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_row_of_a_table_has_as_many_cells_as_its_head(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        rows = table.splitlines()
        assert re.fullmatch(r"\|(?:---\|)+", rows[1]), rows[0]
        assert {row.count("|") for row in rows} == {rows[1].count("|")}, rows[0]


def test_the_results_are_at_most_20_pages_and_12000_words() -> None:
    pages = sorted(RESULTS.glob("*.md"))
    assert len(pages) <= 20
    assert sum(len(page.read_text().split()) for page in pages) <= 12_000


@pytest.mark.parametrize("page", sorted(RESULTS.glob("*.md")), ids=lambda page: page.stem)
def test_a_page_of_results_answers_at_once(page: Path) -> None:
    title, answer = page.read_text().split("\n\n")[:2]
    assert re.fullmatch("# .*", title)
    assert re.match(r"[\w*`]", answer), "the answer comes before commands, lists and tables"


def test_the_index_of_results_has_a_line_for_each_page() -> None:
    lines = re.findall(
        r"^\| \[.*\]\((\w+)\.md\) \| .+ \|$", RESULTS.joinpath("README.md").read_text(), re.M
    )
    assert sorted([*lines, "README"]) == sorted(page.stem for page in RESULTS.glob("*.md"))


def test_every_file_of_results_is_told_of_on_a_page() -> None:
    text = "".join(page.read_text() for page in RESULTS.rglob("*.md"))
    told = set(re.findall(r"[\w.]+", text))
    files = [file for file in RESULTS.rglob("*") if file.suffix in (".json", ".jsonl", ".png")]
    assert [file.name for file in files if not {file.name, file.stem} & told] == []


@pytest.mark.thorough
def test_the_search_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(LIBRARY, 3, 8)
    shape, *values = capsys.readouterr().out.splitlines()
    assert shape == "(4, 6, 3)"
    assert values


def test_a_network_answers(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(LIBRARY, 4, 8)
    assert capsys.readouterr().out.splitlines() == ["(1, 2, 3)", "(1, 3, 3)"]


@pytest.mark.thorough
def test_two_agents_play_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(LIBRARY, 5, 8)
    assert float(capsys.readouterr().out) in (-2.0, -1.0, 1.0, 2.0)


@pytest.mark.thorough
def test_two_players_meet(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(LIBRARY, 6, 8)
    told = r"agent:kuhn at step [\d,]+: [+-]\d[.]\d{3} chips per game, ± \d[.]\d{3}\n"
    assert re.fullmatch(told, capsys.readouterr().out)


def test_the_solver_example_runs_and_prints_what_its_comments_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _run_example(LIBRARY, 0, 8)
    exploitability, shape, value, state, *values = capsys.readouterr().out.splitlines()
    assert 0 < float(exploitability) < 0.001  # CFR+ is under 1 mbb after 500 iterations
    assert shape == "(465, 6, 3)"
    assert float(value.strip("[]")) == pytest.approx(-0.0856064, abs=0.001)
    assert state == "check bet2 call [Qh] (stakes 3-3)"
    assert len([line for line in values if line]) == 12


def test_the_spot_example_prints_what_its_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(SPOTS, 0, 1)
    printed = capsys.readouterr().out.strip()
    assert f"prints `{printed}`" in SPOTS.read_text()


def test_who_folds_to_every_bet_loses_the_ante(capsys: pytest.CaptureFixture[str]) -> None:
    _run_example(LIBRARY, 1, 8)
    assert float(capsys.readouterr().out) == pytest.approx(1, abs=1e-3)


def test_a_policy_goes_to_openspiel_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel")
    _run_example(LIBRARY, 2, 8)
    theirs, ours = capsys.readouterr().out.split()
    assert float(theirs) == pytest.approx(float(ours.strip("[]")), abs=1e-7)


def test_openspiel_scores_a_policy_as_we_do(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyspiel")
    _run_example(LIBRARY, 7, 8)
    theirs, ours = map(float, capsys.readouterr().out.split())
    assert theirs == pytest.approx(ours, abs=1e-9)
    assert ours > 0
