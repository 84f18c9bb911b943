"""One topic for several: what it allows, and that its judge says what the best of theirs says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.crawl.topic_from_pages import learned, together
from crawler.errors import TopicError
from crawler.records import Extraction, Link
from crawler.spiders.topic import choose_topic
from crawler.topic.file_writer import known_topic
from crawler.topic.files import Topic
from crawler.topic.judge import Judge

BOATS = Topic(
    "boats",
    Path("boats.toml"),
    keywords={"渡船": 1.0},
    texts=("渡船把两岸的人送过河，船夫摇橹。",),
    seeds=("http://a.example/", "http://b.example/"),
    allowed_hosts=frozenset({"a.example"}),
    threshold=0.2,
)
TEA = Topic(
    "tea",
    Path("tea.toml"),
    keywords={"绿茶": 1.0},
    pages=("http://c.example/tea",),
    seeds=("http://b.example/", "http://c.example/"),
    denied_hosts=frozenset({"d.example"}),
)
PAGES = [
    Extraction("渡船", "渡船到了对岸，船夫收起橹。" * 20),
    Extraction("春天的绿茶", "绿茶要用八十度的水冲泡。" * 20),
    Extraction("天气", "明天多云，气温下降。" * 20),
    Extraction("空白", ""),
]


@pytest.fixture(scope="module")
def members() -> tuple[Topic, Topic]:
    return BOATS.learn(), replace(TEA, pages=()).learn()


def test_what_it_takes_from_its_members() -> None:
    joint = together([BOATS, TEA], Path("topics"))
    assert joint.name == "boats+tea"
    assert joint.seeds == ("http://a.example/", "http://b.example/", "http://c.example/")
    assert joint.describing_pages == ("http://c.example/tea",), "and not its seeds, which wait for their index files"
    assert joint.threshold == 0.2
    allowed = {host: joint.allows(f"http://{host}/") for host in ("a.example", "c.example", "d.example")}
    assert allowed == {"a.example": True, "c.example": True, "d.example": False}
    with pytest.raises(TopicError, match="tea is named twice"):
        together([TEA, BOATS, TEA], Path("topics"))


def test_its_judge_says_what_the_best_of_theirs_says(members: tuple[Topic, Topic]) -> None:
    joint = learned(together(members, Path("topics")), members)
    judge, own = Judge(joint), [Judge(member) for member in members]
    said = [judge.judge(page) for page in PAGES]
    assert [judgement.on_topic for judgement in said] == [True, True, False, False]
    assert said[0] == own[0].judge(PAGES[0])
    assert said[1] == own[1].judge(PAGES[1])
    for page, judgement in zip(PAGES, said, strict=True):
        assert judgement.nearness >= min(one.judge(page).nearness for one in own)


def test_words_of_links_are_worth_what_they_are_to_the_best(members: tuple[Topic, Topic]) -> None:
    joint = learned(together(members, Path("topics")), members)
    links = [Link("http://a.example/1", anchor="渡船"), Link("http://a.example/2", anchor="绿茶")]
    own = [[one.anchor_relevance for one in Judge(member).outlinks(links)] for member in members]
    found = [one.anchor_relevance for one in Judge(joint).outlinks(links)]
    assert found == [max(pair) for pair in zip(*own, strict=True)]
    assert all(found)


def test_several_names_with_commas(tmp_path: Path) -> None:
    (tmp_path / "boats.toml").write_text('keywords = {"渡船" = 1}\nseeds = ["http://a.example/"]', encoding="utf-8")
    (tmp_path / "tea.toml").write_text('keywords = {"绿茶" = 1}', encoding="utf-8")
    (tmp_path / "one,two.toml").write_text('name = "three"\nkeywords = {"茶" = 1}', encoding="utf-8")
    joint, seeds = choose_topic("boats, tea", "", "", "", tmp_path)
    assert ([member.name for member in joint.members], seeds) == (["boats", "tea"], ("http://a.example/",))
    assert not choose_topic(str(tmp_path / "one,two.toml"), "http://a.example/", "", "", tmp_path)[0].members
    with pytest.raises(TopicError, match=r"unknown topic 'boots'.* did you mean boats"):
        choose_topic("tea,boots", "", "", "", tmp_path)


def test_the_name_of_a_joint_harvest_is_told_apart_from_an_unknown_topic(tmp_path: Path) -> None:
    for name in ("boats", "tea"):
        (tmp_path / f"{name}.toml").write_text('keywords = {"茶" = 1}', encoding="utf-8")
    for load in (Topic.load, known_topic):  # harvest, crawl and rejudge; topic and label
        with pytest.raises(TopicError, match=r"'boats\+tea' is the joint harvest.*zhuti harvest boats tea"):
            load("boats+tea", tmp_path)
    with pytest.raises(TopicError, match=r"unknown topic 'boats\+boots'"):
        Topic.load("boats+boots", tmp_path)
    with pytest.raises(TopicError, match=r"unknown topic 'c\+\+'"):
        Topic.load("c++", tmp_path)
