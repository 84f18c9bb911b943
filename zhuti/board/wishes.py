"""What publishers wish, by host: of the robots.txt, tdmrep.json and ai.txt that the harvest still has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from crawler.messages import _, ngettext
from crawler.reader.text.robots_groups import TDMREP, by_signals, by_tdmrep, own_group, robots_text
from zhuti.board.facts import side_files_of


def wishes(connection: Connection, hosts: Sequence[str], agent: str) -> dict[str, str]:
    """In words, by host; none of hosts that wish nothing. `agent`: the crawler's name."""
    found: dict[str, list[str]] = {}
    for host, path, body in side_files_of(connection, hosts):
        found.setdefault(host, []).extend(_told(path, body, agent))
    return {host: " · ".join(told) for host, told in found.items() if told}


def _told(path: str, body: bytes, agent: str) -> Iterator[str]:
    if path == TDMREP:
        if by_tdmrep(body):
            yield _("tdmrep.json reserves mining")
        return
    group = own_group(robots_text(body), agent)
    if closed := _closed(group):
        name = path.rpartition("/")[2]
        is_all = "/" in closed
        number = _("the whole site") if is_all else ngettext("{count} place", "{count} places", len(closed))
        yield _("{name} closes {number}", name=name, number=number)
    if by_signals(group):
        yield _("robots.txt reserves training")


def _closed(group: str) -> set[str]:
    lines = (line.partition(":") for line in group.splitlines())
    return {value.strip() for name, _colon, value in lines if name.strip().lower() == "disallow"} - {""}
