"""The server itself: listens, and runs the application in a thread of its own."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from sog.web.connection import Connection

_MOST_CONNECTIONS: Final = 256  # strangers and all others
_SECONDS_IDLE: Final = 15  # between the requests of a connection
_SECONDS_TO_STOP: Final = 0.5
_BACKLOG: Final = 100


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address of this machine; port 0 for a free one. Raises OSError."""
    (family, _, _, _, address), *_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return socket.create_server(address[:2], family=family, backlog=_BACKLOG)


@contextlib.contextmanager
def serving(app: ASGIApp, listener: socket.socket) -> Iterator[None]:
    """Answers requests while its body runs.

    Not in the main thread, where signals are handled: by `sog.cli.interrupts`, not by uvicorn.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        log_level="error",  # strangers write no lines to the terminal
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_SECONDS_IDLE,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = server.force_exit = (
            True  # connections that are kept are not waited for
        )
        thread.join(_SECONDS_TO_STOP)
