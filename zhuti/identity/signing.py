"""Requests that prove whose they are: Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-01) on HTTP Message
Signatures (RFC 9421) with Ed25519.

The key's public half is in a directory, a JWKS, on a site of the user's. Each request names that site
(`Signature-Agent`), and its signature covers that name and the host asked, so it is of no use for another host.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler

from crawler.errors import SettingError
from crawler.messages import _
from crawler.mistakes import needs

DIRECTORY = Path(".well-known/http-message-signatures-directory")  # below the root of the user's site
KEY = "key.pem"
LABEL = "sig1"  # of the signature, and of its member in Signature-Agent
COVERED = ('"@authority"', f'"signature-agent";key="{LABEL}"')
TAG = "web-bot-auth"
LASTS = 300  # seconds for which a signature holds: a request may wait for its turn at the host


class SigningMiddleware:
    """Downloader middleware behind all that change a request: signs each one anew, also robots.txt, retries and what
    redirects lead to. The key is in no request and no log."""

    def __init__(self, key: Any, agent: str) -> None:
        """`key`: an Ed25519PrivateKey. `agent`: the origin whose directory holds its public half."""
        from http_message_signatures import HTTPMessageSigner, algorithms

        self._keyid = public_jwk(key)["kid"]
        self._agent = f'{LABEL}="{agent}"'
        resolver: Any = SimpleNamespace(resolve_private_key=lambda keyid: key)
        self._signer = HTTPMessageSigner(signature_algorithm=algorithms.ED25519, key_resolver=resolver)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Raises SettingError for a key or a CONTACT that cannot be used."""
        site = urlsplit(str(crawler.settings["CONTACT"]))
        if site.scheme != "https" or not site.netloc.isascii() or "@" in site.netloc:
            raise SettingError(
                _("SIGN_WITH needs a CONTACT that begins with https://: its site holds the directory of your key")
            )
        return cls(read_key(Path(crawler.settings["SIGN_WITH"])), f"https://{site.netloc}")

    def process_request(self, request: Request) -> None:
        now = int(time.time())  # of the real clock, which servers compare with theirs
        headers = {"Signature-Agent": self._agent}
        self._signer.sign(
            SimpleNamespace(method=request.method, url=request.url.partition("#")[0], headers=headers),
            key_id=self._keyid,
            created=datetime.fromtimestamp(now, UTC),
            expires=datetime.fromtimestamp(now + LASTS, UTC),
            nonce=secrets.token_urlsafe(32),
            label=LABEL,
            tag=TAG,
            covered_component_ids=COVERED,
        )
        for name, value in headers.items():
            request.headers[name] = value


def public_jwk(key: Any) -> dict[str, str]:
    """The public half as a JSON Web Key (RFC 8037); its `kid` is its thumbprint (RFC 7638)."""
    jwk = {"crv": "Ed25519", "kty": "OKP", "x": _base64(key.public_key().public_bytes_raw())}
    thumbprint = sha256(json.dumps(jwk, separators=(",", ":"), sort_keys=True).encode()).digest()
    return {**jwk, "kid": _base64(thumbprint), "use": "sig"}


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def read_key(path: Path) -> Any:
    """Raises SettingError for what is not the PEM file of an Ed25519 key without a password."""
    with needs("sign"):
        import http_message_signatures  # noqa: F401  # tells early what is missing
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    key: Any = None
    cause: Exception | None = None
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:  # TypeError: it has a password
        cause = error
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingError(
            _("SIGN_WITH={path} cannot be read as an Ed25519 key without a password; make one by zhuti init --keys"),
            path=path,
        ) from cause
    return key


def make_keys(folder: Path) -> Path:
    """Writes a key that only its owner may read, and the directory of its public half. Returns the key's path.

    Raises SettingError where there is a key already, which servers may know."""
    with needs("sign"):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    path, directory = folder / KEY, folder / DIRECTORY
    directory.parent.mkdir(parents=True, exist_ok=True)
    key = Ed25519PrivateKey.generate()
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise SettingError(_("{path} exists; move it away if you want a new key"), path=path) from error
    with os.fdopen(file, "wb") as opened:
        opened.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    directory.write_text(json.dumps({"keys": [public_jwk(key)]}, indent=2) + "\n", encoding="utf-8")
    return path
