"""How addresses become files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from lab.errors import ReplayError
from lab.replay.opening import open_recording
from zhuti.demo.recorded.files import FileWeb, FolderBlobs


@pytest.fixture(scope="module")
def files(web: Path) -> Iterator[FileWeb]:
    opened = FileWeb(FolderBlobs(web), "web")
    yield opened
    opened.close()


def test_a_link_to_a_file_is_not_served(web: Path, tmp_path: Path) -> None:
    shutil.copytree(web, tmp_path / "web", symlinks=True)
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (tmp_path / "web" / "a.example" / "secret.html").symlink_to(tmp_path / "secret")
    (tmp_path / "web" / "secret.html").symlink_to(tmp_path / "secret")
    names = set(FolderBlobs(tmp_path / "web").names())
    assert names
    assert not {name for name in names if "secret" in name}


HTML = "text/html; charset=utf-8"
FOUND = [
    ("/", 200, HTML, "甲站首页"),
    ("/index.html", 200, HTML, "甲站首页"),
    ("/?utm=1", 200, HTML, "甲站首页"),
    ("//", 200, HTML, "甲站首页"),
    (quote("/文章/"), 200, HTML, "路径里有汉字"),
    ("/list.html?page=2", 200, "application/octet-stream", "second page"),
    ("/robots.txt", 200, "text/plain; charset=utf-8", "Disallow"),
    ("/wrong", 200, HTML, "编码"),
    ("/wrong.html", 200, HTML, "编码"),
    ("/empty.html", 200, None, ""),
    ("/file.bin", 200, "text/html", ""),
    ("/post.html", 500, HTML, "post"),
    ("/gone", 410, HTML, "410 Gone"),
]


@pytest.mark.parametrize(("target", "status", "content_type", "part"), FOUND)
def test_a_page_is_found(files: FileWeb, target: str, status: int, content_type: str | None, part: str) -> None:
    answer = files.find("http", "a.example", target)
    assert answer is not None
    text = answer.body.decode("gb18030" if "wrong" in target else "utf-8", errors="replace")
    assert (answer.status, dict(answer.headers).get("Content-Type")) == (status, content_type)
    assert part in text


@pytest.mark.parametrize("target", ["/missing", "/missing/", "/index.html/", "/notes/", "/%00", "/%ff"])
def test_a_missing_page_is_none(files: FileWeb, target: str) -> None:
    assert files.find("http", "a.example", target) is None


REDIRECTS = [
    ("http", "a.example", quote("/文章"), 301, "http://a.example" + quote("/文章/")),
    ("http", "a.example", quote("/文章") + "?x=1", 301, "http://a.example" + quote("/文章/") + "?x=1"),
    ("http", "a.example", "/old", 302, "http://b.example/"),
    ("https", "a.example", "/post.html?x=1", 301, "http://a.example/post.html?x=1"),
    ("https", "b.example", "/secure", 301, "https://b.example/other"),
]


@pytest.mark.parametrize(("scheme", "host", "target", "status", "location"), REDIRECTS)
def test_a_redirect(files: FileWeb, scheme: str, host: str, target: str, status: int, location: str) -> None:
    answer = files.find(scheme, host, target)
    assert answer is not None
    assert (answer.status, dict(answer.headers)["Location"]) == (status, location)


def test_only_folders_named_after_hosts_are_hosts(files: FileWeb) -> None:
    assert set(files.hosts) == {"a.example", "b.example"}
    assert files.pages == 9


@given(st.text())
def test_no_address_leads_out_of_its_host(files: FileWeb, path: str) -> None:
    answer = files.find("http", "b.example", "/../a.example/" + quote(path, errors="replace"))
    assert answer is None


def test_a_page_taken_away_is_missing(web: Path, tmp_path: Path) -> None:
    shutil.copytree(web, tmp_path / "copy")
    files = FileWeb(FolderBlobs(tmp_path / "copy"), "copy")
    (tmp_path / "copy/a.example/wrong.html").unlink()
    assert files.find("http", "a.example", "/wrong.html") is None


def test_a_host_may_be_a_link(web: Path, tmp_path: Path) -> None:
    (tmp_path / "c.example").symlink_to(web / "a.example")
    answer = FileWeb(FolderBlobs(tmp_path), "part").find("http", "c.example", "/post.html")
    assert answer is not None
    assert answer.body == b"<p>post</p>"


def test_a_folder_without_hosts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "index.html").write_text("no host")
    with pytest.raises(ReplayError, match=r"named after a host; it must hold HOST/index.html"):
        FileWeb(FolderBlobs(tmp_path), "web")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="nothing: there is no such folder; give that of a recorded web"):
        open_recording(tmp_path / "nothing")
