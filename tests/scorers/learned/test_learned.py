"""The learning scorer on small webs of its own."""

import random

import pytest

from crawler.records import Ended, JudgedPage, Link, Outcome, Outlink
from crawler.scorers import score_batches
from crawler.scorers.learned import ranking
from crawler.scorers.learned.ipagerank import IPageRankLearned
from crawler.scorers.learned.scorer import CHANCE, Learned
from crawler.scorers.learned.url_table import NOT_WAITING, Column, Table
from crawler.scorers.learned.words import first_pages, pattern, purpose
from crawler.scorers.papers.ranked import RANK_EVERY


def page(url: str, nearness: float, *outlinks: Outlink, post: float = 1.0, distance: int = 0) -> JudgedPage:
    return JudgedPage(url, nearness, nearness >= 0.3, nearness / 3, 1, distance, outlinks, post)


def link(url: str, anchor: str = "", path: str = "html/body/a") -> Outlink:
    return Outlink(Link(url, anchor, tag_path=path), 0.0)


def crawled(pages: int = 200) -> Learned:
    """Of posts called 甲 those are on topic, of those called 乙 none; no word is the topic's own."""
    scorer = Learned()
    names = ["甲类文章", "乙类文章"]
    scorer.observe(
        page("http://a.example/", 0.0, *(link(f"http://a.example/p/{n}", names[n % 2]) for n in range(pages)))
    )
    for n in range(pages):
        scorer.observe(page(f"http://a.example/p/{n}", 0.9 if n % 2 == 0 else 0.0))
    return scorer


def test_it_learns_words_from_its_own_judgements() -> None:
    told = crawled().observe(
        page("http://b.example/", 0.0, link("http://b.example/1", "甲类"), link("http://b.example/2", "乙类"))
    )
    assert told["http://b.example/1"] > told["http://b.example/2"] + 0.2


def test_it_learns_that_links_of_one_tag_path_behave_alike() -> None:
    scorer = Learned()
    rows = [link(f"http://a.example/{n}", path="html/body/ul/li/a" if n % 2 else "html/body/p/a") for n in range(120)]
    scorer.observe(page("http://a.example/", 0.0, *rows))
    for n in range(100):
        scorer.observe(page(f"http://a.example/{n}", 0.9 if n % 2 else 0.0))
    told = scorer.refresh()
    assert min(told[f"http://a.example/{n}"] for n in (101, 103)) > max(
        told[f"http://a.example/{n}"] for n in (100, 102)
    )


def test_a_list_that_opens_much_is_worth_more_than_one_that_does_not() -> None:
    scorer = crawled()
    for n in range(40):
        host = f"http://h{n}.example"
        scorer.observe(page(f"{host}/", 0.0, link(f"{host}/all", "目录"), link(f"{host}/me", "简介"), post=0.0))
        found = [link(f"{host}/p/{k}", "甲类文章") for k in range(20)]
        scorer.observe(page(f"{host}/all", 0.0, *found, post=0.0))
        scorer.observe(page(f"{host}/me", 0.0, post=0.0))
    told = scorer.observe(
        page(
            "http://x.example/",
            0.0,
            link("http://x.example/all", "目录"),
            link("http://x.example/me", "简介"),
            post=0.0,
        )
    )
    assert told["http://x.example/all"] > told["http://x.example/me"]


def test_the_next_page_of_a_list_is_worth_what_its_pages_have_opened() -> None:
    """Though both lists are of one host, which shows as much on each."""
    scorer, worth = Learned(), {}
    lists = [f"http://a.example/list-{name}/" for name in "abcdefgh"]
    scorer.observe(page("http://a.example/", 0.0, *(link(each, "目录") for each in lists), post=0.0))
    for number, each in enumerate(lists):
        posts = [link(f"http://a.example/p/{number}-{n}", "文章") for n in range(10)]
        onward = link(f"{each}page/2/", "2", "html/body/nav/a")
        worth |= scorer.observe(page(each, 0.0, *posts, onward, post=0.0))
        for post in posts[:6]:
            scorer.observe(page(post.link.url, 0.9 if number == 0 else 0.0))
        worth |= scorer.refresh()
    assert worth[f"{lists[0]}page/2/"] > max(worth[f"{each}page/2/"] for each in lists[1:]) + 0.1


def test_the_next_list_of_a_good_host_is_worth_more_than_that_of_a_bad_one() -> None:
    """Though lists of the kind open as many links on both."""
    scorer = crawled()
    for n in range(60):
        name = "甲类文章" if n % 6 == 0 else "丙类文章"
        host = f"http://h{n % 6}.example"
        posts = [link(f"{host}/p/{n}/{k}", name) for k in range(8)]
        lists = [link(f"{host}/page/{k}/", f"第{k}页", "html/body/nav/a") for k in (n, n + 6)]
        scorer.observe(page(f"{host}/page/{n}/", 0.0, *posts, *lists, post=0.0))
        scorer.observe(page(f"{host}/p/{n}/0", 0.9 if n % 6 == 0 else 0.0))
    told = scorer.observe(
        page(
            "http://x.example/",
            0.0,
            *(link(f"http://h{h}.example/page/{100 + h}/", "第9页", "html/body/nav/a") for h in range(6)),
            post=0.0,
        )
    )
    best = max(told, key=lambda url: told[url])
    assert best == "http://h0.example/page/100/"
    assert told[best] > 1.2 * max(score for url, score in told.items() if url != best)


@pytest.mark.parametrize(("kind", "named", "worth"), [("", "", 1.0), ("sitemap", "", 1.0), ("search-index", "甲", 0.2)])
def test_a_list_is_worth_what_its_own_host_lacks(kind: str, named: str, worth: float) -> None:
    """Lists of hosts with an index opened nothing. On a host without one, and where a sitemap has told addresses
    alone, they bring titles."""
    scorer = crawled()
    for n in range(40):
        host = f"http://h{n}.example"
        posts = [link(f"{host}/p/{k}", f"甲类文章之{k}") for k in range(20)]
        scorer.observe(page(f"{host}/", 0.0, link(f"{host}/all", "目录"), post=0.0))
        index = JudgedPage(f"{host}/search.json", 0.0, False, 0.0, 1, 0, tuple(posts), 0.0, "search-index")
        if n % 4:
            scorer.observe(index)
        scorer.observe(page(f"{host}/all", 0.0, *posts, post=0.0))
    seen = [link(f"http://x.example/p/{k}", named and f"甲类文章之{k}") for k in range(20)]
    if kind:
        scorer.observe(JudgedPage("http://x.example/index", 0.0, False, 0.0, 1, 0, tuple(seen), 0.0, kind))
    lists = [link(f"http://{name}.example/all", "目录") for name in ("x", "without")]
    scorer.observe(page("http://x.example/", 0.0, *lists, post=0.0))
    hub = {one.link.url: scorer.explain(one.link.url, page("x", 0.0))[1].value for one in lists}
    assert hub["http://x.example/all"] == pytest.approx(worth * hub["http://without.example/all"], rel=0.6)


def test_reading_the_lists_of_a_host_does_not_make_it_off_topic() -> None:
    """What a list is not is a post; of what the posts are about it says nothing."""
    scorer = crawled()
    for host, lists in (("few", 1), ("many", 30)):
        for n in range(lists):
            scorer.observe(page(f"http://{host}.example/list/{n}", 0.1, post=0.0))
        for n in range(4):
            scorer.observe(page(f"http://{host}.example/p/{n}", 0.9))
    told = scorer.observe(
        page("http://x.example/", 0.1, *(link(f"http://{h}.example/p/9", "甲类") for h in ("few", "many")), post=0.0)
    )
    few, many = (
        next(part.value for part in scorer.explain(f"http://{h}.example/p/9", page("x", 0.0)) if part.name == CHANCE)
        for h in ("few", "many")
    )
    assert told.keys() == {"http://few.example/p/9", "http://many.example/p/9"}
    assert many > 0.6 * few


def test_links_to_lists_are_not_taken_for_posts() -> None:
    """However much their words are the topic's own: the chance of a harvest is small, they are worth what they open."""
    scorer = Learned()
    made = [(f"http://h{n % 5}.example/{'tags' if n % 2 else 'p'}/{n}", n % 2 == 0) for n in range(200)]
    links = [link(url, "甲类", "html/body/nav/a" if not post else "html/body/h2/a") for url, post in made]
    scorer.observe(page("http://x.example/", 0.0, *links, post=0.0))
    for url, post in made:
        scorer.observe(page(url, 0.9, post=float(post)))
    scorer.observe(
        page(
            "http://y.example/",
            0.0,
            link("http://h1.example/p/999", "甲类", "html/body/h2/a"),
            link("http://h1.example/tags/999", "甲类", "html/body/nav/a"),
        )
    )
    chance = {
        kind: next(p.value for p in scorer.explain(f"http://h1.example/{kind}/999", page("x", 0.0)) if p.name == CHANCE)
        for kind in ("p", "tags")
    }
    assert chance["p"] > 0.7
    assert chance["tags"] < 0.3


def chance_of(scorer: Learned, url: str) -> float:
    return next(part.value for part in scorer.explain(url, page("x", 0.0)) if part.name == CHANCE)


@pytest.mark.parametrize(
    ("outcome", "nowhere"),
    [(Outcome.FAILED, True), (Outcome.NOT_HTML, True), (Outcome.FORBIDDEN, True), (Outcome.REDIRECT, False)],
)
def test_links_of_a_kind_that_lead_nowhere_are_followed_less(outcome: Outcome, nowhere: bool) -> None:
    """Those of another kind on the same host, which answers, as much as before."""
    scorer = crawled()
    kinds = [link(f"http://a.example/{kind}/x{n}", "甲类") for kind in ("old", "new") for n in range(12)]
    scorer.observe(page("http://b.example/", 0.0, *kinds))
    before = {kind: chance_of(scorer, f"http://a.example/{kind}/x11") for kind in ("old", "new")}
    for n in range(10):
        scorer.observe_end(Ended(f"http://a.example/old/x{n}", outcome))
    assert chance_of(scorer, "http://a.example/new/x11") == pytest.approx(before["new"])
    parts = {part.name: part.value for part in scorer.explain("http://a.example/old/x11", page("x", 0.0))}
    assert parts["chance that it is a page"] < -1 if nowhere else parts["chance that it is a page"] > 2
    old = chance_of(scorer, "http://a.example/old/x11")
    assert old < 0.2 * before["old"] if nowhere else old == pytest.approx(before["old"])


def test_a_host_that_never_answers_is_not_asked_for_long() -> None:
    scorer = crawled()
    links = [link(f"http://{name}.example/p/x{n}", "甲类") for name in ("gone", "unknown") for n in range(12)]
    scorer.observe(page("http://b.example/", 0.0, *links))
    for n in range(10):
        scorer.observe_end(Ended(f"http://gone.example/p/x{n}", Outcome.FAILED))
    assert chance_of(scorer, "http://gone.example/p/x11") < 0.2 * chance_of(scorer, "http://unknown.example/p/x11")


def test_a_list_of_links_that_lead_nowhere_opens_nothing() -> None:
    """Lists of both kinds have as many links; those of one kind are dead."""
    scorer = crawled()
    for n in range(60):
        kind = "tags" if n % 2 else "page"
        posts = [link(f"http://a.example/{kind}/{n}/x{k}", "甲类文章") for k in range(8)]
        lists = [link(f"http://a.example/{kind}/{n + 2}/", kind, "html/body/nav/a")]
        scorer.observe(page(f"http://a.example/{kind}/{n}/", 0.0, *posts, *lists, post=0.0))
        if n % 2:
            for k in range(8):
                scorer.observe_end(Ended(f"http://a.example/{kind}/{n}/x{k}", Outcome.FAILED))
    opens = {
        kind: next(
            part.value
            for part in scorer.explain(f"http://a.example/{kind}/{n}/", page("x", 0.0))
            if part.name == "expected new links (hub)"
        )
        for kind, n in (("page", 60), ("tags", 61))
    }
    assert opens["page"] > 2 * opens["tags"]


def test_asking_why_changes_nothing() -> None:
    asked, silent = crawled(), crawled()
    for scorer in (asked, silent):
        scorer.observe(page("http://b.example/", 0.0, *(link(f"http://a.example/q/{n}", "甲类") for n in range(40))))
    for n in range(30):
        for scorer in (asked, silent):
            scorer.observe_end(Ended(f"http://a.example/q/{n}", Outcome.FAILED))
        assert asked.explain(f"http://a.example/q/{n + 1}", page("x", 0.0))
    news = page("http://c.example/", 0.2, *(link(f"http://c.example/{n}", "甲类") for n in range(30)))
    assert asked.observe(news) == silent.observe(news)
    assert asked.refresh() == silent.refresh()


def test_a_host_is_known_by_its_home_page_and_by_what_links_to_it_say() -> None:
    """Before one of its posts was read."""
    scorer = crawled()
    for n, host in enumerate(("near", "far", "middle")):
        said = (link(f"http://{host}.example/{k}", "") for k in range(9))
        scorer.observe(page(f"http://{host}.example/", (0.3, 0.0, 0.1)[n], *said, post=0.0))
    worth = {
        host: sum(part.value for part in scorer.explain(f"http://{host}.example/3", page("x", 0.0)) if not part.of)
        for host in ("near", "far", "middle")
    }
    assert worth["near"] > worth["middle"] > worth["far"]


def test_what_was_taught_again_scores_the_same() -> None:
    """After a restart `refresh` is called once only."""
    chance = random.Random(3)
    pages = [
        page(
            f"http://h{n % 5}.example/{n}",
            chance.random(),
            *(link(f"http://h{t % 5}.example/{t}", f"词{t}") for t in chance.sample(range(400), 9)),
        )
        for n in range(110)
    ]
    one, other = Learned(), Learned()
    for judged in pages:
        one.observe(judged)
        one.refresh()
        other.observe(judged)
    last = page("http://z.example/", 0.5, link("http://h1.example/9999", "词"), link("http://h2.example/222", "词"))
    assert one.observe(last) == other.observe(last)


def test_a_topic_that_matches_nothing_goes_on_with_finite_scores() -> None:
    scorer = Learned()
    for n in range(120):
        told = scorer.observe(page(f"http://a.example/{n}", 0.0, link(f"http://a.example/{n + 1}"), distance=n))
        assert all(0.0 <= score < 100.0 for score in told.values())


def test_a_host_of_identical_links_and_link_cycles() -> None:
    scorer = Learned()
    same = [link("http://a.example/x", "同")] * 5000
    assert scorer.observe(page("http://a.example/", 0.0, *same)).keys() == {"http://a.example/x"}
    for _ in range(3):
        scorer.observe(page("http://a.example/x", 0.5, link("http://a.example/")))
        scorer.observe(page("http://a.example/", 0.5, link("http://a.example/x")))
    assert not scorer.observe(page("http://a.example/", 0.5, link("http://a.example/x")))


@pytest.mark.parametrize(
    ("one", "like", "unlike"),
    [
        ("thread-12-1-1.html", "thread-7-1-1.html", "forum-2-1.html"),
        ("view.php?tid=3", "view.php?tid=4", "view.php?tid=4&page=2"),
        ("view.php?tid=3", "view.php?tid=4", "space.php?uid=4"),
        ("html/2020/0203/123.html", "html/2021/1103/7.html", "html/2020/0203/123_2.html"),
        ("2020/my-title.html", "2021/a-longer-title-of-2021.html", "2020/12.html"),
        ("?p=12", "?p=13", "?cat=12"),
    ],
)
def test_patterns_of_files_and_questions(one: str, like: str, unlike: str) -> None:
    assert pattern(f"http://a.example/{one}") == pattern(f"http://a.example/{like}")
    assert pattern(f"http://a.example/{one}") != pattern(f"http://a.example/{unlike}")


@pytest.mark.parametrize(
    ("url", "anchor", "first"),
    [
        ("/thread-5-2-1.html", "2", "/thread-5-1-1.html"),
        ("/viewthread.php?tid=5&page=12", "12", "/viewthread.php?tid=5"),
        ("/view?page=2&tid=5", "[2]", "/view?tid=5"),
        ("/a/20200101/123_3.htm", "第3页", "/a/20200101/123.htm"),
        ("/a/20200101/123_03.htm", "03", None),
        ("/some-post/2/", "2", "/some-post/"),
        ("/page/2/", "2", "/"),
        ("/thread-5-2-1.html", "two", None),
        ("/thread-5-2-1.html", "1", None),
        ("/thread-5-2-1.html", "", None),
        ("/2020/", "2020", None),
        ("/thread-52-1-1.html", "2", None),
        ("/list?from=20", "2", None),
    ],
)
def test_the_first_page_of_a_further_one(url: str, anchor: str, first: str | None) -> None:
    found = list(first_pages(f"http://a.example{url}", anchor))
    assert f"http://a.example{first}" in found if first else not found


def test_a_further_page_of_a_post_is_no_post_and_that_of_a_list_may_lead_to_some() -> None:
    scorer = crawled()
    further = [link(f"http://a.example/{name}-2.html", "2") for name in ("t", "f")]
    scorer.observe(page("http://a.example/f-1.html", 0.0, link("http://a.example/t-1.html", "甲类文章"), post=0.0))
    scorer.observe(page("http://a.example/f-1.html", 0.0, further[1], post=0.0))
    before = chance_of(scorer, "http://a.example/t-1.html")
    scorer.observe(page("http://a.example/t-1.html", 0.9, further[0]))
    assert chance_of(scorer, "http://a.example/t-2.html") == 0.0 < before
    asked = page("http://a.example/t-1.html", 0.9)
    assert "further page of a post" in {part.name for part in scorer.explain("http://a.example/t-2.html", asked)}
    assert chance_of(scorer, "http://a.example/f-2.html") > 0.0
    scorer.observe(page("http://a.example/t-2.html", 0.9, link("http://a.example/t-3.html", "3")))
    assert scorer._table.post[scorer._evidence.row("http://a.example/t-2.html")] == 0.0
    assert chance_of(scorer, "http://a.example/t-3.html") == 0.0


def test_patterns_and_purposes() -> None:
    assert pattern("http://a.example/2019/08/one") == pattern("http://a.example/2021/11/two")
    assert pattern("http://a.example/tags/one/") == pattern("http://a.example/tags/two/")
    assert pattern("http://a.example/tags/one") != pattern("http://a.example/posts/one")
    assert purpose(Link("u", "第 12 页")) == purpose(Link("v", "第 3 页"))
    assert purpose(Link("u", "一篇题目相当长的文章的题目")) == purpose(Link("v", "又一篇题目也相当长的文章的题目"))


def test_many_waiting_urls_are_scored_anew_in_bounded_turns_and_the_best_are_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the frontier was told of the best URLs is what the scorer thinks of them now, or nearly."""
    for name, value in (("BEST", 120), ("REST", 15), ("NEAR", 40)):
        monkeypatch.setattr(ranking, name, value)
    monkeypatch.setattr(score_batches, "AT_A_TIME", 10)
    chance, scorer, told = random.Random(5), Learned(), dict[str, float]()
    for n in range(240):
        names = {f"http://h{k % 7}.example/{chance.choice(['甲', '乙'])}/{n}/{k}" for k in range(9)}
        links = (link(name, f"{name[18]}类文章") for name in sorted(names))
        first = max(told, key=lambda url: told[url], default="http://h0.example/")
        told.pop(first, None)
        judged = page(first, 0.9 if "甲" in first else 0.0, *links)
        told.update(scorer.observe(judged))
        news = scorer.refresh()
        assert len(news) <= 10 + 15
        assert news.keys() <= told.keys()
        told.update(news)
    best = sorted(told, key=lambda url: -told[url])[:10]
    now = {url: sum(part.value for part in scorer.explain(url, judged) if not part.of) for url in told}
    right = sorted(now.values(), reverse=True)[9]
    assert all(now[url] > 0.9 * right for url in best)
    assert scorer._ranking.cut > NOT_WAITING, "there were more than BEST"


def test_a_growing_table_keeps_what_it_holds() -> None:
    table = Table()
    for start in range(0, 5000, 700):
        rows, new = table.add([f"http://a.example/{n}" for n in range(start, start + 700)])
        assert new.all()
        table.values[rows, 3] = rows
        assert (table.score[rows] == NOT_WAITING).all()
        table.score[rows] = 1.0
    assert table.values[:5600, 3].tolist() == list(range(5600))
    assert (table.score[:5600] == 1.0).all()
    assert (table.score[5600:] == NOT_WAITING).all()


def test_what_a_redirect_leads_to_is_worth_what_its_link_was() -> None:
    """And what comes of it is a lesson of that link."""

    def told_after(redirects: bool) -> float:
        scorer = Learned()
        names = ["甲类文章", "乙类文章"]
        links = (link(f"http://www.a.example/p/{n}", names[n % 2]) for n in range(80))
        scorer.observe(page("http://a.example/", 0.0, *links))
        for n in range(80):
            url = f"http://a.example/p/{n}"
            if redirects:
                scorer.observe_end(Ended(f"http://www.a.example/p/{n}", Outcome.REDIRECT, url))
            scorer.observe(page(url, 0.9 if n % 2 == 0 else 0.0))
        told = scorer.observe(
            page("http://b.example/", 0.0, link("http://b.example/1", "甲类"), link("http://b.example/2", "乙类"))
        )
        return told["http://b.example/1"] - told["http://b.example/2"]

    assert told_after(redirects=True) > 0.2 > told_after(redirects=False)


def test_a_redirect_to_a_known_url_gives_it_what_its_link_said() -> None:
    scorer = Learned()
    said = Outlink(Link("http://a.example/old"), own_relevance=0.9, relevance=0.9, anchor_relevance=0.9)
    before = scorer.observe(
        page("http://a.example/", 0.0, said, link("http://a.example/new"), link("http://a.example/other"))
    )
    assert before["http://a.example/new"] == before["http://a.example/other"]
    scorer.observe_end(Ended("http://a.example/old", Outcome.REDIRECT, "http://a.example/new"))
    told = scorer.observe(page("http://a.example/2", 0.0, link("http://a.example/new"), link("http://a.example/other")))
    assert told["http://a.example/new"] > told["http://a.example/other"]


def test_texts_that_a_index_file_holds_tell_what_its_host_is_about() -> None:
    """Also for those of its pages of which no index file holds a text."""
    scorer = Learned()
    for name, nearness in (("good", 0.9), ("bad", 0.0)):
        entries = [Outlink(Link(f"http://{name}.example/p/{n}"), nearness=nearness) for n in range(20)]
        scorer.observe(JudgedPage(f"http://{name}.example/feed", 0.0, False, 0.0, 1, 0, tuple(entries), 0.0, "feed"))
    told = scorer.observe(
        page("http://c.example/", 0.0, link("http://good.example/p/x"), link("http://bad.example/p/x"))
    )
    assert told["http://good.example/p/x"] > told["http://bad.example/p/x"]


def test_a_text_counts_also_where_a_sitemap_came_before() -> None:
    """A sitemap names addresses only; what a list says of them later is learned all the same."""
    scorer = crawled()
    urls = [f"http://new.example/p/{n}" for n in range(2)]
    entries = tuple(link(url, path="sitemap") for url in urls)
    scorer.observe(JudgedPage("http://new.example/sitemap.xml", 0.0, False, 0.0, 1, 0, entries, 0.0, "sitemap"))
    told = scorer.observe(page("http://new.example/", 0.0, link(urls[0], "甲类"), link(urls[1], "乙类")))
    assert told[urls[0]] > told[urls[1]] + 0.2


def test_a_title_takes_the_place_of_a_shorter_text() -> None:
    """Many links to one address say "next" or "12"; what the longer one says is learned."""
    scorer = crawled()
    urls = [f"http://new.example/p/{n}" for n in range(2)]
    scorer.observe(page("http://new.example/p/9", 0.0, *(link(url, "12") for url in urls)))
    told = scorer.observe(page("http://new.example/", 0.0, link(urls[0], "甲类的文章"), link(urls[1], "乙类的文章")))
    assert told[urls[0]] > told[urls[1]] + 0.2


def test_importance_of_pages_that_were_redirects_before() -> None:
    """A URL that once led elsewhere shares a row with its target, and may give a page of its own later."""
    scorer = IPageRankLearned()
    scorer.observe(page("http://a.example/", 0.0, link("http://a.example/old")))
    scorer.observe_end(Ended("http://a.example/old", Outcome.REDIRECT, "http://a.example/new"))
    told = scorer.observe(page("http://a.example/old", 0.9, link("http://a.example/x"), link("http://a.example/y")))
    assert told.keys() == {"http://a.example/x", "http://a.example/y"}
    for n in range(RANK_EVERY):
        links = link(f"http://b.example/{n + 1}"), link("http://b.example/hub", path="html/body/p/a")
        told = scorer.observe(page(f"http://b.example/{n}", 0.9, *links))
    handed = scorer._table.values[:, Column.HANDED]
    rows = {url: scorer._table.find(url) for url in ("http://a.example/x", "http://b.example/hub")}
    assert handed[rows["http://b.example/hub"]] > 5 * handed[rows["http://a.example/x"]] > 0.0
