"""Index files in whole crawls: sitemaps, feeds and search indexes lead to pages that no page links to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.replay.background import serve_in_thread
from tests.conftest import LOOPBACK, Scrapy
from tests.stored import rows

TEXT = "机器学习的模型在训练集上拟合，在测试集上评价；神经网络、决策树和支持向量机都是常见的模型。" * 8
OTHER = "渡口的船天亮之前不开，船夫在岸边煮茶，等第一班客人。" * 8
HOME = "http://a.example/"


def about(name: str) -> str:
    """Text on the topic that is no other page's."""
    return TEXT + "".join(f"{name}的机器学习第{len(name) * n * 37 % 9973}例，" for n in range(1, 40))


PARTS = "<url><loc>http://a.example/{}.html</loc></url>"


def page(title: str, text: str, head: str = "", more: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><article><h1>{title}</h1><p>{text}</p></article>{more}</body></html>"
    )


def entry(name: str, text: str) -> str:
    return f"<entry><title>{name}</title><url>/{name}.html</url><content><![CDATA[<p>{text}</p>]]></content></entry>"


FEED = '<link rel="alternate" type="application/atom+xml" href="/atom.xml">'
PAGES = {
    "a.example/index.html": page("首页", TEXT, FEED, "<script>var config = {path: 'search.xml'}</script>"),
    "a.example/robots.txt": "User-agent: *\nDisallow: /secret.html\nSitemap: http://a.example/sitemap.xml\n",
    # The first names the second, and the second the first.
    "a.example/sitemap.xml": "<sitemapindex><sitemap><loc>http://a.example/more.xml</loc></sitemap></sitemapindex>",
    "a.example/more.xml": "<urlset><sitemap><loc>http://a.example/sitemap.xml</loc></sitemap>"
    + PARTS.format("mapped")
    + PARTS.format("secret")
    + "<url><loc>http://elsewhere.example/x.html</loc></url><url><loc>ftp://a.example/y</loc></url></urlset>",
    "a.example/atom.xml": page("Not a feed", OTHER),  # with status 200
    "a.example/search.xml": f"<search>{entry('indexed', about('indexed'))}{entry('boat', OTHER)}</search>",
    **{f"a.example/{name}.html": page(name, about(name)) for name in ("mapped", "secret", "indexed")},
    "a.example/boat.html": page("boat", OTHER),
}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    web = tmp_path_factory.mktemp("index files")
    for name, text in PAGES.items():
        (web / name).parent.mkdir(exist_ok=True)
        (web / name).write_text(text, encoding="utf-8")
    with serve_in_thread(web) as replay:
        yield replay.proxy


def crawl(scrapy: Scrapy, proxy: str, *settings: str) -> str:
    options = [part for setting in settings or ("INDEX_FILES=True",) for part in ("-s", setting)]
    done = scrapy(
        "crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={HOME}", *LOOPBACK, *options, proxy=proxy
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def kept(folder: Path) -> set[str]:
    found = rows(folder, "SELECT url FROM judgements JOIN urls ON urls.id = url_id WHERE outcome = 'kept'")
    return {str(url).removeprefix(HOME) for (url,) in found}


def fetched(folder: Path) -> dict[str, str]:
    found = rows(folder, "SELECT url, outcome FROM fetches JOIN urls ON urls.id = url_id")
    return {str(url).removeprefix(HOME): str(outcome) for url, outcome in found}


def test_pages_that_only_index_files_name_are_kept(scrapy: Scrapy, proxy: str, tmp_path: Path) -> None:
    table = crawl(scrapy, proxy)
    assert kept(tmp_path) == {"mapped.html", "indexed.html"}
    asked = fetched(tmp_path)
    assert asked["sitemap.xml"] == asked["more.xml"] == asked["search.xml"] == "index-file"
    assert asked["atom.xml"] == "failed", "an HTML page is not a feed"
    assert asked["secret.html"] == "forbidden", "an index file is no way around robots.txt"
    assert "ftp://a.example/y" not in asked
    [(counted,)] = rows(
        tmp_path, "SELECT sum(counted) FROM fetches JOIN urls ON urls.id = url_id WHERE index_kind IS NOT NULL"
    )
    assert counted == 0, "PAGE_BUDGET counts pages"
    assert "│ index files   │ 3 read (" in table
    why = scrapy("why", f"{HOME}indexed.html", "-s", f"STORE_URL=sqlite:///{tmp_path / 'harvest.db'}")
    assert "in the search-index http://a.example/search.xml" in why.stdout
    assert "similarity of its text there" in why.stdout
    assert "a visit now would save" in why.stdout


@pytest.mark.parametrize(
    ("index_files", "opened"),
    [("False", set()), ("sitemap", {"sitemap.xml", "more.xml"}), ("search-index", {"search.xml"})],
)
def test_index_files_can_be_left_shut(
    scrapy: Scrapy, proxy: str, tmp_path: Path, index_files: str, opened: set[str]
) -> None:
    crawl(scrapy, proxy, f"INDEX_FILES={index_files}")
    assert {url for url, outcome in fetched(tmp_path).items() if outcome == "index-file"} == opened


def test_a_kind_of_index_file_that_there_is_not(scrapy: Scrapy, proxy: str) -> None:
    done = scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={HOME}", "-s", "INDEX_FILES=sitmap", proxy=proxy)
    assert done.returncode == 2
    assert (
        "INDEX_FILES=sitmap cannot be used; give True, False, or some of feed, more, search, search-index, sitemap,"
        " wordpress" in done.stderr
    )


SEARCH_FORM = '<form action="/-search"><input name="q"></form>'


@pytest.mark.parametrize(("robots", "found"), [("", {"hidden.html"}), ("User-agent: *\nDisallow: /-search\n", set())])
def test_the_search_of_a_site_leads_to_pages_that_nothing_lists(
    scrapy: Scrapy, tmp_path: Path, robots: str, found: set[str]
) -> None:
    web = tmp_path / "web" / "a.example"
    web.mkdir(parents=True)
    (web / "index.html").write_text(page("机器学习", TEXT, more=SEARCH_FORM), encoding="utf-8")
    (web / "hidden.html").write_text(page("藏", about("藏")), encoding="utf-8")
    (web / "robots.txt").write_text(robots)
    with serve_in_thread(tmp_path / "web", search=tmp_path / "posts.db") as replay:
        crawl(scrapy, replay.proxy, "INDEX_FILES=search")
    assert kept(tmp_path) - {""} == found
    asked = [outcome for url, outcome in fetched(tmp_path).items() if "-search?" in url]
    assert "index-file" in asked if found else set(asked) == {"forbidden"}


@pytest.fixture(scope="module")
def two_sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Their feeds tell that one is about the topic and one is not."""
    web = tmp_path_factory.mktemp("two sites")
    for site, topic in (("good.example", about), ("boats.example", lambda name: f"{name}。{OTHER}")):
        (web / site).mkdir(parents=True)
        posts = {name: topic(name) for name in ("甲", "乙丙", "丁戊己")}
        items = [
            f"<item><title>{text[:12]}</title><link>/{n}.html</link><description>{text}</description></item>"
            for n, text in enumerate(posts.values())
        ]
        (web / site / "atom.xml").write_text(f"<rss><channel>{''.join(items)}</channel></rss>", encoding="utf-8")
        (web / site / "index.html").write_text(page("首页", "关于本站。"), encoding="utf-8")
        for n, text in enumerate(posts.values()):
            (web / site / f"{n}.html").write_text(page(text[:12], text), encoding="utf-8")
    with serve_in_thread(web) as replay:
        yield replay.proxy


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("PAGE_BUDGET=3", {f"http://good.example/{n}.html" for n in range(3)}),
        ("MAX_PAGES_PER_DOMAIN=1", {"http://good.example/", "http://boats.example/"}),
        ("RUN_BUDGET=2", {"http://good.example/", "http://boats.example/"}),
    ],
)
def test_a_home_page_waits_for_its_index_files_where_they_do_not_count(
    scrapy: Scrapy, two_sites: str, tmp_path: Path, setting: str, found: set[str]
) -> None:
    """A home page costs a page of the budget and is fetched when it is the best that waits."""
    seeds = "http://boats.example/,http://good.example/"
    done = scrapy(
        "crawl", "topic", "-a", "topic=machine-learning", "-a", f"seeds={seeds}", *LOOPBACK,
        "-s", "INDEX_FILES=True", "-s", "CONCURRENT_REQUESTS=1", "-s", setting, proxy=two_sites,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {url for url, outcome in fetched(tmp_path).items() if outcome in ("kept", "off-topic")} == found


def test_a_home_page_that_describes_the_topic_is_fetched_first(scrapy: Scrapy, proxy: str, tmp_path: Path) -> None:
    done = scrapy(
        "crawl", "topic", "-a", "name=ml", "-a", f"seeds={HOME}", *LOOPBACK,
        "-s", "INDEX_FILES=True", "-s", "CONCURRENT_REQUESTS=1", "-s", "PAGE_BUDGET=1", proxy=proxy,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(fetched(tmp_path)) == {""}
