"""Writes the text of every article of every host, before any page is laid out, since pages link to one another."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import islice
from random import Random

from zhuti.demo.web.model import DRAFTS, Article, Host, SiteStyle, Subject
from zhuti.demo.web.words import TOPICS, Common, Vocabulary, load_words

PARAGRAPHS = (3, 10)  # of an article, its opening and closing among them
SENTENCES = (2, 5)  # of a paragraph
REPLIES = (3, 8)  # in a thread
FILLER_SHARE = 0.15  # of paragraphs that begin with a sentence of no topic


class TextWriter:
    """Writes about one subject. The same `random` writes the same."""

    def __init__(self, words: Vocabulary, common: Common, subject: Subject, random: Random) -> None:
        self._words = words
        self._common = common
        self._subject = subject
        self._random = random
        # A text keeps to a few terms of its subject, as real ones do, and so differs from its neighbours.
        self._terms = random.sample(subject.terms, 5)
        self._sentences = iter(random.sample(words.sentences, len(words.sentences)))

    def title(self) -> str:
        return self._fill(self._random.choice(self._words.titles))

    def article(self) -> tuple[str, ...]:
        count = self._random.randint(*PARAGRAPHS)
        opening = self._fill(self._random.choice(self._words.openings)) + self._body(1)
        closing = self._fill(self._random.choice(self._words.closings))
        return (opening, *self._middle(count - 2), closing)

    def thread(self) -> tuple[str, ...]:
        """The question and its answers."""
        question = self._fill(self._random.choice(self._words.questions)) + self._body(2)
        replies = self._random.sample(self._words.replies, self._random.randint(*REPLIES))
        return (question, *(self._fill(reply) + self._body(self._random.randint(0, 2)) for reply in replies))

    def _middle(self, count: int) -> list[str]:
        paragraphs = []
        for _ in range(count):
            filler = self._random.choice(self._common.fillers) if self._random.random() < FILLER_SHARE else ""
            text = self._body(self._random.randint(*SENTENCES))
            if text:  # else all sentences have been said
                paragraphs.append(filler + text)
        return paragraphs

    def _body(self, count: int) -> str:
        return "".join(self._fill(sentence) for sentence in islice(self._sentences, count))

    def _fill(self, sentence: str) -> str:
        random, words = self._random, self._words
        first, second = random.sample(self._terms, 2)
        return sentence.format(
            a=first,
            b=second,
            subject=self._subject.name,
            tool=random.choice(words.tools),
            thing=random.choice(words.things),
            problem=random.choice(words.problems),
            effect=random.choice(words.effects),
            n=random.randint(2, 20),
            percent=random.randint(3, 60),
        )


def full_name(common: Common, random: Random) -> str:
    return random.choice(common.surnames) + random.choice(common.given)


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
