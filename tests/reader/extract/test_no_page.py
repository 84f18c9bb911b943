"""Answers that are not pages say so, and are told from pages about the same."""

from __future__ import annotations

import pytest

from crawler.reader.extract import no_page
from crawler.reader.extract.best import best
from crawler.reader.html.page import Page
from crawler.reasons import Reason
from crawler.records import PageKind

FRAME = "<nav><a href=/>首页</a> <a href=/a>关于</a></nav>{}<footer>版权所有 渡口网</footer>"
TEXT = "船工说河水比从前清了，能看见底下的石头和水草，渡口的灯一直亮到天明，过河的人越来越少。"
GONE, LOGIN, SCRIPTS, CHECK, PARKED, CONSENT = (
    getattr(no_page, name) for name in ("GONE", "LOGIN", "SCRIPTS", "CHECK", "PARKED", "CONSENT")
)
PASSWORD = "<form><input name=u><input type=password name=p><button>登录</button></form>"


def why(title: str, body: str) -> Reason:
    found = best(Page(f"<html><head><title>{title}</title></head><body>{FRAME.format(body)}</body></html>"))
    assert bool(found.reason) != bool(found.body)
    return found.reason


@pytest.mark.parametrize(
    ("title", "body", "reason"),
    [
        ("404 - 渡口网", "<h1>404</h1><p>抱歉，您访问的页面不存在，可能已被删除。</p>", GONE),
        ("404 Not Found", "<h1>404 Not Found</h1><hr>nginx", GONE),
        ("页面不存在 | 渡口网", "<p>五秒后返回首页。</p>", GONE),
        ("渡口网", "<h2>对不起，该帖子已被删除</h2><p><a href=/>返回首页</a></p>", GONE),
        ("提示信息 - 渡口论坛", "<p>抱歉，您查看的内容不存在或已被删除！</p><a href=/>返回</a>", GONE),
        ("Page not found - Ferry", "<h1>Page not found</h1><p>Try the search.</p>", GONE),
        ("Oops! The page you are looking for does not exist", "<p>Go home.</p>", GONE),
        ("用户登录 - 渡口网", f"<h1>用户登录</h1>{PASSWORD}<p>还没有账号？立即注册。忘记密码？</p>", LOGIN),
        ("Sign in to Ferry", f"{PASSWORD}<p>Forgot your password?</p>", LOGIN),
        ("提示信息 - 渡口论坛", "<p>抱歉，指定的主题不存在或已被删除或正在被审核</p><a href=/>返回</a>", GONE),
        ("渡口", "<div><p>该内容已被发布者删除</p></div>", GONE),
        ("提示信息 - 渡口论坛", "<p>抱歉，您需要登录后才能查看本帖内容，请先登录或注册成为渡口会员。</p>", LOGIN),
        ("提示信息 - 渡口论坛", "<p>您所在的用户组(游客)无法进行此操作，请登录后再试。</p>", LOGIN),
        ("渡口网", "<h3>您没有权限访问该页面</h3><p>请联系管理员。</p>", LOGIN),
        ("渡口", "<h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。</p><a href=/v>去验证</a>", CHECK),
        ("渡口", "<noscript>您需要启用 JavaScript 才能运行此应用。</noscript><div id=app></div>", SCRIPTS),
        ("App", "<div id=root></div><p>You need to enable JavaScript to run this app.</p>", SCRIPTS),
        ("Just a moment...", "<h1>ferry.example</h1><p>Verifying that you are not a bot.</p>", CHECK),
        ("安全验证", "<p>请完成下方验证后继续访问。</p>", CHECK),
        ("403 Forbidden", "<h1>403 Forbidden</h1>", CHECK),
        ("ferry.example 域名出售", "<p>联系我们。</p>", PARKED),
        ("This domain is for sale", "".join(f"<li><a href=/s{n}>Tickets {n}</a>" for n in range(20)), PARKED),
        ("ferry.example", "<h1>The domain ferry.example is for sale!</h1><p>Make an offer.</p>", PARKED),
        (
            "Before you continue",
            "<p>We use cookies.</p><p>Cookies help us.</p><button>Accept all</button><p>More about cookies.</p>",
            CONSENT,
        ),
        (
            "ferry.example",
            "<p>We use cookies.</p><p>Cookies help us.</p><p>Our cookies.</p><button><span>Accept all</span></button>",
            CONSENT,
        ),
    ],
)
def test_no_pages(title: str, body: str, reason: str) -> None:
    assert why(title, body) == reason


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("404 页面不存在的原因与处理 - 渡口网", f"<h1>404 页面不存在的原因与处理</h1><p>{TEXT * 8}</p>"),
        ("404", f"<h1>404</h1><p>{TEXT * 12}</p>"),
        ("渡口的船", f"<h1>渡口的船</h1><p>{TEXT * 3}</p><p>文章不存在也无妨，{TEXT}</p>"),
        ("登录渡口", f"<h1>登录渡口</h1><p>{TEXT * 12}</p>{PASSWORD}"),
        ("怎样启用 JavaScript", f"<h1>怎样启用 JavaScript</h1><p>{TEXT * 12}在浏览器的设置中启用 JavaScript。</p>"),
        (
            "船",
            "<h1>船</h1><p>船在水上走，人在岸上看，灯亮到天明。</p><p>Please enable JavaScript to view comments.</p>",
        ),
        ("船", f"<h1>船</h1><p>{TEXT}</p><p>您需要登录后才可以回帖</p>"),
        ("域名转让的手续", f"<h1>域名转让的手续</h1><p>{TEXT * 12}</p>"),
        ("饼干", f"<h1>饼干</h1><p>cookie, cookie, cookie: {TEXT * 40}</p>"),
    ],
)
def test_pages_about_the_same(title: str, body: str) -> None:
    assert not why(title, body)


def test_its_kind() -> None:
    found = best(Page("<title>404 Not Found</title><h1>404 Not Found</h1>"))
    assert (found.kind, found.body, found.published) == (PageKind.OTHER, "", None)
