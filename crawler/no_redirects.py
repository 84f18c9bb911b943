"""Requests to an address that the user gave, and to no other: no redirect is followed."""

from __future__ import annotations

from typing import Any
from urllib.request import HTTPRedirectHandler, OpenerDirector, build_opener


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is an error: it could lead to an address within the user's own network."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


def opener() -> OpenerDirector:
    return build_opener(_NoRedirects)
