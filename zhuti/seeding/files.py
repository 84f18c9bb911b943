"""Files of addresses that people have collected: plain lists, feed readers' subscriptions, bookmarks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path

from lxml import etree, html as lxml_html

from crawler.errors import SourceError
from crawler.messages import _
from crawler.text.charset import decode
from crawler.topic.seeds import read_seeds
from zhuti.seeding.source import Proposal, SeedSource

LARGEST = 64 << 20  # bytes of a file


class _File(SeedSource):
    """`place`: the file."""

    def proposals(self, words: str) -> Iterator[Proposal]:
        path = Path(self.place)
        try:
            if path.stat().st_size > LARGEST:
                raise SourceError(_("{path} is larger than 64 MB; give a smaller file"), path=path)
            content = path.read_bytes()
        except (OSError, ValueError) as error:
            raise SourceError(
                _("cannot read {path} ({error}); give an existing file"), path=path, error=error
            ) from error
        yield from map(Proposal, self._addresses(content))

    @abstractmethod
    def _addresses(self, content: bytes) -> Iterator[str]: ...


class PlainList(_File):
    """One address a line, as a file of seeds."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        yield from read_seeds(self.place)


class Opml(_File):
    """Subscriptions of a feed reader (http://opml.org/spec2.opml): the pages that feeds belong to, or their hosts."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
        root = etree.fromstring(content, parser) if content.strip() else None
        for outline in root.iter("outline") if root is not None else ():
            if page := outline.get("htmlUrl"):
                yield page
            elif feed := outline.get("xmlUrl"):
                yield home(feed)


class Bookmarks(_File):
    """Bookmarks of a browser as it exports them to HTML; or the links of any page that was saved."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        text = decode(content)[0]
        for link in lxml_html.document_fromstring(text).iter("a") if text.strip() else ():
            yield link.get("href", "")


class FeedList(_File):
    """Addresses of feeds, one a line, as lists of RSSHub and others are: the hosts that they belong to."""

    def _addresses(self, content: bytes) -> Iterator[str]:
        yield from map(home, read_seeds(self.place))


def home(url: str) -> str:
    """The home page of a URL's host."""
    return "/".join([*url.split("/", 3)[:3], ""])
