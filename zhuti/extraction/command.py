"""zhuti extract: body, title, time and keywords of saved pages."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from crawler.errors import ArchiveError, PageError
from crawler.exits import print_error
from crawler.messages import _, translated
from crawler.reader.text.printable import for_terminal, json_line, legible, padded, to_stderr
from crawler.reasons import ReasonError, clause, told
from crawler.tell.command import SOME, CrawlerCommand, choose_format, choose_kinds, wants_markdown

if TYPE_CHECKING:
    from scrapy.http import HtmlResponse
    from scrapy.settings import Settings

    from crawler.crawl.topic_from_pages import FetchError
    from crawler.reader.html.page import Page
    from crawler.records import Analysis, Extraction, Judgement, Post
    from crawler.topic.files import Topic
    from zhuti.aside import Aside


class Command(CrawlerCommand):
    usage = (
        "PAGE.html|FILE.warc.gz|URL|- [...] [--topic T] [--jsonl] [--format markdown] [--with links,images] [--kind K]"
    )
    takes = SOME
    summary = _(
        "Print body, title, time, kind and keywords of HTML pages: saved, in WARC files, at a URL, from stdin (-)"
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--topic", metavar="T", help=_("tell how similar each page is to this topic, and whether a crawl keeps it")
        )
        parser.add_argument("--jsonl", action="store_true", help=_("print one JSON object per line, not readable text"))
        parser.add_argument(
            "--with",
            dest="media",
            type=media,
            action="extend",
            default=[],
            metavar="M",
            help=_("links, images: those of the body, in Markdown and as fields of --jsonl"),
        )
        choose_format(parser, _("format of the body; Markdown keeps headings, lists and tables"))
        choose_kinds(parser, _("only pages of these kinds: {kinds}"))

    def work(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
        from crawler.extractors import extractor
        from crawler.options import waived
        from zhuti.aside import Aside
        from zhuti.extraction.input_pages import is_address

        markdown = wants_markdown(opts, settings)
        if opts.media and not (markdown or opts.jsonl):
            raise UsageError(_("--with shows nothing in plain text; add --jsonl or --format markdown"))
        name = "best-markdown" if markdown else settings["EXTRACTOR"]
        extractor(name, opts.media)
        topic, unheeded = _learned(opts.topic, settings) if opts.topic else None, waived(settings)
        read = Aside(settings, partial(_Reader, name, opts.media, topic, settings["PAGE_JUDGE"]))
        addresses = [name for name in args if is_address(name)]
        pages = Pages(addresses, settings)
        status = others = 0
        for name in args:
            try:
                for url, said in _each(pages.of(name), read):
                    if isinstance(said, ReasonError):
                        status = print_error(
                            PageError(_("{name}: {reason}"), name=url or name, reason=told(said.reason))
                        )
                        continue
                    found, words, analysed = said
                    if opts.kind and found.kind not in opts.kind:
                        others += 1
                        continue
                    says = replace(analysed, waived=unheeded).final_judgement() if analysed else None
                    if opts.jsonl:
                        print(_as_json(name, found, words, url, opts.media, says))
                    else:
                        print(for_terminal(_as_text(legible(url) if url else name, found, words, says)))
            except (PageError, ArchiveError) as error:  # go on with the other files
                status = print_error(error)
        if others:
            to_stderr(_("{count} pages of other kinds were skipped", count=others))
        return status


Said = tuple["Extraction", str, "Analysis | None"]


def _each(pages: Iterator[tuple[str, str]], read: Aside) -> Iterator[tuple[str, Said | ReasonError]]:
    """The addresses, and what the pages say, or why they cannot be read."""
    from crawler.reader.html.page import Page

    for url, markup in pages:
        try:
            yield url, read(Page(markup, url))
        except ReasonError as error:
            yield url, error


class _Reader:
    """Reads pages, in a process of its own."""

    def __init__(self, name: str, media: Sequence[str], topic: Topic | None, judge: str) -> None:
        from crawler.extractors import extractor
        from crawler.topic.judge import page_judge

        self._extract, self._judge = extractor(name, media), page_judge(judge)(topic) if topic else None

    def __call__(self, page: Page) -> Said:
        from crawler.analyse import analyse
        from zhuti.keywords import keywords

        analysed = analyse(page, self._extract, self._judge) if self._judge else None
        found = analysed.extraction if analysed else self._extract(page)
        return found, ", ".join(keywords(found, page)), analysed


def media(text: str) -> list[str]:
    """Reads the value of `--with`. Raises ArgumentTypeError."""
    from crawler.extractors import MEDIA

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in MEDIA:
            raise argparse.ArgumentTypeError(
                _("unknown {name!r}; use one of {known}", name=name, known=", ".join(MEDIA))
            )
    return names


def _learned(topic: str, settings: BaseSettings) -> Topic:
    """Raises TopicError."""
    from crawler.topic.file_writer import learned_topic

    return learned_topic(topic, Path(settings["TOPICS_DIR"]))


class Pages:
    """The pages that the arguments name, those at addresses fetched beforehand."""

    def __init__(self, addresses: Sequence[str], settings: BaseSettings) -> None:
        from zhuti.extraction.input_pages import pages_of

        self._saved = partial(pages_of, most=settings.getint("DOWNLOAD_MAXSIZE"))
        self._fetched: dict[str, HtmlResponse | FetchError] = {}
        if addresses:
            from crawler.spiders.page import fetched

            self._fetched = fetched(addresses, cast("Settings", settings))

    def of(self, name: str) -> Iterator[tuple[str, str]]:
        """Yields (address, markup). Raises PageError, ArchiveError."""
        from crawler.reader.html.pdf import is_pdf
        from zhuti.extraction.input_pages import pdf_text

        answer = self._fetched.get(name)
        if answer is None:
            yield from self._saved(name)
        elif isinstance(answer, Exception):
            raise PageError(
                _("{url} could not be fetched: {reason}; check the address, or save the page and give the file"),
                url=name,
                reason=told(answer.reason),
            )
        else:
            yield answer.url, pdf_text(answer.url, answer.body) if is_pdf(answer.body) else answer.text


def _as_json(name: str, found: Extraction, words: str, url: str, media: Sequence[str], says: Judgement | None) -> str:
    from crawler.reader.text.measures import language

    record: dict[str, Any] = {
        "id": url or Path(name).stem,
        "file": name,
        "title": found.title,
        "published": found.published,
        "published_from": found.published_from,
        "kind": found.kind.value,
        "language": language(found.body),
        "keywords": words,
        "body": found.body,
    }
    if says:
        record |= {"similarity": says.similarity, "kept": says.on_topic, "reason": str(says.reason)}
    if found.posts:
        record["posts"] = [asdict(post) for post in found.posts]
    return json_line(record | {name: [asdict(each) for each in getattr(found, name)] for name in media})


def _post_lines(post: Post) -> list[str]:
    told = " ".join(filter(None, [f"#{post.floor}", post.author, post.published]))
    quote = [f"> {line}" for line in post.quote.split("\n")] if post.quote else []
    return [f"-- {told} --", *quote, post.text, ""]


def _as_text(name: str, found: Extraction, words: str, says: Judgement | None) -> str:
    published = found.published or _("unknown")
    rows = {
        _("title:"): found.title,
        _("published:"): f"{published} ({found.published_from})" if found.published_from else published,
        _("kind:"): translated(found.kind),
        _("keywords:"): words,
    }
    if says:
        verdict = _("kept") if says.on_topic else clause(says.reason)
        rows[_("similar:")] = f"{says.similarity:.3f}, {verdict}"
    head = [f"== {name}", *(padded(title, 11) + text for title, text in rows.items())]
    if found.posts:
        return "\n".join([*head, "", *(line for post in found.posts for line in _post_lines(post))])
    return "\n".join([*head, "", found.body or _("(no body: {reason})", reason=clause(found.reason)), ""])
