"""Connections: waiting for a visitor has an end, and few are waited for at a time.

uvicorn waits for ever for a request to come and for its answer to be taken, and where too many are
connected it refuses everybody: some who say nothing, or half of a form, would shut out all others.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from sog.web.security import LET_IN

MOST_WAITED_FOR: Final = 64
"""Connections that the server waits for, of those that have shown the token and of strangers; one
more ends the oldest of its kind, not the newest, so that who is to show the token always can."""
SECONDS_TO_ASK: Final = 20.0
"""For a request to come, headers and body, from the end of the one before; and for an answer to be
taken."""


class Connection(H11Protocol):
    """One of uvicorn's, with these bounds."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app_state = {**self.app_state, LET_IN: self._let_in}  # of every request
        self._is_stranger = True
        self._deadline: asyncio.TimerHandle | None = None

    def _let_in(self) -> None:
        self._is_stranger = False
        self._make_room()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come."""
        super().connection_made(transport)
        self._watch()

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
            self._make_room()

    def _make_room(self) -> None:
        """Ends the one of this kind that has been waited for longest, if they are too many."""
        waits = {
            one: one._deadline.when()
            for one in self.connections
            if isinstance(one, Connection)
            and one._is_stranger == self._is_stranger
            and one._deadline is not None
        }
        if len(waits) > MOST_WAITED_FOR:
            oldest = min(waits, key=lambda one: waits[one])
            oldest._stop_watching()  # it is gone in a moment, and does not count again
            oldest.transport.abort()

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
