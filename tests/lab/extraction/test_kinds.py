from collections import Counter
from pathlib import Path

from lab.extraction.kinds import as_markdown, confusion
from lab.extraction.labelled import labelled_pages
from tests.lab.extraction.test_train import made_up_pages


def test_table() -> None:
    told = {
        ("zh", "qa"): Counter({"thread": 3, "article": 1}),
        ("en", "listing"): Counter({"list": 1, "other": 1, "no body": 1}),
        ("en", "service"): Counter({"other": 2}),
    }
    assert list(as_markdown(told))[2:] == [
        "| zh qa | 4 | 1 | 3 |  |  |  |  | 0.750 |",
        "| en service | 2 |  |  |  |  | 2 |  | 1.000 |",
        "| en listing | 2 |  |  | 1 |  | 1 | 1 | 0.500 |",
    ]


def test_made_up_collections(tmp_path: Path) -> None:
    for number, name in enumerate(("north", "south")):
        made_up_pages(tmp_path / "zh" / name, sites=5, pages=2)
        truth = tmp_path / "zh" / name / "truth.jsonl"
        truth.write_text(truth.read_text(encoding="utf-8").replace("site", f"site{number}"), encoding="utf-8")
    told = confusion(labelled_pages(tmp_path))
    assert told["zh", "article"]["article"] == 20
