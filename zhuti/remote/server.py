"""A model behind any server with OpenAI's interfaces, by the settings MODEL_URL and MODEL_NAME and the environment
variable MODEL_KEY, which is sent as a bearer token."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request

from crawler.errors import CrawlerError
from crawler.messages import _
from zhuti.remote.no_redirects import answer

TIMEOUT = 120.0  # seconds
EXAMPLE = "http://127.0.0.1:8000/v1"

Read = TypeVar("Read")


class ModelServer:
    def __init__(self, url: str, model: str, mistake: type[CrawlerError]) -> None:
        """Raises `mistake` for settings that cannot be used."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise mistake(
                _(
                    "MODEL_URL={url!r} is not an address; give that of an OpenAI-compatible server, such as {example}",
                    url=url,
                    example=EXAMPLE,
                )
            )
        if not model:
            raise mistake(_("MODEL_NAME is empty; give the name of a model at MODEL_URL"))
        self.model = model
        self._url = url.rstrip("/")
        self._place = parts.netloc.rpartition("@")[2]  # what else the address holds may be a secret

    def ask(
        self,
        place: str,
        question: dict[str, Any],
        read: Callable[[bytes], Read],
        largest: int,
        tries: int,
        failure: type[CrawlerError],
    ) -> Read:
        """What `read` makes of the answer of at most `largest` bytes; it raises ValueError for one of another form.
        `place`: of the interface, below the address. Raises `failure` after so many tries."""
        headers = {"Content-Type": "application/json", "User-Agent": "zhuti"}
        if key := os.environ.get("MODEL_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        asked = json.dumps({"model": self.model, **question}).encode()
        request = Request(f"{self._url}{place}", asked, headers, method="POST")
        problem: object = ""
        for _try in range(tries):
            try:
                return read(answer(request, TIMEOUT, largest))
            except HTTPError as error:
                problem = _("status {status}", status=error.code)
            except (OSError, HTTPException, ValueError) as error:
                problem = error
        raise failure(
            _(
                "the model at {place} does not answer ({problem}); check MODEL_URL, MODEL_NAME and MODEL_KEY",
                place=self._place,
                problem=problem,
            )
        )
