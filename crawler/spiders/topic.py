"""The spider: learns the topic, turns claims into requests and responses into items."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from crawler.addon import complete, decide, derive
from crawler.crawl.session import Session
from crawler.crawl.topic_from_pages import known_name, learn_topic, together
from crawler.crawl.worker import CrawlEnded
from crawler.database.database import damage
from crawler.discovery.finder import KINDS
from crawler.discovery.reader import MAX_BYTES
from crawler.errors import CrawlerError, SeedError, SettingError, TopicError
from crawler.exits import say_what_nobody_caught
from crawler.messages import _
from crawler.middlewares.markup import KNOWN
from crawler.middlewares.robots import ASKED, SIDE, NotYet
from crawler.options import user_agent
from crawler.plugins import part
from crawler.reader.html.urls import canonical, host
from crawler.reader.text.tokens import Tokenizer
from crawler.records import Claim, Visit
from crawler.spiders.page import fetch
from crawler.spiders.visit_maker import VisitMaker, conditions
from crawler.topic.files import Topic, is_file, of_sentence
from crawler.topic.learn import learner
from crawler.topic.of_words import keywords_of, topic_of_words
from crawler.topic.seeds import read_seeds
from crawler.topic.vector import read_vector

logger = logging.getLogger(__name__)

NAME = re.compile(r"\w[\w.-]*")  # of a topic that is learned from seeds


class TopicSpider(Spider):
    """``zhuti crawl topic -a topic=NAME|FILE.toml -a seeds=URL,URL|FILE -a words="WORD WORD"``; one is enough.

    Several topics, with commas between them, are crawled together: each URL is fetched once.
    Without a topic it is learned from the seed pages, and from the words, and named by the words, or by those of the
    seeds' titles, or by ``-a name=NAME``. Words without seeds need a SEED_SOURCE.
    Raises CrawlerError when an argument, the topic file or a setting cannot be used.
    """

    name = "topic"

    session: Session
    _answers: VisitMaker
    _ending: asyncio.Task[None] | None = None

    def __init__(
        self,
        topic: str = "",
        seeds: str | Sequence[str] = "",
        name: str = "",
        words: str = "",
        about: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)  # without `name`: that is the topic's, not the spider's
        self._arguments = (topic, seeds, name, words)
        self._about = about
        self._find_seeds: Callable[..., Awaitable[Topic]] | None = None  # where there are words alone
        self._known: dict[str, Response] = {}  # seed pages that the topic was learned from: not fetched again
        self._sent: set[int] = set()  # claims whose requests were sent and have not yet ended

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        complete(settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        kwargs.pop("_job", None)  # of scrapyd
        say_what_nobody_caught()
        if cls.start.__module__ != __name__ and cls.start.__module__.startswith("scrapy."):  # of fetch, or of parse
            raise SettingError(_("the topic spider works only in a crawl; leave out --spider, or use `zhuti extract`"))
        for unknown in kwargs.keys() - {"topic", "seeds", "name", "words", "about"}:
            raise SettingError(
                _("-a {unknown}=... is not an argument of this spider; it takes topic, seeds, words, about and name"),
                unknown=unknown,
            )
        spider = super().from_crawler(crawler, *args, **kwargs)
        settings = crawler.settings
        topic, seeds = choose_topic(*spider._arguments, Path(settings["TOPICS_DIR"]), spider._about)
        if topic.budget is not None:
            decide(settings, PAGE_BUDGET=topic.budget)
        derive(settings, USER_AGENT=user_agent(settings))
        # Scrapy tells no component of Ctrl-C: what is under way must not wait for a database that is away.
        spider.session = Session.of(topic, seeds, settings, lambda: crawler.crawling, spider.end)
        crawler.signals.connect(spider._count, signals.request_reached_downloader)
        spider._answers = VisitMaker.of(settings)
        if not seeds and topic.provisional:
            spider._find_seeds = part("seeds").finder(settings)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Learns the topic; the frontier hands out the seeds and everything after them."""
        session = self.session
        if session.error is not None:
            raise CloseSpider("failed")
        try:
            await session.pool.warm_up()
            if session.renderer is not None:
                await session.renderer.start(self.crawler)
            if self._find_seeds is not None:
                session.choose(await self._find_seeds(session.topic, self._fetch, session.pool.describe))
                self._known = {url: self._known[url] for url in session.seeds if url in self._known}
            await session.start(await learn_topic(session.topic, self._fetch, session.pool.describe))
        except CrawlEnded:  # stopped, or out of time, before it had begun
            return
        except CrawlerError as error:
            session.note(error)
            raise CloseSpider("failed") from error
        except Exception as error:  # of a component of the user's: without an end the crawl would wait for ever
            found: CrawlerError | None = damage(self.settings["STORE_URL"])
            if found is None:
                logger.exception("the crawl could not start")
                kind = type(error).__name__
                found = SettingError(
                    _("the crawl could not start ({kind}: {error}); see the log"), kind=kind, error=error
                )
            session.note(found)
            raise CloseSpider("failed") from error
        nothing: tuple[Request, ...] = ()
        for request in nothing:  # makes this the generator that Scrapy asks for
            yield request

    async def _fetch(self, address: str) -> str:
        """The markup of a describing page; raises FetchError. A seed's response is kept, so that it is not fetched
        twice."""
        if (known := self._known.get(address)) is not None:
            return known.text
        response = await fetch(self.crawler, Request(address, dont_filter=True))
        seeds = self.session.seeds or (address,)  # those that are not found yet
        if address in seeds and canonical(response.url) == address:
            self._known[address] = response
        renderer = self.session.renderer
        if renderer is not None and await self.session.pool.is_shell(response.text):
            return await renderer.content(response.url, response.text) or response.text
        return response.text

    def request(self, claim: Claim) -> Request:
        return Request(
            claim.url,
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
            headers=conditions(claim),
            # The frontier redirects and retries, so that each hop and each try is committed and polite.
            meta={
                "claim": claim,
                KNOWN: self._known.pop(claim.url, None),
                "handle_httpstatus_all": True,
                "dont_redirect": True,
                "dont_retry": True,
                **({"download_maxsize": MAX_BYTES} if claim.index_kind in KINDS else {}),
            },
        )

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Visit]:
        claim = response.meta["claim"]
        try:
            answer = self._answers.of_response(claim, response)
        except Exception as error:  # the boundary: a claim that is never committed keeps its slot, and the crawl waits
            logger.exception(_("%s: internal error on this response; it is skipped and the crawl continues"), claim.url)
            answer = replace(self._answers.of_failure(claim, error), status=response.status)
        yield self._counted(answer, response.request)

    async def failed(self, failure: Failure) -> AsyncIterator[Visit]:
        claim = failure.request.meta["claim"]  # type: ignore[attr-defined]
        if isinstance(failure.value, NotYet):
            await self.session.store.commits.release([claim])
        else:
            assert failure.value is not None
            yield self._counted(self._answers.of_failure(claim, failure.value), failure.request)  # type: ignore[attr-defined]

    def _count(self, request: Request) -> None:
        """Called for each request that is sent, those of redirects of robots.txt included: here they are counted."""
        if (claim := request.meta.get("claim")) is not None:
            self._sent.add(claim.id)
        elif request.meta.get(SIDE):
            self.session.store.progress.counts.side += 1
            if self.crawler.stats:
                self.crawler.stats.inc_value(ASKED)

    def _counted(self, visit: Visit, request: Request | None) -> Visit:
        """The visit, which knows whether it cost a request. A seed's page may have been fetched to learn the topic."""
        was_known = request is not None and request.meta.get(KNOWN) is not None
        was_sent = visit.claim.id in self._sent or was_known
        self._sent.discard(visit.claim.id)
        return replace(visit, sent=was_sent)

    def end(self, reason: str) -> None:
        """Ends the crawl in order: what is under way is finished and stored."""
        self._ending = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=reason))


def choose_topic(
    topic: str,
    seeds: str | Sequence[str],
    name: str,
    words: str,
    directory: Path,
    about: str = "",
) -> tuple[Topic, tuple[str, ...]]:
    """The topic and the seeds that the arguments mean. Raises CrawlerError."""
    if words and topic:
        raise SettingError(_("-a words={words} is for a topic without a file; add them to its keywords"), words=words)
    if about and (topic or words):
        raise SettingError(_("-a about is for a topic without a file and without words; leave one of them out"))
    if name and topic:
        raise SettingError(_("-a name={name} is for a topic learned from seeds; leave it out with -a topic"), name=name)
    if name and not NAME.fullmatch(name):
        raise SettingError(_("-a name={name} cannot be used in file names; use letters and digits"), name=name)
    urls = read_seeds(seeds) if seeds else ()
    if topic:
        chosen = named_topic(topic, directory)
        return chosen, allowed(chosen, urls or chosen.seeds)
    if words and not urls:
        found = topic_of_words(words, name, directory)
        return found, found.seeds
    if about:
        return _about(about, urls, name, directory), urls
    if not urls:
        raise SeedError(_("nothing to crawl: give -a topic=NAME, -a seeds=URL,URL, or both"))
    keywords = keywords_of(words) if words else {}
    if known := name or known_name(urls, directory, keywords):
        return Topic.from_seeds(known, urls, directory, keywords), urls
    return replace(Topic.from_seeds(host(urls[0]), urls, directory, keywords), provisional=True), urls


def named_topic(given: str, directory: Path) -> Topic:
    """The topic of that name or file; of several, with commas between them, one for them all. Raises TopicError."""
    if "," not in given or is_file(Path(given)):
        return Topic.load(given, directory)
    names = filter(None, map(str.strip, given.split(",")))
    return together([Topic.load(name, directory) for name in names], directory)


def _about(sentence: str, urls: tuple[str, ...], name: str, directory: Path) -> Topic:
    """The topic that a sentence tells, to be learned from it alone. Raises SeedError, or SettingError for one that says
    nothing."""
    if not urls:
        raise SeedError(_("-a about needs seeds: give -a seeds=URL,URL, or -a words=... where SEED_SOURCE finds them"))
    if not Tokenizer().tokens(sentence):
        raise SettingError(
            _("-a about={sentence} has no word that says what the topic is about; name its things"), sentence=sentence
        )
    known = name or known_name(urls, directory, texts=(sentence,))
    found = of_sentence(Topic.from_seeds(known or host(urls[0]), urls, directory), sentence)
    vector = read_vector(found.learned_path, found.digest, learner()) if known else None
    return replace(found, vector=vector, provisional=not known)


def allowed(topic: Topic, seeds: tuple[str, ...]) -> tuple[str, ...]:
    """The seeds to which the topic's hosts let the crawl go. Raises TopicError when all that there are are left out."""
    found = tuple(filter(topic.allows, seeds))
    if left_out := [seed for seed in seeds if seed not in found]:
        problem = _(
            "{path}: 'allowed_hosts' and 'denied_hosts' forbid the seeds {left_out}",
            path=topic.path,
            left_out=", ".join(left_out[:3]),
        )
        if not found:
            raise TopicError(_("{problem}; allow their hosts, or give other seeds"), problem=problem)
        logger.warning(_("%s, %d of %d; the crawl starts without them"), problem, len(left_out), len(seeds))
    return found
