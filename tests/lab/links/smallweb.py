"""A recorded web of two hosts, one of garden posts, with labels and a topic; each home page lists its posts, sports
first."""

from __future__ import annotations

import json
from pathlib import Path

GARDEN = "种花要选好花盆，春天播种，夏天浇水施肥，秋天修剪枝叶。阳台上的月季和绣球喜欢充足的阳光，土壤要疏松透气。"
OTHER = "昨天的球赛十分精彩，主队在最后一分钟攻入一球，全场观众起立鼓掌，教练赛后接受了记者的采访，谈到下一轮对手。"
TOPIC = f'title = "园艺"\ntexts = ["""{GARDEN}"""]\n[keywords]\n"种花" = 1.0\n"园艺" = 1.0\n"月季" = 0.9\n'
POSTS = 12
HOSTS = {"a-sport.example": ("球赛", OTHER, []), "b-garden.example": ("阳台园艺", GARDEN, ["flowers"])}


def markup(title: str, text: str, links: list[tuple[str, str]]) -> str:
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    paragraphs = f"<p>{text}</p>" * 4
    return (
        f'<html><head><title>{title}</title><meta name="keywords" content="日记,{title}"></head>'
        f"<body><h1>{title}</h1>{paragraphs}<ul>{anchors}</ul></body></html>"
    )


def build(folder: Path) -> None:
    """Writes web/, labels.jsonl and topics/gardening.toml."""
    files: dict[str, str] = {}
    labels = []
    for host, (title, text, topics) in HOSTS.items():
        posts = [(f"/{n}.html", f"{title}之{n}") for n in range(POSTS)]
        files[f"{host}/index.html"] = markup("首页", "", [*posts, ("/tag.html", title)])
        files[f"{host}/tag.html"] = markup(title, "", [*posts, ("/hidden.html", "藏")])
        files[f"{host}/hidden.html"] = markup("藏", text, [])
        labels += [{"url": f"http://{host}/", "kind": "home", "topics": topics}]
        labels += [{"url": f"http://{host}/tag.html", "kind": "tag", "topics": topics}]
        labels += [{"url": f"http://{host}/hidden.html", "kind": "post", "topics": topics}]
        for href, name in posts:
            files[host + href] = markup(name, f"{name}。{text}", [("/", "首页"), ("/missing.html", "没有")])
            labels.append({"url": f"http://{host}{href}", "kind": "post", "topics": topics})
    for name, content in files.items():
        path = folder / "web" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (folder / "topics").mkdir()
    (folder / "topics/gardening.toml").write_text(TOPIC, encoding="utf-8")
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels), encoding="utf-8")
