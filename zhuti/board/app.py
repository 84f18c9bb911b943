"""The board: a local web application over one harvest, as ASGI."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl, quote, urlencode

from scrapy.settings import BaseSettings
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from crawler.errors import CrawlerError, StoreError
from crawler.messages import N_, _, translated
from zhuti.board import page_list, views
from zhuti.board.access import HEADERS, LOGIN, Access, Guard, TooOften, enter
from zhuti.board.board import HERE, SAID, Board

SENTENCES = {404: N_("The board has no such page."), 405: N_("The board knows no such request.")}
OTHERWISE = N_("The board has made a mistake; the terminal of `zhuti serve` tells more.")


class Errors:
    def __init__(self, board: Board) -> None:
        self._board = board

    def page(self, request: Request, sentence: str, status: int) -> Response:
        page = self._board.html(request, "error.html", error=sentence)
        page.status_code = status
        return page

    def answer(self, request: Request, error: Exception) -> Response:
        """The answer to what a view or Starlette itself has raised."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        answer = self.page(request, translated(SENTENCES.get(status, OTHERWISE)), status)
        answer.headers.update(HEADERS)  # what raises is answered outside of the guard
        return answer


View = Callable[[Board, Request, str], Response]
PAGES: dict[str, View] = {
    "watch": views.watch,
    "log": views.log,
    "pages": page_list.pages,
    "pages.jsonl": page_list.exported,
    "page": views.page,
    "original": views.original_of,
    "label": views.label,
    "hosts": views.hosts,
    "topic": views.topic_words,
    "news": views.news,
    "report": views.report,
    "feed": views.atom,
    "queue": views.queue,
    "map": views.host_map,
}


def asgi(settings: BaseSettings, access: Access) -> Starlette:
    """The application, behind its guard."""
    board = Board(settings, access)

    errors = Errors(board)

    def route(path: str, view: View) -> Route:
        def answer(request: Request) -> Response:
            try:
                return view(board, request, request.path_params.get("topic", ""))
            except CrawlerError as error:
                return errors.page(request, str(error), 404 if isinstance(error, StoreError) else 400)

        return Route(path, answer)

    async def login(request: Request) -> Response:
        if not access.password:
            return RedirectResponse("/", 303)
        if request.method == "GET":
            return board.html(request, "login.html", wrong="")
        form = await _form(request)
        try:
            address = request.client.host if request.client else ""
            if await run_in_threadpool(access.let_in, form.get("password", ""), address):
                return enter(access)
            wrong = _("That is not the password.")
        except TooOften:
            wrong = _("Too many wrong passwords: wait a minute.")
        return HTMLResponse(board.html(request, "login.html", wrong=wrong).body, 403)

    return Starlette(
        routes=[
            route("/", views.topics),
            Route(LOGIN, login, methods=["GET", "POST"]),
            *(route(f"/t/{{topic}}/{name}", view) for name, view in PAGES.items()),
            *_changing(board),
            Mount("/static", StaticFiles(directory=HERE / "static")),
        ],
        middleware=[Middleware(Guard, access=access, tell=errors.page)],
        exception_handlers=dict.fromkeys((HTTPException, Exception), errors.answer),
    )


def _changing(board: Board) -> list[Route]:
    """Where forms are sent."""

    async def begin(request: Request) -> Response:
        form = await _form(request)
        try:
            said = await run_in_threadpool(board.actions.do, "begin", form.get("name", "").strip(), form)
        except CrawlerError as error:
            return await run_in_threadpool(views.topics, board, request, "", form, str(error))
        return RedirectResponse(f"/t/{quote(form['name'].strip(), safe='')}/watch?{urlencode({'told': said})}", 303)

    async def act(request: Request) -> Response:
        form = await _form(request)
        topic, name = request.path_params["topic"], request.path_params["action"]
        try:
            said = ("told", await run_in_threadpool(board.actions.do, name, topic, form))
        except CrawlerError as error:
            said = ("wrong", str(error))
        return RedirectResponse(_where_it_was_pressed(form.get("back", ""), topic, said), 303)

    return [Route("/begin", begin, methods=["POST"]), Route("/t/{topic}/do/{action}", act, methods=["POST"])]


def _where_it_was_pressed(back: str, topic: str, said: tuple[str, str]) -> str:
    to = back if back.startswith("/") and not back.startswith("//") else f"/t/{quote(topic, safe='')}/watch"
    path, _mark, query = to.partition("?")
    kept = [pair for pair in parse_qsl(query) if pair[0] not in SAID]
    return f"{path}?{urlencode([*kept, said])}"


async def _form(request: Request) -> dict[str, str]:
    """A field that is there several times, such as ticked boxes, has its values in lines."""
    found: dict[str, str] = {}
    for name, value in parse_qsl((await request.body()).decode("utf-8", "replace")):
        found[name] = f"{found[name]}\n{value}" if name in found else value
    return found
