"""Hosts and topics as people name them, matched against those of the database."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from urllib.parse import urlsplit

from sqlalchemy import ColumnElement, Connection, or_, select

from crawler.database.schema import hosts, topics
from crawler.database.statements import Query
from crawler.errors import CrawlerError, StoreError
from crawler.messages import _

MOST_HOSTS = 10_000  # among which a misspelt one is looked for
_DEPTH = Query("SELECT depth FROM urls WHERE topic_id = :topic AND url IN :addresses")


def host_name(written: str, error: type[CrawlerError]) -> str:
    """The host of "Example.com", "https://example.com/page" or "例子.example" as the database writes it (Punycode).

    Raises `error` for what is not a host.
    """
    text = written.strip()
    try:
        netloc = urlsplit(text if "//" in text else f"//{text}").netloc.rpartition("@")[2]
        name = netloc.rstrip(".").encode("idna").decode().lower()
    except ValueError:  # UnicodeError is one
        name = ""
    if not name or any(character in name for character in "/ ,%"):
        raise error(_("{written!r} is not a host; write one like example.com"), written=written)
    return name


def whole_host(written: str, error: type[CrawlerError]) -> str:
    """Returns the host of an address. Raises `error` if the address is not one, or names a single page."""
    name = host_name(written, error)
    text = written.strip()
    if urlsplit(text if "//" in text else f"//{text}").path not in ("", "/"):
        raise error(_("{written!r} is the address of a page; give a whole host: {name}"), written=written, name=name)
    return name


def check_known(connection: Connection, host: str) -> None:
    """Raises StoreError for a host of which the database knows no URL."""
    known = select(hosts.c.name)
    if connection.execute(known.where(under([host])).limit(1)).first() is None:
        near = get_close_matches(host, connection.execute(known.limit(MOST_HOSTS)).scalars().all(), 1)
        meant = _("did you mean {near}?", near=near[0]) if near else _("see its hosts with `zhuti serve`")
        raise StoreError(_("the harvest knows no host {host}; {meant}"), host=host, meant=meant)


def under(names: Iterable[str]) -> ColumnElement[bool]:
    """Whether `hosts.name` is one of the hosts or below one (www.example.com is below example.com), on any port unless
    the name gives one."""
    conditions: list[ColumnElement[bool]] = []
    for name in names:
        conditions += [hosts.c.name == name, hosts.c.name.endswith(f".{name}", autoescape=True)]
        if ":" not in name:
            conditions.append(hosts.c.name.startswith(f"{name}:", autoescape=True))
            conditions.append(hosts.c.name.contains(f".{name}:", autoescape=True))
    return or_(*conditions)


def topic_ids(connection: Connection) -> dict[str, int]:
    """The topics of the database by name."""
    rows = connection.execute(select(topics.c.name, topics.c.id).order_by(topics.c.name))
    return {row.name: row.id for row in rows}


def is_seed(connection: Connection, topic: str, url: str) -> bool:
    """Whether a crawl for the topic of that name has begun at the URL."""
    topic_id = topic_ids(connection).get(topic)
    return bool(_DEPTH.value(connection, topic=topic_id, addresses=[url]) == 0)


def topic_id_of(connection: Connection, name: str, error: type[CrawlerError] = StoreError) -> int:
    """The id of a topic. Raises `error` for an unknown one."""
    known = topic_ids(connection)
    if name not in known:
        if near := get_close_matches(name, known, 1):
            raise error(_("no harvest of topic {name!r}; did you mean {near}?", name=name, near=near[0]))
        listed = ", ".join(known) or _("none yet: start a crawl")
        raise error(_("no harvest of topic {name!r}; this database has {listed}"), name=name, listed=listed)
    return known[name]
