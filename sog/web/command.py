"""`sog serve`: a local web server."""

import argparse
import errno
import ipaddress
import secrets
import threading

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reason, require_package
from sog.cli.interrupts import concluding


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    for package in ("starlette", "uvicorn", "jinja2"):
        require_package("sog serve", package)
    from sog.web.app import make_app
    from sog.web.catalog import Catalog
    from sog.web.server import listen, serving

    with mistakes():
        catalog = Catalog(arguments.runs, arguments.game, arguments.player)
    try:
        listener = listen(arguments.host, arguments.port)
    except OSError as error:
        raise CommandError(_why_not(arguments, error)) from None
    except UnicodeError:
        raise CommandError(f"--host {arguments.host} is not a valid host name.") from None
    start_jax(few_searches=True)
    port: int = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    once = secrets.token_urlsafe(24) if arguments.open else ""
    names = () if _is_everywhere(arguments.host) else (arguments.host,)
    app = make_app(catalog, token=token, port=port, names=names, once=once)
    address = f"http://{_shown(arguments.host)}:{port}/?token="
    with concluding(lambda: display.note("stopped.")), serving(app, listener):
        if not _is_loopback(arguments.host):
            display.note(
                f"--host {arguments.host}: other machines can reach this server, and traffic "
                f"is not encrypted; anyone with the token can use it."
            )
        display.note("open this address in a browser; Ctrl-C stops the server.")
        print(address + token, flush=True)
        if arguments.open:
            _open(address + once)
        threading.Event().wait()  # until a signal arrives
    return SUCCESS


def _open(address: str) -> None:
    import webbrowser

    try:
        found = webbrowser.open(address)
    except webbrowser.Error:
        found = False
    if not found:
        display.note("--open: no browser found; open the address yourself.")


def _why_not(arguments: argparse.Namespace, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"--port {arguments.port} is in use, perhaps by another `sog serve`; choose another, "
            f"or 0 for any free one."
        )
    if error.errno == errno.EACCES:
        return f"--port {arguments.port} may not be used here; choose one from 1024 on."
    return f"--host {arguments.host}: cannot listen there: {reason(error)}."


def _is_loopback(host: str) -> bool:
    return host == "localhost" or _is(host, "is_loopback")


def _is_everywhere(host: str) -> bool:
    return _is(host, "is_unspecified")


def _is(host: str, kind: str) -> bool:
    """Whether the host is an address of a kind that `ipaddress` knows."""
    try:
        return bool(getattr(ipaddress.ip_address(host), kind))
    except ValueError:
        return False


def _shown(host: str) -> str:
    """The host as written in a URL."""
    if _is_everywhere(host):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
