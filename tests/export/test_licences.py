from __future__ import annotations

import pytest

from crawler.errors import StoreError
from crawler.export.selection import licence, licences_of
from crawler.records import Link, Outlink
from crawler.store.compression import Codec, links_as_bytes

TESTS = [
    ("https://creativecommons.org/licenses/by-nc-sa/4.0/", "", "CC BY-NC-SA 4.0"),
    ("http://www.creativecommons.org/licenses/by/3.0/cn/deed.zh", "license", "CC BY 3.0"),
    ("https://creativecommons.org/publicdomain/zero/1.0/", "", "CC0 1.0"),
    ("https://creativecommons.org/about", "", ""),
    ("https://a.example/terms", "nofollow License", "https://a.example/terms"),
    ("https://a.example/licenses/by/4.0/", "", ""),
    ("https://a.example/?u=https://creativecommons.org/licenses/by/4.0/", "", ""),
]


@pytest.mark.parametrize(("url", "rel", "name"), TESTS)
def test_licence(url: str, rel: str, name: str) -> None:
    assert licence(url, rel) == name


def test_of_a_page() -> None:
    codec = Codec()
    urls = ["https://a.example/", TESTS[0][0], TESTS[0][0], TESTS[2][0]]
    packed = codec.pack(links_as_bytes([Outlink(Link(url), 0.0) for url in urls]))
    assert licences_of(codec, packed) == ("CC BY-NC-SA 4.0", "CC0 1.0")
    assert licences_of(codec, codec.pack(links_as_bytes([Outlink(Link("https://a.example/"), 0.0)]))) == ()
    with pytest.raises(StoreError, match="damaged"):
        licences_of(codec, b"none")
