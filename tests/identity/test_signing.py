"""Signed requests, verified by a server that knows RFC 9421 and the directory, and shares no code with what signs."""

from __future__ import annotations

import json
import re
import time
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from scrapy import Request

from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import outcomes, page
from tests.serving import Quiet, listening
from zhuti.identity.signing import DIRECTORY, KEY, SigningMiddleware, make_keys, public_jwk

INPUT = re.compile(r'sig1=(\("@authority" "signature-agent";key="sig1"\);(.*))')
SEEN_ONCE: set[str] = set()  # nonces


def fault(headers: dict[str, str], host: str, directory: str, now: float) -> str:
    """What is wrong with a request, "" for nothing."""
    match = INPUT.fullmatch(headers.get("signature-input", ""))
    if not match:
        return "no signature"
    said = dict(part.split("=", 1) for part in match[2].split(";"))
    keys = {key["kid"]: key for key in json.loads(directory)["keys"]}
    if (key := keys.get(said["keyid"].strip('"'))) is None:
        return "unknown key"
    canonical = f'{{"crv":"Ed25519","kty":"OKP","x":"{key["x"]}"}}'
    if key["kid"] != urlsafe_b64encode(sha256(canonical.encode()).digest()).rstrip(b"=").decode():
        return "no thumbprint"
    if said["tag"] != '"web-bot-auth"' or not int(said["created"]) <= now <= int(said["expires"]):
        return "tag or clock"
    if said["nonce"] in SEEN_ONCE:
        return "replayed"
    SEEN_ONCE.add(said["nonce"])
    agent = headers["signature-agent"].removeprefix("sig1=")
    base = f'"@authority": {host}\n"signature-agent";key="sig1": {agent}\n"@signature-params": {match[1]}'
    signature = b64decode(headers["signature"].removeprefix("sig1=:").removesuffix(":"))
    try:
        Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(key["x"] + "=")).verify(signature, base.encode())
    except Exception as error:
        return type(error).__name__
    return "" if agent == '"https://me.example"' else "another agent"


@contextmanager
def verifying(directory: str) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
    """A server, and a proxy, that answers signed requests alone: its port, and (path, fault, lines of signature)."""
    asked: list[tuple[str, str, int]] = []

    class Handler(Quiet):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path  # a proxy is asked for a whole address
            headers = {name.lower(): value for name, value in self.headers.items()}
            wrong = fault(headers, self.headers["Host"], directory, time.time())
            tries = sum(path == before for before, *_ in asked)
            asked.append((path, wrong, len(self.headers.get_all("Signature") or ())))
            moved, busy = path == "/old", path == "/busy" and not tries
            status = 401 if wrong else 302 if moved else 503 if busy else 404 if path == "/robots.txt" else 200
            body = page(path.strip("/") or "首页", *(["/old", "/busy"] if path == "/" else []))
            self.answer(status, body, {"Location": "/new#part"} if moved else {})

    with listening(Handler) as server:
        yield server.server_port, asked


@pytest.mark.slow
@pytest.mark.parametrize("by_proxy", [False, True])
def test_each_request_is_signed(tmp_path: Path, scrapy: Scrapy, by_proxy: bool) -> None:
    made = scrapy("init", str(tmp_path / "keys"), "--keys", proxy="")
    assert made.returncode == 0, made.stderr
    key = tmp_path / "keys" / KEY
    assert f"SIGN_WITH={key}" in made.stdout
    assert key.stat().st_mode & 0o077 == 0
    with verifying((tmp_path / "keys" / DIRECTORY).read_text()) as (port, asked):
        host = "http://a.example/" if by_proxy else f"http://127.0.0.1:{port}/"
        sign = ("-s", f"SIGN_WITH={key}", "-s", "CONTACT=https://me.example/crawl", "-s", "RETRY_TIMES=1")
        done = scrapy(
            *("crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={host}", *LOOPBACK, *sign, "-L", "DEBUG"),
            proxy=f"http://127.0.0.1:{port}" if by_proxy else "",
        )
    assert done.returncode == 0, done.stderr
    assert {wrong for _, wrong, _ in asked} == {""}
    assert {lines for *_, lines in asked} == {1}
    assert Counter(path for path, *_ in asked) == {"/robots.txt": 1, "/": 1, "/old": 1, "/new": 1, "/busy": 2}
    assert {url.removeprefix(host) for url, end in outcomes(tmp_path).items() if end[0] == "kept"} >= {"new", "busy"}
    secret = key.read_text().splitlines()[1]
    assert secret not in done.stdout + done.stderr
    assert all(secret.encode() not in file.read_bytes() for file in tmp_path.glob("*.db*"))


def pem(key: object, password: bytes = b"") -> bytes:
    how = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how)  # type: ignore[attr-defined, no-any-return]


MISTAKES = {
    "no file": (None, "https://me.example", "cannot be read as an Ed25519 key"),
    "no key": (b"secret", "https://me.example", "cannot be read as an Ed25519 key"),
    "another kind of key": (pem(generate_private_key(65537, 2048)), "https://me.example", "make one by zhuti init"),
    "a password": (pem(Ed25519PrivateKey.generate(), b"secret"), "https://me.example", "without a password"),
    "mail": (pem(Ed25519PrivateKey.generate()), "me@me.example", "needs a CONTACT that begins with https://"),
    "nobody": (pem(Ed25519PrivateKey.generate()), "", "needs a CONTACT that begins with https://"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_one_sentence(tmp_path: Path, scrapy: Scrapy, name: str) -> None:
    content, contact, told = MISTAKES[name]
    path = tmp_path / "given.pem"
    if content is not None:
        path.write_bytes(content)
    seeds = ("-a", "topic=machine-learning", "-a", "seeds=http://127.0.0.1:9/", *LOOPBACK)
    done = scrapy("crawl", "topic", *seeds, "-s", f"SIGN_WITH={path}", "-s", f"CONTACT={contact}", proxy="")
    assert done.returncode != 0
    assert done.stderr.strip().splitlines()[-1].startswith("Error: ")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_signature_is_of_one_host_and_ends(tmp_path: Path) -> None:
    """And a key that is there is not overwritten; what a request costs is printed."""
    path = make_keys(tmp_path)
    with pytest.raises(Exception, match="exists"):
        make_keys(tmp_path)
    key = Ed25519PrivateKey.generate()
    middleware, directory = SigningMiddleware(key, "https://me.example"), json.dumps({"keys": [public_jwk(key)]})
    cases = {
        "http://a.example:8080/?q=%E4%B8%AD#x": ("a.example:8080", 0, ""),
        "https://a.example:443/": ("a.example", 299, ""),
        "https://xn--fiqs8s.example/": ("xn--fiqs8s.example", -1, "tag or clock"),
        "http://[::1]:8080/": ("[::1]:8080", 302, "tag or clock"),
        "http://b.example/": ("a.example", 0, "InvalidSignature"),
    }
    for url, (host, later, wrong) in cases.items():
        request = Request(url)
        middleware.process_request(request)
        headers = {name.decode().lower(): b",".join(value).decode() for name, value in request.headers.items()}
        assert fault(headers, host, directory, int(time.time()) + later) == wrong, url
    began, request = time.perf_counter(), Request("https://a.example/")
    for _ in range(500):
        middleware.process_request(request)
    print(f"{(time.perf_counter() - began) * 2:.3f} ms a request")
    assert path.exists()
