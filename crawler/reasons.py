"""Why it ended so: a fetch, a judgement, an analysis, a run. A reason is a code and its values; it is stored as such,
and told as a sentence in the language of who reads.

    reason = Reason(Code.REDIRECT, url="http://a.example/")
    stored(reason)      'redirect {"url":"http://a.example/"}', what the database holds
    told(reason)        "redirects to http://a.example/", to a person
    str(reason)         the same in English, to programs
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from crawler.messages import N_, translated


class Code(StrEnum):
    """Why something ended as it did: a sentence, and a clause that follows other words. Codes are stored: a
    sentence may be reworded, a code stays."""

    sentence: str
    clause: str

    def __new__(cls, code: str, sentence: str, clause: str = "") -> Code:
        member = str.__new__(cls, code)
        member._value_ = code
        member.sentence, member.clause = sentence, clause or sentence
        return member

    NONE = "", ""
    TEXT = "text", "{text}"  # the words of others: of an exception, of a plug-in
    BOTH = "both", "{first}; {second}"
    # How the fetch of an address ends
    NO_SUCH_HOST = "no-such-host", N_("the host's name cannot be resolved")
    REFUSED = "refused", N_("the host refused the connection")
    TIMEOUT = "timeout", N_("no answer within DOWNLOAD_TIMEOUT")
    TOO_LARGE = "too-large", N_("larger than DOWNLOAD_MAXSIZE")
    ENCODINGS = "encodings", N_("too many Content-Encodings")
    COMPRESSED_PARTS = "compressed-parts", N_("its compressed data has too many parts")
    STATUS = "status", N_("status {status}")
    NOT_HTML = "not-html", N_("not an HTML page")
    REDIRECT = "redirect", N_("redirects to {url}")
    REDIRECT_AWAY = "redirect-away", N_("redirects to something other than an http(s) address: {location!r}")
    REDIRECT_TO_ITSELF = "redirect-to-itself", N_("redirects to itself")
    REDIRECTS = "redirects", N_("more than {max_redirects} redirects in a row")
    ROBOTS = "robots", N_("Forbidden by robots.txt")
    ROBOTS_STATUS = "robots-status", N_("robots.txt could not be fetched: status {status}")
    ROBOTS_CUT = "robots-cut", N_("robots.txt was cut off")
    ROBOTS_SLOW = "robots-slow", N_("robots.txt could not be read in time")
    OTHER_HOST = "other-host", N_("the topic's hosts do not allow this address")
    NOT_PUBLIC = "not-public", N_("its address is not public ({address}); ALLOW_ADDRESSES can allow it")
    DENIED = "denied", N_("its address ({address}) is in the topic's denied_hosts")
    IGNORED = "ignored", N_("ignored by a middleware")
    LOST = "lost", N_("a pipeline or middleware dropped the page without an error")
    COMPONENT = "component", N_("a pipeline or middleware failed on it: {error}")
    LATE = "late", N_("another fetch of its URL was committed first")
    NOT_ARCHIVED = "not-archived", N_("is in no archive, and rejudge fetches nothing")
    # What another visit finds
    NOT_MODIFIED = "not-modified", N_("not modified")
    SAME_BYTES = "same-bytes", N_("its content is byte for byte the same")
    SAME_TEXT = "same-text", N_("its text is the same")
    SAME_BUT_AROUND = "same-but-around", N_("only text outside its body is different")
    RENEWED = "renewed", N_("its text was stored anew: it has moved, or another version of the program reads it")
    FORMER_TEXT = "former-text", N_("it has a text again that it had before")
    TOLD_OFTEN = "told-often", N_("its text has changed, but two changes were already reported within a month")
    NOTICE = "notice", N_("its only text also stands on other pages of its host")
    NOT_RENDERED = "not-rendered", N_("its scripts were not run")
    GONE = "gone", N_("not found on {gone_after} visits")
    LEFT_WITH_OTHERS = "left-with-others", N_("not found, a week after most pages of its host had left their addresses")
    OFF_TOPIC_AGAIN = "off-topic-again", N_("two visits in a row found it off topic")  # before schema 0021
    LEFT_TOPIC = "left-topic", N_("three visits over a week found it off topic")
    # Why a page has no body
    NO_TEXT = "no-text", N_("The page has no text."), N_("it has no text")
    NO_OWN_TEXT = "no-own-text", N_("The page has no text of its own."), N_("it has no text of its own")
    NO_BODY = "no-body", N_("No part of the page was recognised as its body."), N_("no body was recognised in it")
    LINKS = "links", N_("The page is a list of links."), N_("it is a list of links")
    SAYS_GONE = "says-gone", N_("The page says that it is not there."), N_("it says that it is not there")
    LOGIN = "login", N_("The page asks for a password."), N_("it asks for a password")
    SCRIPTS = "scripts", N_("The page needs JavaScript."), N_("it needs JavaScript")
    CHECK = "check", N_("The page checks whether a human visits."), N_("it checks whether a human visits")
    PARKED = "parked", N_("The domain is for sale or parked."), N_("its domain is for sale or parked")
    CONSENT = "consent", N_("The page asks for consent to cookies."), N_("it asks for consent to cookies")
    # Why a page is kept, or not
    LISTS = "lists", N_("it lists other pages")
    NO_BODY_TEXT = "no-body-text", N_("the page has no body text"), N_("it has no body text")
    LANGUAGE = "language", N_("its language is {found}; the topic accepts {wanted}")
    HARMFUL = "harmful", N_("it is harmful by its words (gambling, pornography and the like)")
    SIMILARITY = "similarity", N_("similarity {similarity:.3f} is below the threshold {threshold:g}")
    PERSON = "person", N_("a person says that it is not on the topic")
    FORBIDDEN_TO_KEEP = "forbidden-to-keep", N_("its publisher forbids keeping it ({forbids})")
    KEPT_ALTHOUGH = "kept-although", N_("although its publisher says {forbids}")
    RENDERED = "rendered", N_("its scripts were run")
    RENDERED_AND = "rendered-and", N_("its scripts were run: {reason}")
    WORD_FOR_WORD = "word-for-word", N_("repeats the text of a kept page")
    NEARLY = "nearly", N_("is nearly the same as a kept page")
    SAME_ADDRESS = "same-address", N_("is a kept page under another address")
    MOVED = "moved", N_("has moved to another address of its site")
    # Why an analysis failed
    DIED = "died", N_("the analysis process died: it ran out of memory or was killed")
    SLOW_DOMAIN = "slow-domain", N_("the analysis of other pages of its domain took too long")
    SLOW_SHARE = "slow-share", N_("the analysis took longer than the share of its domain allows")
    SLOW = "slow", N_("the analysis took longer than ANALYSE_TIMEOUT")
    MEMORY = "memory", N_("the analysis needed more memory than ANALYSE_MEMORY")
    ANALYSIS = "analysis", N_("the analysis failed: {kind}: {error}")
    CRAWL_ENDED = "crawl-ended", N_("the crawl has ended")
    PDF_NO_TEXT = "pdf-no-text", N_("the PDF has no text; it may be a scan")
    PDF_EXTRA = "pdf-extra", N_("PDF documents need pypdfium2; pip install 'zhuti[pdf]'")
    PDF_UNPACKS = "pdf-unpacks", N_("a part of the PDF unpacks to more than {most_bytes:,} bytes")
    PDF_COSTLY = "pdf-costly", N_("the PDF takes more than {seconds} seconds or {megabytes} megabytes to read")
    PDF_PASSWORD = "pdf-password", N_("the PDF asks for a password")
    PDF_DAMAGED = "pdf-damaged", N_("the PDF cannot be read: it is damaged or cut off")
    # Why an index file cannot be read, or not all of it
    NO_INDEX_FILE = "no-index-file", N_("not an index file: {found}")
    TOO_LONG = "too-long", N_("it is longer than {max_bytes:,} bytes")
    TAKES_LONG = "takes-long", N_("reading it takes more than {max_seconds:g} seconds")
    MANY_PAGES = "many-pages", N_("it lists more than {max_entries:,} pages")
    MANY_FILES = "many-files", N_("it names more than {max_index_files:,} index files")
    MANY_NAMES = "many-names", N_("it has more than {max_names:,} different elements")
    DEEP = "deep", N_("its elements nest deeper than {max_depth}")
    ROOT = "root", N_("its root element <{name}> belongs to no known index file")
    EMPTY = "empty", N_("it is empty")
    BINARY = "binary", N_("it is a binary file")
    UNKNOWN = "unknown", N_("it is not a sitemap, feed or search index")
    HTML = "html", N_("it is an HTML page")
    GZIP_CUT = "gzip-cut", N_("its gzip data is incomplete")
    GZIP_DAMAGED = "gzip-damaged", N_("its gzip data is damaged")
    JSON_DAMAGED = "json-damaged", N_("it is incomplete or damaged JSON")
    XML_DAMAGED = "xml-damaged", N_("it is damaged XML")
    XML_CUT = "xml-cut", N_("it ends in the middle of an entry")
    NO_SEARCH = "no-search", N_("it describes no search whose answers can be read")
    LISTS_NOTHING = "lists-nothing", N_("it lists no pages")
    LISTS_NOTHING_NAMED = "lists-nothing-named", N_("it lists no pages with an address and a title")
    LISTS_NOTHING_ALLOWED = "lists-nothing-allowed", N_("it lists no pages that the topic's hosts allow")
    # Why a run ended; Scrapy is given the code as the reason of the end
    FINISHED = "finished", N_("finished")
    FINISHED_FOR_NOW = "finished-for-now", N_("finished; the next URL is due in {wait:.1f} hours")
    BUDGET = "budget", N_("budget spent")
    SIDE_BUDGET = (
        "side-budget",
        N_("{count} requests for robots.txt and the like were made; the next run asks the hosts that are left"),
    )
    NO_CONTACT = "no-contact", N_("{count} pages without CONTACT; the same command with -s CONTACT=me@my.org goes on")
    TARGET = "target", N_("PAGE_TARGET={target} reached")
    STOP_BELOW = (
        "stop-below",
        N_(
            "the harvest rate fell below STOP_BELOW={stop_below:g}: {last_rate:.3f} in the last pages,"
            " {next_rate:.3f} expected of the next {next}"
        ),
    )
    STOPPED = "stopped", N_("stopped")
    FAILED = "failed", N_("failed")
    KILLED = "killed", N_("killed")
    INTERRUPTED = "interrupted", N_("{why}; the same command resumes")


CODES = {code.value: code for code in Code}


@dataclass(frozen=True, slots=True, init=False)
class Reason:
    """NONE, which is false, where there is nothing to say."""

    code: Code
    values: tuple[tuple[str, str | int | float | Reason], ...]  # by the names of the fields in the code's sentence

    def __init__(self, code: Code, **values: str | int | float | Reason) -> None:
        object.__setattr__(self, "code", code)
        texts = {name: storable(value) for name, value in values.items() if isinstance(value, str)}
        object.__setattr__(self, "values", tuple((values | texts).items()))

    @classmethod
    def of(cls, words: object) -> Reason:
        """A reason in words that are not ours; a Reason is itself."""
        return words if isinstance(words, Reason) else cls(Code.TEXT, text=str(words)) if words else NONE

    def value(self, name: str) -> str:
        """A value that is a text; "" where the reason has none of this name."""
        return str(dict(self.values).get(name, ""))

    def __bool__(self) -> bool:
        return self.code is not Code.NONE

    def __str__(self) -> str:
        return _sentence(self, str.format, lambda code: code.sentence)


NONE = Reason(Code.NONE)


class ReasonError(Exception):
    """The base of exceptions that are made of a reason: `str` of one is an English sentence."""

    @property
    def reason(self) -> Reason:
        return Reason.of(self.args[0] if self.args else "")


def told(reason: Reason) -> str:
    """The sentence, in the language of who reads; "" of NONE."""
    return _sentence(reason, translated, lambda code: code.sentence)


def clause(reason: Reason) -> str:
    """A reason as it follows other words: "dropped: it is a list of links"."""
    return _sentence(reason, translated, lambda code: code.clause)


def _sentence(reason: Reason, form: Callable[..., str], words: Callable[[Code], str]) -> str:
    values = {
        name: _sentence(value, form, words) if isinstance(value, Reason) else value for name, value in reason.values
    }
    try:
        return form(words(reason.code), **values)
    except (KeyError, ValueError, TypeError):  # a database that others have written: other values than the code has
        return stored(reason)


def stored(reason: Reason) -> str:
    """The code, with its values as JSON behind it where it has any."""
    if not reason.values:
        return reason.code.value
    values = json.dumps(dict(reason.values), ensure_ascii=False, separators=(",", ":"), default=lambda it: [stored(it)])
    return f"{reason.code.value} {values}"


def read(text: str) -> Reason:
    """What was stored; what cannot be read is a reason in words."""
    code, _, values = text.partition(" ")
    try:
        found = json.loads(values) if values else {}
        return Reason(CODES[code], **{name: _value(held) for name, held in found.items()})
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return Reason.of(text)


def _value(held: object) -> str | int | float | Reason:
    """A value as `stored` has written it: a reason in a list."""
    if not isinstance(held, list | str | int | float):
        raise TypeError(held)
    return read(*held) if isinstance(held, list) else held


_CONTROLS = dict.fromkeys({*range(0x20), *range(0x7F, 0xA0)} - set(map(ord, "\t\n\r\x85")))


def storable(text: str) -> str:
    """The text without what a database cannot hold, NUL and halves of surrogate pairs from broken markup, and without
    what would control a terminal; tabs and line ends stay."""
    return text.translate(_CONTROLS).encode("utf-8", "replace").decode()
