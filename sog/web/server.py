"""The server: listens, and runs the application in its own thread."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from sog.web.connection import Connection

_MOST_CONNECTIONS: Final = 256  # with and without the token
_SECONDS_IDLE: Final = 15  # between two requests of a connection
_SECONDS_TO_STOP: Final = 0.5
_BACKLOG: Final = 100


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 chooses a free one. Raises OSError."""
    (family, _, _, _, address), *_ = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return socket.create_server(address[:2], family=family, backlog=_BACKLOG)


@contextlib.contextmanager
def serving(app: ASGIApp, listener: socket.socket) -> Iterator[None]:
    """Serves requests while its body runs.

    Not in the main thread, so that `sog.cli.interrupts`, not uvicorn, handles signals.
    """
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        log_level="error",  # clients must not write to the terminal
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_SECONDS_IDLE,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = server.force_exit = True  # do not wait for keep-alive connections
        thread.join(_SECONDS_TO_STOP)
