"""python -m lab train background: what it writes, and a sentence for every mistake."""

from pathlib import Path

import pytest

from crawler.topic.learn import load_background
from lab.commands.train import Command
from tests.commands.conftest import Run, run as run

HOSTS = 5
TEXT = "<p>果园今年收了两千斤梨，比去年多了三成，果农说是因为春天没有倒春寒，收梨的人从八月做到九月。</p>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = []
    for number in range(HOSTS):
        path = tmp_path / f"web/site{number}.example/1.html"
        path.parent.mkdir(parents=True)
        path.write_text(f"<title>收梨</title><h1>收梨</h1>{TEXT}{TEXT}", encoding="utf-8")
        rows.append(f'{{"url": "http://site{number}.example/1.html", "kind": "post", "topics": []}}\n')
    (tmp_path / "labels.jsonl").write_text("".join(rows), encoding="utf-8")
    return tmp_path


def test_the_background_and_its_card(run: Run, folder: Path) -> None:
    places = ("--web", str(folder / "web"), "--labels", str(folder / "labels.jsonl"), "--models", str(folder / "made"))
    done = run(Command(), "background", *places)
    assert done.status == 0, done.err
    names = ("background.json", "embeddings.npz", "background.md")
    assert done.out.split() == [str(folder / "made" / name) for name in names]
    assert load_background(folder / "made/background.json").counts["果园"] == HOSTS
    assert "topics learned before are learned again" in done.err


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("background",), "say what to train and from what"),
        (("background", "--web", "web"), "python -m lab train background --web DIR --labels FILE"),
        (("extraction", "--web", "web"), "python -m lab train extraction --pages DIR"),
        (("background", "--web", "missing", "--labels", "labels.jsonl"), "missing: there is no such folder"),
    ],
)
def test_mistakes(run: Run, folder: Path, args: tuple[str, ...], told: str) -> None:
    done = run(Command(), *args)
    assert done.status != 0
    assert told in done.err
