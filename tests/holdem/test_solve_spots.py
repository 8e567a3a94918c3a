"""`sog solve` of a spot: what is printed, and what is refused in one line."""

import errno
import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from networks.cvpn import NetworkSettings
from sog.cli.main import main
from sog.holdem.spots import SpotSolver
from tests.untrained import untrained

Run = Callable[..., tuple[int, str, str]]
SPOT = "holdem(board=Ts3h2h5c9s,pot=100,stack=100,bets=allin)"
RANGES = ("--range0", "AA,QQ", "--range1", "KK")


def test_a_spot_is_solved_for_the_ranges_that_were_typed(sog_json: Callable[..., Any]) -> None:
    result = sog_json("solve", SPOT, *RANGES, "--until-pot", "0.2")
    assert result["reached"] is True
    assert result["ranges"] == ["AA,QQ", "KK"]
    assert result["rule"] == "dcfr+"
    assert result["value"] == pytest.approx(25, abs=0.2)
    assert result["exploitability_percent"] <= 0.2
    assert result["exploitability"] == result["checkpoints"][-1]["exploitability"]
    node = result["node"]
    assert node["actions"] == ["check", "allin100"]
    first, second = (player["hands"] for player in node["players"])
    assert len(first) == 12
    assert len(second) == 6
    assert sum(hand["range"] for hand in first) == pytest.approx(1)
    aces = next(hand for hand in first if hand["hand"].startswith("A"))
    assert aces["policy"][1] == pytest.approx(1, abs=0.01)
    assert aces["equity"] == pytest.approx(1)
    assert "policy" not in second[0]


def test_what_was_solved_is_told_also_where_nothing_can_be_written(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sog.holdem.commands.solve.save_spot", no_room)
    files = ("--save", str(tmp_path / "x.spot"), "--svg", str(tmp_path / "x.svg"))
    code, out, err = sog("solve", SPOT, *RANGES, "--iterations", "10", *files)
    assert code == 2
    assert "exploitability" in out
    last = err.splitlines()[-1]
    assert last == f"sog: error: cannot write {tmp_path / 'x.spot'}: No space left on device."
    assert (tmp_path / "x.svg").exists()


def test_who_bets_nothing_is_exploitable_for_nothing_and_no_less(
    sog_json: Callable[..., Any],
) -> None:
    spot = SPOT.replace("bets=allin", "bets=none")
    result = sog_json("solve", spot, "--range0", "25%", "--range1", "50%", "--iterations", "20")
    assert 0 <= result["exploitability"] < 1e-6


def test_a_file_is_known_by_its_ending_in_capitals_too(sog: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "X.SPOT")
    assert sog("solve", SPOT, *RANGES, "--iterations", "10", "--save", path)[0] == 0
    code, out, _ = sog("policy", path)
    assert code == 0
    assert "allin100" in out


@pytest.mark.thorough
def test_a_small_deck_without_blinds_is_no_spot(sog_json: Callable[..., Any]) -> None:
    deck = "holdem(ranks=3,suits=2,hole_cards=1,deals=1,blinds=none,pot=2,stack=4,bets=1)"
    result = sog_json("solve", deck, "--until-mbb", "10")
    assert result["reached"] is True
    assert result["num_public_states"] > 100


def test_the_square_of_hands_is_shown_after_a_history(sog: Run, tmp_path: Path) -> None:
    picture = tmp_path / "spot.svg"
    code, out, _ = sog("solve", SPOT, *RANGES, "--history", "allin_100", "--svg", str(picture))
    assert code == 0
    assert "player 0 gets   7" in out
    assert "after allin_100: board Ts 3h 2h 5c 9s, pot 200" in out
    assert "player 1 to act" in out
    square = out[out.index("call: how often") :].splitlines()[2:16]
    kings = square[2].split()
    assert kings[0] == "K"
    assert 45 <= int(kings[2]) <= 55
    assert set(kings[1:2] + kings[3:]) == {"."}
    # Aces always bet and queens half of the time, so kings are ahead of a third.
    equity = out[out.index("equity in percent") :].splitlines()[2:16]
    assert float(equity[2].split()[2]) == pytest.approx(100 / 3, abs=2)
    cells = ElementTree.fromstring(picture.read_text()).iter("{http://www.w3.org/2000/svg}g")
    assert sum(cell.get("class") == "hands" for cell in cells) == 169


def test_a_network_is_told_beside_the_exact_values(
    sog: Run, sog_json: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    network = untrained(
        "holdem(stack=2000,bets=1/allin)",
        "small",
        NetworkSettings(torso="hands", width=4, depth=1),
    )
    monkeypatch.setattr("sog.holdem.commands.solve.load_run", lambda text: network)
    code, out, _ = sog("solve", SPOT, *RANGES, "--network", "runs/small")
    assert code == 0
    table = out[out.index("small at step 7: values in chips") :]
    cells = [line.split() for line in table.splitlines() if line.startswith("  player")]
    assert [float(row[2]) for row in cells] == pytest.approx([25, -25], abs=0.05)
    assert "it begins a search with: check " in table
    assert "its values" in table
    told = sog_json("solve", SPOT, *RANGES, "--network", "runs/small")
    exact, found = told["node"]["players"], told["network"]["players"]
    for player, error in enumerate(told["network"]["value_errors"]):
        off = sum(
            one["range"] * abs(one["value"] - other["value"])
            for one, other in zip(exact[player]["hands"], found[player]["hands"], strict=True)
        )
        assert error == pytest.approx(off)
        assert f"{error:.3g}" in cells[player]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SPOT, "--range0", "AA,KZ"), ["--range0", "'KZ'"]),
        ((SPOT, *RANGES, "--history", "check check"), ["--history", "over"]),
        ((SPOT, "--until-mbb", "5"), ["--until-mbb", "--until-pot"]),
        ((SPOT, "--save-state", "x.solve"), ["--save-state", "does not apply to spots"]),
        (("holdem(blinds=none,pot=10,stack=60)",), ["board", "flop"]),
        (("leduc", "--range0", "AA"), ["--range0", "holdem"]),
        (("leduc", "--precision", "int16"), ["--precision int16", "holdem"]),
        ((SPOT.replace("allin", "0.5/min"), *RANGES), ["bets must ascend"]),
        ((SPOT.replace("9s", "9"), *RANGES), ["board"]),
        ((SPOT, *RANGES, "--network", "agent:kuhn"), ["--network", "got one for kuhn"]),
    ],
)
def test_a_mistake_is_told_in_one_line(
    sog: Run, arguments: tuple[str, ...], words: list[str]
) -> None:
    code, out, err = sog("solve", *arguments)
    assert code == 2
    assert out == ""
    (line,) = [line for line in err.splitlines() if line.startswith("sog: error: ")]
    assert all(word in line for word in words), line
    assert "Traceback" not in err


def test_too_few_iterations_are_told(sog: Run) -> None:
    code, _, err = sog("solve", SPOT, *RANGES, "--iterations", "3", "--until-pot", "0.01")
    assert code == 0
    assert "0.01% of the pot was not reached in 3 iterations" in err


def test_a_saved_spot_is_walked_again_and_gone_on_with(
    sog: Run, sog_json: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "river.spot")
    first = sog_json("solve", SPOT, *RANGES, "--iterations", "30", "--save", path)
    solved: list[int] = []
    monkeypatch.setattr(SpotSolver, "run", lambda _, count: solved.append(count))
    shown = sog_json("policy", path, "--history", "allin100")
    assert not solved  # it was not solved again
    monkeypatch.undo()
    assert shown["game"] == first["game"]
    assert shown["exploitability"] == pytest.approx(first["exploitability"])
    assert shown["node"]["actions"] == ["fold", "call"]
    on = sog_json("solve", SPOT, "--resume", path, "--iterations", "300", "--save", path)
    assert on["checkpoints"][0]["iteration"] == 30
    assert on["exploitability"] < first["exploitability"]
    assert on["ranges"] == ["AA,QQ", "KK"]
    assert sog_json("policy", path)["iterations"] == 300


@pytest.mark.thorough
def test_a_saved_spot_is_walked_event_by_event(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "turn.spot")
    spot = "holdem(board=AsAhKsKh,ranks=5,suits=2,blinds=none,pot=10,stack=20,bets=1,caps=1)"
    assert sog("solve", spot, "--iterations", "10", "--save", path)[0] == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("check\ncheck\nKd\nQs\nb\nt\nbet10\nfold\nq\n"))
    code, out, _ = sog("policy", path, "--walk")
    assert code == 0
    assert "a card comes, such as " in out
    assert "'Kd'" in out  # which is on no card of this deck
    assert "after check check Qs: board As Ah Ks Kh Qs" in out
    assert out.count("a card comes, such as ") == 2
    assert "the hand is over, the pot is 10" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("solve", SPOT, "--save", "x.npz"), ["--save", ".spot"]),
        (("solve", SPOT, "--resume", "own.spot", "--range0", "AA"), ["--range0", "--resume"]),
        (("solve", SPOT, "--resume", "own.spot", "--rule", "cfr+"), ["by dcfr+, not by cfr+"]),
        (("solve", SPOT.replace("pot=100", "pot=99"), "--resume", "own.spot"), ["pot=99"]),
        (("policy", "no.spot"), ["no such file"]),
        (("policy", "own.spot", "--player", "1"), ["--player", "no effect"]),
    ],
)
def test_a_mistake_about_a_saved_spot_is_told_in_one_line(
    sog: Run,
    own_spot: Path,
    arguments: tuple[str, ...],
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(own_spot.parent)
    code, out, err = sog(*arguments)
    assert (code, out) == (2, "")
    (line,) = [line for line in err.splitlines() if line.startswith("sog: error: ")]
    assert all(word in line for word in words), line


@pytest.mark.thorough
def test_where_nobody_arrives_a_dash_is_shown(sog: Run) -> None:
    spot = "holdem(board=KsTh7s4d,pot=10,stack=20,bets=none)"
    ranges = ("--range0", "AcAd", "--range1", "QQ")  # the ace that is dealt is his
    code, out, _ = sog("solve", spot, *ranges, "--iterations", "2", "--history", "check check [Ac]")
    assert code == 0
    assert "nan" not in out
    assert any(line.split()[:3] == ["check", "-", "-"] for line in out.splitlines())


@pytest.mark.thorough
def test_squares_are_of_hands_of_two_cards(sog: Run, tmp_path: Path) -> None:
    spot = "holdem(ranks=3,suits=2,hole_cards=1,deals=1/1,board=Ks,pot=10,stack=20,bets=1)"
    path = str(tmp_path / "one.spot")
    assert sog("solve", spot, "--iterations", "2", "--save", path)[0] == 0
    code, out, err = sog("policy", path, "--svg", str(tmp_path / "one.svg"))
    assert (code, out) == (2, "")
    assert "--svg draws hands of two cards; leave it out." in err


@pytest.fixture(scope="module")
def own_spot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spot") / "own.spot"
    arguments = ("solve", SPOT, *RANGES, "--iterations", "10", "--save", str(path))
    assert main(arguments) == 0
    return path
