"""Connections: what a visitor is waited for has an end, and strangers are few at a time.

uvicorn waits for ever for a request to come and for its answer to be taken, and where too many are
connected it refuses everybody: some who say nothing would shut out all others.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from sog.web.security import LET_IN

MOST_STRANGERS: Final = 64
"""Connections that have not shown the token; one more ends the oldest, not the newest, so that who
is to show it always can."""
SECONDS_TO_ASK: Final = 20.0
"""For a request to come, headers and body, from the end of the one before; and for an answer to be
taken."""


class Connection(H11Protocol):
    """One of uvicorn's, with these bounds."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app_state = {**self.app_state, LET_IN: self._let_in}  # of every request
        self._is_stranger, self._since = True, self.loop.time()
        self._deadline: asyncio.TimerHandle | None = None

    def _let_in(self) -> None:
        self._is_stranger = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come, to whom another stranger may have to yield."""
        super().connection_made(transport)
        self._watch()
        strangers = [
            one for one in self.connections if isinstance(one, Connection) and one._is_stranger
        ]
        if len(strangers) > MOST_STRANGERS:
            oldest = min(strangers, key=lambda one: one._since)
            oldest._is_stranger = False  # it is none to be ended, and gone in a moment
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """A part of a request has come."""
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """The visitor does not take the answer as fast as it is given."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """He has taken most of it."""
        super().resume_writing()
        self._watch()

    def on_response_complete(self) -> None:
        """The time for the next request begins."""
        self._stop_watching()
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        self._stop_watching()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Has time run where the visitor is waited for, and only there."""
        cycle = self.cycle
        is_his_turn = (
            cycle is None or cycle.more_body or cycle.response_complete or self.flow.write_paused
        )
        if not is_his_turn:
            self._stop_watching()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ASK, self.transport.abort)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
