"""Serves a recorded web on one loopback port, as the HTTP proxy of a crawler, so that addresses stay as they were.

Absolute form (proxy), origin form (by the Host header) and CONNECT (https, with throw-away certificates) all work.
"""

from __future__ import annotations

import asyncio
import errno
import signal
import ssl
import time
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import IO

from lab.errors import ReplayError
from lab.replay.certificates import CertificateAuthority
from lab.replay.conditions import conditional
from lab.replay.connection import Connection
from lab.replay.hidden_index import HiddenIndex
from lab.replay.lapse import Days, LapseWeb
from lab.replay.opening import open_recording, open_searchable
from lab.replay.wire import Request
from zhuti.demo.recorded.base import Answer, Recording, error_page
from zhuti.demo.recorded.site import ALIASES_FILE, Site, load_aliases

LOOPBACK = "127.0.0.1"
MAX_PORT = 65535
BACKLOG = 1024  # connections waiting to be taken; a crawler opens its connections all at once
CONTROL = "clock.invalid"  # the host of the control address, for clients that ask for everything through the proxy
_ANY_HOST = "unknown.invalid"  # in the certificate of every host that was not recorded


class Replay:
    """A server of one recorded web, for an asyncio loop. Not to be started twice."""

    def __init__(
        self,
        recording: Recording,
        *,
        port: int = 0,
        aliases: Mapping[str, str] | None = None,
        delay: float = 0.0,
        log: Path | None = None,
        days: Days | None = None,
    ) -> None:
        """`port` 0 takes any free one. `aliases` maps other names to recorded hosts. `delay` in seconds goes before
        every answer. `log` gets a line "time, status, URL" for each request, with tabs between. The recording is closed
        with the server. `days`: the day of a web that changes. Raises ReplayError."""
        if not 0 <= port <= MAX_PORT:
            raise ReplayError(f"port {port} does not exist; give --port a number from 0 (any free port) to {MAX_PORT}")
        self.delay = delay
        self._port = port
        self._site = Site(recording, aliases or {})
        self._days = days
        self._authority = CertificateAuthority()
        self._log = _open_log(log) if log is not None else None
        self._connections: set[Connection] = set()
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """The port in use, once started."""
        return self._port

    @property
    def proxy(self) -> str:
        """The value for http_proxy and https_proxy, once started."""
        return f"http://{LOOPBACK}:{self._port}"

    @property
    def ca_pem(self) -> bytes:
        """The certificate to trust, for clients that verify (SSL_CERT_FILE)."""
        return self._authority.pem

    async def start(self) -> None:
        """Raises ReplayError when the port cannot be had."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: Connection(self), LOOPBACK, self._port, backlog=BACKLOG)
        except OSError as error:
            raise _port_error(LOOPBACK, self._port, error) from error
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Ends every connection, the log and the recording. Harmless when it was never started."""
        if self._server is not None:
            self._server.close()
            for connection in tuple(self._connections):
                connection.abort()
            await self._server.wait_closed()
        if self._log is not None:
            self._log.close()
        self._site.recording.close()

    def answer(self, request: Request) -> Answer:
        if self._days is not None and request.host.partition(":")[0] in (LOOPBACK, CONTROL):
            return self._days.control(request.target)
        if request.method in ("GET", "HEAD"):
            answer = conditional(self._site.answer(request.scheme, request.host, request.target), request)
        else:
            answer = error_page(HTTPStatus.METHOD_NOT_ALLOWED)
        if self._log is not None:
            self._log.write(f"{time.time():.3f}\t{answer.status}\t{request.url}\n")
        return answer

    def tls(self, host: str) -> ssl.SSLContext:
        return self._authority.context(host if self._site.knows(host) else _ANY_HOST)

    def opened(self, connection: Connection) -> None:
        self._connections.add(connection)

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)


def open_replay(
    source: Path,
    *,
    port: int = 0,
    aliases: Path | None = None,
    delay: float = 0.0,
    log: Path | None = None,
    day: float = 0.0,
    store: Path | None = None,
    search: Path | None = None,
    hide_index: float = 0.0,
    without: Path | None = None,
) -> Replay:
    """A server of a folder, or of a web that changes, as it is on `day`; its contents are unpacked into `store`.

    Without `aliases` a file aliases.json inside or next to `source` is taken. `search`: its sites can be searched, and
    this file holds their posts. `hide_index`: share of its hosts that show no index file. `without`: a file of
    addresses that are missing. Raises ReplayError."""
    recording = open_searchable(source, search) if search else open_recording(source, store)
    days = None
    if isinstance(recording, LapseWeb):
        days = Days(recording.files, day)
    elif day:
        recording.close()
        raise ReplayError(f"{source}: has no days; leave out --day, or give a web that was recorded over many days")
    if hide_index or without:
        recording = HiddenIndex(recording, hide_index, without.read_text("utf-8").split() if without else ())
    try:
        names = _aliases(source, recording, aliases)
        return Replay(recording, port=port, aliases=names, delay=delay, log=log, days=days)
    except ReplayError:
        recording.close()
        raise


def run(replay: Replay, ca_file: Path | None) -> None:
    """Prints one line when it is ready, and serves until SIGINT or SIGTERM. `ca_file` is where to write the certificate
    for clients that verify. Raises ReplayError."""
    asyncio.run(_serve(replay, ca_file))


async def _serve(replay: Replay, ca_file: Path | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    try:
        await replay.start()
        if ca_file is not None:
            _write_certificate(ca_file, replay.ca_pem)
        print(_greeting(replay), flush=True)
        await stop.wait()
    finally:
        await replay.close()


def _greeting(replay: Replay) -> str:
    recording = replay._site.recording
    exports = f"export http_proxy={replay.proxy} https_proxy={replay.proxy}"
    counts = f"{len(recording.hosts)} hosts, {recording.pages} pages"
    clock = f"\nIts day: {replay.proxy}/?day=NUMBER sets it, and answers with the ZHUTI_CLOCK of a crawl on that day"
    return f"Serving {counts} on {replay.proxy} — in another shell: {exports}{clock if replay._days else ''}"


def _aliases(source: Path, recording: Recording, given: Path | None) -> Mapping[str, str]:
    if given is None and recording.aliases is not None:
        return load_aliases(recording.aliases, f"{source}: {ALIASES_FILE}")
    beside = source.absolute().parent / ALIASES_FILE
    file = given or beside
    if given is None and not beside.is_file():
        return {}
    try:
        return load_aliases(file.read_bytes(), str(file))
    except OSError as error:
        raise ReplayError(f"{file}: cannot be read ({error.strerror}); give --aliases a JSON file") from error


def _open_log(file: Path) -> IO[str]:
    """Line by line, so that what was served can be read while it is, and after a kill."""
    try:
        return file.open("a", encoding="utf-8", errors="surrogateescape", buffering=1)
    except OSError as error:
        raise ReplayError(f"{file}: cannot be written ({error.strerror}); give --log another file") from error


def _write_certificate(file: Path, pem: bytes) -> None:
    try:
        file.write_bytes(pem)
    except OSError as error:
        raise ReplayError(f"{file}: cannot be written ({error.strerror}); give another file") from error


def _port_error(host: str, port: int, error: OSError) -> ReplayError:
    if error.errno == errno.EADDRINUSE:
        return ReplayError(f"port {port} of {host} is in use; give another with --port, or 0 for any free one")
    if error.errno == errno.EACCES:
        return ReplayError(f"port {port} of {host} is reserved for the system; give --port a number above 1023")
    return ReplayError(f"cannot listen on {host}:{port} ({error.strerror}); give an address of this machine")
