"""Games of other packages: by entry points, and as module:Class."""

from pathlib import Path

import pytest

from sog.games import make
from sog.games.foreign import check_named_by_file
from sog.games.packages import installed_games
from sog.games.registry import is_game, origin

COIN = """
import dataclasses
from sog.games import Game
from sog.games.matrix import RockPaperScissors

@dataclasses.dataclass(frozen=True, kw_only=True)
class Mine(RockPaperScissors):
    name = "mine"

class Other: pass

@dataclasses.dataclass(frozen=True, kw_only=True)
class Half(Game):
    name = "half"
"""
ENTRY_POINTS = """[sog.games]
mine = stranger:Mine
gone = no_such_module:Game
exits = leaves:Game
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with modules in it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stranger.py").write_text(COIN)
    (tmp_path / "leaves.py").write_text("raise SystemExit('not today')")
    return tmp_path


@pytest.fixture
def package(folder: Path) -> Path:
    """What pip leaves behind for a package with games."""
    facts = folder / "strange_games-2.5.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: strange-games\nVersion: 2.5\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def refusal(text: str) -> str:
    with pytest.raises(ValueError, match=r"[.?]$") as caught:
        make(text)
    return str(caught.value)


@pytest.mark.usefixtures("folder")
def test_a_class_of_a_module_is_a_game() -> None:
    assert str(make("stranger:Mine")) == "mine"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "stranger:Mine(cards=3)",
            "stranger:Mine: unknown parameter 'cards'; its parameters: none.",
        ),
        (
            "stranger:Other",
            "game 'stranger:Other' must be a dataclass that subclasses sog.games.Game.",
        ),
        (
            "stranger:None_such",
            "game 'stranger:None_such' cannot be imported: AttributeError: module 'stranger' has "
            "no attribute 'None_such'.",
        ),
        (
            "no_such:Game",
            "game 'no_such:Game' cannot be imported: ModuleNotFoundError: No module named "
            "'no_such'.",
        ),
        ("leaves:Game", "game 'leaves:Game' cannot be imported: SystemExit: not today."),
    ],
)
def test_what_is_no_game_is_told_in_a_line(text: str, message: str) -> None:
    assert refusal(text) == message


@pytest.mark.usefixtures("folder")
def test_a_game_that_lacks_functions_is_told_which() -> None:
    message = refusal("stranger:Half")
    assert message.startswith("game 'stranger:Half' lacks actor, advance, apply, ")
    assert message.endswith(", which the contract asks for.")


@pytest.mark.usefixtures("package")
def test_an_installed_game_has_a_name_and_a_package() -> None:
    assert str(make("mine")) == "mine"
    assert origin("mine") == origin("mine()") == "strange-games 2.5"
    assert is_game("mine")
    assert origin("kuhn") == origin("stranger:Mine") == origin("unknown") == ""
    assert "mine" in refusal("mnie")


@pytest.mark.usefixtures("package")
def test_a_broken_entry_point_names_its_package_and_harms_no_other_game() -> None:
    assert set(installed_games()) >= {"mine", "gone", "exits"}
    assert refusal("gone") == (
        "game 'gone' of strange-games 2.5 cannot be imported: ModuleNotFoundError: No module named "
        "'no_such_module'."
    )
    assert refusal("exits").endswith("SystemExit: not today.")
    assert str(make("kuhn(ranks=4)")) == "kuhn(ranks=4)"


def test_no_file_chooses_what_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    check_named_by_file("kuhn", "a file")
    with pytest.raises(ValueError, match=r"no file chooses what is imported: set SOG_GAMES=a:B"):
        check_named_by_file("a:B", "a file")
    monkeypatch.setenv("SOG_GAMES", "c.d:E,a:B")
    check_named_by_file("a:B", "a file")
