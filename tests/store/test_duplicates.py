import random

import pytest
from opencc import OpenCC
from sqlalchemy import text

from crawler.reader.text.minhash import signature
from crawler.records import Analysis, Extraction, Judgement, Outcome, Visit
from crawler.store.duplicates import digest

PAIRS = [
    ("正文", "正文", True),
    ("正文\n第二段", "正文 第二段", True),
    ("正文　全角空白", "正文全角空白", True),
    ("Machine Learning", "machine  learning", True),
    ("正文", "本文", False),
    ("", "正文", False),
    ("正文。", "正文", False),
]
SENTENCES = [
    "山里的气象站每天记录三次风向",
    "管理员把读数写进一本厚厚的簿子",
    "夏天的雷雨常常在午后到来",
    "雨量筒放在没有树木遮挡的草地上",
    "温度计挂在白色的百叶箱里",
    "冬季观测员要先扫开台阶上的雪",
    "无线电把数据发送到山下的城里",
    "学生们周末会上山参观仪器",
    "一台旧的风速计已经用了三十年",
    "新的仪器由太阳能板供电",
    "大雾的日子里什么也看不见",
    "晴天可以望见远处的湖泊和铁路",
]


@pytest.mark.parametrize(("one", "other", "same"), PAIRS)
def test_digest(one: str, other: str, same: bool) -> None:
    assert (digest(one) == digest(other)) is same


def test_broken_characters() -> None:
    assert digest("\ud800") != digest("")


def body(seed: int, count: int = 12) -> str:
    """Paragraphs of their own, from the same sentences' characters."""
    chance = random.Random(seed)
    letters = "".join(SENTENCES)
    return "\n".join("".join(chance.choices(letters, k=40)) + "。" for _ in range(count))


FIRST = body(1)
TRADITIONAL = OpenCC("s2t").convert(FIRST)
DROPPED = "\n".join(FIRST.split("\n")[:5] + FIRST.split("\n")[6:])
AROUND = f"首页 > 气象\n{FIRST}\n相关阅读 分享 版权所有"
OTHER = body(2)
HALF = "\n".join(FIRST.split("\n")[:6] + OTHER.split("\n")[:6])  # a third of both is in both: Jaccard's index

ENGLISH = " ".join(f"word{number % 89} of line{number}" for number in range(200))


def page(claim, text: str, canonical: str = "") -> Visit:
    analysis = Analysis(Extraction("题目", text), Judgement(0.5, True), signature=signature(text), canonical=canonical)
    return Visit(claim, Outcome.KEPT, 1.0, 200, analysis=analysis)


def stored(
    crawl, texts: list[str], canonicals: dict[int, str] | None = None, together: bool = True, start: int = 0
) -> list[Outcome]:
    urls = [f"https://h{number + start}.example/page" for number in range(len(texts))]
    crawl.frontier.seed(urls, now=0)
    claims = {claim.url: claim for claim in crawl.claim()}
    visits = [
        page(claims[url], text, (canonicals or {}).get(place, ""))
        for place, (url, text) in enumerate(zip(urls, texts, strict=True))
    ]
    if together:
        return crawl.store.commit(visits)
    outcomes = []
    for visit in visits:
        outcomes += crawl.store.commit([visit])
    return outcomes


def firsts(crawl) -> dict[str, str]:
    query = (
        "SELECT p.url, f.url FROM judgements j JOIN pages p ON p.id = j.page_id JOIN pages f ON f.id = j.duplicate_of"
    )
    with crawl.database.transaction() as connection:
        return dict(connection.execute(text(query)).all())


CASES = [
    ([FIRST, TRADITIONAL], True),
    ([FIRST, DROPPED], True),
    ([FIRST, AROUND], True),
    ([FIRST, FIRST.replace("。", " . ")], True),
    ([ENGLISH, ENGLISH.upper()], True),
    ([ENGLISH, ENGLISH + " and some more words at the end of the page"], True),
    ([FIRST, OTHER], False),
    ([FIRST, HALF], False),
    (["太短的一句话。", "太短的一句话！"], False),
]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(("texts", "same"), CASES)
def test_near_duplicates(crawl, texts: list[str], same: bool, together: bool) -> None:
    second = Outcome.DUPLICATE if same else Outcome.KEPT
    assert stored(crawl, texts, together=together) == [Outcome.KEPT, second]
    assert firsts(crawl) == ({"https://h1.example/page": "https://h0.example/page"} if same else {})
    with crawl.database.transaction() as connection:
        bodies = connection.execute(text("SELECT count(*) FROM pages WHERE body IS NOT NULL")).scalar_one()
    assert bodies == 1 + (not same)


def test_the_most_alike_is_the_first(crawl) -> None:
    lines = FIRST.split("\n")
    cousin = "\n".join([*lines[:7], *OTHER.split("\n")[:5]])
    assert stored(crawl, [cousin, FIRST, DROPPED])[2] is Outcome.DUPLICATE
    assert firsts(crawl)["https://h2.example/page"] == "https://h1.example/page"


def test_signatures_survive_a_restart(crawl) -> None:
    stored(crawl, [FIRST])
    crawl.reopen()
    assert stored(crawl, [AROUND, OTHER], start=1) == [Outcome.DUPLICATE, Outcome.KEPT]


def test_topics_do_not_share_what_they_keep(crawl, open_crawl) -> None:
    stored(crawl, [FIRST])
    crawl.database.close()
    other = open_crawl(crawl.url, "other")
    try:
        assert stored(other, [OTHER, AROUND]) == [Outcome.KEPT, Outcome.KEPT]
        with other.database.transaction() as connection:
            bands = connection.execute(text("SELECT count(*) FROM bands JOIN pages ON id = page_id")).scalar_one()
            signed = connection.execute(text("SELECT count(*) FROM pages WHERE signature IS NOT NULL")).scalar_one()
        assert bands == 12 * signed, "the bands of the older text of the first page went with it"
    finally:
        other.database.close()


ADDRESS = "https://h0.example/page"
ALIASES = [
    ([FIRST, HALF], {1: ADDRESS}, True),  # names the kept page
    ([FIRST, HALF], {0: "https://www.h0.example/a", 1: "https://www.h0.example/a"}, True),  # both name a third
    ([FIRST, OTHER], {1: ADDRESS}, False),  # the name is a lie: another text
    ([FIRST, HALF], {1: "https://h0.example/else"}, False),
]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(("texts", "canonicals", "same"), ALIASES)
def test_canonical_addresses(crawl, texts: list[str], canonicals: dict[int, str], same: bool, together: bool) -> None:
    assert stored(crawl, texts, canonicals, together)[1] is (Outcome.DUPLICATE if same else Outcome.KEPT)


def test_the_same_url_again_is_not_its_own_duplicate(crawl) -> None:
    stored(crawl, [FIRST])
    (claim,) = crawl.frontier.reopen(["https://h0.example/page"], now=2)
    with crawl.database.transaction() as connection:
        connection.execute(text("DELETE FROM links"))
        connection.execute(text("DELETE FROM judgements"))
    assert crawl.store.commit([page(claim, AROUND)]) == [Outcome.KEPT]
