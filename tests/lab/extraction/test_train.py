"""Training and evaluation from end to end, on a small made-up web of a few sites."""

import json
from pathlib import Path

import pytest

from crawler.errors import ModelError
from crawler.reader.extract.best import Best
from crawler.reader.extract.model import load_model
from lab.extraction.evaluation import as_text, evaluate, own_tool
from lab.extraction.floors import below, read_floors
from lab.extraction.labelled import labelled_pages
from lab.extraction.train import train_extraction

SENTENCES = [
    "山后的果园今年收了两千斤梨，比去年多了三成，果农说是因为春天没有倒春寒。",
    "收梨的人从八月做到九月，天不亮就上山，中午在树下吃自己带的饭，下午再摘两筐。",
    "最好的梨卖到城里的店铺，小的留下来熬梨膏，一锅要熬五个小时，不能离人。",
    "果园的路是前年修的，从前下山要背着走一个钟头，现在三轮车十分钟就到。",
]
LAYOUTS = [
    "<div class=nav>{links}</div><div class=article><h1>{title}</h1><p class=date>{date}</p>{body}</div>"
    "<div class=foot>{links}</div>",
    "<table><tr><td>{links}</td><td id=content><h2>{title}</h2><span>{date}</span>{body}</td></tr></table>",
    "<ul>{links}</ul><section><h1>{title}</h1><time datetime={date}>{date}</time>{body}</section>"
    "<aside>{links}</aside>",
]
LINKS = "".join(f"<li><a href=/{n}>别的新闻第{n}条</a></li>" for n in range(6))


def made_up_pages(folder: Path, sites: int, pages: int) -> None:
    """Labelled pages of our own writing, each site with its layout."""
    labels = []
    (folder / "html").mkdir(parents=True)
    for site in range(sites):
        for number in range(pages):
            name, date = f"s{site}p{number}", f"2019-0{1 + site % 9}-1{number % 10}"
            title = f"第{site}座果园的第{number}次收成"
            lines = [SENTENCES[(site + number + shift) % 4] for shift in range(3)]
            markup = LAYOUTS[site % 3].format(
                links=LINKS, title=title, date=date, body="".join(f"<p>{line}</p>" for line in lines)
            )
            markup = f"<title>{title}_站点{site}</title>{markup}"
            (folder / "html" / f"{name}.html").write_text(markup, encoding="utf-8")
            labels.append(
                {
                    "id": name,
                    "site": f"site{site}.cn",
                    "kind": "article",
                    "body": "\n".join(lines),
                    "title": title,
                    "published": date,
                }
            )
    (folder / "truth.jsonl").write_text("\n".join(json.dumps(label) for label in labels), encoding="utf-8")


def test_training_makes_a_model_and_its_card(tmp_path: Path) -> None:
    made_up_pages(tmp_path / "zh" / "made", sites=6, pages=3)
    made = train_extraction(labelled_pages(tmp_path), tmp_path / "models" / "extraction.npz", scores=False)
    card = made.card.read_text(encoding="utf-8")
    assert "18 labelled pages of 6 sites: 18 zh article" in card
    again = train_extraction(labelled_pages(tmp_path), tmp_path / "again.npz", scores=False)
    model = load_model(made.model)
    assert (model.second.inner == load_model(again.model).second.inner).all()
    evaluation = evaluate(labelled_pages(tmp_path), {"best": own_tool(Best(model))})
    (row,) = evaluation.rows
    assert row.scores.pages == 18
    assert row.scores.f1 is not None
    assert row.scores.f1 > 0.8
    assert "zh article" in as_text(evaluation)
    assert "pages a second" in as_text(evaluation)


def test_lists_teach_their_kind_alone(tmp_path: Path) -> None:
    made_up_pages(tmp_path / "zh" / "made", sites=6, pages=3)
    folder = tmp_path / "zh" / "lists"
    (folder / "html").mkdir(parents=True)
    labels = []
    for site in range(6):
        entries = "".join(f"<li><a href=/{n}>第{n}座果园收成</a> 2019-01-1{n}</li>" for n in range(9))
        (folder / "html" / f"l{site}.html").write_text(f"<title>标签</title><ul>{entries}</ul>", encoding="utf-8")
        labels.append({"id": f"l{site}", "site": f"site{site}.cn", "kind": "list", "body": ""})
    (folder / "truth.jsonl").write_text("\n".join(json.dumps(label) for label in labels), encoding="utf-8")
    made = train_extraction(labelled_pages(tmp_path), tmp_path / "extraction.npz", scores=False)
    card = made.card.read_text(encoding="utf-8")
    assert "told: 6 zh list" in card
    assert "these come from: 6 of zh/lists" in card
    tools = {"best": own_tool(Best(load_model(made.model)))}
    rows = {row.kind: row.scores for row in evaluate(labelled_pages(tmp_path), tools).rows}
    assert (rows["list"].empty, rows["article"].empty) == (1.0, 0.0)


def test_too_few_sites(tmp_path: Path) -> None:
    made_up_pages(tmp_path / "zh" / "made", sites=2, pages=1)
    with pytest.raises(ModelError, match="pages of 2 sites teach too little"):
        train_extraction(labelled_pages(tmp_path), tmp_path / "extraction.npz")


def test_the_projects_model_keeps_its_floors_on_made_up_pages(tmp_path: Path) -> None:
    made_up_pages(tmp_path / "zh" / "made", sites=6, pages=2)
    evaluation = evaluate(labelled_pages(tmp_path), {"best": own_tool(Best(load_model()))})
    floors = read_floors(part="extraction-made-up")
    assert below(evaluation.rows, floors) == []
    assert below(evaluation.rows, {"best": {"zh article": {"f1": 1.1, "lost": -0.1}}})
