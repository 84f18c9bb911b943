"""The page filter and the words of links: a page and its links against a topic (papers.md 4.7 and 9.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from urllib.parse import unquote

from crawler.errors import SettingError, TopicError
from crawler.messages import _
from crawler.plugins import plugin
from crawler.reader.text.harmful import Harmful, harm
from crawler.reader.text.measures import language
from crawler.reader.text.tokens import Tokenizer
from crawler.reasons import NONE, Code, Reason
from crawler.records import Extraction, Judgement, Link, Outlink, similarity_of
from crawler.topic.files import Topic
from crawler.topic.vector import PageTerms, page_terms, subject_terms, weighed

# Link texts kept with their value: navigation repeats on every page of a site. At some 200 bytes each, under 10 MB.
CACHED_TEXTS = 32_768
# Of a link's relevance: what is stored is what was learnt, and more decimals took a quarter of the bytes of all links.
DIGITS = 4
GROUP = "zhuti.judges"

_URL_BREAKS = re.compile(r"[/\-_.?=&]+")  # papers.md 4.4: path words of the URL
_EXTENSION = re.compile(r"\.(?:html?|shtml|aspx?|php|jsp|cgi|do)$", re.IGNORECASE)  # papers.md 4.4: those of pages


class Judge:
    """Judges pages and links against one learned topic. Built once per process; not thread-safe while it works."""

    def __init__(self, topic: Topic) -> None:
        """Raises TopicError when the topic has no vector yet."""
        if topic.vector is None or not topic.vector.weights:
            raise TopicError(
                _("{topic.path}: topic '{topic.name}' has no learned words yet; call learn() first"), topic=topic
            )
        self.topic = topic
        self._members = [type(self)(member) for member in topic.members]
        self._nearness = (topic.taught or topic.vector).calibrated
        vector = topic.taught.vector if topic.taught else topic.vector
        self._relevance = {term: vector.relevance(term) for term in vector.weights}
        self._tokenizer = Tokenizer(topic.keywords, topic.lexicon)
        # Of a function that does not know the judge: in a cycle the dictionary's 25 MB would wait for the collector.
        self._weigh = lru_cache(CACHED_TEXTS)(partial(_weigh_text, self._tokenizer, self._relevance))
        self._weigh_address = lru_cache(CACHED_TEXTS)(partial(_weigh_address, self._tokenizer, self._relevance))

    def judge(self, extraction: Extraction, subjects: Sequence[str] = ()) -> Judgement:
        """The page's nearness; on topic iff its similarity reaches the topic's threshold, it has a body, and that is
        not in another language than the topic's, where it names one. Of a joint topic: what its best member says.

        `subjects`: the tags that its author gave the page, html.subjects. They say in a few words what a body says in
        thousands: with them average precision on recorded posts was .88, without them .63."""
        if self._members:
            found = [member.judge(extraction, subjects) for member in self._members]
            return max(found, key=lambda judgement: (judgement.on_topic, judgement.nearness))
        terms = page_terms(self._tokenizer, extraction)
        nearness = self._nearness(weighed(terms, subject_terms(self._tokenizer, subjects)))
        reason = self._objection(extraction, nearness)
        return Judgement(
            nearness=nearness, on_topic=not reason, text_relevance=self._mean_relevance(terms), reason=reason
        )

    def outlinks(self, links: Sequence[Link]) -> tuple[Outlink, ...]:
        """The links in their order, with the mean r(t) of their words; a link without words has relevance 0."""
        return tuple(self._outlink(link) for link in links)

    def weight(self, text: str) -> float:
        """The sum of r(t) over the words of a text: how much it says of the topic."""
        return _weigh_text(self._tokenizer, self._relevance, text)[0]

    def _mean_relevance(self, terms: PageTerms) -> float:
        """avgT of formula 9.3: mean r(t) over the page's tokens, title and body."""
        relevance = self._relevance
        found = sum(
            relevance[term] * count
            for counts in (terms.title, terms.body)
            for term, count in counts.items()
            if term in relevance
        )
        return found / terms.total if terms.total else 0.0

    def _outlink(self, link: Link) -> Outlink:
        (text_sum, text_count), (title_sum, title_count) = self._weigh(link.anchor), self._weigh(link.title)
        anchor_sum, anchor_count = text_sum + title_sum, text_count + title_count
        around_sum, around_count = self._weigh(link.around)
        url_sum, url_count = self._weigh_address(link.url)
        own_sum, own_count = anchor_sum + url_sum, anchor_count + url_count
        count = own_count + around_count
        return Outlink(
            link=link,
            relevance=round((own_sum + around_sum) / count, DIGITS) if count else 0.0,
            anchor_relevance=round(anchor_sum / anchor_count, DIGITS) if anchor_count else 0.0,
            own_relevance=round(own_sum / own_count, DIGITS) if own_count else 0.0,
        )

    def _objection(self, extraction: Extraction, nearness: float) -> Reason:
        """Why the page is not kept; NONE when it is."""
        if not extraction.body.strip():
            return extraction.reason or Reason(Code.NO_BODY_TEXT)
        if (wanted := self.topic.language) and (found := language(extraction.body)) not in ("", wanted):
            return Reason(Code.LANGUAGE, found=found, wanted=wanted)
        if self.topic.harmful is Harmful.DROP and harm(f"{extraction.title}\n{extraction.body}").is_harmful:
            return Reason(Code.HARMFUL)
        if (similarity := similarity_of(nearness)) < self.topic.threshold:
            return Reason(Code.SIMILARITY, similarity=round(similarity, 3), threshold=self.topic.threshold)
        return NONE


def page_judge(name: str) -> type[Judge]:
    """The judge that PAGE_JUDGE means: "" ours, else an import path or an entry point of GROUP. Raises SettingError."""
    if not name:
        return Judge
    own = plugin("PAGE_JUDGE", name, GROUP)
    if own is None:
        raise SettingError(
            _("PAGE_JUDGE: unknown page judge {name!r}; give an import path such as module.Class"), name=name
        )
    if not (isinstance(own, type) and issubclass(own, Judge)):
        raise SettingError(_("PAGE_JUDGE={name} is not a subclass of zhuti.Judge"), name=name)
    return own


def _weigh_text(tokenizer: Tokenizer, relevance: Mapping[str, float], text: str) -> tuple[float, float]:
    """(sum of r(t) over the text's tokens, number of tokens)."""
    tokens = tokenizer.tokens(text) if text else []
    return sum(relevance[token] for token in tokens if token in relevance), float(len(tokens))


def _weigh_address(tokenizer: Tokenizer, relevance: Mapping[str, float], url: str) -> tuple[float, float]:
    """Weighs the words of an address."""
    return _weigh_text(tokenizer, relevance, url_words(url))


def url_words(url: str) -> str:
    """Path and query of a URL as blank separated words: escapes decoded, split at / - _ . ? = & (papers.md 4.4).

    The extension of a page is left out: as a word, ".html" would make every page one about HTML.
    """
    whole, _, query = url.partition("#")[0].partition("?")  # canonical, so urlsplit's many checks are not needed
    path = _EXTENSION.sub("", whole.partition("//")[2].partition("/")[2])
    words = unquote(f"{path}/{query}" if query else path)
    return _URL_BREAKS.sub(" ", words).strip()
