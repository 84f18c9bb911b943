"""The tags of a page's author, wherever the page declares them."""

import pytest

from crawler.reader.html.page import Page
from crawler.reader.html.subjects import MOST_SUBJECTS, subjects


def found(head: str = "", body: str = "") -> tuple[str, ...]:
    return subjects(Page(f"<html><head>{head}</head><body>{body}</body></html>"))


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("", "<p>没有标签的一段话。</p>", ()),
        ('<meta property="article:tag" content="图论"><meta property="article:section" content="算法">', "", None),
        ('<script type="application/ld+json">{"keywords": ["图论", "算法"]}</script>', "", None),
        ('<script type="application/ld+json">{"keywords": "图论,算法"}</script>', "", None),
        ("", '<a rel="tag" href="/a">图论</a> <a rel="category tag" href="/b">#算法</a>', None),
        ("", '<p class="post-tags"><a href="/a">图论</a><span><a href="/b">算法</a></span></p>', None),
        ("", '<a itemprop="keywords" href="/a">图论</a><a itemprop="about" href="/b"> 算法 </a>', None),
        (
            "",
            '<span itemprop="about"><a itemprop="url" href="/a"><span itemprop="name">图论</span></a></span>'
            '<a rel="tag" href="/b">算法</a>',
            None,
        ),
        ("", '<main><a href="/tags/%E5%9B%BE%E8%AE%BA/">图论</a> <a href="/zh/category/algo">算法</a></main>', None),
        ("", '<main><a rel="tag" href="/a">Tags160</a><a rel="tag" href="/b">分类</a></main>', ()),
        ('<meta name="keywords" content="图论，算法; ">', "<p>图论里的算法。</p>", None),
        ('<meta name="keywords" content="图论,算法">', "<p>红烧肉的做法。</p>", ()),  # the site's, or an intruder's
        ('<meta name="keywords" content="图论,Graph">', "<p>a graph</p>", ("Graph",)),
    ],
)
def test_where_they_stand(head: str, body: str, expected: tuple[str, ...] | None) -> None:
    assert found(head, body) == (("图论", "算法") if expected is None else expected)


def test_meta_keywords_are_the_last_resort() -> None:
    head = '<meta name="keywords" content="某某的博客,杂谈">'
    assert found(head, '<a rel="tag" href="/a">图论</a>') == ("图论",)
    assert found(head, '<a href="/a">某某的博客</a>杂谈') == ("某某的博客", "杂谈")


def test_navigation_and_words_that_only_look_alike_are_no_tags() -> None:
    assert found(body='<nav><a class="category" href="/a">算法</a></nav>') == ()
    assert found(body='<a class="stage advantages" href="/a">算法</a>') == ()
    assert found(body=f'<a rel="tag" href="/a">{"长" * 41}</a>') == ()
    assert (
        found(body='<a href="/tags/a/">算法</a><main><a href="/tags/">标签</a><a href="/stages/a/">图论</a></main>')
        == ()
    )
    assert found(body='<main><a rel="tag" href="/a">图论</a><ul><a href="/tags/b/">算法</a></ul></main>') == ("图论",)


@pytest.mark.parametrize(
    "name", ["prev-next articles", "post__related", "similar-posts", "recommended", "card widget", "tagcloud"]
)
def test_tags_of_other_posts_are_not_the_pages(name: str) -> None:
    own = '<div class="post-tags"><a href="/tags/a">图论</a></div>'
    others = f'<div class="{name}"><a href="/2">下一篇</a><p class="tags"><a href="/tags/b">算法</a></p></div>'
    assert found(body=f"<h1>最短路</h1>{own}{others}") == ("图论",)
    assert found(body=f'<div class="{name}"><h1>最短路</h1>{own}</div>') == ("图论",)


def test_of_a_cloud_only_the_tags_of_the_article_count() -> None:
    cloud = "".join(f'<a class="tag" href="/{n}">标签{n}</a>' for n in range(MOST_SUBJECTS + 1))
    assert found(body=f"<div>{cloud}</div>") == ()
    assert found(body=f'<article><a class="tag" href="/x">图论</a></article><div>{cloud}</div>') == ("图论",)


def test_half_an_emoji_is_left_out() -> None:
    assert found('<script type="application/ld+json">{"keywords": ["图论\\ud83d", "算\\u0000法"]}</script>') == (
        "图论",
        "算法",
    )


DEEP = '{"keywords": ' + "[" * 4000 + "]}"


@pytest.mark.parametrize("script", [DEEP, '{"keywords": [1, 2]}', '{"keywords": "\\x"}', '{"keywords": [}', ""])
def test_damaged_scripts_are_passed_over(script: str) -> None:
    assert found(f'<script type="application/ld+json">{script}</script>') == ()
