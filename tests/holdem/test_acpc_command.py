"""`sog acpc`: answers a dealer as the protocol wants, and ends in one line where that cannot be."""

import contextlib
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from sog.holdem.acpc import acpc_game
from sog.holdem.commands.acpc import AcpcClient
from sog.play.arena import play_match
from sog.players.seating import seat

Run = Callable[..., tuple[int, str, str]]
GAME = "holdem(bets=0.5/1/allin)"


DRAWN = "holdem(bets=drawn/allin,draw_bets=0.5/1,draw_stacks=20000)"


def client(player: str, game: str = GAME) -> AcpcClient:
    seating = seat([player], game=game)
    return AcpcClient(acpc_game(seating.game), seating.players[0], seed=0)


def test_it_answers_where_it_is_to_act_only() -> None:
    calls = client("always_call")
    first = "MATCHSTATE:1:0::|KsTd"
    assert calls.answer(first) == f"{first}:c"
    assert calls.answer("# a comment") is None
    assert calls.answer("MATCHSTATE:1:0:c:|KsTd") is None
    flop = "MATCHSTATE:1:0:cr500c/c:|KsTd/7h8d2c"
    assert calls.answer(flop) == f"{flop}:c"
    assert calls.answer("MATCHSTATE:1:0:cr500c/cc/cc/cc:AsAd|KsTd/7h8d2c/3d/4d") is None
    assert calls.num_hands == 1


def test_a_hand_may_be_told_anew_or_from_the_middle_on() -> None:
    raises = client("always_raise")
    assert str(raises.answer("MATCHSTATE:0:4:c:KsTd|")).endswith(":r200")
    assert str(raises.answer("MATCHSTATE:0:4:r300:KsTd|")).endswith(":r600")  # what is told holds
    assert str(raises.answer("MATCHSTATE:1:5:cc/c:|KsTd/7h8d2c")).endswith(":r200")
    assert raises.num_hands == 2


def test_a_size_that_is_drawn_is_the_same_whenever_a_hand_is_told() -> None:
    raises = client("always_raise", DRAWN)
    raises.prepare()
    lines = [f"MATCHSTATE:1:{hand}::|KsTd" for hand in range(12)]
    answers = [raises.answer(line) for line in lines]
    assert {str(answer).rsplit(":", 1)[1] for answer in answers} == {"r200", "r300"}
    assert [raises.answer(line) for line in lines] == answers


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("MATCHSTATE:1:0::|KsKs", "cards must differ, got Ks twice in 'KsKs'"),
        ("MATCHSTATE:1:0::|", "'' is not a possible hand of two cards in"),
        ("MATCHSTATE:1:0:cc/c:|KsTd/Ks2c3d", "'KsTd' is not a possible hand of two cards in"),
        ("MATCHSTATE:0:0:r17:KsTd|", "'r17' is illegal where r200 to r20000 is possible in"),
    ],
)
def test_a_line_that_lies_is_a_mistake(line: str, told: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        client("always_call").answer(line)
    assert str(caught.value).startswith(told)


@contextlib.contextmanager
def dealer(lines: Sequence[str], heard: list[str]) -> Iterator[int]:
    """Tells one client these lines, and ends: its port."""

    def deal() -> None:
        connection, _ = server.accept()
        with connection, connection.makefile("rw", newline="") as stream:
            heard.append(stream.readline())
            for line in lines:
                stream.write(f"{line}\r\n")
                stream.flush()
                if line.startswith("MATCHSTATE:1:0::"):
                    heard.append(stream.readline())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=deal)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def test_the_command_plays_until_the_dealer_ends(sog: Run) -> None:
    heard: list[str] = []
    with dealer(["MATCHSTATE:1:0::|KsTd", "MATCHSTATE:1:0:c:|KsTd"], heard) as port:
        code, out, err = sog("acpc", "always_call", "127.0.0.1", str(port), "--game", GAME)
    assert (code, out) == (0, "")
    assert err.splitlines()[-1] == f"sog: 1 hand played at 127.0.0.1:{port}."
    assert heard == ["VERSION:2.0.0\r\n", "MATCHSTATE:1:0::|KsTd:c\r\n"]


def test_a_dealer_that_lies_or_is_not_there_is_told_in_one_line(sog: Run) -> None:
    with dealer(["MATCHSTATE:1:0:zz:|KsTd"], []) as port:
        code, _, err = sog("acpc", "always_call", "127.0.0.1", str(port), "--game", GAME)
    assert code == 2
    told = f"sog: error: dealer 127.0.0.1:{port}: a match state must look like"
    assert err.splitlines()[-1].startswith(told)
    code, _, err = sog("acpc", "always_call", "127.0.0.1", str(port), "--game", GAME)
    assert code == 2
    assert err.splitlines()[-1] == f"sog: error: dealer 127.0.0.1:{port}: connection refused."
    code, _, err = sog("acpc", "always_call", "a..b", "5", "--game", GAME)
    assert code == 2
    assert err.splitlines()[-1] == "sog: error: dealer a..b:5: not a valid host name."
    code, _, err = sog("acpc", "lbr", "127.0.0.1", str(port), "--game", GAME)
    watching = "a player that reads the opponent's policy, such as lbr, can play in matches only."
    assert (code, err.splitlines()[-1]) == (2, f"sog: error: {watching}")
    code, _, err = sog("play", "lbr", "--game", "kuhn")
    assert (code, err.splitlines()[-1]) == (2, f"sog: error: {watching}")
    code, _, err = sog("acpc", "always_call", "127.0.0.1", "1", "--game", "leduc")
    assert (code, err.splitlines()[-1]) == (
        2,
        "sog: error: leduc cannot be played by ACPC, which is for holdem.",
    )


@pytest.mark.slow
def test_our_client_at_our_dealer_plays_as_it_does_at_home() -> None:
    command = f"{shlex.quote(sys.executable)} -m sog acpc equity --game '{GAME}'"
    results = []
    for text in (f"acpc:{command}", "equity"):
        player, other = seat([text, "always_call"], game=GAME).players
        results.append(play_match(player.game, player.make, other.make, num_games=6).utilities)
    assert results[0].tolist() == results[1].tolist()
