"""Rewrites links to the address at which a page is fetched: sites that answer under another name, /index.html, the
forms that forums have for one thread, and what changes nothing in the addresses of a site.

Pages of strangers give rise to these beliefs. So each holds where it was seen and no further (the site and the folder,
the parameter and its value) and ends at the first different text. Where an address fails that was rewritten, what was
believed of it ends, and it is asked for as it was written (`MovedSites.failed`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import parse_qsl

from crawler.bounded_dict import BoundedDict
from crawler.reader.html.urls import domain, host
from crawler.reader.text.fold import fold
from crawler.records import Outlink

# Different texts, each seen at two addresses that differ in the part alone, before it is believed to change nothing:
# one text at all addresses is a notice of the site.
LEAST_TEXTS = 2
LEAST_VALUES = 3  # of a parameter that change nothing, before no value is believed to: the name of a visit is ever new
MOST_VALUES = 50  # of a part in one place that are remembered
MOST_STEPS = 6  # from an address to the one that is asked for
MOST_WRITTEN = 4  # addresses that are remembered for one, to be asked for where that fails
SHORTEST = 100  # characters of a text that tells anything; notices are shorter
COMPARED = 2_000  # characters of a text that are compared in one script
DIGEST = 8  # bytes
ENDING = re.compile(r"(?<=[^/])(?:/|/index\.\w{3,5}|\.html?|/(?:amp|print)/?|[-_]print\.html?)$")
# The views of a site: labels of its host, and folders. In another script a text is the same to its readers.
VIEW = re.compile(
    r"(?<=://)(?:www|m|wap|mobile|amp|3g)\.(?=[^/]+\.)"
    r"|(?<=[^/:]/)(?:index\.php|amp|print|m|wap|mobile|3g|zh(?:-(?:cn|tw|hk|sg|mo|hans|hant))?|cn|tw|hk|big5|gb)/",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d{1,6}")  # a value that counts: of the next one those before tell nothing
DAYS = re.compile(r"/(?:19|20)\d\d(?:/\d\d?){0,2}(?=/)")  # folders by the day: they are one

Step = tuple[str, str]  # a belief about an address, and what it makes of it


class Part(NamedTuple):
    """A part of an address that may change nothing."""

    name: str
    value: str
    before: str  # what is around it
    after: str

    def instead(self, value: str) -> str:
        """The address with another value; "": without the part."""
        if self.name == "scheme":
            return f"{value or 'https'}{self.after}"
        if self.name[0] != "?":
            return self.before + value + self.after
        if value:
            return f"{self.before}{self.name[1:]}={value}{self.after}"
        return self.before + self.after[1:] if self.after else self.before[:-1]

    @property
    def where(self) -> str:
        """The place where a belief about it holds: its site and folder."""
        _, _, site, path = self.instead("").split("/", 3)
        folder = path.partition("?")[0].rpartition("/")[0]
        return f"{self.name} {site}{DAYS.sub('/#', f'/{folder}/')}"


def parts(url: str) -> Iterator[Part]:
    if url.startswith("http:"):
        yield Part("scheme", "http", "", url[4:])
    for view in VIEW.finditer(url):
        yield Part("view", view[0], url[: view.start()], url[view.end() :])
    path, mark, query = url.partition("?")
    if not mark:
        if (ending := ENDING.search(path)) and path.count("/", 0, ending.start()) > 2:
            yield Part("ending", ending[0], path[: ending.start()], "")
        return
    at = len(path) + 1
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        yield Part(f"?{name}", value, url[:at], url[at + len(piece) :])
        at += len(piece) + 1


class SamePages:
    """Addresses of a site that differ in one part only, and show one text each time. Then the part is left out of
    links, or written as it was seen first, and an address that waits with it is not fetched. A pair with two texts
    ends that: the part names pages."""

    def __init__(self) -> None:
        self._texts: BoundedDict[str, bytes] = BoundedDict()  # by address
        self._first: BoundedDict[str, str] = BoundedDict()  # a value, by its part and what is left without it
        self._longer: BoundedDict[str, tuple[str, ...]] = BoundedDict()  # addresses, by what is left of them
        self._alike: BoundedDict[str, frozenset[bytes]] = BoundedDict()  # texts that pairs had, by belief
        self._values: BoundedDict[str, dict[str, str]] = BoundedDict()  # by place: what stands for a value
        self._hosts: BoundedDict[str, None] = BoundedDict()  # of which something is believed
        self._over: BoundedDict[str, None] = BoundedDict()  # beliefs that were wrong

    def saw(self, url: str, text: str) -> None:
        """A page with this text was read at the canonical address."""
        if len(text) < SHORTEST or url in self._texts:
            return
        compared = fold(text[:COMPARED]) + text[COMPARED:]
        self._texts[url] = blake2b(compared.encode("utf-8", "replace"), digest_size=DIGEST).digest()
        for other in self._longer.get(url, ()):
            for part in parts(other):
                if part.instead("") == url:
                    self._compare(part, other, "")
        for part in parts(url):
            rest = part.instead("")
            first = self._first.setdefault(f"{part.name} {rest}", part.value)
            self._longer[rest] = (*self._longer.get(rest, ()), url)[:MOST_WRITTEN]
            self._compare(part, url, "" if rest in self._texts else first)

    def _compare(self, part: Part, url: str, known: str) -> None:
        """The page at this address, and that with the known value."""
        other, where = self._texts.get(part.instead(known)), part.where
        if known == part.value or other is None:
            return
        beliefs = (f"{part.value} {known} {where}", where)
        if other != self._texts[url]:
            self._over.update(dict.fromkeys(beliefs))
            return
        for belief in beliefs:
            self._alike[belief] = self._alike.get(belief, frozenset()) | {other}
        self._hosts[_host(url)] = self._hosts[_host(part.instead(known))] = None
        values = self._values.made(where, dict)
        if len(values) < MOST_VALUES:
            values[part.value] = known

    def step(self, url: str) -> Step | None:
        for part in parts(url) if _host(url) in self._hosts else ():
            if (values := self._values.get(where := part.where)) is None:
                continue
            known = values.get(part.value)
            if known is not None and self._holds(belief := f"{part.value} {known} {where}"):
                return belief, part.instead(known)
            seen = {*values, *values.values(), part.value} - {""}
            is_any = part.name[0] == "?" and len(seen) > LEAST_VALUES and not any(map(NUMBER.fullmatch, seen))
            if is_any and self._holds(where):
                return where, part.instead("")
        return None

    def now(self, url: str) -> str:
        """The address without the parts that change nothing."""
        return led(url, self.step)[0]

    def end(self, belief: str) -> None:
        self._over[belief] = None

    def _holds(self, belief: str) -> bool:
        return len(self._alike.get(belief, ())) >= LEAST_TEXTS and belief not in self._over


def led(url: str, *ways: Callable[[str], Step | None]) -> tuple[str, list[str]]:
    """Where the address leads by what is believed, and the beliefs on the way."""
    beliefs: list[str] = []
    for _ in range(MOST_STEPS):
        belief, target = next(filter(None, (way(url) for way in ways)), ("", url))
        if target == url:
            break
        beliefs.append(belief)
        url = target
    return url, beliefs


# The forms of a thread in Discuz and phpwind: of its first page, and of a further one.
FORMS = {
    "thread": ("thread-{tid}-1-1.html", "thread-{tid}-{page}-1.html"),
    "forum": ("forum.php?mod=viewthread&tid={tid}", "forum.php?mod=viewthread&tid={tid}&page={page}"),
    "viewthread": ("viewthread.php?tid={tid}", "viewthread.php?tid={tid}&page={page}"),
    "read-htm": ("read-htm-tid-{tid}.html", "read-htm-tid-{tid}-page-{page}.html"),
    "read": ("read.php?tid={tid}", "read.php?tid={tid}&page={page}"),
}
HINT = re.compile(r"tid|thread-|/simple/")  # in all of them
FOLDER = r"(?P<folder>https?://[^?]*/)"
# `archiver` and `simple` show posts without their authors and times.
WRITTEN = [
    re.compile(FOLDER + pattern)
    for pattern in (
        r"(?P<form>thread)-(?P<tid>\d+)-(?P<page>\d+)-\d+\.html",
        r"(?P<form>read-htm)-tid-(?P<tid>\d+)(?:-(?!page-)\w+-\w*)*(?:-page-(?P<page>\w+))?(?:-\w+-\w*)*\.html",
        r"(?P<form>archiver)/(?:index\.php)?\??tid-(?P<tid>\d+)(?:-page-(?P<page>\d+))?\.html",
        r"(?P<form>simple)/(?:index\.php)?\?t(?P<tid>\d+)(?:_(?P<page>\d+))?\.html",
        r"(?P<form>read)\.php\?tid-(?P<tid>\d+)(?:-(?!page-)\w+-\w*)*(?:-page-(?P<page>\w+))?(?:-\w+-\w*)*\.html",
    )
]
BY_QUERY = re.compile(FOLDER + r"(?P<form>forum|viewthread|redirect|read|job)\.php\?(?P<query>.+)")
PHPWIND = frozenset(["read", "read-htm", "simple", "job"])
TO_POSTS = frozenset(["lastpost", "findpost", "topost"])  # what only leads to a post of a thread


class Thread(NamedTuple):
    """A page of a forum's thread."""

    folder: str  # of the forum
    form: str  # in which it is written: one of FORMS, or of what leads there
    tid: str
    page: str

    def written(self, form: str) -> str:
        return self.folder + FORMS[form][self.page != "1"].format(tid=self.tid, page=self.page)

    @property
    def forum(self) -> str:
        return f"{'phpwind' if self.form in PHPWIND else 'discuz'} {self.folder}"


def thread_of(url: str) -> Thread | None:
    """The thread that the address names, if it is one of Discuz or phpwind."""
    if not HINT.search(url):
        return None
    found = next(filter(None, (form.fullmatch(url) for form in WRITTEN)), None)
    if found:
        tid, page = found["tid"], found["page"] or "1"
    elif found := BY_QUERY.fullmatch(url):
        said = dict(parse_qsl(found["query"]))
        tid, page = said.get("tid") or said.get("ptid", ""), said.get("page", "1")
        leads = (said.get("goto") or said.get("action")) in TO_POSTS
        if not (leads or said.get("mod") == "viewthread" or found["form"] in ("viewthread", "read")):
            return None
        page = "1" if leads else page
    if not found or not tid.isdecimal():
        return None
    return Thread(found["folder"], found["form"], tid, page.lstrip("0") if page.isdecimal() and int(page) else "1")


INDEX = "/index.html"
LEAST_REDIRECTS = 2  # from one site to another that change nothing else, before links are believed to go there as well


class MovedSites:
    """A site is scheme and host. One that redirects to another with the same path (to https, to or from `www.`) goes
    on doing so. Its links are then taken as if they named the other site: a page would otherwise cost a request more,
    wait under two addresses, and lose what its link said of it. A site of another owner is believed in for the folder
    alone that led there. For the same reason `/a/index.html` is taken as `/a/`, under which servers give it too, and a
    thread of a forum in the form in which its forum wrote one first."""

    def __init__(self) -> None:
        self._redirects: BoundedDict[str, tuple[str, int]] = BoundedDict()  # by site, or site and folder: where to, and
        # how often
        self._answers: BoundedDict[str, None] = BoundedDict()  # sites that gave pages
        self._forms: BoundedDict[str, str] = BoundedDict()  # in which forums write their threads
        self._over: BoundedDict[str, None] = BoundedDict()  # beliefs that were wrong
        self._written: BoundedDict[str, dict[str, list[str]]] = BoundedDict()  # beliefs, by target and what was written
        self._same = SamePages()

    def answered(self, url: str, text: str = "") -> None:
        """A page with this text was fetched there."""
        self._answers[_site(url)] = None
        self._same.saw(url, text)

    def redirected(self, url: str, target: str) -> None:
        """Both are canonical."""
        site, other = _site(url), _site(target)
        if site != other and url[len(site) :] == target[len(other) :]:
            place = site
            if domain(host(f"{site}/")) != domain(host(f"{other}/")):
                self._redirects.pop(site, None)
                place = _folder(url)
            known, times = self._redirects.get(place, (other, 0))
            self._redirects[place] = (other, times + 1 if known == other else 1)

    def failed(self, url: str) -> tuple[str, ...]:
        """The address cannot be had. Returns those that were taken as it, to be asked for as they are written."""
        written = self._written.pop(url, {})
        for belief in {belief for beliefs in written.values() for belief in beliefs}:
            if self._redirects.pop(belief, None) is None:  # a site: two more redirects restore the belief
                self._over[belief] = None
                self._same.end(belief)
        return tuple(written)

    def lead(self, outlinks: Iterable[Outlink], page: str = "") -> tuple[Outlink, ...]:
        """The outlinks of a page by the addresses at which they are to be fetched, each once."""
        outlinks = tuple(outlinks)
        for outlink in outlinks:
            if (thread := thread_of(outlink.link.url)) and thread.form in FORMS and _site(thread.folder) == _site(page):
                self._forms.setdefault(thread.forum, thread.form)
        found: dict[str, Outlink] = {}
        for outlink in outlinks:
            url = self.now(outlink.link.url)
            if url != outlink.link.url:
                outlink = replace(outlink, link=replace(outlink.link, url=url))
            found.setdefault(url, outlink)
        return tuple(found.values())

    def now(self, url: str) -> str:
        """The address at which the page of a canonical one is fetched."""
        target, beliefs = led(url, self._of_thread, self._same.step, self._of_index, self._of_site)
        if beliefs:
            written = self._written.made(target, dict)
            if url in written or len(written) < MOST_WRITTEN:
                written[url] = beliefs
        return target

    def _of_thread(self, url: str) -> Step | None:
        thread = thread_of(url)
        if thread is None or thread.forum in self._over:
            return None
        form = self._forms.get(thread.forum, thread.form)
        return (thread.forum, thread.written(form)) if form in FORMS else None

    def _of_index(self, url: str) -> Step | None:
        belief = f"index {_site(url)}"
        return (belief, url[: 1 - len(INDEX)]) if url.endswith(INDEX) and belief not in self._over else None

    def _of_site(self, url: str) -> Step | None:
        site = _site(url)
        if site in self._answers:
            return None
        for place in (site, _folder(url)):
            other, times = self._redirects.get(place, ("", 0))
            if times >= LEAST_REDIRECTS:
                return place, other + url[len(site) :]
        return None


def _host(url: str) -> str:
    return url.split("/", 3)[2]


def _folder(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[0] + "/"


def _site(url: str) -> str:
    """Scheme and host of a canonical URL, without the slash after them."""
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{rest.partition('/')[0]}"
