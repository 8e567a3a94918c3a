"""`sog acpc PLAYER HOST PORT`: plays hold'em with a dealer by the ACPC protocol."""

import argparse
import contextlib
import socket
from typing import Any, Final

import numpy as np

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reason
from sog.cli.players import check_searches, seat_players
from sog.holdem.acpc import VERSION, AcpcHand, MatchState, acpc_game
from sog.holdem.game import Holdem
from sog.play.match import Agent, check_plays_unseen
from sog.play.rules import situation
from sog.players.player import Player

_CONNECT_SECONDS: Final = 10.0
_MOST_OF_A_LINE: Final = 2**16


class AcpcClient:
    """Answers match states, hand after hand, in either position."""

    def __init__(self, game: Holdem, player: Player, seed: int) -> None:
        """player: makes the agents, one for each position."""
        self._game, self._seed = game, seed
        self._agents: list[Agent] = [player.make(position, seed) for position in (0, 1)]
        check_plays_unseen(self._agents[0])
        self._acpc_hand = AcpcHand(game)
        self._hand: tuple[int, int] | None = None
        self._num_observed = 0
        self.num_hands = 0

    def prepare(self) -> None:
        """Acts once, so that programs are compiled before a dealer waits."""
        opener, begun = 1, AcpcHand(self._game)
        begun.draw(np.random.default_rng(self._seed))
        held = int(np.argmax(situation(self._game, begun.state).infostate_mask[opener]))
        self._agents[opener].begin(seed=self._seed)
        for outcome in begun.outcomes:
            self._agents[opener].observe(outcome)
        self._agents[opener].act(held)

    def answer(self, line: str) -> str | None:
        """The answer to a line; None if none is due. ValueError, one line, for an invalid match
        state or one of another game."""
        line = line.strip()
        if not line or line[0] in "#;":
            return None
        match_state = MatchState.read(line)
        hand, agent = (match_state.hand, match_state.position), self._agents[match_state.position]
        if hand != self._hand or not match_state.extends(self._acpc_hand.betting):
            # A new hand, or one that the dealer repeats from an earlier point.
            self.num_hands += hand != self._hand
            self._hand, self._acpc_hand, self._num_observed = hand, AcpcHand(self._game), 0
            seeds = np.random.SeedSequence((self._seed, *hand))
            agent.begin(seed=int(seeds.generate_state(1)[0]))
            self._acpc_hand.draw(np.random.default_rng(seeds))
        acpc_hand = self._acpc_hand
        acpc_hand.follow(match_state)
        for outcome in acpc_hand.outcomes[self._num_observed :]:
            agent.observe(outcome)
        self._num_observed = len(acpc_hand.outcomes)
        if acpc_hand.real_actor != match_state.position:
            return None
        if acpc_hand.actor != match_state.position:  # our game's betting is over
            return f"{line}:c"
        return f"{line}:{acpc_hand.text_of(agent.act(self._infostate(match_state)))}"

    def close(self) -> None:
        """Closes the agents."""
        for agent in self._agents:
            with contextlib.suppress(OSError):
                agent.close()

    def _infostate(self, match_state: MatchState) -> int:
        """The infostate of our hand."""
        text = match_state.cards[match_state.position]
        try:
            cards: Any = np.sort(np.array(self._game.deck.parse_cards(text), np.int32))
        except ValueError as error:
            raise ValueError(f"{str(error)[:-1]} in {match_state}.") from None
        hands = self._game.hands.cards
        found = np.flatnonzero((hands == cards).all(axis=1) if len(cards) == 2 else 0)
        seat = situation(self._game, self._acpc_hand.state).infostate_mask[match_state.position]
        if not len(found) or not seat[found[0]]:
            raise ValueError(f"{text!r} is not a possible hand of two cards in {match_state}.")
        return int(found[0])


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    check_searches([arguments.agent], arguments)
    start_jax(few_searches=True)
    with display.working() as work, mistakes():
        seating = seat_players([arguments.agent], arguments, work)
        (player,), game = seating.players, acpc_game(seating.game)
        client = AcpcClient(game, player, arguments.seed)
        work.begin("compiling")
        client.prepare()
    where = f"{arguments.dealer_host}:{arguments.dealer_port}"
    with contextlib.closing(client):
        try:
            _play(client, arguments.dealer_host, arguments.dealer_port, where)
        except OSError as error:
            raise CommandError(f"dealer {where}: {reason(error).lower()}.") from None
        except UnicodeError:
            raise CommandError(f"dealer {where}: not a valid host name.") from None
    count = client.num_hands
    display.note(f"{count:,} hand{'' if count == 1 else 's'} played at {where}.")
    return SUCCESS


def _play(client: AcpcClient, host: str, port: int, where: str) -> None:
    """Plays until the dealer closes the connection."""
    with socket.create_connection((host, port), timeout=_CONNECT_SECONDS) as connection:
        connection.settimeout(None)
        with connection.makefile("rwb") as stream:
            stream.write(f"{VERSION}\r\n".encode())
            stream.flush()
            while line := stream.readline(_MOST_OF_A_LINE):
                try:
                    answer = client.answer(line.decode("utf-8", "replace"))
                except ValueError as error:
                    raise CommandError(f"dealer {where}: {error}") from None
                if answer is not None:
                    stream.write(f"{answer}\r\n".encode())
                    stream.flush()
