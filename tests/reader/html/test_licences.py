"""What pages say of their use. The words are those of common themes and sites; names are made up."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from crawler.errors import StoreError
from crawler.reader.html.licences import Licence, agreed, in_words, licence_of, named
from crawler.reader.html.page import Page
from crawler.records import Link, Outlink
from crawler.store.compression import Codec, links_as_bytes
from zhuti.export.selection import licence_by_links

BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/deed.zh"


@pytest.mark.parametrize(
    ("url", "rel", "name"),
    [
        ("https://creativecommons.org/licenses/by-nc-sa/4.0/", "", "CC BY-NC-SA 4.0"),
        ("http://www.creativecommons.org/licenses/by/3.0/cn/deed.zh", "license", "CC BY 3.0"),
        ("//creativecommons.org/licenses/by-nd-nc/1.0/", "", "CC BY-NC-ND 1.0"),
        ("https://creativecommons.org/licenses/by-sa", "", "CC BY-SA"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "", "CC0 1.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "", "Public Domain Mark 1.0"),
        ("https://creativecommons.org/about", "license", ""),
        ("https://a.example/terms", "nofollow License", "https://a.example/terms"),
        ("/terms", "license", ""),
        ("https://a.example/licenses/by/4.0/", "", ""),
        ("https://a.example/?u=https://creativecommons.org/licenses/by/4.0/", "", ""),
    ],
)
def test_a_link(url: str, rel: str, name: str) -> None:
    assert named(url, rel) == name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("署名-非商业性使用-相同方式共享 4.0 国际 (CC BY-NC-SA 4.0)", {"CC BY-NC-SA 4.0"}),
        ("知识共享署名 4.0 国际许可协议", {"CC BY 4.0"}),
        ("創用CC 姓名標示-非商業性-禁止改作 3.0", {"CC BY-NC-ND 3.0"}),
        ("Creative Commons Attribution-NonCommercial-NoDerivs 3.0 Unported", {"CC BY-NC-ND 3.0"}),
        ("Creative Commons Attribution 4.0 International", {"CC BY 4.0"}),
        ("采用 BY-NC-SA 许可协议", {"CC BY-NC-SA"}),
        ("CC-BY-SA-3.0", {"CC BY-SA 3.0"}),
        ("CC0 1.0", {"CC0 1.0"}),
        ("cc by", {"CC BY"}),
        ("他署名发表了文章", set()),
        ("step by step", set()),
        ("a BYte and CC0.5", set()),
        ("https://a.example/p/85cc0/ 0x2fcc0 https://a.example/cc-by/", set()),
    ],
)
def test_words(text: str, names: set[str]) -> None:
    assert set(in_words(text)) == names


def of(markup: str, body: str = "") -> Licence:
    return licence_of(Page(f"<html><body>{markup}</body></html>", "https://a.example/p"), body)


BOTH = "CC BY-SA 4.0; all rights reserved"
FOREIGN = "reprinted from elsewhere; CC BY-SA 4.0"
ASK = "著作权归作者所有。商业转载请联系作者获得授权，非商业转载请注明出处。"
PROGRAM = "Copyright (c) 2005 Some Corporation. All rights reserved."
LD = '<script type="application/ld+json">{}</script>'
DEED = f'<a href="{BY_SA}">CC BY-SA 4.0</a>'


@pytest.mark.parametrize(
    ("markup", "body", "name", "scope"),
    [
        (f"<p>本文采用 {DEED} 许可协议，转载请注明出处。</p>", "", "CC BY-SA 4.0", "page"),
        (f"<p>本博客所有文章除特别声明外，均采用 {DEED} 许可协议。</p>", "", "CC BY-SA 4.0", "site"),
        (f"<footer>{DEED}</footer>", "", "CC BY-SA 4.0", "site"),
        (f"<article><footer class=post-footer>{DEED}</footer></article>", "", "CC BY-SA 4.0", "page"),
        (f'<div>许可协议</div><div><a href="{BY_SA}"><img src=x></a></div>', "", "CC BY-SA 4.0", "page"),
        ("<p>本文由张三创作，采用知识共享署名-相同方式共享 4.0 国际许可协议进行许可。</p>", "", "CC BY-SA 4.0", "page"),
        ("<section>Licensed under CC BY-NC-SA 4.0</section>", "", "CC BY-NC-SA 4.0", "page"),
        ("<p>转载请注明出处：https://a.example/p</p>", "", "reprint with source", "page"),
        ("<p>未经许可不得转载</p>", "", "no reprint", "page"),
        ("<p>如需转载，请联系作者。</p>", "", "no reprint", "page"),
        (f"<p>{ASK}</p>", "", "noncommercial reprint with source", "page"),
        ("<footer>© 2020 某站 版权所有</footer>", "", "all rights reserved", "site"),
        ("<footer>© 2020 Some Site. All Rights Reserved.</footer>", "", "all rights reserved", "site"),
        ("<title>[转载] 渡口</title><p>正文</p>", "", "reprinted from elsewhere", "page"),
        # Conflicts are told.
        (f"<p>本文采用 {DEED} 许可协议</p><footer>All rights reserved</footer>", "", BOTH, "page"),
        (f"<p>转自：https://b.example/</p><p>本站采用 {DEED} 许可协议</p>", "", FOREIGN, "page"),
        (f"<p>本文采用 {DEED}</p><p>未经授权，禁止转载</p>", "", "CC BY-SA 4.0; no reprint", "page"),
        # One and the same is told once.
        ("<p>本文采用 BY-NC-SA 许可协议</p><footer>CC BY-NC-SA 4.0</footer>", "", "CC BY-NC-SA 4.0", "site"),
        # Of something else, or said about licences.
        (f"<figure><img src=x><figcaption>Photo: {DEED}</figcaption></figure>", "", "", ""),
        (f"<p>图片来自某人，{DEED}</p>", "", "", ""),
        (f"<footer>Theme by Someone, {DEED}</footer>", "", "", ""),
        (f"<p>百科的条目大多采用 {DEED} 发布</p>", "百科的条目大多采用 CC BY-SA 4.0 发布", "", ""),
        (f"<pre>{PROGRAM}</pre>", PROGRAM, "", ""),
        ("<p>版权所有者可以授权他人使用</p>", "", "", ""),
        ("<p>题图来自某图库，基于 CC0 协议</p>", "", "", ""),
        ("<p>复制某站禁止转载的文章时</p>", "", "", ""),
        ("<footer>© 2020 某站</footer>", "", "", ""),
        # Of visitors, hidden, or quoted.
        (f"<div class=comment-list><p>本文采用 {DEED} 许可协议</p></div>", "", "", ""),
        (f"<ol id=comments><li><a rel=license href={BY_SA}>x</a></ol>", "", "", ""),
        (f"<div id=reply-7><p>本文采用 {DEED} 许可协议</p></div>", "", "", ""),
        ("<p style='display: none'>本站文章采用 CC BY 4.0</p>", "", "", ""),
        ("<p hidden>本站文章采用 CC BY 4.0</p>", "", "", ""),
        (f"<p>本文<a style='opacity:0' href={BY_SA}>采用</a></p>", "", "", ""),
        ("<blockquote><p>This post is licensed under CC BY 4.0</p></blockquote>", "", "", ""),
        ("<blockquote><p>转自：https://b.example/</p></blockquote>", "", "reprinted from elsewhere", "page"),
        ("<p>本文采用「CC BY 4.0」许可协议</p>", "", "CC BY 4.0", "page"),
        ("<article class=comments-open><p>本文采用 CC BY 4.0 许可协议</p></article>", "", "CC BY 4.0", "page"),
        ("<p>最多保留两位小数，再转载到内存</p>", "", "", ""),
    ],
)  # fmt: skip
def test_a_page(markup: str, body: str, name: str, scope: str) -> None:
    found = of(markup, body)
    assert (found.name, found.scope) == (name, scope)
    assert bool(found.note) == bool(name) or "<img" in markup


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (f'<link rel="license" href="{BY_SA}">', "CC BY-SA 4.0"),
        ('<link rel="license" href="https://a.example/terms">', "https://a.example/terms"),
        ('<meta name="dcterms.license" content="https://creativecommons.org/publicdomain/zero/1.0/">', "CC0 1.0"),
        ('<meta name="copyright" content="张三">', ""),
        ('<meta name="copyright" content="转载请注明出处">', "reprint with source"),
        (LD.format(f'{{"@type": "Article", "license": "{BY_SA}"}}'), "CC BY-SA 4.0"),
        (LD.format(f'{{"image": {{"@type": "ImageObject", "license": "{BY_SA}"}}}}'), ""),
    ],
)
def test_a_head(head: str, name: str) -> None:
    page = Page(f"<html><head>{head}</head><body><p>正文</p></body></html>", "https://a.example/p")
    assert licence_of(page, "正文").name == name


@given(
    st.lists(st.sampled_from(["CC BY", "CC BY 4.0", "CC BY-NC 4.0", "no reprint", "reprint with source"]), unique=True)
)
def test_nothing_open_comes_of_terms_that_are_not(names: list[str]) -> None:
    assert set(agreed(names)) <= set(names)
    assert bool(agreed(names)) == bool(names)
    assert ("no reprint" in names) == ("no reprint" in agreed(names))


def test_of_an_older_harvest() -> None:
    codec = Codec()
    deed = "https://creativecommons.org/licenses/by-nc-sa/4.0/"
    urls = ["https://a.example/", deed, deed, "https://creativecommons.org/publicdomain/zero/1.0/"]
    packed = codec.pack(links_as_bytes([Outlink(Link(url), 0.0) for url in urls]))
    assert licence_by_links(codec, packed) == "CC BY-NC-SA 4.0; CC0 1.0"
    assert licence_by_links(codec, codec.pack(links_as_bytes([Outlink(Link("https://a.example/"), 0.0)]))) == ""
    assert licence_by_links(codec, None) == ""
    with pytest.raises(StoreError, match="damaged"):
        licence_by_links(codec, b"none")
