import numpy as np
import pytest

from crawler.reader.extract.best import _kind, best
from crawler.reader.extract.blocks import read_blocks
from crawler.reader.extract.features import block_table
from crawler.reader.extract.page_kind import LISTING
from crawler.reader.html.page import Page
from crawler.reasons import NONE
from crawler.records import Extraction, PageKind

SENTENCES = [
    "村里的老渡口在今年春天重新开放，第一班船坐了四十多个人，其中一半是来看热闹的孩子。",
    "船工姓何，撑了三十一年的船，他说河水比从前清了，能看见底下的石头和水草。",
    "渡口停用是因为上游修了桥，桥修好以后，走水路的人一年比一年少，到最后只剩下赶集的老人。",
    "这一次重开，镇里修了栈道，装了栏杆，又请人给旧船上了两遍桐油，花了将近三个月。",
    "何师傅不收孩子的钱，大人每位两元，他说这个价钱和他刚学撑船的时候比，只涨了一块五。",
]
NAVIGATION = "<div class=nav>" + "".join(f"<a href=/{n}>{n}</a> " for n in ("首页", "新闻", "体育", "图片")) + "</div>"
RELATED = (
    "<div class=related><h3>相关阅读</h3><ul>"
    + "".join(f"<li><a href=/{n}>镇上的第{n}座老桥</a></li>" for n in range(8))
    + "</ul></div>"
)
FOOT = "<div class=footer>关于我们 | 联系我们 | 版权所有 某某网 ICP备00000000号</div>"


def page(title: str, top: str, body: str, behind: str = "") -> str:
    return (
        f"<html><head><title>{title}</title></head><body>{NAVIGATION}<div class=main>{top}"
        f"<div class=content>{body}</div>{behind}</div>{RELATED}{FOOT}</body></html>"
    )


def paragraphs(count: int = 5) -> str:
    return "".join(f"<p>{sentence}{sentence[:20]}。</p>" for sentence in SENTENCES[:count])


def run(markup: str, url: str = "") -> Extraction:
    return best(Page(markup, url))


def test_an_article() -> None:
    found = run(
        page(
            "老渡口春天重开_某某网",
            "<h1>老渡口春天重开</h1><div class=info>2019-03-08 09:15 来源：某某网 作者：林一舟</div>",
            paragraphs(),
            "<div class=share>分享到：微信 微博</div><div class=comments><h3>网友评论</h3><p>写得好</p></div>",
        )
    )
    assert found.title == "老渡口春天重开"
    assert found.published == "2019-03-08T09:15:00"
    assert found.author == "林一舟"
    assert found.kind is PageKind.ARTICLE
    assert found.body.splitlines() == [f"{sentence}{sentence[:20]}。" for sentence in SENTENCES]


def test_order_and_line_breaks_stay() -> None:
    body = (
        f"<p>{SENTENCES[0]}</p><h2>怎样编译</h2><p>{SENTENCES[1]}</p><pre>int main() {{\n    return 0;\n}}</pre>"
        f"<ul><li>{SENTENCES[2]}</li><li>{SENTENCES[3]}</li></ul><p>{SENTENCES[4]}<br>{SENTENCES[0][:30]}。</p>"
    )
    lines = run(page("编译小记_某某网", "<h1>编译小记</h1>", body)).body.splitlines()
    assert lines == [
        SENTENCES[0], "怎样编译", SENTENCES[1], "int main() {", "    return 0;", "}", *SENTENCES[2:],
        SENTENCES[0][:30] + "。",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "top", "expected"),
    [
        # papers.md 7.3, examples E1, E1b and E2 (the last needs the guard), each over a body
        (
            "交通部：让专车推动传统出租车改革 | 出租车 | 专车_新浪财经_新浪网",
            "<a href=/c>新浪财经</a> <a href=/t>出租车</a> <a href=/z>专车</a>"
            "<h1>交通部：让专车推动传统出租车改革</h1>",
            "交通部：让专车推动传统出租车改革",
        ),
        ("第3季_大结局_爱奇艺", "<a href=/>爱奇艺</a><h1>第3季_大结局</h1>", "第3季_大结局"),
        (
            "广州日报—2015年11月8日—A1：头版版—习近平同马英九会面",
            "<h1>习近平同马英九会面</h1>",
            "习近平同马英九会面",
        ),
        # papers.md 4.6, test C3
        (
            "",
            "<div>首页 新闻</div><center><h1>关于五一旅游的通知</h1></center><p>2002-04-01</p>",
            "关于五一旅游的通知",
        ),
        ("老渡口重开 - 某某网", "", "老渡口重开"),
        ("老渡口重开 第一班船坐满 - 某某网", "<h1>老渡口重开  第一班船坐满</h1>", "老渡口重开 第一班船坐满"),
        ("Old ferry reopens | Some Site", "<h1>Old ferry reopens</h1>", "Old ferry reopens"),
    ],
)
def test_titles(head: str, top: str, expected: str) -> None:
    assert run(page(head, top, paragraphs())).title == expected


@pytest.mark.parametrize(
    ("head", "top", "expected"),
    [
        (
            "<meta property='article:published_time' content='2020-05-06T07:08:09+08:00'>",
            "",
            "2020-05-06T07:08:09+08:00",
        ),
        ("", "<div class=info>发布时间：2020年5月6日 07:08</div>", "2020-05-06T07:08:00"),
        # declared in UTC, shown by the day in China
        (
            "<meta property='article:published_time' content='2020-05-05T16:45:02.000Z'>",
            "<div class=info>发布时间：2020-05-06</div>",
            "2020-05-06T00:45:02+08:00",
        ),
        (
            "<meta property='article:published_time' content='2020-05-05T16:45:02.000Z'>",
            "<div class=info>发布时间：2020-05-05</div>",
            "2020-05-05T16:45:02Z",
        ),
        ("", "<p>活动时间：2020-05-06 至 2020-06-07</p>", None),
        ("", "", None),
    ],
)
def test_times(head: str, top: str, expected: str | None) -> None:
    markup = page("老渡口重开", f"<h1>老渡口重开</h1>{top}", paragraphs()).replace("</head>", f"{head}</head>")
    assert run(markup).published == expected


def test_a_title_that_is_long_enough_for_a_text_is_not_of_the_body() -> None:
    title = "继承优秀文化传统，弘扬民族道德精神——老渡口把候船室办成邻里服务站，第一班船坐了四十多个人"
    body = f"<h1>{title}</h1>{paragraphs()}"
    assert run(page("某某网", "", body)).body.splitlines()[0].startswith(SENTENCES[0])
    assert run(f"<h1>{title}</h1>").body == title  # where there is no other


def test_a_thread() -> None:
    posts = "".join(
        f"<div class=post id=p{n}><div class=author>用户{n} 积分 {n}00 {n}楼</div>"
        f"<div class=message>{sentence}</div></div>"
        for n, sentence in enumerate(SENTENCES * 2, start=1)
    )
    found = run(page("老渡口还开吗 - 某某论坛", "<h1>老渡口还开吗</h1>", posts), "http://bbs.example/thread-1.html")
    assert found.kind is PageKind.THREAD
    assert found.title == "老渡口还开吗"
    assert "老渡口还开吗" not in found.body  # it is not a post
    assert all(sentence in found.body for sentence in SENTENCES)


def test_a_thread_of_few_words_is_no_list() -> None:
    words = ["请问船票现在几块钱？", "大人两元，孩子不要。", "周末开到几点？", "五点半收船。", "谢谢！"]
    posts = "".join(
        f"<li class=reply><div class=user>客人{n} <span class=time>{n}天前</span></div>"
        f"<div class=text>{text}</div></li>"
        for n, text in enumerate(words, start=1)
    )
    found = run(page("老渡口的船票 - 某某社区", "<h1>老渡口的船票</h1>", f"<ul>{posts}</ul>"), "http://x.example/t/12")
    assert found.kind is PageKind.THREAD
    assert found.body.splitlines() == words


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (
            '<script type=application/ld+json>{"@context": "http://schema.org", "@type": "QAPage"}</script>',
            PageKind.THREAD,
        ),
        ('<meta itemscope itemtype="https://schema.org/DiscussionForumPosting">', PageKind.THREAD),
        ('<meta itemscope itemtype="https://schema.org/FAQPage">', PageKind.ARTICLE),
        ('<meta itemscope itemtype="https://schema.org/Question">', PageKind.THREAD),
        ('<meta itemscope itemtype="https://schema.org/Question">' * 2, PageKind.ARTICLE),
    ],
)
def test_a_page_that_calls_itself_a_thread_is_one(head: str, kind: PageKind) -> None:
    markup = page("老渡口春天重开", "<h1>老渡口春天重开</h1>", paragraphs()).replace("</head>", f"{head}</head>")
    assert run(markup).kind is kind


@pytest.mark.parametrize("excerpt", ["", SENTENCES[0][:24] + "…"])
def test_a_list_has_no_body_and_says_so(excerpt: str) -> None:
    entries = "".join(
        f"<article><h2><a href=/posts/{n}>渡口的第{n}个冬天</a></h2><time>2019-0{1 + n % 9}-12</time>"
        f"<p>{excerpt}</p></article>"
        for n in range(12)
    )
    found = run(page("标签：渡口 - 某某人的博客", "<h1>标签：渡口</h1>", entries), "http://blog.example/tags/dukou/")
    assert (found.body, found.kind) == ("", PageKind.LIST)
    assert str(found.reason) == "The page is a list of links."


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://blog.example/", PageKind.LIST),
        ("http://blog.example/index.html", PageKind.LIST),
        ("http://blog.example/page/8/", PageKind.LIST),
        ("http://blog.example/blog/page/8/", PageKind.LIST),
        ("http://blog.example/tags/dukou/page/2/", PageKind.LIST),
        ("http://bbs.example/board-dukou-1.html", PageKind.LIST),
        ("http://bbs.example/forum-12-3.html", PageKind.LIST),
        ("http://bbs.example/forum.php?mod=forumdisplay&fid=2", PageKind.LIST),
        ("http://bbs.example/thread-12-1-1.html", PageKind.THREAD),
        ("http://blog.example/?p=12", PageKind.ARTICLE),
        ("http://blog.example/novel/page/8/", PageKind.ARTICLE),
        ("http://blog.example/2019/03/dukou.html", PageKind.ARTICLE),
        ("http://blog.example/archives/2019/03/", PageKind.LIST),
        ("http://blog.example/archives/2019/", PageKind.ARTICLE),  # what the page shows says more than its address
        ("http://blog.example", PageKind.ARTICLE),  # no address of a page: somebody names the site
    ],
)
def test_places_of_lists_are_lists_whatever_stands_on_them(url: str, kind: PageKind) -> None:
    found = run(page("老渡口春天重开", "<h1>老渡口春天重开</h1>", paragraphs()), url)
    lines = 0 if kind is PageKind.LIST else len(SENTENCES)
    assert (found.kind, len(found.body.splitlines())) == (kind, lines)


@pytest.mark.parametrize(("url", "kind"), [("http://x.example/tags/a/", PageKind.LIST), ("", PageKind.OTHER)])
def test_a_place_of_lists_with_hardly_a_word(url: str, kind: PageKind) -> None:
    assert run("<title>渡口</title><p>渡口</p><p><a href=/1>冬</a> 第一篇</p>", url).kind is kind


@pytest.mark.parametrize("number", [0, 60])
def test_a_note_on_a_page_of_links_is_no_body(number: int) -> None:
    others = "".join(f"<li><a href=/{n}>渡口的第{n}个冬天，还有船</a></li>" for n in range(number))
    found = run(
        f"<title>渡口</title>{NAVIGATION}<div><p>共有六十篇，每周更新，欢迎来稿。</p></div><ul>{others}</ul>{FOOT}"
    )
    assert (found.kind, found.body) == (PageKind.LIST, "") if number else found.body


@pytest.mark.parametrize(
    ("links", "certain", "kind"),
    [(60, 0.7, PageKind.LIST), (60, 0.97, PageKind.ARTICLE), (5, 0.7, PageKind.ARTICLE)],
)
def test_what_a_site_says_of_itself_below_its_links(links: int, certain: float, kind: PageKind) -> None:
    others = "".join(f"<li><a href=/{n}>渡口的第{n}个冬天，还有船</a></li>" for n in range(links))
    table = block_table(read_blocks(Page(f"<ul>{others}</ul><p>渡口栏目为您提供渡口的消息，想坐船就来渡口。</p>")), "")
    taken = np.arange(links + 1) == links
    likely_article = np.array([0.9, 0, 0, 0.1, 0], np.float32)
    assert _kind(table, taken, likely_article, certain, "")[0] is kind


@pytest.mark.parametrize(
    ("between", "likely", "kind"),
    [
        ("<p><a href=/1>阅读全文 »</a></p>", 0.9, PageKind.LIST),  # between three beginnings of texts
        ("<p><a href=/1>渡口的冬天</a></p>", 0.9, PageKind.ARTICLE),
        ("<p><a href=/1>渡口的冬天</a></p>" * 9, 0.4, PageKind.LIST),  # strewn over the page
        ("<p><a href=/1>渡口的冬天</a></p>" * 9, 0.6, PageKind.ARTICLE),
        ("<p><a href=/1>渡口的冬天</a></p>" * 3, 0.4, PageKind.ARTICLE),
    ],
)
def test_beginnings_of_several_texts_are_no_body(between: str, likely: float, kind: PageKind) -> None:
    table = block_table(read_blocks(Page("".join(f"<p>{sentence}</p>{between}" for sentence in SENTENCES[:3]))), "")
    kinds = np.array([likely, 0.2, 0.2, 0, 0], np.float32)
    assert _kind(table, ~table.linked, kinds, 1.0, "")[0] is kind


@pytest.mark.parametrize(
    ("certain", "lists", "url", "given"),
    [
        (0.7, 0.7, "", True),
        (0.5, 0.7, "", False),
        (0.7, 0.9, "", False),
        (0.7, 0.7, "http://a.example/tags/boats/", False),
    ],
)
def test_a_text_that_stands_out_is_given_whatever_its_page_is_called(
    certain: float, lists: float, url: str, given: bool
) -> None:
    others = "".join(f"<li><a href=/{n}>渡口的第{n}个冬天，还有船</a></li>" for n in range(60))
    table = block_table(read_blocks(Page(paragraphs() + f"<ul>{others}</ul>")), "")
    kinds = np.array([0.1, 0.1, 0, 0, lists], np.float32)
    kind, reason = _kind(table, ~table.linked, kinds, certain, url)
    assert (kind, not reason) == (PageKind.LIST, given)


def test_a_year_of_an_archive_is_a_list_where_the_title_says_so_too() -> None:
    found = run(page("归档：2019 - 某某人的博客", "<h1>2019</h1>", paragraphs()), "http://blog.example/archives/2019/")
    assert (found.kind, found.body) == (PageKind.LIST, "")
    found = run(page("老渡口（第 2 页）", "<h1>老渡口</h1>", paragraphs()), "http://blog.example/dukou/page/2/")
    assert (found.kind, bool(found.body)) == (PageKind.ARTICLE, True)  # a long text may stand on several


@pytest.mark.parametrize(
    ("url", "lists"),
    [
        ("http://blog.example/page/8/", True),
        ("http://blog.example/page/8.html", True),
        ("http://blog.example/tags/dukou/page/2/", True),
        ("http://blog.example/category/travel", True),
        ("http://blog.example/archives/2019/03/", True),
        ("http://blog.example/archives/1234.html", False),
        ("http://blog.example/archives/2019/03/12/dukou/", False),
        ("http://blog.example/page/about.html", False),
        ("http://blog.example/hashtags/", False),
    ],
)
def test_addresses_of_lists(url: str, lists: bool) -> None:
    assert bool(LISTING.search(url)) == lists


def test_of_a_foreign_page_like_few_that_are_known_more_is_taken() -> None:
    wares = "".join(
        f"<div><img src=x><b>{ware}</b><span>{ware} by our own people</span></div>"
        for ware in ("Slate", "Tiles", "Gutters", "Chimneys")
    )
    found = run(
        "<title>Miller Roofing</title><nav><a href=/a>Home</a> <a href=/b>About us</a> <a href=/c>Prices</a></nav>"
        "<h1>Miller Roofing</h1><div class=hero><h2>A dry house since 1986</h2>"
        "<p>We mend roofs all over the county, in any weather.</p><a href=/x>Get a quote</a></div>"
        f"<div class=grid>{wares}</div><form><label>Name</label><input><label>Phone</label><input>"
        "<button>Call me back</button><small>We answer within a day.</small></form>",
        "http://roofs.example/services",
    )
    assert "We mend roofs all over the county, in any weather." in found.body
    assert "Tiles by our own people" in found.body
    assert "About us" not in found.body


def test_a_foreign_list_has_all_its_entries() -> None:
    jobs = ["Wall clocks", "Wrist watches", "Tower clocks", "Barometers", "Music boxes", "Old keys", "Sundials"]
    cards = "".join(f"<li><h3>{job}</h3><a href=/{n}>In a day</a></li>" for n, job in enumerate(jobs * 3))
    found = run(
        "<title>Clock menders</title><nav><a href=/a>Home</a> <a href=/b>Prices</a> <a href=/c>Blog</a></nav>"
        f"<h1>Clock menders</h1><p>We mend what ticks, and what should.</p><ul class=grid>{cards}</ul>"
        "<footer><a href=/terms>Terms</a> <a href=/jobs>Jobs</a> <a href=/press>Press</a></footer>",
        "http://clocks.example/",
    )
    assert found.kind is PageKind.LIST
    assert found.body.splitlines()[1:] == [line for job in jobs * 3 for line in (job, "In a day")]


def test_an_article_ends_at_its_comments() -> None:
    comments = "".join(f"<p>{n}楼说：{sentence}</p>" for n, sentence in enumerate(SENTENCES))
    body = f"{paragraphs()}<h3>网友评论</h3>{comments}"
    assert run(page("老渡口重开", "<h1>老渡口重开</h1>", body)).body.splitlines()[-1].startswith(SENTENCES[4])


@pytest.mark.parametrize(
    ("kind", "ends"), [(PageKind.ARTICLE, True), (PageKind.OTHER, True), (PageKind.PRODUCT, False)]
)
def test_comments_end_pages_of_no_kind_too(kind: PageKind, ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.reader.extract.best._kind", lambda *_: (kind, NONE))
    said = "".join(f"<p>{sentence}！</p>" for sentence in SENTENCES)
    found = run(page("老渡口重开", "<h1>老渡口重开</h1>", f"{paragraphs()}<h3>Komentarze (4)</h3>{said}"))
    assert ("！" in found.body) is not ends


@pytest.mark.parametrize(
    ("site", "url", "kind"),
    [
        ("某某的博客", "", PageKind.ARTICLE),
        ("某某论坛", "", PageKind.THREAD),
        ("某某的博客", "http://bbs.example/1.html", PageKind.THREAD),
    ],
)
def test_a_thread_without_posts_is_an_article(
    site: str, url: str, kind: PageKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.reader.extract.best._kind", lambda *_: (PageKind.THREAD, NONE))
    found = run(page(f"老渡口春天重开 - {site}", "<h1>老渡口春天重开</h1>", paragraphs()), url)
    assert (found.kind, found.posts) == (kind, ())
    assert all(sentence in found.body for sentence in SENTENCES)


def test_what_is_told_twice_is_kept_once() -> None:
    body = paragraphs()
    found = run(page("老渡口重开", "<h1>老渡口重开</h1>", body, f"<div class='content phone'>{body}</div>"))
    assert found.body.count(SENTENCES[0]) <= 1


def test_a_refrain_in_one_element_is_kept() -> None:
    refrain = "月亮走，我也走，我送阿哥到村口，到呀到村口，路旁的槐花开满了枝头，小河的流水绕过了山沟，阿哥你莫要回头。"
    song = "".join(f"<p>{sentence}</p><p>{refrain}</p>" for sentence in SENTENCES)
    assert run(page("送阿哥", "<h1>送阿哥</h1>", song)).body.count(refrain) == len(SENTENCES)


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "<script>var a = 1</script>",
        "<title>只有标题</title>",
        "<frameset><frame src=a></frameset>",
        "\0\0\0",
        "<p> </p>",
        "".join(f"<a href=/{n}>第{n}篇</a>" for n in range(50)),
    ],
)
def test_no_body_has_a_reason(markup: str) -> None:
    found = run(markup)
    assert found.body == ""
    assert found.reason
    assert found.kind in (PageKind.OTHER, PageKind.LIST)


@pytest.mark.parametrize(
    "markup",
    [
        page(
            "t",
            "<h1>ملاحظات שלום</h1>",
            "".join(f"<p>{'هذا نص طويل من اليمين إلى اليسار. ' * 9}</p>" for _ in range(5)),
        ),
        f"<html><body><p>{SENTENCES[0]}</p></body></html><p>{SENTENCES[1] * 3}</p>",
        "<div><p>" + SENTENCES[0] * 5 + "<div><p>" + SENTENCES[1] * 5,
        "<head><div>" + "".join(f"<p>{sentence * 2}</p>" for sentence in SENTENCES),
    ],
)
def test_broken_and_foreign_pages_have_a_body(markup: str) -> None:
    found = run(markup)
    assert found.body
    assert not found.reason


def test_many_blocks_end_somewhere() -> None:
    assert run("<br>".join(SENTENCES * 3000)).body


@pytest.mark.parametrize(
    "attributes",
    [
        "style='display:none'",
        "hidden",
        "style='font-size:0'",
        "style='position:absolute; left:-9999px'",
        "style='text-indent:-9999em'",
        "style='opacity: 0.0'",
        "style='height:0;overflow:hidden'",
        "style='clip:rect(0 0 0 0)'",
        "class='row gone'",
        "id=away",
    ],
)
@pytest.mark.parametrize("tag", ["p", "span", "section"])
def test_what_the_page_hides_is_no_text(tag: str, attributes: str) -> None:
    lines = [f"渡口的船每天开八班，第{n}班的时刻写在木牌上，风大的日子就在旁边添一行小字。" for n in "一二三四"]
    rules = "/* p{} */@media print{.row{display:none}}p .b,.gone,#away{display:none}.open{display:none}"
    rules += ".open.on{display:block}"
    hidden = f"<{tag} {attributes}>本文由编辑系统自动生成，请不要转载，也不要修改木牌上的时刻。</{tag}>"
    parts = "".join(f"<p class='row open'>{line}</p>" for line in lines[:3]) + hidden + f"<p>{lines[3]}</p>"
    markup = f"<style>{rules}</style><title>木牌_某某网</title><h1>木牌</h1><div class=content>{parts}</div>"
    assert best(Page(markup, "http://a.example/a/1.html")).body.split("\n") == lines


@pytest.mark.parametrize("attribute", ["data-dismiss", "data-bs-dismiss"])
@pytest.mark.parametrize("close", ["<a href='#' class=close {}=alert>&times;</a>", "<button {}=alert>x</button>"])
def test_what_a_reader_can_take_away_is_no_text(attribute: str, close: str) -> None:
    notice = "本站小程序已经收录这篇文章，请到小程序查看全文和名家点评，每天还有新的故事推送给你，帮助你轻松阅读。"
    text = "".join(f"<p>渡口的第{number}个冬天，河面结了冰，船停在岸边，等人来修。</p>" for number in "一二三")
    box = f"<div class='alert alert-warning'>{close.format(attribute)}<strong>提示：</strong>{notice}</div>"
    for markup in (f"{text}{box}", f"{box}{text}"):
        found = best(Page(f"<title>渡口</title><div><h1>渡口</h1>{markup}</div>")).body
        assert notice not in found and found.count("河面结了冰") == 3
