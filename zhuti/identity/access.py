"""Hosts that let in whom they know: a name and a password (RFC 7617), or a certificate, by host in a file of the user's
(HOST_ACCESS). They go to that scheme, host and port alone, and are in no address, no log and no table.

    ["https://intranet.example"]
    user = "me"
    password = "..."

    ["https://partner.example:8443"]
    certificate = "client.pem"  # with its chain; a relative path begins at this file
    key = "client.key"  # without a password; may be in the certificate's file
"""

from __future__ import annotations

import re
import ssl
import tomllib
from base64 import b64encode
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from twisted.internet.ssl import Certificate, PrivateCertificate
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from crawler.errors import SettingError
from crawler.messages import _

Origin = tuple[str, str, int]  # scheme, name, port
NAME = re.compile(r"https?://[^/@?#\s]+/?", re.IGNORECASE)
BEGIN = b"-----BEGIN CERTIFICATE-----"
PORTS = {"http": 80, "https": 443}
KEYS = ({"user", "password"}, {"certificate"}, {"certificate", "key"}, {"user", "password", "certificate", "key"})


@dataclass(frozen=True, slots=True)
class Access:
    header: bytes = b""  # Authorization
    options: dict[str, Any] | None = None  # of Twisted's CertificateOptions


def read_access(path: Path) -> dict[Origin, Access]:
    """Raises SettingError, which tells nothing of what is secret."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise SettingError(_("HOST_ACCESS={path} cannot be read as TOML; correct it"), path=path) from None
    found = {}
    for name, entry in said.items():
        origin = _origin_of(name)
        if origin is None or not NAME.fullmatch(name) or not _is_entry(entry):
            raise SettingError(
                _(
                    "HOST_ACCESS={path}: [{name}] cannot be used; name an address like https://a.org, and give user and"
                    " password, or certificate and key"
                ),
                path=path,
                name=name if "@" not in name else "...",
            )
        header = b"Basic " + b64encode(f"{entry['user']}:{entry['password']}".encode()) if "user" in entry else b""
        found[origin] = Access(header, _options(path, entry) if "certificate" in entry else None)
    return found


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and set(entry) in KEYS
        and all(isinstance(value, str) for value in entry.values())
        and ":" not in entry.get("user", "")
    )


def _origin_of(url: str) -> Origin | None:
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None


def _options(path: Path, entry: dict[str, str]) -> dict[str, Any]:
    """Raises SettingError for files that do not belong together."""
    files = [path.parent / entry["certificate"], path.parent / entry.get("key", entry["certificate"])]
    try:
        # Do they belong together?
        ssl.create_default_context().load_cert_chain(files[0], files[1], password=lambda: b"")
        chain = files[0].read_bytes()
        pair = chain + b"\n" + files[1].read_bytes()
        own = PrivateCertificate.loadPEM(pair)  # type: ignore[no-untyped-call]
        more = [Certificate.loadPEM(BEGIN + part).original for part in chain.split(BEGIN)[2:]]
    except (OSError, ValueError) as error:
        raise SettingError(
            _("HOST_ACCESS: {certificate} and its key cannot be used; give PEM files that belong together"),
            certificate=files[0],
        ) from error
    return {"certificate": own.original, "privateKey": own.privateKey.original, "extraCertChain": more}


class AccessMiddleware:
    """Downloader middleware behind all that change a request: tells each host who asks, where the user said so."""

    def __init__(self, access: dict[Origin, Access]) -> None:
        self._headers: dict[Origin | None, bytes] = {
            origin: said.header for origin, said in access.items() if said.header
        }

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(read_access(Path(crawler.settings["HOST_ACCESS"])))

    def process_request(self, request: Request) -> None:
        if header := self._headers.get(_origin_of(request.url)):
            request.headers["Authorization"] = header
        elif request.headers.get("Authorization") in self._headers.values():  # a redirect led to another host
            del request.headers["Authorization"]


@implementer(IPolicyForHTTPS)
class Certificates:
    """Scrapy's choice of how to connect by TLS, with the user's certificate for hosts that are to see it."""

    def __init__(self, crawler: Crawler, scrapy: Any) -> None:
        access = read_access(Path(crawler.settings["HOST_ACCESS"]))
        self._scrapy = scrapy
        self._own = {origin[1:]: self._with(said.options) for origin, said in access.items() if said.options}

    def _with(self, options: dict[str, Any]) -> Any:
        changed = copy(self._scrapy)
        changed._get_cert_options_kwargs = lambda: {**self._scrapy._get_cert_options_kwargs(), **options}
        return changed

    def creatorForNetloc(self, hostname: bytes, port: int) -> Any:
        return self._own.get((hostname.decode("ascii"), port), self._scrapy).creatorForNetloc(hostname, port)
