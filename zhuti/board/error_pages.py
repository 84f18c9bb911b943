"""An error as a page of the board; programs get it as JSON."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crawler.messages import N_, translated
from zhuti.board.access import HEADERS
from zhuti.board.board import Board

SENTENCES = {404: N_("The board has no such page."), 405: N_("The board knows no such request.")}
OTHERWISE = N_("The board has made a mistake; the terminal of `zhuti serve` tells more.")


class Errors:
    def __init__(self, board: Board) -> None:
        self._board = board

    def page(self, request: Request, sentence: str, status: int) -> Response:
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": sentence}, status)
        page = self._board.html(request, "error.html", error=sentence)
        page.status_code = status
        return page

    def answer(self, request: Request, error: Exception) -> Response:
        """To what a view or Starlette itself has raised."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        answer = self.page(request, translated(SENTENCES.get(status, OTHERWISE)), status)
        answer.headers.update(HEADERS)  # what raises is answered outside of the guard
        return answer
