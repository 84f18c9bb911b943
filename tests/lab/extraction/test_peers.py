"""The peers' own code, where it is installed: they are an optional extra."""

from importlib.util import find_spec

import pytest

from crawler.errors import SettingError
from lab.extraction.peers import MAKERS, _guarded, _module, peers

MODULES = {
    "trafilatura": "trafilatura",
    "readability-lxml": "readability",
    "gne": "gne",
    "newspaper4k": "newspaper",
    "resiliparse": "resiliparse",
    "htmldate": "htmldate",
}
SENTENCES = [
    "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。",
    "船工姓何，撑了三十一年的船，他说河水比从前清了，能看见底下的石头和水草。",
    "渡口停用是因为上游修了桥，桥修好以后，走水路的人一年比一年少，到最后只剩下赶集的老人。",
]
PAGE = (
    "<html><head><title>老渡口春天重开_某某网</title></head><body><div class=nav><a href=/>首页</a></div>"
    "<div class=main><h1>老渡口春天重开</h1><p>2019-03-08 09:15</p><div class=content>"
    + "".join(f"<p>{sentence * 2}</p>" for sentence in SENTENCES * 4)
    + "</div></div><div class=footer><a href=/us>关于我们</a></div></body></html>"
)
here = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(module) is None, reason=f"{name} is not installed"))
    for name, module in MODULES.items()
]


def test_all_peers_are_known() -> None:
    assert set(MODULES) == set(MAKERS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", here)
def test_a_peer_reads_a_page(name: str) -> None:
    body, title, day = MAKERS[name]()(PAGE, "https://a.example/1.html")
    assert name == "htmldate" or all(sentence in body.replace("\n", "") for sentence in SENTENCES)
    assert title in ("", "老渡口春天重开", "老渡口春天重开_某某网")
    assert day is None or day.startswith("2019-03-08")


def test_a_missing_peer_is_named_with_the_remedy() -> None:
    with pytest.raises(SettingError, match=r"need no_such_peer, .*pip install '\.\[peers\]'"):
        _module("no_such_peer")


def test_what_a_peer_cannot_read_counts_as_empty() -> None:
    def broken(markup: str, url: str) -> tuple[str, str, str | None]:
        raise RecursionError(markup)

    assert _guarded(broken)("<p>", "") == ("", "", None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(any(find_spec(module) is None for module in MODULES.values()), reason="the extra is not installed")
def test_all_together() -> None:
    assert not any(tool("", "")[0] for tool in peers().values())
