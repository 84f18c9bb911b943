import pytest

from crawler.reader.html.page import Page
from crawler.reader.papers.plain import plain

ONE = "快速排序先选一个数作为基准，再把小的放在左边，大的放在右边。"
TWO = "两边各自再用同样的办法排好，整个数列便有序了，平均情况下很快。"
NAV = "<div><a href='/'>首页</a> | <a href='/tags'>标签</a> | <a href='/about'>关于</a></div>"
SIDE = "<div>" + "".join(f"<p><a href='/{n}'>另一篇文章的标题</a> 2020-01-0{n}</p>" for n in range(1, 9)) + "</div>"


def body(inner: str) -> str:
    return plain(Page(f"<html><body>{NAV}<div>{inner}</div>{SIDE}</body></html>")).body


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (f"<h1>题</h1><p>{ONE}</p><p>{TWO}</p>", f"{ONE}\n{TWO}"),
        (f"<h1>题</h1>{ONE}<br><br>{TWO}", f"{ONE}\n{TWO}"),
        (
            f"<h1>题</h1><p>{ONE}</p><h2>步骤</h2><ul><li>选数</li><li>分开</li></ul><p>{TWO}</p>",
            f"{ONE}\n步骤\n选数\n分开\n{TWO}",
        ),
        (
            f"<p>{ONE}</p><pre>def f(x):\n    return x\n</pre><p>{TWO}</p>",
            f"{ONE}\ndef f(x):\nreturn x\n{TWO}",
        ),
        (
            f"<p>{ONE}</p><table><tr><td><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table><p>{TWO}</p>",
            f"{ONE}\na = 1\nb = 2\n{TWO}",
        ),
        (f"<p>{ONE}</p><table><tr><td>次数</td><td>时间</td></tr></table><p>{TWO}</p>", f"{ONE}\n次数\n时间\n{TWO}"),
        (f"<p>作者：甲</p><p>{ONE}</p><p>{TWO}</p><p>责任编辑：乙</p>", f"{ONE}\n{TWO}"),
        (f"<p>{ONE}</p><nav>这里是导航，不是正文。</nav><p>{TWO}</p>", f"{ONE}\n{TWO}"),
        (f"<p>{ONE}\n  {TWO}</p>", f"{ONE}{TWO}"),
        (f"<p>{ONE}<a href='x'>链接也在句子里</a>。{TWO}</p>", f"{ONE}链接也在句子里。{TWO}"),
    ],
)
def test_body(inner: str, expected: str) -> None:
    assert body(inner) == expected


def test_a_thread_keeps_all_posts() -> None:
    posts = "".join(f"<div><div><a href='/u'>用户</a></div><div>{text}</div></div>" for text in (ONE, TWO, ONE + TWO))
    assert body(posts) == f"{ONE}\n{TWO}\n{ONE}{TWO}"


def test_text_behind_an_early_end_is_kept() -> None:
    page = Page(f"<html><head></head></html><body><div><p>{ONE}</p></div></body></html><div><p>{TWO}</p></div>")
    assert plain(page).body == f"{ONE}\n{TWO}"
