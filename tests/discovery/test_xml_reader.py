"""Sitemaps, feeds and search indexes in XML, in the forms that generators write."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from crawler.discovery.entries import Gathered
from crawler.discovery.index_files import Contents, Entry, Kind
from crawler.discovery.reader import read
from crawler.discovery.xml_reader import read_xml

NOW = 1_700_000_000.0
HOME = "https://blog.example/index.xml"
DAY = 1583280000.0  # 2020-03-04


def contents(text: str, address: str = HOME) -> Contents:
    return read(text.encode(), address, NOW)


URLSET = """<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc>https://blog.example/a/</loc><lastmod>2020-03-04</lastmod><changefreq>weekly</changefreq>
    <priority>0.6</priority>
    <xhtml:link rel="alternate" hreflang="en" href="https://blog.example/en/a/"/>
    <image:image><image:loc>https://blog.example/a.png</image:loc><image:title>picture</image:title></image:image>
  </url>
  <url><loc>https://blog.example/b?x=1&amp;y=2</loc></url>
  <url><lastmod>2020-03-04</lastmod></url>
  <url><loc>https://blog.example/a/</loc></url>
</urlset>"""

NEWS = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>https://blog.example/n/</loc><news:news>
  <news:publication><news:name>Paper</news:name><news:language>zh</news:language></news:publication>
  <news:publication_date>2020-03-04</news:publication_date><news:title>标题</news:title>
  <news:keywords>图论, 算法</news:keywords></news:news></url></urlset>"""

ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link href="https://blog.example/atom.xml" rel="self"/>
  <link href="https://blog.example/"/><link rel="next" href="?page=2"/><updated>2020-03-04T00:00:00Z</updated>
  <entry><title type="html"><![CDATA[A & <em>B</em>]]></title><id>tag:blog.example,2020:1</id>
    <link rel="enclosure" href="https://blog.example/a.mp3"/><link href="https://blog.example/a/"/>
    <published>2020-03-04T08:00:00+08:00</published><updated>2020-03-04T00:00:01.000Z</updated>
    <summary type="html">short</summary><content type="html">&lt;p&gt;whole &amp;amp; text&lt;/p&gt;</content>
    <category term="算法" scheme="https://blog.example/categories/x/"/><category term="图论"/>
    <author><name>someone</name></author></entry>
  <entry><title>X</title><link rel="alternate" type="text/html" href="/x/"/>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>one</p><p>two <b>three</b></p></div></content>
  </entry>
</feed>"""

RSS = """<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Blog</title><link>https://blog.example/</link>
  <ttl>60</ttl><skipHours><hour>3</hour><hour>0</hour></skipHours><skipDays><day>Sunday</day></skipDays>
  <image><url>https://blog.example/logo.png</url><title>Logo</title><link>https://blog.example/</link></image>
  <item><media:title>picture</media:title><title>A</title><link>https://blog.example/a/</link>
    <guid isPermaLink="false">https://blog.example/?p=1</guid><pubDate>Wed, 04 Mar 2020 00:00:00 +0000</pubDate>
    <description>short</description><content:encoded><![CDATA[<p>whole</p>]]></content:encoded>
    <category><![CDATA[算法]]></category><category domain="x">图论</category><dc:creator>someone</dc:creator></item>
  <item><title>B</title><guid>https://blog.example/b/</guid><description>only this&amp;nbsp;one</description></item>
</channel></rss>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
  <channel rdf:about="https://blog.example/"><title>Blog</title><sy:updatePeriod>daily</sy:updatePeriod>
  <sy:updateFrequency>2</sy:updateFrequency></channel>
  <item rdf:about="https://blog.example/a/"><title>A</title><dc:date>2020-03-04</dc:date><dc:subject>图论</dc:subject>
  </item></rdf:RDF>"""

SEARCH = """<?xml version="1.0" encoding="utf-8"?>
<search>
  <entry><title>A</title><link href="/a/"/><url>/a/</url>
    <content type="html"><![CDATA[<p>whole</p> & more]]></content>
    <categories><category> 算法 </category></categories><tags><tag>图论</tag><tag>树</tag></tags></entry>
  <entry><title><![CDATA[B]]></title><url>%2F2020%2FB%20b.html</url>
    <content type="text"><![CDATA[text]]></content></entry>
</search>"""


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            URLSET,
            Kind.SITEMAP,
            [
                Entry("https://blog.example/a/", updated=DAY, priority=0.6),
                Entry("https://blog.example/b?x=1&y=2"),
            ],
        ),
        (NEWS, Kind.SITEMAP, [Entry("https://blog.example/n/", "标题", subjects=("图论", "算法"), published=DAY)]),
        (
            ATOM,
            Kind.FEED,
            [
                Entry("https://blog.example/a/", "A & B", "whole & text", True, ("算法", "图论"), DAY + 1, DAY),
                Entry("https://blog.example/x/", "X", "one two three", True),
            ],
        ),
        (
            RSS,
            Kind.FEED,
            [
                Entry("https://blog.example/a/", "A", "whole", True, ("算法", "图论"), None, DAY),
                Entry("https://blog.example/b/", "B", "only this one"),
            ],
        ),
        (RDF, Kind.FEED, [Entry("https://blog.example/a/", "A", subjects=("图论",), published=DAY)]),
        (
            SEARCH,
            Kind.SEARCH_INDEX,
            [
                Entry("https://blog.example/a/", "A", "whole & more", True, ("算法", "图论", "树")),
                Entry("https://blog.example/2020/B%20b.html", "B", "text", True),
            ],
        ),
    ],
    ids=["urlset", "news", "atom", "rss", "rdf", "search"],
)
def test_forms(text: str, kind: Kind, expected: list[Entry]) -> None:
    found = contents(text)
    assert (found.kind, str(found.reason)) == (kind, "")
    assert list(found.entries) == expected


def test_sitemap_index() -> None:
    found = contents(
        """<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <sitemap><loc>https://blog.example/sitemap-1.xml.gz</loc><lastmod>2020-03-04</lastmod></sitemap>
        <sitemap><loc>/sitemap-2.xml</loc></sitemap><sitemap><loc>https://blog.example/index.xml</loc></sitemap>
        </sitemapindex>"""
    )
    assert (found.kind, found.entries, str(found.reason)) == (Kind.SITEMAP, (), "")  # itself is left out
    assert [index_file.url[20:] for index_file in found.index_files] == ["/sitemap-1.xml.gz", "/sitemap-2.xml"]
    assert {index_file.kind for index_file in found.index_files} == {Kind.SITEMAP}


def test_the_next_page_of_a_feed() -> None:
    (index_file,) = contents(ATOM).index_files
    assert (index_file.url, index_file.kind) == ("https://blog.example/index.xml?page=2", Kind.FEED)


@pytest.mark.parametrize(
    ("text", "interval", "hours"),
    [
        (RSS, 3600.0, (0, 3)),
        (RDF, 43_200.0, ()),
        (ATOM, None, ()),
        (RSS.replace("60", "soon").replace(">3<", ">x<"), None, (0,)),
        (RDF.replace(">2<", ">nan<"), 86_400.0, ()),
        (RSS.replace("60", "-5").replace(">3<", ">24<"), None, (0,)),
    ],
)
def test_when_to_come_back(text: str, interval: float | None, hours: tuple[int, ...]) -> None:
    found = contents(text)
    assert (found.interval, found.skip_hours) == (interval, hours)


# What is wrong with the file, the titles that come out of it all the same, and the reason.
MALFORMED = [
    ("<rss><item><title>a & b</title><link>/1</link></item></rss>", ["a & b"], ""),
    ("<rss><item><title>a < b</title><link>/1</link></item></rss>", ["a < b"], ""),
    ("<rss><item><title>a&nbsp;b &hellip;</title><link>/1</link></item></rss>", ["a b …"], ""),
    ("<rss><item><title>a\x08b&#8;</title><link>/1</link></item></rss>", ["ab"], ""),
    ("<rss><item><title><![CDATA[a \x08 < & b]]></title><link>/1</link></item></rss>", ["a < & b"], ""),
    ("<rss><item><x:title>a</x:title><link>/1</link></item></rss>", ["a"], ""),
    ("\ufeff \n<rss><item><title>a</title><link>/1</link></item></rss>trailing <b>", ["a"], ""),
    ("<b>Warning</b>: notice in line 1<br>\n<rss><item><title>a</title><link>/1</link></item></rss>", ["a"], ""),
    ("<rss><!DOCTYPE x><item><title>a</title><link>/1</link></item></rss>", ["a"], ""),
    ("<rss><item><title>a</title><link>/1</link><item><title>b</title><link>/2</link></item></rss>", ["a", "b"], None),
    (
        "<rss><item><title>a</title><link>/1</link></item><item><title>b</title><link>/2</l",
        ["a", "b"],
        "in the middle of an entry",
    ),
    ("<rss><item><title>a</title><link>/1</link></item><item><title><![CDATA[b", ["a"], "in the middle of an entry"),
    ("<rss><item><link>/1</link><title>a</link></item><item><title>b</title><link>/2</link></item></rss>", None, None),
    ("<search>\n{% for post in posts %}<entry><url>{{ post.url }}</url></entry>{% end %}</search>", [], "no pages"),
    ("<search></search>", [], "no pages"),
    ("<rss/>", [], "no pages"),
    ("<rss", [], ""),
]


@pytest.mark.parametrize(("text", "titles", "reason"), MALFORMED)
def test_malformed(text: str, titles: list[str] | None, reason: str | None) -> None:
    found = contents(text)
    if titles is not None:
        assert [entry.title for entry in found.entries] == titles
    else:
        assert found.entries
    if reason is not None:
        assert reason in str(found.reason)


def test_ampersands_in_attributes() -> None:
    markup = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>a</title><link href="/?a=1&amp;b=2"/></entry></feed>'
    )
    assert [entry.url for entry in contents(markup).entries] == ["https://blog.example/?a=1&b=2"]


def test_opensearch_names_a_search() -> None:
    found = contents(
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>x</ShortName>'
        '<Url type="text/html" template="https://blog.example/?s={searchTerms}"/></OpenSearchDescription>'
    )
    assert (found.kind, found.entries) == (Kind.OPENSEARCH, ())
    (search,) = found.index_files
    assert (search.url, search.kind) == ("https://blog.example/?s=%7BsearchTerms%7D", Kind.SEARCH)


@pytest.mark.parametrize(
    ("names", "place"),
    [
        ("", ""),
        ("<InputEncoding>UTF-8</InputEncoding>", ""),
        ("<InputEncoding> GBK </InputEncoding><InputEncoding>UTF-8</InputEncoding>", "~gb18030"),
        ("<InputEncoding>x-none</InputEncoding><InputEncoding>Big5</InputEncoding>", "~big5hkscs"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_opensearch_names_the_encoding_of_a_query(names: str, place: str, first: bool) -> None:
    search = '<Url type="text/html" template="https://blog.example/?s={searchTerms}"/>'
    inner = names + search if first else search + names
    found = contents(
        f'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">{inner}</OpenSearchDescription>'
    )
    assert [one.url for one in found.index_files] == [f"https://blog.example/?s=%7BsearchTerms{place}%7D"]


def test_nothing_is_an_entity_in_cdata() -> None:
    text = "<urlset><url><loc><![CDATA[http://a.example/view.php?a=1&amp=2&b=3]]></loc></url></urlset>"
    for size in (1, 7, 1000):
        pieces = (text[place : place + size].encode() for place in range(0, len(text), size))
        found = read_xml(pieces, Gathered(HOME, NOW))
        assert [entry.url for entry in found.entries] == ["http://a.example/view.php?a=1&amp=2&b=3"]


@pytest.mark.parametrize(
    ("root", "entry", "expected"),
    [
        ('xml:base="http://a.example/notes/"', "", "http://a.example/notes/2025/1.html"),
        ("", 'xml:base="/posts/"', "http://a.example/posts/2025/1.html"),
        ('xml:base="/notes/"', 'xml:base="old/"', "http://a.example/notes/old/2025/1.html"),
    ],
)
def test_a_base_of_links(root: str, entry: str, expected: str) -> None:
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom" {root}><entry {entry}><link href="2025/1.html"/></entry></feed>'
    found = contents(feed, "http://a.example/feeds/all.atom")
    assert [one.url for one in found.entries] == [expected]


def test_a_page_is_the_alternate_in_html() -> None:
    links = '<link type="application/json" href="/1.json"/><link type="text/html" href="/1.html"/>'
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry>{links}</entry></feed>'
    found = contents(feed, "http://a.example/feed")
    assert [one.url for one in found.entries] == ["http://a.example/1.html"]


def test_sitemaps_in_a_list_of_pages() -> None:
    places = "".join(f"<url><loc>http://a.example/{name}</loc></url>" for name in ("posts.xml", "old.xml.gz", "1.html"))
    found = contents(f"<urlset>{places}</urlset>", "http://a.example/sitemap.xml")
    assert [one.url for one in found.entries] == ["http://a.example/1.html"]
    assert [one.url for one in found.index_files] == ["http://a.example/posts.xml", "http://a.example/old.xml.gz"]


@pytest.mark.parametrize(("about", "hour"), [("<language>zh-cn</language>", 2), ("<title>甲站</title>", 2), ("", 16)])
def test_cst_is_the_time_of_china_in_a_chinese_feed(about: str, hour: int) -> None:
    item = "<item><link>http://a.example/1.html</link><pubDate>Sun, 05 Mar 2023 10:20:30 CST</pubDate></item>"
    feed = f"<rss><channel>{about}{item}</channel></rss>"
    [entry] = contents(feed, "http://a.example/feed").entries
    assert entry.published is not None
    assert datetime.fromtimestamp(entry.published, UTC).hour == hour
