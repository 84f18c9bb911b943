"""Posts and lists apart by their shape."""

from crawler.reader.html.page import Page
from crawler.reader.html.post_likeness import likeness_to_post

SENTENCE = "这一段是正文里的一句话，写得不短，讲的是怎样把一件事情从头到尾做完。" * 4


def likeness(body: str) -> float:
    return likeness_to_post(Page(f"<html><body>{body}</body></html>"))


def test_a_post_and_a_list() -> None:
    post = "<h1>题目</h1><h2>其一</h2><article>" + f"<p>{SENTENCE}</p>" * 12 + "</article><a href=/>首页</a>"
    listed = "".join(f"<div><h2><a href=/{n}>第{n}篇的题目</a></h2><span>昨天</span></div>" for n in range(30))
    assert likeness(post) > 0.9
    assert likeness(listed) < 0.1


def test_an_empty_page_is_no_post() -> None:
    assert 0.0 < likeness("") < 0.01
