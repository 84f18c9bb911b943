"""The spine: what is made of one page, read from top to bottom.

links    the addresses that the page leads to, and what it says of each   awaited by LinkMetadataMiddleware
extract  what a reader sees of it, and what tells it from other pages     by ExtractionPipeline
judge    how near the page and its links are to the topic                 by RelevancePipeline

They are pure. A process of the pool runs them one after the other on one Page (`Worker.page`), as one job; the three
components await the same result, and each takes its part of it. `Analysis.verdict` says
whether the page is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path

from crawler.bundled import MODELS
from crawler.discovery.finder import index_file_links
from crawler.discovery.index_files import IndexFile, Kind, as_link, at_own_host
from crawler.discovery.locations import declared_in_page, following, site_root, usual_places
from crawler.discovery.reader import markup_in, read
from crawler.discovery.site_search import results, searches
from crawler.extractors import Extractor
from crawler.reader.extract.own_text import own_text
from crawler.reader.html.declared import ROBOTS_NAMES, TDM, TDM_POLICY
from crawler.reader.html.licences import licence_of
from crawler.reader.html.links import links as all_links
from crawler.reader.html.page import Page, other_address
from crawler.reader.html.post_likeness import likeness_to_post
from crawler.reader.html.shell import is_shell
from crawler.reader.html.subjects import subjects
from crawler.reader.text.charset import decode
from crawler.reader.text.harmful import Harmful, without_injected
from crawler.reader.text.measures import language
from crawler.reader.text.minhash import signature
from crawler.reasons import Code, Reason
from crawler.records import Analysis, Extraction, Judgement, Link, Outlink
from crawler.topic.files import Topic
from crawler.topic.judge import Judge
from crawler.topic.learn import Description

NOTICE = 100.0  # characters of a body that is as likely a notice, a member's page or a login as a post
MOST_SHOWN = 200_000  # characters of a page in which what has gone from its body is looked for: .1 s for 1,000 blocks
MOST_LISTED = 20_000  # pages of an index file that enter the frontier
MOST_JUDGED = 5_000  # of them judged by the text that the index file holds; some .5 ms each


def links(page: Page, topic: Topic, index_files: bool = False, pdf: bool = False) -> tuple[Link, ...]:
    """The page's links that the topic's hosts allow, in document order, each address once. `pdf`: with those to PDF
    documents. `index_files`: after them those to the index files that it declares, and to the usual places of its site.
    """
    found = [*all_links(page, pdf), *(index_file_candidates(page) if index_files else ())]
    return tuple(link for link in found if topic.allows(link.url))


def index_file_candidates(page: Page) -> list[Link]:
    """The index files that the page declares, the searches that it shows, and the usual places of its site."""
    found: dict[str, IndexFile] = {}
    root = site_root(page.tree, page.url)
    ways = declared_in_page(page.tree, page.url), searches(page.tree, page.url, root), usual_places(root)
    for index_file in chain.from_iterable(ways):
        found.setdefault(index_file.url, index_file)
    return index_file_links(found.values())


def extract(page: Page, extractor: Extractor, again: bool = False) -> Analysis:
    """What the page says, whatever the topic; its links and its judgement are still to come. `again`: whether it is to
    be compared with what it said before."""
    extraction = extractor(page)
    licence = licence_of(page, extraction.body)
    return Analysis(
        extraction,
        reader=reader_of(getattr(extractor, "__qualname__", type(extractor).__qualname__)),
        shown=page.tree.text_content()[:MOST_SHOWN] if again else "",
        language=language(extraction.body),
        post=_likeness_of_text(extraction) if extraction.knows_lists else likeness_to_post(page),
        signature=signature(extraction.body),
        canonical=other_address(page),
        subjects=subjects(page, f"{extraction.title}\n{extraction.body}" if extraction.body else ""),
        licence=licence.name,
        licence_scope=licence.scope,
        licence_note=licence.note,
        is_shell=not extraction.body and is_shell(page),
    )


def _likeness_of_text(found: Extraction) -> float:
    """Likeness to a post, in [0, 1], by what an extractor found that tells lists from posts."""
    size = len(found.body) if found.is_post else 0
    return size / (size + NOTICE)


def judged_by(page: Page, found: Extraction) -> Extraction:
    """What a page is judged by: title and body, as they are stored. So whoever judges the stored page comes to the same
    figure. A page without a body, which is never kept, has its own text instead: a list's titles and teasers say what a
    hub is about."""
    return Extraction(found.title, found.body or own_text(page, found.title))


def judge(page: Page, found: Analysis, shown: Iterable[Link], by: Judge) -> tuple[Judgement, tuple[Outlink, ...]]:
    """The page and its links against the topic. `found`: what was extracted. `shown`: its links."""
    return by.judge(judged_by(page, found.extraction), found.subjects), by.outlinks(tuple(shown))


@cache
def reader_of(extractor: str) -> str:
    """A fingerprint of the program that reads pages, with its model: what another one takes of a page is no edit."""
    files = [*sorted((Path(__file__).parent / "reader").rglob("*.py")), *sorted(MODELS.glob("extraction*.npz"))]
    return sha256(b"".join([extractor.encode(), *(file.read_bytes() for file in files)])).hexdigest()[:8]


def analyse(
    page: Page, extractor: Extractor, by: Judge, index_files: bool = False, pdf: bool = False, again: bool = False
) -> Analysis:
    """The three verbs in one go, and what the publisher forbids. `index_files`, `pdf`: see `links`; `again`: see
    `extract`."""
    found_links = links(page, by.topic, index_files, pdf)
    found = extract(page, extractor, again)
    if by.topic.harmful is not Harmful.KEEP:
        clean = replace(found.extraction, body=without_injected(found.extraction.body))
        found = replace(found, extraction=clean, signature=signature(clean.body))
    judgement, outlinks = judge(page, found, found_links, by)
    said, names = page.declared, (*sorted(ROBOTS_NAMES), TDM, TDM_POLICY)
    metas = {name: said.metas[name] for name in names if name in said.metas}
    return replace(found, judgement=judgement, outlinks=outlinks, forbids=frozenset(said.forbids), metas=metas)


def judge_stored(found: Analysis, by: Judge) -> Analysis:
    """A page whose body is stored, and its links, against the topic."""
    shown = [outlink.link for outlink in found.outlinks if by.topic.allows(outlink.link.url)]
    judgement = by.judge(found.extraction, found.subjects)
    return replace(found, judgement=judgement, outlinks=by.outlinks(shown))


def open_index_file(address: str, content: bytes, now: float, by: Judge, kind: str = "") -> Analysis | Reason:
    """What an index file lists, or why it is not one. Entries are judged as a page's links are, by title and address;
    where the index file holds texts, these are judged as the pages themselves. `now`: seconds since the epoch. `kind`:
    what is expected there; the answer of a search may be a page."""
    contents = at_own_host(read(content, address, now), address)
    if kind in (Kind.SEARCH, Kind.MORE) and contents.kind is None:
        return _answer_of_search(Page(markup_in(decode(content)[0]), address), by, kind)
    if kind == Kind.MORE and (onward := following(address, len(contents.entries))):
        contents = replace(contents, index_files=(*contents.index_files, onward))
    entries = [entry for entry in contents.entries if by.topic.allows(entry.url)][:MOST_LISTED]
    index_files = index_file_links(contents.index_files)
    if contents.kind is None or not (entries or index_files):
        return contents.reason or Reason(Code.LISTS_NOTHING_ALLOWED)
    last = max(1, len(entries) - 1)
    listed = [as_link(replace(entry, text=""), contents.kind, n / last) for n, entry in enumerate(entries)]
    outlinks = [
        replace(outlink, nearness=min(1.0, by.judge(Extraction(entry.title, entry.text), entry.subjects).nearness))
        if (entry.text or entry.subjects) and place < MOST_JUDGED
        else outlink
        for place, (outlink, entry) in enumerate(zip(by.outlinks(listed), entries, strict=True))
    ]
    return Analysis(outlinks=(*outlinks, *by.outlinks(index_files)), post=0.0, rests_until=contents.rests_until(now))


def _answer_of_search(page: Page, by: Judge, kind: str) -> Analysis:
    """What it lists; that may be nothing."""
    found = [link for link in results(page) if by.topic.allows(link.url)]
    if kind == Kind.MORE and (onward := following(page.url, len(found))):
        found += index_file_links([onward])
    return Analysis(outlinks=by.outlinks(found), post=0.0, forbids=frozenset(page.declared.forbids))


def describe(page: Page, extractor: Extractor) -> Description:
    """A page that describes a topic: by all its own text, so that a home page can be one."""
    found = extractor(page)
    return Description(replace(found, body=own_text(page, found.title)), subjects(page))
