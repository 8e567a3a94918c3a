"""Access control: requires the token, rejects pages of other sites and bounds request sizes.

A hostile page can make a browser send requests to this server and, by DNS rebinding, even read the
responses. So every request must carry the token, which is only in the address printed in the
terminal, and name this host. After the first visit a cookie holds the token; scripts cannot read it
and other sites cannot send it. A browser that this server starts gets a different token, valid for
one visit within a minute, because command lines are visible to every user of the machine.
"""

import hmac
import html
import ipaddress
import time
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sog.web.numbers import whole_number

MOST_BYTES: Final = 1_000_000
"""Largest body of a request."""
_TOO_LARGE: Final = f"A request may have {MOST_BYTES:,} bytes at most."
_SECONDS_OF_ONCE: Final = 60.0
LET_IN: Final = "let_in"
"""Key in a request's state of the callback for a valid token."""
STATIC: Final = "/static/"
"""Path of files that need no token: they are the same in every installation."""
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # With no-referrer, forms would have the origin "null".
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """ASGI middleware that protects an application."""

    def __init__(
        self, app: ASGIApp, *, token: str, port: int, names: tuple[str, ...], once: str = ""
    ) -> None:
        """names: of this host besides its addresses, as `--host` and localhost.

        once: a token for a single visit within a minute; "" for none.
        """
        self._app, self._token = app, token
        self._once, self._once_until = once, time.monotonic() + _SECONDS_OF_ONCE
        self._port, self._names = port, {name.lower() for name in names}
        self.cookie = f"sog_{port}"  # cookies are shared between ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rejects a request or passes it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refused = self._refuse(scope, headers)
        if refused is not None:
            await refused(scope, receive, _with_headers(send))
            return
        await self._app(scope, _bounded(receive), _with_headers(send))

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        """The response to a request that is not allowed."""
        host = headers.get("host", "")
        if not self._is_here(host):
            return _plain(421, "This server does not answer to that name.")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return _plain(403, "A page of another site may not ask this server.")
        if scope["path"].startswith(STATIC) or scope["path"] == "/favicon.ico":
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        given = [value for name, value in query if name == "token"]
        if given and (self._is_token(given[-1]) or self._is_first(given[-1])):
            _tell(scope)
            rest = urlencode([pair for pair in query if pair[0] != "token"])
            path = "/" + scope["path"].lstrip("/")  # two slashes would mean another host
            answer: Response = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
            if headers.get("sec-fetch-site") == "cross-site":
                # After a link on another site, such as a web terminal, a browser sends a strict
                # cookie only once a page of this site leads on.
                where = answer.headers["location"]
                link = f'<a href="{html.escape(where)}">On to sog</a>'
                answer = HTMLResponse(link, headers={"Refresh": f"0; url={where}"})
            answer.set_cookie(self.cookie, self._token, httponly=True, samesite="strict")
            return answer
        if given or not self._is_token(Request(scope).cookies.get(self.cookie, "")):
            return _plain(
                403, "The token is missing or wrong: open the address that sog serve printed."
            )
        _tell(scope)
        length = whole_number(headers.get("content-length", "0"), MOST_BYTES)
        return _plain(413, _TOO_LARGE) if length is None else None

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())

    def _is_first(self, text: str) -> bool:
        """Whether it is the single-visit token, which this call uses up."""
        if self._once == "" or time.monotonic() > self._once_until:
            return False
        found = hmac.compare_digest(text.encode(), self._once.encode())
        if found:
            self._once = ""
        return found

    def _is_here(self, host: str) -> bool:
        """Whether a Host header means this server: an address or one of its names, and its port.

        DNS rebinding needs a host name, so any address is safe.
        """
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self._port:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.lower() in self._names
        return True


def _tell(scope: Scope) -> None:
    """Reports to the server that this connection presented the token."""
    let_in = scope.get("state", {}).get(LET_IN)
    if let_in is not None:
        let_in()


def _plain(status: int, text: str) -> Response:
    return Response(f"{text}\n", status, {"Connection": "close"}, media_type="text/plain")


def _bounded(receive: Receive) -> Receive:
    """Bounds a body without a Content-Length."""
    num_bytes = 0

    async def count() -> Message:
        nonlocal num_bytes
        message = await receive()
        num_bytes += len(message.get("body", b""))
        if num_bytes > MOST_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return count


def _with_headers(send: Send) -> Send:
    async def add(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return add
