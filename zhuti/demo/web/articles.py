"""Writes every article of every host, before any page is laid out, since pages link to one another."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from zhuti.demo.web.model import DRAFTS, Article, Host, SiteStyle, Subject
from zhuti.demo.web.prose import TextWriter, full_name
from zhuti.demo.web.words import TOPICS, Common, Vocabulary, load_words

SEED = "zhuti demo web 1"
_LAST_DAY = date(2024, 12, 31)


def random_for(*names: object) -> Random:
    """Chance of its own for every thing, so that changing one host leaves the others as they are."""
    return Random("/".join(map(str, (SEED, *names))))


def write_articles(hosts: tuple[Host, ...], common: Common) -> dict[str, list[Article]]:
    """Articles by host, oldest first; no title is used twice."""
    words = {topic: load_words(topic) for topic in TOPICS}
    titles: set[str] = set()
    return {host.name: _write_host(host, words, common, titles) for host in hosts}


def _write_host(host: Host, words: dict[str, Vocabulary], common: Common, titles: set[str]) -> list[Article]:
    random = random_for(host.name)
    wanted = [(topic, False) for topic, count in host.articles.items() for _ in range(count)]
    random.shuffle(wanted)
    wanted += [(topic, True) for topic, count in host.drafts.items() for _ in range(count)]
    days = sorted(random.sample(range((_LAST_DAY - date(host.first_year, 1, 1)).days), len(wanted)))
    first = date(host.first_year, 1, 1)
    return [
        _write(host, number, first + timedelta(days=day), words[topic], common, titles, is_draft=is_draft)
        for number, (day, (topic, is_draft)) in enumerate(zip(days, wanted, strict=True), start=1)
    ]


def _write(
    host: Host, number: int, day: date, words: Vocabulary, common: Common, titles: set[str], *, is_draft: bool
) -> Article:
    random = random_for(host.name, number)
    subject = random.choice(words.subjects)
    writer = TextWriter(words, common, subject, random)
    title = writer.title()
    while title in titles:
        title = writer.title()
    titles.add(title)
    is_thread = host.style is SiteStyle.FORUM
    paragraphs = writer.thread() if is_thread else writer.article()
    writers = tuple(random.choice(common.nicks) for _ in paragraphs) if is_thread else ()
    author = writers[0] if is_thread else full_name(common, random)
    path = _path(host.style, number, day, subject, is_draft=is_draft)
    return Article(host.name, path, words.name, subject, title, author, day.isoformat(), paragraphs, writers)


def _path(style: SiteStyle, number: int, day: date, subject: Subject, *, is_draft: bool) -> str:
    if is_draft:
        return f"{DRAFTS}{number}.html"
    paths = {
        SiteStyle.NEWS: f"/{day:%Y/%m%d}/c{1000 + number}.html",
        SiteStyle.BLOG: f"/posts/{subject.slug}-{number}/",
        SiteStyle.FORUM: f"/thread-{20000 + 7 * number}-1.html",
        SiteStyle.TABLE: f"/doc/{number}.htm",
    }
    return paths[style]
