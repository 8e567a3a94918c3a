"""The protocol of the Annual Computer Poker Competition, as the dealer: `acpc:./startme.sh`.

A program is started with an address and a port after its command, and connects to it, as agents of
that competition do. It gets a match state after every event and answers those in which it is to
act. The game has our bet menu: a bet outside the menu is mapped to one inside (see
`sog.holdem.acpc`), and match states show the latter. Hands are played in sequence, and a program
has one seat, so there is one process for each seat of each concurrent game.
"""

import contextlib
import dataclasses
import itertools
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from sog.files import open_to_append
from sog.games.core import CHANCE, Game
from sog.holdem.acpc import VERSION, AcpcHand, MatchState, acpc_game
from sog.holdem.game import Holdem
from sog.play.match import Agent, only_at_the_start
from sog.play.rules import utility
from sog.players.engines.limits import PATIENCE, nothing_left, patience_in, split_text
from sog.players.engines.process import Deadline, EngineError, LineProcess, split_command
from sog.players.player import Host, Player, SearchChanges

_LOG: Final = "log"
_HOST: Final = "127.0.0.1"


class ConnectingProcess(LineProcess):
    """A program that connects to us and talks over that connection."""

    _line_end = b"\r\n"

    def __init__(self, command: str, patience: float) -> None:
        """Starts it with our address and port as last arguments, and waits for its connection; the
        first process on this machine to connect to that port is taken for it.

        Raises EngineError if it cannot be started or does not connect.
        """
        self._connection: socket.socket | None = None
        words = split_command(command)
        with socket.create_server((_HOST, 0)) as server:
            super().__init__(command, [*words, _HOST, str(server.getsockname()[1])])
            # Its stdout is not part of the protocol.
            self._reading.modify(self._stdout, selectors.EVENT_READ, self._listen)
            server.setblocking(False)
            self._reading.register(server, selectors.EVENT_READ, self._accept)
            try:
                failure = f"did not connect to {_HOST}"
                self._wait(lambda: self._connection is not None, Deadline(patience), failure)
            except BaseException:
                self.close()
                raise
            self._reading.unregister(server)
        connection: Any = self._connection
        self._writing = connection.dup()
        self._stdin_of_program, self._stdin = self._stdin, self._writing
        self._reading.register(connection, selectors.EVENT_READ, self._read)

    def close(self) -> None:
        """Closes the connection, which ends the match, and then the program."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
            self._connection.close()
            self._writing.close()
            self._stdin = self._stdin_of_program
            self._connection = None
        super().close()

    def _accept(self, server: Any) -> None:
        with contextlib.suppress(BlockingIOError):
            self._connection, _ = server.accept()
            self._connection.setblocking(False)

    def _listen(self, file: Any) -> bool:
        is_open = super()._listen(file)
        # A program that exits closes its outputs a moment before its process ends.
        if self._connection is None and not is_open and not self._keeps_running():
            self._has_ended = True
        return is_open


class AcpcAgent(Agent):
    """One seat of a program, which plays hand after hand."""

    def __init__(self, game: Holdem, process: ConnectingProcess, setup: "AcpcPlayer", player: int):
        """process: used by this agent alone."""
        self.game, self.player = game, player
        self._process, self._setup = process, setup
        self._number = 0
        line = self._process.read_line(Deadline(setup.patience), "did not send its version")
        if not line.strip().upper().startswith("VERSION:2."):
            raise process.error(f"began with {line[:80]!r}, not with {VERSION}")
        self.begin()

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new hand, at the deal."""
        only_at_the_start(state)
        self._hand, self._unsent = AcpcHand(self.game), list[tuple[str, tuple[str, ...]]]()
        self._unsent.append(("", ()))

    def observe(self, outcome: int) -> None:
        """Observes a public event; the program gets it once its cards are known."""
        chance, draws = self._hand.real_actor == CHANCE, self._hand.is_drawing
        self._hand.observe(outcome)
        if draws:  # not part of the protocol
            return
        now = self._hand.betting, tuple(self._hand.board)
        # Cards are sent with the action that leads to them.
        if chance:
            self._unsent[-1] = now
        else:
            self._unsent.append(now)

    def act(self, infostate: int) -> int:
        """The program's action; EngineError for an invalid answer, or none in time."""
        cards = self._cards((infostate, None) if self.player == 0 else (None, infostate))
        asked = self._send(cards)
        deadline = Deadline(self._setup.patience)
        while True:
            line = self._process.read_line(deadline, f"did not answer {asked!r}").strip()
            if line and line[0] not in "#;":  # a comment
                break
        if not line.startswith(f"{asked}:"):
            raise self._process.error(f"answered {asked!r} with {line[:200]!r}")
        try:
            return self._hand.action_of(line.removeprefix(f"{asked}:"))
        except ValueError as error:
            raise self._process.error(f"answered {asked!r}, but {error}") from None

    def record(self, infostates: tuple[int, int]) -> None:
        """Sends the end of the hand, with all cards at a showdown; writes the log."""
        is_showdown = "f" not in self._hand.betting
        seen: list[int | None] = [None, None]
        seen[self.player] = infostates[self.player]
        if not is_showdown:
            self._send(self._cards((seen[0], seen[1])))
        else:
            last = self._unsent.pop()
            self._send(self._cards((seen[0], seen[1])))
            self._unsent = [last]
            self._send(self._cards(infostates))
        if self._setup.log is not None:
            self._write_log(self._setup.log, infostates)
        self._number += 1

    def close(self) -> None:
        """Ends the program."""
        self._process.close()

    def _cards(self, infostates: tuple[int | None, int | None]) -> tuple[str, str]:
        deck, hands = self.game.deck, self.game.hands.cards
        first, second = (
            "" if hand is None else deck.cards_name(hands[hand].tolist()) for hand in infostates
        )
        return first, second

    def _send(self, cards: tuple[str, str]) -> str:
        """Sends pending match states; returns the last one."""
        line = ""
        for betting, board in self._unsent:
            state = MatchState(
                position=self.player, hand=self._number, betting=betting, cards=cards, board=board
            )
            line = str(state)
            self._process.send(line, Deadline(self._setup.patience))
        self._unsent = []
        return line

    def _write_log(self, path: Path, infostates: tuple[int, int]) -> None:
        """Appends a line in the format of the competition's dealers."""
        chips = round(
            utility(self.game, self._hand.state, np.array(infostates)) * self.game.chips_per_unit
        )
        names = ["sog", "sog"]
        names[self.player] = "program"
        cards = "|".join(self._cards(infostates)) + "".join(f"/{c}" for c in self._hand.board)
        result = f"{cards}:{chips}|{-chips}:{'|'.join(names)}"
        number = next(
            self._setup.logged
        )  # programs of different seats count their hands separately
        with open_to_append(path) as file:
            file.write(f"STATE:{number}:{self._hand.betting}:{result}\n".encode())


@dataclasses.dataclass(frozen=True, kw_only=True)
class AcpcPlayer:
    """The program that a player's text names, before the game is known."""

    command: str
    patience: float
    log: Path | None
    logged: Iterator[int] = dataclasses.field(default_factory=itertools.count, compare=False)
    """Numbers of the hands in the log."""
    game: None = None
    """None: it plays any hold'em."""

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """See `sog.players.player.Candidate`; programs are started when games begin."""
        played = acpc_game(game)

        def make(player: int, seed: int) -> AcpcAgent:
            process = ConnectingProcess(self.command, self.patience)
            try:
                return AcpcAgent(played, process, self, player)
            except BaseException:
                process.close()
                raise

        return Player(name=name, game=game, make=make, plays_by_turns=True, exposes_policy=False)


def read_acpc(text: str, host: Host) -> AcpcPlayer:
    """The player of "acpc:COMMAND?timeout=60&log=FILE"; EngineError if there is no such program."""
    command, values = split_text(text, "acpc")
    where = f"acpc:{command}"
    patience, log = patience_in(values, where), values.pop(_LOG, None)
    nothing_left(values, where, f"{PATIENCE}, {_LOG}")
    split_command(command)
    if log and not Path(log).absolute().parent.is_dir():
        raise EngineError(f"{where}: {_LOG}: {Path(log).parent}: no such folder.")
    return AcpcPlayer(command=command, patience=patience, log=Path(log) if log else None)
