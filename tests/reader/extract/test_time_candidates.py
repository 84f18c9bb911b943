import numpy as np
import pytest

from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import BlockTable, block_table
from crawler.reader.extract.time_candidates import (
    NAMES,
    TimeCandidate,
    parse_times,
    places,
    time_candidates,
    time_matrix,
)
from crawler.reader.html.page import Page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # papers.md 7.9, test E7: in the text of a block eight figures alone are not a date
        ("2015-11-08 10:30:05", ["2015-11-08T10:30:05"]),
        ("2015年11月8日 10:30", ["2015-11-08T10:30:00"]),
        ("2016/3/2", ["2016-03-02"]),
        ("2015-13-40 10:00", []),
        ("20151108", []),
        # and more
        ("2022年05月23日16:55", ["2022-05-23T16:55:00"]),
        ("2015-03-02T10:30:05.123Z", ["2015-03-02T10:30:05Z"]),
        ("2015-03-02T10:30+0800", ["2015-03-02T10:30:00+08:00"]),
        ("Mar 3, 2020 at 4:05 pm", ["2020-03-03T16:05:00"]),
        ("by ann » 11. Sep 2024, 18:36", ["2024-09-11T18:36:00"]),
        ("3rd of May 2021", ["2021-05-03"]),
        ("12/25/2020", ["2020-12-25"]),
        ("25.12.2020", ["2020-12-25"]),
        ("2016-7-29115", []),
        ("2015-03-02 10:00-18:00", ["2015-03-02T10:00:00"]),  # opening hours, no zone
        ("2015-03-02 10:00 GMT-0330", ["2015-03-02T10:00:00-03:30"]),
        ("12/01/2004 - 01/01/2005", []),
        ("2020-01-01 至 2020-02-01", []),
        ("Jan 1, 2020 – Feb 1, 2020", []),
        ("2015-02-30", []),
        ("1789-07-14", []),
        ("版本 1.2.2015.3", []),
        ("先 2015-03-02 后 2016-04-05", ["2015-03-02", "2016-04-05"]),
        # numerals, calendars and hours of other kinds
        ("二〇一五年三月二日", ["2015-03-02"]),
        ("二○一五年十二月三十一日", ["2015-12-31"]),
        ("一九九八年十月廿一日", ["1998-10-21"]),
        ("二〇一五年十三月二日", []),
        ("發布日期:民國104年3月2日", ["2015-03-02"]),
        ("时间：2024／03／08", ["2024-03-08"]),
        ("2024－03－08", ["2024-03-08"]),
        ("中華民國 104 年 3 月 2 日", ["2015-03-02"]),
        ("民国三年的桥", []),
        ("发布时间:15-03-02 10:20", ["2015-03-02T10:20:00"]),
        ("发表于 98-03-02", ["1998-03-02"]),
        ("15-03-02 10:20", ["2015-03-02T10:20:00"]),
        ("15-03-02", []),
        ("07/03/24 02:57 PM", []),
        ("２０１５年３月２日", ["2015-03-02"]),
        ("2015年3月2日 下午3:20", ["2015-03-02T15:20:00"]),
        ("2015年3月2日 上午9点05分", ["2015-03-02T09:05:00"]),
        ("2015-03-02 凌晨0:20", ["2015-03-02T00:20:00"]),
        ("2015-03-02 晚上 10:20", ["2015-03-02T22:20:00"]),
        ("Mon Mar 02 10:20:30 +0800 2015", ["2015-03-02T10:20:30+08:00"]),
        ("Mon Mar 02 10:20:30 CST 2015", ["2015-03-02T10:20:30"]),
        ("发信站: (Mon Mar  2 10:20:30 2015)", ["2015-03-02T10:20:30"]),
    ],
)
def test_parse_times(text: str, expected: list[str]) -> None:
    assert [iso for _, iso, *_ in parse_times(text, compact=False)] == expected


def test_figures_alone() -> None:
    assert [iso for _, iso, *_ in parse_times("20151108T1030")] == ["2015-11-08T10:30:00"]
    assert parse_times("201511089999") == []


def test_seconds_since_1970() -> None:
    assert [iso for _, iso, *_ in parse_times("1425262830")] == ["2015-03-02T10:20:30+08:00"]
    assert [iso for _, iso, *_ in parse_times("1425262830000")] == ["2015-03-02T10:20:30+08:00"]
    assert parse_times("1425262830", compact=False) == []


BODY = "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。"


def candidates(markup: str, url: str = "") -> tuple[BlockTable, int, list[TimeCandidate]]:
    page = Page(f"{markup}<p>{BODY}</p>")
    blocks, declared = read_blocks(page), page.declared
    table = block_table(blocks, declared.title)
    start = blocks.texts.index(BODY)
    return table, start, time_candidates(table, declared, url, start)


@pytest.mark.parametrize(
    ("markup", "url", "expected"),
    [
        ("<meta name=pubdate content=2019-03-08>", "", {"2019-03-08": {"meta"}}),
        ("<meta property=article:modified_time content=2019-03-09>", "", {"2019-03-09": {"meta_updated"}}),
        ('<script type=application/ld+json>{"datePublished": "2019-03-08"}</script>', "", {"2019-03-08": {"ld"}}),
        ("<script>var a = {publishTime: '2019-03-08 09:15'}</script>", "", {}),
        ("<time datetime=2019-03-08>8. 3.</time>", "", {"2019-03-08": {"time"}}),
        ("", "https://a.example/2019/0308/1.html", {"2019-03-08": {"url"}}),
        ("", "https://a.example/news/20190308/1.html", {"2019-03-08": {"url"}}),
        ("", "https://a.example/1.html?day=2019-03-08", {}),
        ("<p>2019年3月8日 09:15</p>", "", {"2019-03-08T09:15:00": {"text"}}),
        # one day, all its sources, the fullest text
        (
            "<meta name=pubdate content=2019-03-08><p>2019-03-08T09:15+08:00</p>",
            "https://a.example/2019/03/08/1.html",
            {"2019-03-08T09:15:00+08:00": {"meta", "url", "text"}},
        ),
        ("<p>2019-03-01 至 2019-03-08</p><p>共 20190308 人</p>", "", {}),
        # a leaf of a calendar
        ("<div>08</div><div>2019-03</div>", "", {"2019-03-08": {"text"}}),
        ("<div>2019年3月</div><div>8日</div>", "", {"2019-03-08": {"text"}}),
        ("<div>03/08</div><div>2019</div>", "", {"2019-03-08": {"text"}}),
        ("<div>2019-03</div><div>共 8 人</div>", "", {}),
        ("<div>2019-02</div><div>31</div>", "", {}),
        ("<p>二〇一九年三月八日</p>", "", {"2019-03-08": {"text"}}),
        # of the day on which the page is read, and of days to come
        ("<p>今天是2019年3月8日 星期五</p>", "", {}),
        ("<p>今日：2019-03-08</p>", "", {}),
        ("<p>比赛将于2099年3月8日举行</p>", "", {}),
        ("<meta name=pubdate content=2099-03-08>", "", {}),
    ],
)
def test_candidates(markup: str, url: str, expected: dict[str, set[str]]) -> None:
    assert {each.iso: each.sources for each in candidates(markup, url)[2]} == expected


@pytest.mark.parametrize("name", ["comments", "comment-list", "related", "recommend"])
def test_dates_of_comments_and_related_texts_are_none(name: str) -> None:
    page = Page(f"<p>{BODY}</p><div class={name}><p>甲君 2019-03-08 10:20</p><p>好</p></div>")
    table = block_table(read_blocks(page), "")
    assert time_candidates(table, page.declared, "", 0) == []


@pytest.mark.parametrize(
    ("line", "feature"),
    [
        ("发布时间：2019-03-08", "published"),
        ("2019-03-08 发布", "published"),
        ("最后更新于 2019-03-08", "updated"),
        ("推荐文章 2019-03-08", "other"),
        ("本站建立于 2019-03-08", "other"),
    ],
)
def test_words_around_a_date_say_what_it_is_of(line: str, feature: str) -> None:
    table, start, found = candidates(f"<p>{line}</p>")
    matrix = time_matrix(table, start, np.arange(len(table.letters.size)) == start, -1, found)
    assert matrix.shape == (1, len(NAMES))
    assert matrix[0, NAMES.index(feature)] == 1


def test_declared_dates_may_be_figures_only() -> None:
    assert [iso for _, iso, *_ in parse_times("20151108")] == ["2015-11-08"]
    assert [iso for _, iso, *_ in parse_times("20151108103005")] == ["2015-11-08T10:30:05"]


@pytest.mark.parametrize(
    ("head", "line", "url", "expected"),
    [
        ('<meta name="pubdate" content="2024-03-05">', "发布于 2024-03-05", "", "meta, text: 发布于 2024-03-05"),
        ("", "发布于 2024-03-05 10:20", "http://a.example/2024/03/05/x", "address, text: 发布于 2024-03-05 10:20"),
        ('<script type="application/ld+json">{"datePublished": "2024-03-05"}</script>', "甲", "", "json-ld"),
        ("", '<time datetime="2024-03-05">三月</time>', "", "time element"),
    ],
)
def test_where_a_date_stands(head: str, line: str, url: str, expected: str) -> None:
    markup = f"<html><head><title>甲</title>{head}</head><body><p>{line}</p><p>{'正文，' * 30}</p></body></html>"
    page = Page(markup, url or "http://a.example/x")
    table = block_table(read_blocks(page), page.declared.title)
    found = time_candidates(table, page.declared, page.url, 1)
    assert [places(each, table.blocks.texts) for each in found] == [expected]
