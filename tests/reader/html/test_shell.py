"""Which pages are empty without their scripts."""

from __future__ import annotations

import pytest

from crawler.reader.html.page import Page
from crawler.reader.html.shell import is_shell

SCRIPT = '<script src="/app.js"></script>'
POST = "<p>" + "渡口的船，天亮之前不开；船夫在石墩上坐着，等雾散去。" * 12
MENU = "".join(f'<a href="/{number}">第 {number} 篇</a> ' for number in range(12))
TAKES_ALL = "这个网站需要 JavaScript 才能运行，请在浏览器中启用后再来。"

CASES = [  # name, markup, whether it is a shell
    ("an empty mount point", f'<title>渡口</title><div id="app"></div>{SCRIPT}', True),
    ("one that is loading", f'<div id="root"><p>正在加载...</p></div>{SCRIPT}', True),
    ("an element of its own name", f"<app-root></app-root>{SCRIPT}", True),
    ("one beside a menu and a footer", f'<a href="/">首页</a><main id="m"></main><p>© 2024</p>{SCRIPT}', True),
    ("a program in the page", '<div id="app"></div><script>start()</script>', True),
    ("it asks for scripts", f"<noscript>{TAKES_ALL}</noscript>{SCRIPT}", True),
    ("it asks in its text", f"<p>{TAKES_ALL}</p>{SCRIPT}", True),
    ("nothing but a program", '<script>location.href = "/zh/"</script>', True),
    ("no script", '<div id="app"></div>', False),
    ("data and no program", '<div id="app"></div><script type="application/ld+json">{}</script>', False),
    ("a post beside an empty element", f'{POST}<div id="comments"></div>{SCRIPT}', False),
    ("a short page", f"<h1>渡口</h1><p>船不开。</p>{SCRIPT}", False),
    ("a menu that can be followed", f'{MENU}<div id="app"></div>{SCRIPT}', False),
    ("a forum's text without scripts", f'<div id="app"></div><noscript>{POST}</noscript>{SCRIPT}', False),
    ("a place of pictures", f'<p>渡口</p><div id="top"><img src="/1.png"></div>{SCRIPT}', False),
    ("nothing at all", "", False),
]


@pytest.mark.parametrize(("name", "markup", "expected"), CASES, ids=[name for name, *_ in CASES])
def test_shells(name: str, markup: str, expected: bool) -> None:
    assert is_shell(Page(markup, "https://a.example/")) is expected
