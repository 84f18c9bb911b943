"""From recorded pages to a table: the default scorer finds the island of topic pages, breadth first does
not."""

import json
import sys
from pathlib import Path

import pytest

from crawler.study.evaluate import main

GARDEN = "种花要选好花盆，春天播种，夏天浇水施肥，秋天修剪枝叶。阳台上的月季和绣球喜欢充足的阳光，土壤要疏松透气。"
OTHER = "昨天的球赛十分精彩，主队在最后一分钟攻入一球，全场观众起立鼓掌，教练赛后接受了记者的采访，谈到下一轮对手。"
TOPIC = f'title = "园艺"\ntexts = ["""{GARDEN}"""]\n[keywords]\n"种花" = 1.0\n"园艺" = 1.0\n"月季" = 0.9\n'
POSTS = 12


def markup(title: str, text: str, links: list[tuple[str, str]]) -> str:
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    paragraphs = f"<p>{text}</p>" * 4
    return (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{paragraphs}<ul>{anchors}</ul></body></html>"
    )


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """Two hosts, one of garden posts; each home page lists its posts, sports first."""
    files: dict[str, str] = {}
    labels = []
    for host, title, text in (("a-sport.example", "球赛", OTHER), ("b-garden.example", "阳台园艺", GARDEN)):
        posts = [(f"/{n}.html", f"{title}之{n}") for n in range(POSTS)]
        files[f"{host}/index.html"] = markup("首页", "", posts)
        for href, name in posts:
            files[host + href] = markup(name, text, [("/", "首页"), ("/missing.html", "没有")])
            topics = ["flowers"] if "garden" in host else []
            labels.append({"url": f"http://{host}{href}", "kind": "post", "topics": topics})
    for name, content in files.items():
        path = tmp_path / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics/gardening.toml").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), encoding="utf-8")
    return tmp_path


def arguments(web: Path, *more: str) -> list[str]:
    places = {"web": "web", "labels": "labels.jsonl", "cache": "cache", "topics-dir": "topics"}
    given = [text for option, name in places.items() for text in (f"--{option}", str(web / name))]
    return ["evaluate", *given, "--map", "flowers=gardening", *more]


def table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], argv: list[str]) -> list[list[str]]:
    monkeypatch.setattr(sys, "argv", argv)
    assert main() == 0
    return [line.split() for line in capsys.readouterr().out.splitlines()[1:]]


def test_table(web: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    argv = arguments(web, "--budget", str(POSTS + 2), "--scorer", "bfs", "ipagerank-rwb")
    first = table(monkeypatch, capsys, argv)
    assert [row[:2] for row in first] == [
        [name, topic] for name in ("bfs", "ipagerank-rwb") for topic in ("gardening", "mean")
    ]
    recalls = [float(row[4]) for row in first]
    assert recalls[0] == 0.0
    assert recalls[2] > 0.8
    again = table(monkeypatch, capsys, argv)  # from the cache
    assert [row[:-1] for row in again] == [row[:-1] for row in first]


def test_without_a_kind(web: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(monkeypatch, capsys, arguments(web, "--budget", "10", "--scorer", "rw", "--without", "post"))
    assert [float(row[3]) for row in rows] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--map", "flowers"], "write NAME_IN_LABELS=NAME_IN_TOPICS"),
        (["--map", "x=y"], "which name flowers; give LABEL=TOPIC"),
        (["--labels", "/nowhere.jsonl"], "cannot be read"),
        (["--aliases", "/nowhere.json"], "cannot be read"),
        (["--cache", "/dev/null/x"], "name a writable folder"),
        (["--topic", "sports"], "sports"),
    ],
)
def test_mistakes(
    web: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    message: str,
) -> None:
    monkeypatch.setattr(sys, "argv", arguments(web, *more))
    assert main() == 1
    assert message in capsys.readouterr().err
