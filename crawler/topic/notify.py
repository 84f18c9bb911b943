"""Who is told what a run has brought: the `[notify]` of a topic file."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.messages import _
from crawler.topic.schedule import Wrong

KEYS = ("webhook", "feed")


@dataclass(frozen=True, slots=True)
class Notify:
    """After each run of `zhuti harvest`."""

    webhook: str = ""  # http(s) address that gets the news as JSON; "": none
    feed: bool = False  # whether REPORTS_DIR/TOPIC/feed.xml is written


NOBODY = Notify()


def read_notify(value: object, wrong: Wrong) -> Notify:
    """Reads `[notify]` of a parsed topic file. Raises the TopicError that `wrong` makes."""
    if not isinstance(value, dict):
        raise wrong("notify", _('must be a table; write a line [notify], below it webhook = "https://..."'))
    for key in value:
        if key not in KEYS:
            raise wrong(f"notify.{key}", _("is not a key of [notify]; use some of {keys}"), keys=", ".join(KEYS))
    webhook, feed = value.get("webhook", ""), value.get("feed", False)
    if not isinstance(webhook, str) or not (webhook == "" or webhook.startswith(("http://", "https://"))):
        raise wrong("notify.webhook", _("is {value!r}; write an http(s) address, or leave it out"), value=webhook)
    if not isinstance(feed, bool):
        raise wrong("notify.feed", _("is {value!r}; use true or false"), value=feed)
    return Notify(webhook, feed)
