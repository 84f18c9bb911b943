"""Answers with status 200 that are not pages: what is not there, what asks for a password, a browser or consent, what
is for sale. They say so in a title or heading of its own and have hardly any text; a long text is a page, whatever its
title."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from crawler.reader.html.page import Page
from crawler.reasons import NONE, Code, Reason

LONGEST_NOTICE = 400  # characters of a body that may be such an answer; own choice
SAID = 120  # characters of a body that may say so itself
LONGEST_CONSENT = 1500  # characters of a page that asks for consent
LONGEST_LINE = 80  # characters of a title or line that may say so
HEADINGS = 10  # of a page, that may say so
BUTTON_WORDS = 5  # texts of a button that are read
COOKIES = 3  # times that it names what it asks for

GONE = Reason(Code.SAYS_GONE)
LOGIN = Reason(Code.LOGIN)
SCRIPTS = Reason(Code.SCRIPTS)
CHECK = Reason(Code.CHECK)
PARKED = Reason(Code.PARKED)
CONSENT = Reason(Code.CONSENT)

_THING = r"(?:页面|網頁|网页|頁面|文章|帖子|贴子|主题|主題|内容|內容|商品|信息|资源|文件|链接|用户)"
_GONE = (
    rf"(?:(?:您|你)(?:要)?(?:访问|查看|请求|浏览|搜索)的|指定的|该|此|这个|本)?{_THING}(?:可能|已经|已經|已|被|暂时|好像|似乎){{0,3}}"
    r"(?:发布者|作者|楼主|版主|管理员|用户)?(?:自行)?"
    r"(?:不存在|没有找到|沒有找到|未找到|找不到|找不到了|删除|刪除|下架|失效|丢失|不见了|走丢了|无法查看)"
    r"(?:[、，]?或者?(?:已经?|正在)?被?(?:删除|审核|移动|关闭|屏蔽|下架)|了){0,3}"
    rf"|(?:找不到|没有找到|沒有找到|未找到)(?:您|你|该|此|这个|所|要|访问|查看|请求|的|相关){{0,6}}{_THING}"
    r"|(?:http )?(?:error |错误 ?|状态码 ?)?404"
    r"(?: error| ?错误| ?页面|(?:\W+)?(?:page |file |object )?not found|(?:\W+)?页面不存在)?"
    r"|(?:the )?(?:page|file|post|article|content|topic|thread)(?: you (?:requested|are looking for|were looking for))?"
    r" (?:was |could |can)?(?:not|no longer|does not|doesn.t)(?: be| exists?| available)?(?: found)?|not found"
)
_LOGIN = (
    r"(?:用户|会员|账号|帐号|账户|请|系统|统一身份认证|管理员|后台)?(?:登录|登陆|登入)(?:页面|界面|系统)?"
    r"|(?:please )?(?:log|sign) ?[io]n(?: to.{1,40})?|login"
)
# What a page says that shows its text to members only; it needs no field for a password.
_MEMBERS = (
    r"(?!.*(?:回[帖复覆]|发[帖表言]|评论|留言))"  # which are for members on pages that anyone may read
    r"(?:(?:您|你)?.{0,8}(?:需要|必须|请)先?登[录陆入](?:后|之后|才).{0,40}|(?:您|你)所在的用户组.{0,40}"
    r"|(?:您|你)?(?:没有|无|尚无)权限?(?:访问|查看|浏览|阅读|进行|下载).{0,30})"
)
_CHECK = (
    r"just a moment\W*|attention required!?.*|access denied|请稍候\W*|(?:请输入|图形)?验证码"
    r"|(?:.{2,8})?(?:安全|人机|访问|滑动|滑块|身份)验证"
    r"|checking your browser.*|(?:403 )?forbidden|are you (?:a )?(?:human|robot)\W*|verify you are human.*|robot check"
    r"|(?:当前)?环境异常.*|(?:请)?完成(?:安全|滑动|人机)?验证后.{0,16}|(?:您的)?(?:访问|请求|操作)(?:过于|太)?频繁.*|访问(?:被拒绝|受限|异常|拦截)|拒绝访问"
)
_PARKED = (
    r".{0,60}(?:domain|域名).{0,40}(?:for sale|is parked|出售|转让|求购|已过期|expired)"
    r".{0,40}|buy (?:this|the) domain.*|该?(?:域名|网站)(?:出售|转让|已过期|暂停|未备案).*"
)
GONE_TITLE, LOGIN_TITLE, MEMBERS_TITLE, CHECK_TITLE, PARKED_TITLE = (
    re.compile(rf"\W*(?:抱歉|对不起|對不起|很遗憾|哎呀|出错了|sorry|oops|whoops)?\W*(?:{each})\W*", re.IGNORECASE)
    for each in (_GONE, _LOGIN, _MEMBERS, _CHECK, _PARKED)
)
NEEDS_SCRIPTS = re.compile(
    r"(?:enable|turn on|activate|requires?|without|启用|啟用|开启|開啟|打开|允许|支持|需要).{0,24}javascript"
    r"|javascript.{0,24}(?:enabled|disabled|required|turned off|启用|开启|关闭|禁用|支持)",
    re.IGNORECASE,
)
OF_COMMENTS = re.compile(r"comment|disqus|评论|評論|留言", re.IGNORECASE)  # these alone need scripts on many pages
ASKS_CONSENT = re.compile(
    r"before you continue|accept all|reject all|全部接受|接受所有|同意并继续|拒绝全部", re.IGNORECASE
)
PARTS = re.compile(r"\s*(?:[|_｜»–—]|\s-+\s|-(?=[^\d\s]))\s*")  # of a title: its own words, and the site's


def why_no_page(page: Page, title: str, headings: Iterable[str], body: str, text: str) -> Reason:
    """Why the page is not one; NONE where it is. `text`: all that the page shows."""
    if len(text) <= LONGEST_CONSENT and text.lower().count("cookie") >= COOKIES:
        # Of each the first words, as buttons may be within buttons.
        buttons = (word for button in page.tree.iter("button") for word in islice(button.itertext(), BUTTON_WORDS))
        asked = " ".join([page.declared.title, text, *buttons])
        if ASKS_CONSENT.search(asked):
            return CONSENT
    if len(body) > LONGEST_NOTICE:
        return NONE
    heads = (title, page.declared.title, *islice(headings, HEADINGS))
    parts = [part for line in heads for part in (line, *PARTS.split(line[: 2 * LONGEST_LINE]))]
    if len(body) <= SAID:
        parts += body.split("\n")
    told = [part for part in parts if len(part) <= LONGEST_LINE]
    saying = ((GONE_TITLE, GONE), (CHECK_TITLE, CHECK), (PARKED_TITLE, PARKED), (MEMBERS_TITLE, LOGIN))
    for pattern, why in saying:
        if any(pattern.fullmatch(part) for part in told):
            return why
    if any(LOGIN_TITLE.fullmatch(part) for part in told) and page.tree.xpath("boolean(//input[@type='password'])"):
        return LOGIN
    lines = text.split("\n")
    rest = [line for line in lines if not NEEDS_SCRIPTS.search(line)]
    asks = len(rest) < len(lines) and not OF_COMMENTS.search(text)
    return SCRIPTS if asks and len("".join(rest)) <= SAID else NONE
