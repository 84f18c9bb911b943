"""Hosts that ask for a password or a certificate, on loopback: they get it, others do not, and nothing tells it."""

from __future__ import annotations

import ssl
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from scrapy.settings import Settings

from crawler.errors import SettingError
from crawler.options import check_settings
from tests.conftest import LOOPBACK, Scrapy
from tests.crawl.test_fetching import outcomes, page
from tests.serving import Quiet, listening
from zhuti.identity.access import read_access

SECRET = "geheim:密码"
BASIC = "Basic " + b64encode(f"me:{SECRET}".encode()).decode()


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    key, now = Ed25519PrivateKey.generate(), datetime.now(UTC)
    who = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    made = x509.CertificateBuilder().subject_name(who).issuer_name(who).public_key(key.public_key())
    made = made.serial_number(1).not_valid_before(now - timedelta(1)).not_valid_after(now + timedelta(1))
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    (folder / f"{name}.pem").write_bytes(made.sign(key, None).public_bytes(Encoding.PEM))
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / f"{name}.key").write_bytes(secret)
    return folder / f"{name}.pem", folder / f"{name}.key"


@contextmanager
def site(leads: str = "", tls: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[str | None]]]:
    """Its port, and the Authorization of each request. `leads`: where /moved redirects."""
    seen: list[str | None] = []

    class Handler(Quiet):
        def do_GET(self) -> None:
            seen.append(self.headers["Authorization"])
            body = page(self.path.strip("/") or "首页", *(["/in", "/moved"] if self.path == "/" else []))
            moved = self.path == "/moved"
            status = 404 if "robots" in self.path else 302 if moved else 200
            self.answer(status, body, {"Location": f"{leads}landed"} if moved else {})

    with listening(Handler, tls=tls) as server:
        yield server.server_port, seen


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_who_is_known_gets_in(tmp_path: Path, scrapy: Scrapy, known: bool) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate(tmp_path, "server"))
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(certificate(tmp_path, "client")[0])
    with site(tls=tls) as (closed, visits), site() as (open_, strangers), site(f"http://127.0.0.1:{open_}/") as last:
        port, seen = last
        file = tmp_path / "access.toml"
        entry = f'["https://127.0.0.1:{closed}"]\ncertificate = "client.pem"\nkey = "client.key"\n' if known else ""
        file.write_text(f'["http://127.0.0.1:{port}"]\nuser = "me"\npassword = "{SECRET}"\n{entry}')
        seeds = f"seeds=http://127.0.0.1:{port}/,https://127.0.0.1:{closed}/in"
        access = ("-s", f"HOST_ACCESS={file}", "-L", "DEBUG")
        done = scrapy("crawl", "topic", "-a", "topic=machine-learning", "-a", seeds, *LOOPBACK, *access, proxy="")
    assert done.returncode == 0, done.stderr
    assert set(seen) == {BASIC}
    assert set(strangers) == {None}, "a redirect takes no password along"
    assert set(visits) == ({None} if known else set())
    assert (outcomes(tmp_path)[f"https://127.0.0.1:{closed}/in"][0] == "kept") == known
    for told in (done.stdout, done.stderr, *(file.read_bytes().decode("latin-1") for file in tmp_path.glob("*.db*"))):
        assert SECRET.encode().decode("latin-1") not in told
        assert BASIC[6:] not in told
        assert "密码" not in told


MISTAKES = {
    "no toml": ("password = geheim", "cannot be read as TOML"),
    "too deep": ("a = " + "[" * 5000, "cannot be read as TOML"),
    "half": ('["https://a.org"]\nuser = "me"', "give user and password"),
    "a name": ('["a.org"]\nuser = "me"\npassword = "geheim"', "name an address like https://a.org"),
    "a path": ('["https://a.org/in"]\nuser = "me"\npassword = "geheim"', "name an address like https://a.org"),
    "in the address": ('["https://me:geheim@a.org"]\nuser = "me"\npassword = "x"', "[...] cannot be used"),
    "a number": ('["https://a.org"]\nuser = "me"\npassword = 1', "give user and password"),
    "another word": ('["https://a.org"]\nuser = "me"\npasword = "geheim"', "give user and password"),
    "no certificate": ('["https://a.org"]\ncertificate = "none.pem"', "PEM files that belong together"),
    "another's key": ('["https://a.org"]\ncertificate = "a.pem"\nkey = "b.key"', "PEM files that belong together"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_tell_no_secret(tmp_path: Path, name: str) -> None:
    text, told = MISTAKES[name]
    certificate(tmp_path, "a")
    certificate(tmp_path, "b")
    (tmp_path / "access.toml").write_text(text)
    with pytest.raises(SettingError) as raised:
        read_access(tmp_path / "access.toml")
    assert told in str(raised.value)
    assert "geheim" not in str(raised.value)


PASSWORDS = [("密码", ""), ("%E5%AF%86", ""), ("%E5%AF%86", "utf-8"), ("%FC", "")]


@pytest.mark.parametrize("proxy", ["/run/proxy.sock", "http:/proxy:80", "http://", "//", "//me:x@/", "me:x@/p"])
@pytest.mark.parametrize("name", ["http_proxy", "https_proxy"])
def test_a_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch, name: str, proxy: str) -> None:
    monkeypatch.setenv(name, proxy)
    monkeypatch.setenv("docker_proxy", "/run/docker.sock")
    settings = Settings({"HTTPPROXY_AUTH_ENCODING": "latin-1"})
    settings.setmodule("crawler.settings")
    with pytest.raises(SettingError, match=f"^{name} is not an address"):
        check_settings(settings)
    for usable in ("http://a.example:80/", "a.example:80", "//a.example", "socks5://me:x@[::1]:9/", ""):
        monkeypatch.setenv(name, usable)
        check_settings(settings)


@pytest.mark.slow
@pytest.mark.parametrize(("password", "encoding"), PASSWORDS)
def test_a_proxy_that_would_be_passed_over(scrapy: Scrapy, password: str, encoding: str) -> None:
    """%FC is no UTF-8: a sign that latin-1 lacks stands for it."""
    with site() as (port, seen):
        more = ("-s", f"HTTPPROXY_AUTH_ENCODING={encoding}") if encoding else ()
        seeds = ("-a", "topic=machine-learning", "-a", "seeds=http://a.example/in", *LOOPBACK, *more)
        done = scrapy("crawl", "topic", *seeds, proxy=f"http://me:{password}@127.0.0.1:{port}")
    assert (done.returncode == 0) == bool(encoding) == bool(seen), done.stderr
    assert ("HTTPPROXY_AUTH_ENCODING=utf-8" in done.stderr) == (not encoding)
    assert password not in done.stderr
