"""A recorded web whose sites can be searched."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import ReplayError
from lab.replay.opening import open_searchable
from lab.replay.search import DESCRIPTION, FORM, LINK, SEARCH
from zhuti.demo.recorded.base import Recording

TEXT = "<p>" + "河水在桥下流过，两岸的人家在早晨打开窗户，看见雾从水面上升起来。" * 12 + "</p>"
POST = "<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{text}</article></body></html>"
LIST = (
    "<html><head><title>all</title></head><body><ul>" + "<li><a href=/1.html>渡口</a></li>" * 30 + "</ul></body></html>"
)


@pytest.fixture
def web(tmp_path: Path) -> Recording:
    files = {f"a.example/{n}.html": POST.format(title=f"第{n}篇", text=TEXT) for n in range(1, 13)}
    files |= {"a.example/index.html": LIST, "b.example/post/index.html": POST.format(title="渡口 Java", text=TEXT)}
    for name, text in files.items():
        (tmp_path / "web" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "web" / name).write_text(text, encoding="utf-8")
    return open_searchable(tmp_path / "web", tmp_path / "posts.db")


def body(web: Recording, host: str, target: str) -> str:
    answer = web.find("http", host, target)
    assert answer is not None
    return answer.body.decode()


def test_posts_are_found_ten_at_a_time(web: Recording) -> None:
    first, second = (body(web, "a.example", f"{SEARCH}?q=河水&page={page}") for page in (1, 2))
    assert (first.count("<article>"), second.count("<article>")) == (10, 2)
    assert 'rel="next"' in first
    assert 'rel="next"' not in second


@pytest.mark.parametrize(
    ("query", "found"), [("java", 1), ("java 渡口", 1), ("java 山", 0), ("", 0), ("第", 0), ("/1.html", 0)]
)
def test_all_words_must_be_there(web: Recording, query: str, found: int) -> None:
    assert body(web, "b.example", f"{SEARCH}?q={query}").count('href="/post/"') == found


def test_pages_say_that_there_is_a_search(web: Recording) -> None:
    shown = {host: body(web, host, "/1.html" if host == "a.example" else "/post/").encode() for host in web.hosts}
    ways = {host: (LINK in page, FORM in page) for host, page in shown.items()}
    assert all(link != form for link, form in ways.values())
    assert "{searchTerms}" in body(web, "a.example", DESCRIPTION)


def test_what_is_no_web_of_files(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("no database")
    (tmp_path / "web" / "a.example").mkdir(parents=True)
    (tmp_path / "web" / "a.example" / "index.html").write_text("x")
    with pytest.raises(ReplayError, match="give --search another file"):
        open_searchable(tmp_path / "web", tmp_path / "x.db")
