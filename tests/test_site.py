"""The site of `make docs` and the notebook: they build, run, and fetch nothing from elsewhere."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_the_site_builds_without_a_warning_and_fetches_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    built = subprocess.run(
        [*command, "-d", tmp_path / "cache", DOCS, tmp_path / "site"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stderr) == (0, "")
    pages = {page.stem: page.read_text() for page in (tmp_path / "site").rglob("*.html")}
    for page in DOCS.rglob("*.md"):
        assert "template_game" in page.parts or page.stem in pages, page
    assert 'id="gtcfr.search.search"' in pages["api"]  # with what its docstring says
    for name, text in pages.items():
        fetched = re.findall(
            r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"(https?:[^\"]*)", text
        )
        assert fetched == [], name


@pytest.mark.thorough
def test_the_notebook_runs_and_finds_what_it_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    cells = json.loads((DOCS / "first_search.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    shown = ""
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "first_search.ipynb", "exec"), names)
            shown += "".join(line for output in cell["outputs"] for line in output.get("text", ()))
    pyplot.close("all")
    run_now = capsys.readouterr().out
    mbb = [float(text.split()[0]) for text in (run_now, shown)]
    assert mbb[0] == pytest.approx(mbb[1], rel=0.2)  # compiled otherwise, rounded otherwise
    found = names["found"]
    assert isinstance(found, dict)
    assert set(found) == {"zero", "network", "equilibrium"}
    for policy in found.values():
        np.testing.assert_allclose(policy.sum(axis=1), 1, atol=1e-5)
    # The network's search folds jacks as the equilibrium does, the one without a network does not.
    jacks = {name: policy[:2, 0].mean() for name, policy in found.items()}
    assert abs(jacks["network"] - jacks["equilibrium"]) < 0.1
