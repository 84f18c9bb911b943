"""python -m lab evaluate links: tables, files, and a sentence for every mistake."""

from pathlib import Path

import pytest

from lab.commands.evaluate import Command
from lab.links.compare import NAMES
from tests.commands.conftest import Done, Run, run as run
from tests.lab.links.smallweb import POSTS, build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(tmp_path)
    (tmp_path / "gardening.toml").write_bytes((tmp_path / "topics/gardening.toml").read_bytes())
    return tmp_path


def evaluate(run: Run, folder: Path, *more: str) -> Done:
    places = {"web": "web", "labels": "labels.jsonl", "cache": "cache"}
    given = [text for option, name in places.items() for text in (f"--{option}", str(folder / name))]
    return run(Command(), "links", *given, "--map", "flowers=gardening", *more)


def test_tables(run: Run, folder: Path) -> None:
    chosen = ("--scorer", "best-first", "bfs", "--scorer", "oracle", "--budget", str(POSTS), "--draws", "2")
    done = evaluate(run, folder, *chosen)
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith(f"| scorer | harvest at {POSTS // 2} | at {POSTS} | recall at {POSTS} |")
    assert [line.split(" | ")[0] for line in lines[2:5]] == ["| `best-first`", "| `bfs`", "| `oracle`"]
    assert "| more than `best-first` |" in done.out
    assert "labels: 30, of which 0 name an address where the recorded web has no page" in lines
    assert done.err.count("gardening 2 oracle: harvest") == 1


def test_every_policy_without_tag_pages_from_few_seeds(run: Run, folder: Path) -> None:
    done = evaluate(run, folder, "--scorer", "all", "--no-tag-pages", "--seeds", "few", "--draws", "1", "--budget", "8")
    assert done.status == 0, done.err
    assert done.err.count("recall") == len(NAMES)


def test_a_single_home_page_without_links(run: Run, folder: Path) -> None:
    for path in (folder / "web/a-sport.example").iterdir():
        path.unlink()
    (folder / "web/b-garden.example/index.html").write_text("<p>nothing</p>", "utf-8")
    done = evaluate(run, folder, "--scorer", "learned")
    assert done.status == 0, done.err
    assert "1 pages," in done.err
    assert "recall 0.000" in done.err


def test_a_polite_crawl_waits_in_simulated_time(run: Run, folder: Path) -> None:
    assert evaluate(run, folder, "--scorer", "bfs", "--delay", "60").status == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--map", "flowers"], "write NAME_IN_LABELS=NAME_IN_TOPICS"),
        (["--map", "flowers=sports"], "no post is labelled with any topic of the folder; the labels name sports"),
        (["--labels", "/nowhere.jsonl"], "cannot be read"),
        (["--aliases", "/nowhere.json"], "cannot be read"),
        (["--web", "/nowhere"], "there is no such folder; give that of a recorded web"),
        (["--cache", "/dev/null/x"], "name a writable folder"),
        (["--topics", "sports"], "no post is labelled with sports; the labels name gardening"),
        (["--scorer", "beast-first"], "there is no link scorer 'beast-first'; use one of bfs, "),
        (["--draws", "0"], "give a whole number from 1 on"),
        (["--budget", "-5"], "give a whole number from 1 on"),
        (["--seeds", "many"], "invalid choice: 'many'"),
    ],
)
def test_mistakes(run: Run, folder: Path, more: list[str], message: str) -> None:
    done = evaluate(run, folder, *more)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file holds no label"),
        ('{"url": "http://b-garden.example/", "kind": "post", "topics": []}\n', "the labels name none"),
        ('{"url": "http://b-garden.example/", "kind": "post", "topics": []}\n{"kind"', "line 2: is not a label"),
    ],
)
def test_labels_that_help_nobody(run: Run, folder: Path, content: str, message: str) -> None:
    (folder / "labels.jsonl").write_text(content)
    done = evaluate(run, folder)
    assert done.status == 2
    assert message in done.err


def test_a_folder_that_is_no_recorded_web(run: Run, folder: Path) -> None:
    done = evaluate(run, folder, "--web", str(folder / "topics"))
    assert done.status == 2
    assert "no folder in it is named after a host" in done.err


def test_labels_of_another_web(run: Run, folder: Path) -> None:
    (folder / "labels.jsonl").write_text('{"url": "http://c.example/", "kind": "post", "topics": ["flowers"]}\n')
    done = evaluate(run, folder, "--scorer", "bfs")
    assert done.status == 2
    assert "not one labelled page is in the recorded web; give the labels of this web" in done.err


def test_some_labels_of_another_web_are_counted(run: Run, folder: Path) -> None:
    with (folder / "labels.jsonl").open("a") as labels:
        labels.write('{"url": "http://c.example/", "kind": "post", "topics": ["flowers"]}\n')
    done = evaluate(run, folder, "--scorer", "bfs", "--budget", "5")
    assert done.status == 0
    assert "labels: 31, of which 1 name an address where the recorded web has no page" in done.out


def test_without_a_web_or_labels(run: Run, folder: Path) -> None:
    assert "python -m lab evaluate links --web DIR --labels FILE" in run(Command(), "links").err
