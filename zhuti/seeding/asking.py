"""Requests to the interface of a source, which the user has named: it may be at a private address, and no robots.txt
is about it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request

from crawler.errors import SourceError
from crawler.messages import _
from crawler.no_redirects import LARGEST, answer

TIMEOUT = 20.0  # seconds of an answer as a whole
PAUSE = 1.0  # seconds between two requests to a source
KEY = "SEED_SOURCE_KEY"  # environment variable: sent as a bearer token


class Asker:
    """Asks one source, gently."""

    def __init__(self, address: str, agent: str) -> None:
        if not address.startswith(("http://", "https://")) or not urlsplit(address).hostname:
            raise SourceError(_("{address} is not an address of a source; write http(s)://host/path"), address=address)
        self._address = address
        self._place = urlsplit(address).netloc.rpartition("@")[2]  # what else the address holds may be a secret
        self._headers = {"User-Agent": agent, "Accept": "application/json"}
        if key := os.environ.get(KEY):
            self._headers["Authorization"] = f"Bearer {key}"
        self._next = 0.0

    def text(self, parameters: Mapping[str, str | int]) -> str:
        """Raises SourceError."""
        time.sleep(max(0.0, self._next - time.monotonic()))
        mark = "&" if urlsplit(self._address).query else "?"
        request = Request(f"{self._address}{mark}{urlencode(parameters)}", headers=self._headers)
        try:
            content = answer(request, TIMEOUT, LARGEST)
        except (OSError, HTTPException, ValueError) as error:
            raise SourceError(
                _("the source at {place} cannot be asked ({error}); check its address and whether it is running"),
                place=self._place,
                error=f"status {error.code}" if isinstance(error, HTTPError) else error,
            ) from error
        finally:
            self._next = time.monotonic() + PAUSE
        if len(content) > LARGEST:
            raise SourceError(_("the answer of {place} is too large; ask for less"), place=self._place)
        return content.decode("utf-8", "replace")

    def json(self, parameters: Mapping[str, str | int]) -> Any:
        """Raises SourceError."""
        text = self.text(parameters)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SourceError(
                _("{place} does not answer with JSON; check that the address is that of its interface"),
                place=self._place,
            ) from error


def at(value: Any, *path: str) -> Any:
    """What lies there in an answer; None where the answer has another form."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
