"""Who may use the board: checked of every request, before anything else is.

- The Host header must be an address of the board: a name that a stranger lets resolve to this machine is refused (DNS
  rebinding).
- Whoever comes needs the token of the printed address, then in a cookie that other sites cannot send; programs send it
  as a bearer token. Beyond this machine a password is needed to get it.
- What changes something must come from the board's own pages (Sec-Fetch-Site, Origin, a token in each form).
- What is sent back runs no script but the board's, in no frame but the board's.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import scrypt, sha256
from ipaddress import ip_address, ip_network
from time import monotonic
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crawler.bounded_dict import BoundedDict
from crawler.messages import LANGUAGE, _, speaking

COOKIE = "zhuti"
LARGEST_FORM = 64_000  # bytes
BODY_SECONDS = 10.0  # that a form may take to arrive
FAILURES = 5  # wrong passwords in a row, after which nobody of that network may try for REST
REST = 60.0  # seconds
HOST = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::\d*)?")
SAFE = ("GET", "HEAD")
STATIC = "/static/"
LOGIN = "/login"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self';"
    " frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer" browsers send `Origin: null` with the board's own forms
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@dataclass
class Access:
    """`names`: what the Host header may say, without the port. `password`: "" where the token alone is asked for."""

    names: frozenset[str]
    password: str = field(default="", repr=False)
    read_only: bool = False
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    _failures: BoundedDict[str, int] = field(default_factory=BoundedDict, init=False)  # by network
    _rests: BoundedDict[str, float] = field(default_factory=BoundedDict, init=False)  # until when, by network
    _salt: bytes = field(default_factory=lambda: secrets.token_bytes(16), init=False, repr=False)
    _hash: bytes = field(default=b"", init=False, repr=False)  # of the password

    def __post_init__(self) -> None:
        if self.password:
            self._hash = self._costly(self.password)

    def is_token(self, said: str) -> bool:
        return _same(said, self.token)

    @property
    def form_token(self) -> str:
        """What each form of the board carries; of no use as the token itself."""
        return hmac.new(self.token.encode(), b"form", sha256).hexdigest()

    def let_in(self, said: str, address: str) -> bool:
        """Whether that is the password: some hundredths of a second. Raises TooOften after FAILURES wrong ones of the
        network of `address`: a stranger does not lock the owner out."""
        network = _network(address)
        if monotonic() < self._rests.get(network, 0.0):
            raise TooOften
        right = bool(self._hash) and hmac.compare_digest(self._costly(said), self._hash)
        self._failures[network] = 0 if right else self._failures.get(network, 0) + 1
        if self._failures[network] >= FAILURES:
            self._failures[network], self._rests[network] = 0, monotonic() + REST
        return right

    def _costly(self, said: str) -> bytes:
        return scrypt(said.encode("utf-8", "replace"), salt=self._salt, n=1 << 14, r=8, p=1)


class TooOften(Exception):
    """The password was guessed too often."""


Tell = Callable[[Request, str, int], Response]  # an error as a page: the request, a sentence, the status


class Guard:
    """ASGI middleware around the whole board."""

    def __init__(self, app: ASGIApp, access: Access, tell: Tell) -> None:
        self._app = app
        self._access = access
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":
            return None  # no websockets here
        request = Request(scope, receive)
        with speaking(wanted_language(request.headers.get("accept-language"))):
            refusal = await self._refusal_in_time(request)
            replay = _replayed(await request.body()) if refusal is None and request.method == "POST" else receive
            await (refusal or self._app)(scope, replay, _with_headers(send))
        return None

    async def _refusal_in_time(self, request: Request) -> Response | None:
        """A form is read here; who never sends it holds no connection."""
        try:
            return await asyncio.wait_for(self._refusal(request), BODY_SECONDS)
        except TimeoutError:
            return self._tell(request, _("The form did not arrive in time."), 408)

    async def _refusal(self, request: Request) -> Response | None:
        """What is answered in place of the board; None: the request may pass."""
        if _host_name(request.headers.get("host", "")) not in self._access.names:
            sentence = _("This board does not have that address. Use the address that `zhuti serve` printed.")
            return self._tell(request, sentence, 421)
        if request.url.path.startswith(STATIC):
            return None
        if request.method not in SAFE and (trouble := await self._trouble(request)):
            return self._tell(request, trouble, 403)
        if request.url.path == LOGIN and self._access.password:
            return None
        if self._access.is_token(request.query_params.get("token", "")) and request.method in SAFE:
            # To the same page without the token, which would stay in the browser's history.
            return enter(self._access, str(request.url.remove_query_params("token").replace(scheme="", netloc="")))
        if self._access.is_token(request.cookies.get(COOKIE, "")) or self._is_program(request):
            return None
        if self._access.password:
            return RedirectResponse(LOGIN, 303)
        return self._tell(request, _("Open the address that `zhuti serve` printed: it holds the token."), 401)

    def _is_program(self, request: Request) -> bool:
        kind, _, said = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self._access.is_token(said)

    async def _trouble(self, request: Request) -> str:
        """Why a request that may change something is refused, "" where it is not."""
        if request.method != "POST":
            return _("The board knows no such request.")
        if self._access.read_only and request.url.path != LOGIN:
            return _("This board is read-only.")
        if int(request.headers.get("content-length") or LARGEST_FORM + 1) > LARGEST_FORM:
            return _("The form is too large.")
        if self._is_program(request):
            return ""
        origin = request.headers.get("origin")
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin" or (
            origin is not None and urlsplit(origin).netloc != request.headers.get("host")
        ):
            return _("The form comes from another site.")
        said = parse_qs((await request.body()).decode("utf-8", "replace")).get("form_token", [""])[0]
        if request.url.path != LOGIN and not _same(said, self._access.form_token):
            return _("The form is too old. Load the page again.")
        return ""


def enter(access: Access, to: str = "/") -> Response:
    """Sends a browser to a page of the board, with the cookie that opens it."""
    answer = RedirectResponse(to if to.startswith("/") and not to.startswith("//") else "/", 303)
    answer.set_cookie(COOKIE, access.token, httponly=True, samesite="strict")
    return answer


def wanted_language(accepted: str | None) -> str:
    """The first of English and Chinese that the browser asks for; by default the one of who started the board."""
    for wanted in (accepted or "").split(","):
        if (name := wanted.strip()[:2].lower()) in ("en", "zh"):
            return name
    return LANGUAGE


def _same(one: str, other: str) -> bool:
    """Compared by their hashes, in the same time whatever they are."""
    return hmac.compare_digest(sha256(one.encode()).digest(), sha256(other.encode()).digest())


def _network(address: str) -> str:
    """What one who guesses has: an address, or of IPv6 a network of 64 bits."""
    try:
        return str(ip_network((address, 64), strict=False)) if ip_address(address).version == 6 else address
    except ValueError:
        return address


def _host_name(header: str) -> str:
    """The host's name without the port; "" for what is not a name."""
    found = HOST.fullmatch(header)
    return found[1].strip("[]").lower() if found else ""


def _replayed(body: bytes) -> Receive:
    """The body once more, for the board: it has been read here."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return with_headers
