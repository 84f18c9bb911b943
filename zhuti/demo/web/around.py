"""What is around an article: navigation, tags, related articles, advertising, dead links."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from zhuti.demo.web.articles import random_for
from zhuti.demo.web.groups import everything, groups, is_draft
from zhuti.demo.web.model import Article, DemoLink, Host, address
from zhuti.demo.web.plan import AD_PAGES, ADS, HOSTS, UNKNOWN_HOST
from zhuti.demo.web.words import Common

RELATED_HERE = 3  # of the same topic on the same host
DEAD_SHARE = 0.15  # of articles with a link to a page that is gone
UNKNOWN_SHARE = 0.03  # of articles with a link to a host that is gone
DRAFT_SHARE = 0.1  # of articles that link to a draft of the same host
INLINE = 2  # links inside the text


@dataclass(frozen=True, slots=True)
class Around:
    navigation: tuple[DemoLink, ...]
    ads: tuple[DemoLink, ...]
    friends: tuple[DemoLink, ...] = ()
    notice: str = ""
    tags: tuple[DemoLink, ...] = ()
    related: tuple[DemoLink, ...] = ()
    hot_name: str = ""
    hot: tuple[DemoLink, ...] = ()  # of any topic
    neighbours: tuple[DemoLink, ...] = ()  # the articles before and after it
    inline: tuple[DemoLink, ...] = ()  # words of the text that are links


class DemoWeb:
    """All hosts with all articles."""

    def __init__(self, articles: dict[str, list[Article]], common: Common) -> None:
        self.articles = articles
        self.common = common
        self.hosts = {host.name: host for host in HOSTS}

    def frame(self, host: Host, path: str) -> Around:
        """Around a page that is not an article."""
        random = random_for("frame", host.name, path)
        return Around(
            navigation=self._navigation(host),
            ads=self._ads(random),
            friends=tuple(DemoLink(address(name, "/"), self._title(name)) for name in host.friends),
            notice=random.choice(self.common.notices),
            hot_name=random.choice(self.common.hot),
        )

    def around(self, host: Host, article: Article) -> Around:
        random = random_for("around", article.url)
        mine = [other for other in self.articles[host.name] if other is not article and not is_draft(other)]
        same_topic = [other for other in mine if other.topic == article.topic]
        related = random.sample(same_topic, min(RELATED_HERE, len(same_topic))) + self._elsewhere(host, article, random)
        subject_groups = [group for group in groups(host, self.articles[host.name]) if article in group.articles]
        return replace(
            self.frame(host, article.path),
            tags=tuple(group.link() for group in subject_groups),
            related=(*(_link(other) for other in related), *self._gone(host, random)),
            hot=tuple(_link(other) for other in random.sample(mine, min(4, len(mine)))),
            neighbours=_neighbours(self.articles[host.name], article),
            inline=self._inline(article, related),
        )

    def _elsewhere(self, host: Host, article: Article, random: Random) -> list[Article]:
        """One article of the topic on each of two friends."""
        found = []
        for name in random.sample(host.friends, min(2, len(host.friends))):
            fitting = [other for other in self.articles.get(name, []) if other.topic == article.topic]
            fitting = [other for other in fitting if not is_draft(other)]
            if fitting:
                found.append(random.choice(fitting))
        return found

    def _gone(self, host: Host, random: Random) -> list[DemoLink]:
        """Links that lead nowhere, or where robots may not go."""
        links = []
        if random.random() < DEAD_SHARE:
            links.append(DemoLink(address(host.name, f"/deleted/{random.randint(1, 500)}.html"), "原文已删除"))
        if random.random() < UNKNOWN_SHARE:
            links.append(DemoLink(address(UNKNOWN_HOST, f"/{random.randint(1, 50)}.html"), "参考资料"))
        drafts = [other for other in self.articles[host.name] if is_draft(other)]
        if drafts and random.random() < DRAFT_SHARE:
            links.append(_link(random.choice(drafts)))
        return links

    def _inline(self, article: Article, related: list[Article]) -> tuple[DemoLink, ...]:
        """Terms in the text that lead to related articles about the same subject."""
        text = "".join(article.paragraphs)
        terms = [term for term in article.subject.terms if term in text]
        return tuple(DemoLink(other.url, term) for term, other in zip(terms[:INLINE], related, strict=False))

    def _navigation(self, host: Host) -> tuple[DemoLink, ...]:
        names = self.common.navigation
        targets = ["/", everything(host, []).path(1), "/about.html", "/login.php"]
        if "/search/" in host.robots:
            targets[3] = "/search/"
        labels = [names[0], names[1], names[4], names[6] if targets[3] == "/login.php" else "搜索"]
        return tuple(DemoLink(address(host.name, path), label) for path, label in zip(targets, labels, strict=True))

    def _ads(self, random: Random) -> tuple[DemoLink, ...]:
        numbers = random.sample(range(1, AD_PAGES + 1), 2)
        texts = random.sample(self.common.banners, 2)
        return tuple(DemoLink(address(ADS, f"/ad/{n}.html"), text) for n, text in zip(numbers, texts, strict=True))

    def _title(self, name: str) -> str:
        return self.hosts[name].title if name in self.hosts else name.partition(".")[0]


def _link(article: Article) -> DemoLink:
    return DemoLink(article.url, article.title)


def _neighbours(articles: list[Article], article: Article) -> tuple[DemoLink, ...]:
    here = articles.index(article)
    beside = articles[max(here - 1, 0) : here] + articles[here + 1 : here + 2]
    return tuple(_link(other) for other in beside if not is_draft(other))
