"""How pages are made: templates, forms read with bounds, and what is told where it fails."""

import asyncio
import functools
import importlib.resources
import logging
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import parse_qsl

import jinja2
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sog.web.host import Heed, Left, Mistake
from sog.web.numbers import whole_number
from sog.web.preparations import Preparations
from sog.web.security import MOST_BYTES
from sog.web.sessions import Full
from sog.web.table import StaleError

Form = dict[str, str]
Page = Callable[[Request, Form], Response]
SlowPage = Callable[[Request, Form, Heed], Response]
Endpoint = Callable[[Request], Awaitable[Response]]

_MOST_FIELDS: Final = 1000
_MOST_LETTERS: Final = 20_000
_LONGER: Final = dict.fromkeys(("text", "history", "range0", "range1"), MOST_BYTES)
"""Letters of a field, and of those that hold files or all hands, whose readers have limits."""
_MOST_TOLD: Final = 600  # letters of a mistake, which may repeat what was sent
_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("sog.web"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)


def show(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from the template of this name."""
    return HTMLResponse(_templates.get_template(f"{name}.html").render(values), status)


def tell(status: int, title: str, text: str, back: str = "/") -> HTMLResponse:
    """A page that says what cannot be, and leads back."""
    return show("problem", status, title=title, text=text[:_MOST_TOLD], back=back)


def go_to(path: str) -> RedirectResponse:
    """After a form was sent: reloading the page that follows does not send it again."""
    return RedirectResponse(path, 303)


def page(answer: Page) -> Endpoint:
    """An endpoint that reads its form and answers in one of the threads that are kept for pages."""

    async def run(request: Request, form: Form) -> Response:
        return await run_in_threadpool(answer, request, form)

    return _endpoint(run)


def prepared_page(answer: SlowPage, preparations: Preparations) -> Endpoint:
    """One that answers after a preparation, which is cancelled where the visitor leaves."""

    async def run(request: Request, form: Form) -> Response:
        has_left = threading.Event()

        def heed() -> None:
            if has_left.is_set():
                raise Left

        game = form.get("game") or form.get("player") or request.url.path
        made = preparations.begin(game, functools.partial(answer, request, form, heed))
        answered, left = asyncio.wrap_future(made), asyncio.create_task(_leaving(request))
        await asyncio.wait((answered, left), return_when=asyncio.FIRST_COMPLETED)
        left.cancel()
        if not answered.done():
            has_left.set()
            answered.cancel()
            return Response(status_code=204)  # which nobody reads
        return answered.result()

    return _endpoint(run)


async def _leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _endpoint(run: Callable[[Request, Form], Awaitable[Response]]) -> Endpoint:
    """Reads the form, and tells what went wrong."""

    async def endpoint(request: Request) -> Response:
        form: Form = {}
        if request.method == "POST":
            try:
                body = await request.body()
                text = body.decode("utf-8")
                form = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS))
            except (ValueError, ClientDisconnect):
                return tell(400, "Not understood", "The form could not be read.")
            for name, value in form.items():
                most = _LONGER.get(name, _MOST_LETTERS)
                if len(value) > most:
                    what = f"{name[:20]} must have at most {most:,} letters, got {len(value):,}."
                    return tell(400, "That cannot be", what)
        back = request.url.path.rpartition("/")[0] if request.method == "POST" else "/"
        try:
            return await run(request, form)
        except KeyError:
            return tell(404, "Not there", "There is no such game, search or run (any more).")
        except StaleError as stale:
            return tell(409, "Not now", str(stale), back)
        except Full as full:
            return tell(503, "Full", str(full))
        except Mistake as mistake:
            return tell(400, "That cannot be", str(mistake), back or "/")
        except Exception:
            logging.getLogger("sog.web").exception("%s failed", request.url.path)
            return tell(500, "An error", "Something went wrong; the terminal says more.", back)

    return endpoint


def number_in(form: Form, name: str, most: int) -> int:
    """A whole number from a form; Mistake if it is none from 0 to `most`."""
    text = form.get(name, "").strip()
    value = whole_number(text, most)
    if value is None:
        raise Mistake(f"{name} must be a whole number from 0 to {most}, got {text[:20]!r}.")
    return value


def number_of(request: Request) -> int:
    """The number in the path of a page; KeyError if it is none."""
    value = whole_number(request.path_params["number"])
    if value is None:
        raise KeyError("number")
    return value


def inline(svg: str | None) -> Markup | None:
    """A picture of ours as part of a page."""
    if svg is None:
        return None
    return Markup(svg.partition("?>")[2] if svg.startswith("<?xml") else svg)


def static_file(name: str, media_type: str) -> Response:
    """A file that lies beside the code."""
    content = (importlib.resources.files("sog.web") / "static" / name).read_bytes()
    return Response(content, media_type=media_type)
