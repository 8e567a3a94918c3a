"""Builds pages: templates, bounded forms and error messages."""

import asyncio
import contextlib
import functools
import importlib.resources
import logging
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, Protocol
from urllib.parse import parse_qsl

import jinja2
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from sog.web.interfaces import Cancelled, Poll, RequestError
from sog.web.numbers import whole_number
from sog.web.preparations import Preparation, Preparations
from sog.web.security import MOST_BYTES, STATIC
from sog.web.sessions import FullError, Kept, Sessions
from sog.web.table import StaleError

Form = dict[str, str]
Page = Callable[[Request, Form], Response]
SlowPage = Callable[[Request, Form, Poll], Response]
Endpoint = Callable[[Request], Awaitable[Response]]

_MOST_FIELDS: Final = 1000
_MOST_LETTERS: Final = 20_000
_LONG_FIELDS: Final = ("text", "history")
"""Fields that hold files, whose readers have limits of their own."""
_NAMING: Final = ("game", "player", "evaluator")
"""Fields that name what is prepared."""
_MOST_OF_A_PATH: Final = 4  # concurrent requests
_MOST_OF_A_TITLE: Final = 80  # letters
SECONDS_AT_ONCE: Final = 0.7
"""A preparation that takes longer shows a waiting page."""
_MOST_SHOWN: Final = 600  # letters of a message, which may repeat input
_PACKAGE: Final = "sog.web"
_MEDIA_TYPES: Final = {".css": "text/css", ".js": "text/javascript"}


class DomainPages(Protocol):
    """Pages of a domain, constructed with the `Catalog`, the `Preparations` and a `Submit`."""

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages and of their static files."""

    def section(self) -> Markup:
        """Their section of the home page."""


@functools.cache
def _templates(package: str) -> jinja2.Environment:
    """Templates of a package, which may extend those of `sog.web`."""
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(one) for one in (package, _PACKAGE)]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def render(name: str, *, package: str = _PACKAGE, **values: Any) -> Markup:
    """Renders a template."""
    return Markup(_templates(package).get_template(f"{name}.html").render(values))


def show(name: str, status: int = 200, *, package: str = _PACKAGE, **values: Any) -> HTMLResponse:
    """A page rendered from a template."""
    return HTMLResponse(render(name, package=package, **values), status)


def message_page(status: int, title: str, text: str, back: str = "/") -> HTMLResponse:
    """A page with a message and a link back."""
    return show("problem", status, title=title, text=text[:_MOST_SHOWN], back=back)


def go_to(path: str) -> RedirectResponse:
    """Redirects after a form, so that reloading does not send it again."""
    return RedirectResponse(path, 303)


def page(answer: Page) -> Endpoint:
    """An endpoint that reads its form and answers in a worker thread.

    Concurrent requests for one path are limited, so that they never occupy all threads.
    """
    turns = weakref.WeakValueDictionary[str, asyncio.Semaphore]()

    async def run(request: Request, form: Form) -> Response:
        turn = turns.setdefault(request.url.path, asyncio.Semaphore(_MOST_OF_A_PATH))
        async with turn:
            return await run_in_threadpool(_answered, request, answer, request, form)

    return _endpoint(run)


def prepared_page(
    answer: SlowPage,
    preparations: Preparations,
    is_long: Callable[[Form], bool] = lambda form: False,
    naming: Sequence[str] = _NAMING,
    long_fields: Sequence[str] = _LONG_FIELDS,
) -> Endpoint:
    """An endpoint that prepares its answer; if that takes long, it shows a waiting page.

    The preparation is cancelled if the visitor leaves before. is_long: whether it is known to take
    minutes. naming: fields that name what is prepared. long_fields: fields without a limit of
    their own.
    """

    async def run(request: Request, form: Form) -> Response:
        work = functools.partial(_answered, request, answer, request, form)
        try:
            one = preparations.begin(_title(request, form, naming), work, is_long=is_long(form))
        except FullError as full:
            return message_page(503, "Full", str(full))
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def notice(made: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(done.set)

        one.made.add_done_callback(notice)
        tasks = [asyncio.create_task(done.wait()), asyncio.create_task(_leaving(request))]
        ended, _ = await asyncio.wait(
            tasks, timeout=SECONDS_AT_ONCE, return_when=asyncio.FIRST_COMPLETED
        )
        for task in tasks:
            task.cancel()
        if tasks[1] in ended:
            one.cancel()
        return _of(preparations, one) if one.made.done() else go_to(f"/waiting/{one.number}")

    return _endpoint(run, long_fields)


def button_routes(
    path: str,
    sessions: Sessions[Kept],
    buttons: Mapping[str, Callable[[int, Kept, Form], object]],
    query: Callable[[Form], str] = lambda form: "",
) -> list[Route]:
    """Routes of a session's buttons, which lead back to its page, and of its removal.

    query: appended to the page's path, as "?node=3".
    """

    def route(name: str, act: Callable[[int, Kept, Form], object]) -> Route:
        def answer(request: Request, form: Form) -> Response:
            number, session = session_of(request, sessions)
            act(number, session, form)
            return go_to(f"{path}/{number}{query(form)}")

        return Route(f"{path}/{{number}}/{name}", page(answer), methods=["POST"])

    def remove(request: Request, form: Form) -> Response:
        sessions.remove(number_of(request))
        return go_to("/")

    removing = Route(f"{path}/{{number}}/remove", page(remove), methods=["POST"])
    return [removing, *(route(name, act) for name, act in buttons.items())]


def waiting_routes(preparations: Preparations) -> list[Route]:
    """The waiting page of a preparation, and its cancel button."""

    def look(request: Request, form: Form) -> Response:
        return _of(preparations, preparations.get(number_of(request)))

    def cancel(request: Request, form: Form) -> Response:
        preparations.get(number_of(request)).cancel()
        return go_to("/")

    return [
        Route("/waiting/{number}", page(look)),
        Route("/waiting/{number}/cancel", page(cancel), methods=["POST"]),
    ]


def _of(preparations: Preparations, one: Preparation) -> Response:
    """The prepared page, or the waiting page until it is ready."""
    if one.made.cancelled() or one.is_cancelled:
        return go_to("/")
    if one.made.done():
        answer: Response = one.made.result()
        return answer
    return show("waiting", one=one, preparations=preparations)


def _title(request: Request, form: Form, naming: Sequence[str]) -> str:
    """Title of a preparation, as "games: leduc, a2c"."""
    named = (form.get(name, "") for name in naming)
    return f"{request.url.path.strip('/')}: {', '.join(filter(None, named))}"[:_MOST_OF_A_TITLE]


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answered(request: Request, answer: Callable[..., Response], *arguments: Any) -> Response:
    """The answer, or an error page."""
    back = request.url.path.rpartition("/")[0] if request.method == "POST" else "/"
    try:
        return answer(*arguments)
    except Cancelled:
        raise
    except KeyError:
        return message_page(404, "Not there", "There is no such game, search or run (any more).")
    except StaleError as stale:
        return message_page(409, "Not now", str(stale), back)
    except FullError as full:
        return message_page(503, "Full", str(full))
    except RequestError as error:
        return message_page(400, "Invalid request", str(error), back or "/")
    except Exception:
        logging.getLogger("sog.web").exception("%s failed", request.url.path)
        return message_page(500, "An error", "Something went wrong; see the terminal.", back)


def _endpoint(
    run: Callable[[Request, Form], Awaitable[Response]], long_fields: Sequence[str] = _LONG_FIELDS
) -> Endpoint:
    """Reads the form and runs the page."""

    async def endpoint(request: Request) -> Response:
        form: Form = {}
        if request.method == "POST":
            try:
                body = await request.body()
                text = body.decode("utf-8")
                form = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
            except (ValueError, ClientDisconnect):
                return message_page(400, "Not understood", "The form could not be read.")
            for name, value in form.items():
                most = MOST_BYTES if name in long_fields else _MOST_LETTERS
                if len(value) > most:
                    what = f"{name[:20]} must have at most {most:,} letters, got {len(value):,}."
                    return message_page(400, "Invalid request", what)
        return await run(request, form)

    return endpoint


def number_in(form: Form, name: str, most: int) -> int:
    """A whole number from 0 to `most` in a form; otherwise RequestError."""
    text = form.get(name, "").strip()
    value = whole_number(text, most)
    if value is None:
        raise RequestError(f"{name} must be a whole number from 0 to {most}, got {text[:20]!r}.")
    return value


def number_of(request: Request) -> int:
    """The number in the path of a page; KeyError if invalid."""
    value = whole_number(request.path_params["number"])
    if value is None:
        raise KeyError("number")
    return value


def session_of(request: Request, sessions: Sessions[Kept]) -> tuple[int, Kept]:
    """The number in the path and its session; KeyError if there is none."""
    number = number_of(request)
    return number, sessions.get(number)


def inline(svg: str | None) -> Markup | None:
    """An SVG of our own to embed in a page."""
    if svg is None:
        return None
    return Markup(svg.partition("?>")[2] if svg.startswith("<?xml") else svg)


def static_routes(package: str, *names: str) -> list[Route]:
    """Routes of files in a package's folder `static`, which need no token."""

    def route(name: str) -> Route:
        content = (importlib.resources.files(package) / "static" / name).read_bytes()
        answer = Response(content, media_type=_MEDIA_TYPES[PurePath(name).suffix])
        return Route(STATIC + name, lambda request: answer)

    return [route(name) for name in names]
