"""Connections with timeouts, and a bound on how many may be waiting for the client.

uvicorn waits forever for a request to arrive and for its response to be read, and refuses everyone
at its connection limit: a few silent or slow clients would lock out all others.
"""

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from sog.web.security import LET_IN

MOST_WAITED_FOR: Final = 64
"""Connections waiting for the client, counted separately with and without the token. One more
closes the oldest of its kind, not the newest, so that a client can always present the token."""
SECONDS_TO_ASK: Final = 20.0
"""Timeout for a whole request to arrive after the previous one, and for a response to be read."""


class Connection(H11Protocol):
    """A uvicorn connection with these limits."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app_state = {**self.app_state, LET_IN: self._let_in}  # of every request
        self._is_stranger = True
        self._deadline: asyncio.TimerHandle | None = None

    def _let_in(self) -> None:
        self._is_stranger = False
        self._make_room()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client connects."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """A part of a request arrives."""
        super().data_received(data)
        self._watch()

    def pause_writing(self) -> None:
        """The client reads the response more slowly than it is written."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """The client has read most of it."""
        super().resume_writing()
        self._watch()

    def on_response_complete(self) -> None:
        """Starts the timeout for the next request."""
        self._stop_watching()
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the timeout."""
        self._stop_watching()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Runs the timeout while, and only while, waiting for the client."""
        cycle = self.cycle
        waits_for_client = (
            cycle is None or cycle.more_body or cycle.response_complete or self.flow.write_paused
        )
        if not waits_for_client:
            self._stop_watching()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ASK, self.transport.abort)
            self._make_room()

    def _make_room(self) -> None:
        """Closes the longest-waiting connection of this kind if there are too many."""
        waits = {
            one: one._deadline.when()
            for one in self.connections
            if isinstance(one, Connection)
            and one._is_stranger == self._is_stranger
            and one._deadline is not None
        }
        if len(waits) > MOST_WAITED_FOR:
            oldest = min(waits, key=lambda one: waits[one])
            oldest._stop_watching()  # no longer counted while it closes
            oldest.transport.abort()

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
