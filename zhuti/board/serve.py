"""zhuti serve: the board, a local web application over the harvest."""

from __future__ import annotations

import argparse
import os
import socket
from ipaddress import ip_address

from scrapy.settings import BaseSettings

from crawler.errors import SettingError
from crawler.messages import _
from crawler.mistakes import needs
from crawler.options import Number
from crawler.reader.text.printable import to_stderr
from crawler.tell.command import CrawlerCommand

PORT = 8384
LOOPBACK = ("127.0.0.1", "localhost", "::1")
CONNECTIONS = 1000  # at once; more are told to come later


class Command(CrawlerCommand):
    usage = "[--port N] [--address A [--name HOST ...]] [--read-only]"
    takes = (0,)
    summary = _("Serve the board: see crawls, steer them, label and read the corpus in a browser")
    details = _(
        "Prints the address to open, which holds a token: the board works for whoever has it, on this machine only."
        " With --address it can be reached from others, and asks for the password in ZHUTI_PASSWORD."
        " Put a server with TLS before it there."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--port", type=Number(_("a port"), least=1, most=65535), default=PORT, metavar="N", help=_("listen there")
        )
        parser.add_argument(
            "--address", default=LOOPBACK[0], metavar="A", help=_("listen at this address of the machine")
        )
        parser.add_argument(
            "--name", action="append", default=[], metavar="HOST", help=_("a name by which browsers reach the board")
        )
        parser.add_argument("--read-only", action="store_true", help=_("change nothing"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        with needs("web"):
            import uvicorn

            from zhuti.board.access import Access
            from zhuti.board.app import asgi
        from crawler.database.database import readable

        password = os.environ.get("ZHUTI_PASSWORD", "")
        is_local = opts.address in LOOPBACK
        if not is_local and not password:
            raise SettingError(
                _("others can reach {address}; set a password in ZHUTI_PASSWORD"),
                address=opts.address,
            )
        readable(settings["STORE_URL"]).close()  # a mistake is told now
        names = frozenset((*LOOPBACK, *opts.name, *([] if _is_any(opts.address) else [opts.address])))
        access = Access(names, "" if is_local else password, opts.read_only)
        listening = _listening(opts.address, opts.port)
        here = f"[{opts.address}]" if ":" in opts.address else opts.address
        token = f"?token={access.token}" if is_local else ""
        to_stderr(_("The board is at http://{here}:{port}/{token}", here=here, port=opts.port, token=token))
        if not is_local:
            to_stderr(_("It can be reached from other machines; the password is that of ZHUTI_PASSWORD."))
        served = uvicorn.Config(
            asgi(settings, access), log_level="warning", server_header=False, ws="none", limit_concurrency=CONNECTIONS
        )
        with listening:
            uvicorn.Server(served).run(sockets=[listening])
        return 0


def _listening(address: str, port: int) -> socket.socket:
    """Raises SettingError where that cannot be."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family)
    except OSError as error:
        raise SettingError(
            _("cannot listen at {address}, port {port} ({error.strerror}); give another --port or --address"),
            address=address,
            port=port,
            error=error,
        ) from error


def _is_any(address: str) -> bool:
    """Whether it stands for all addresses of the machine, and is not a name for a browser."""
    try:
        return ip_address(address).is_unspecified
    except ValueError:
        return False
