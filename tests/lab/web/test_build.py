"""A recorded web made from repositories: its pages, labels, digests and other names; and crawlers measured on it."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.web import run
from lab.web.__main__ import main
from lab.web.labels import NAMES, topics
from lab.web.manifest import MANIFEST, digest, read
from lab.web.pages import described

HOST = "garden.example"
POST = '<meta property="og:type" content="article"><title>{}</title><article>{}</article>'
TAGS = '<div class="post-meta"><a href="/tags/{0}/">#{0}</a></div>'
PAGES = {
    "index.html": "<title>家</title>" + "".join(f'<a href="/p/{n}.html">post {n}</a>' for n in range(4)),
    "p/0.html": POST.format("容器", "<p>镜像分层存放，容器共用一个内核，所以启动很快。" * 9 + TAGS.format("Docker")),
    "p/1.html": POST.format("没有标签", "正文"),
    "p/2.html": POST.format("侧栏", '<aside><a href="/tags/Java/">Java</a></aside>'),
    "p/3.html": POST.format("分类", '<a rel="category" href="/categories/java/">Java (3)</a>'),
    "tags/k8s/index.html": '<title>k8s</title><a href="../../p/1.html">没有标签</a>',
    "page/2/index.html": "<article></article><article></article>",
    "moved/index.html": '<meta http-equiv="refresh" content="0; url=/">',
    "empty.html": "",
    "sitemap.xml": "<urlset/>",
    "style.css": "p {}",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("owner") / "garden.github.io"
    for name, text in PAGES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "LICENSE").write_text("\nCC BY 4.0\n")
    (folder / "linked.html").symlink_to("index.html")
    author = ("-c", "user.name=a", "-c", "user.email=a@garden.example")
    for command in (("init", "-q"), ("add", "-A"), (*author, "commit", "-qm", "site")):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def manifest(repository: Path, file: Path, pages_digest: str = "") -> Path:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, capture_output=True, text=True, check=True)
    kept = [(name, PAGES[name].encode()) for name in PAGES if name.endswith("html") and name != "empty.html"]
    cells = HOST, str(repository), commit.stdout.strip(), str(len(kept)), pages_digest or digest(kept)
    file.write_text("# a web\n" + "\t".join([*cells, digest([("sitemap.xml", b"<urlset/>")])]) + "\n")
    return file


def web(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["lab.web", *map(str, arguments)])
    main()


def test_built_twice_told_once(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, folder = manifest(repository, tmp_path / "web.tsv"), tmp_path / "built"
    web(monkeypatch, "build", file, folder)
    assert capsys.readouterr().out.splitlines()[0] == f"{HOST}: 8 pages"
    found = {path.relative_to(folder / "pages" / HOST).as_posix() for path in (folder / "pages").rglob("*.*ml")}
    assert found == {name for name in PAGES if name not in ("empty.html", "style.css")}
    assert "| CC BY 4.0 |" in (folder / "LICENCES.md").read_text()
    names = json.loads((folder / "aliases.json").read_text())
    assert names[HOST]["aliases"] == [f"{repository.parent.name.lower()}.github.io"]
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    told = {row["url"].removeprefix(f"http://{HOST}"): (row["kind"], row["tags"], row["topics"]) for row in rows}
    assert told == {
        "/": ("home", [], []),
        "/moved/": ("other", [], []),
        "/p/0.html": ("post", ["Docker"], ["ops"]),
        "/p/1.html": ("post", ["k8s"], ["ops"]),  # by the tag page that lists it
        "/p/2.html": ("post", [], []),  # a tag of the site, beside the post
        "/p/3.html": ("post", [], ["java"]),  # by its category
        "/page/2/": ("paging", [], []),
        "/tags/k8s/": ("tag", [], []),
    }
    assert next(iter(told)) == "/"  # the files of a folder, then its folders
    repository.rename(repository.with_name("gone"))  # what was fetched is not fetched again
    try:
        web(monkeypatch, "build", manifest_of(file, tmp_path / "other.tsv"), folder)
    finally:
        repository.with_name("gone").rename(repository)
    assert "its pages differ from the manifest's" in capsys.readouterr().out


def manifest_of(file: Path, other: Path) -> Path:
    """The same with another digest of the pages."""
    line = file.read_text().splitlines()[1].split("\t")
    other.write_text("\t".join([*line[:4], "0" * 16, line[5]]))
    return other


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("garden.example\tb", "line 1: needs host"),
        ("garden.example\ta/b\tc\tmany\td\te", "line 1: needs host"),
        ("garden.example\t/nowhere/at all\tc\t1\td\te", "git fetch"),
    ],
)
def test_mistakes(line: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web.tsv").write_text(line)
    with pytest.raises(SystemExit, match=told):
        web(monkeypatch, "build", tmp_path / "web.tsv", tmp_path / "built")


def test_the_manifest_that_comes_along() -> None:
    hosts = read(MANIFEST)
    assert len(hosts) == 43
    assert all(len(host.commit) == 40 and host.address.startswith("https://github.com/") for host in hosts)
    assert set(NAMES) <= set(topics())
    with pytest.raises(ReplayError, match="give the manifest"):
        read(Path("nowhere.tsv"))


@pytest.mark.parametrize(
    ("path", "markup", "kind"),
    [
        ("/2024/05/06/a/", "<article>a</article>", "post"),
        ("/archives/2024/05/", "<p>", "archive"),
        ("/about/", "<p>", "other"),
        ("/a/", '<meta property="og:type" content="website"><meta name="generator" content="Hexo 7">', "other"),
        ("/posts/a/", '<meta property="og:type" content="website"><meta name="generator" content="Hexo 7">', "post"),
        ("/a/", "</html><p>what follows an early end", "post"),
        ("/tags/a/page/2/", "<article></article><article></article>", "tag"),
    ],
)
def test_kinds(path: str, markup: str, kind: str) -> None:
    assert described(f"<html>{markup}".encode("gb18030"), HOST, f"{path}index.html", {HOST}).kind == kind


def test_crawlers_are_measured(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "built"
    web(monkeypatch, "build", manifest(repository, tmp_path / "web.tsv"), folder)
    capsys.readouterr()
    once = 'curl -s -x "$http_proxy" http://garden.example/p/0.html'
    chosen = ("--crawlers", "breadth-first", "keywords", "tf-idf", f"sh -c '{once}' {{seeds}}", "--topics", "cloud-ops")
    web(monkeypatch, "run", folder, *chosen, "--pages", "4", "--draws", "2", "--no-tag-pages", "--logs", tmp_path)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()]
    assert rows[0][2:5] == ["harvest at 2", "at 4", "recall"]
    means = {row[0]: row[3] for row in rows if row[1] == "mean"}
    assert means["breadth-first"] == means["keywords"] == "0.500 ± 0.000"
    assert means[chosen[4]].startswith("0.250")
    assert float(means["tf-idf"].split()[0]) > 0
    for module in ("zhuti.export.teaches", "lab.web.teaches"):
        monkeypatch.setattr(f"{module}.PAGES", 2)
    web(monkeypatch, "teaches", folder, "--logs", tmp_path)
    taught = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()[2:]]
    assert {name.strip() for name, _ in taught} >= {"breadth-first", "keywords", "tf-idf", "posts, by chance"}
    assert all(0.0 < float(part.split()[0]) <= 1.1 for _, parts in taught for part in parts.split(";"))


def test_the_options_are_those_of_the_page() -> None:
    parser = ArgumentParser()
    run.add_arguments(parser)
    told = run.__doc__ or ""
    assert all(option in told for action in parser._actions for option in action.option_strings[:1] if option != "-h")
