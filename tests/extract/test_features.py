"""What the features of blocks say, on small pages of our own: one page, the columns it is about, their values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.blocks import read_blocks
from crawler.extract.features import Page, _strongest, describe
from crawler.html.tree import parse

TEXT = "桥头的面馆今年换了招牌，老板说旧的那块用了二十六年，字早就看不清了，他还是收在后院里。"
TAGS = ["<div>", "</div>", "<ul>", "<li class=x>", "</ul>", "<p>", "<a href=/>", "</a>", "<br>", "字，", "2019-01-02 "]


def read(markup: str, title: str = "") -> tuple[Page, dict[str, np.ndarray]]:
    page, names = describe(read_blocks(parse(markup)), title)
    assert len(set(names)) == len(names) == page.matrix.shape[1]
    return page, dict(zip(names, page.matrix.T, strict=True))


def posts(count: int) -> str:
    """Threads: each post with a name, an hour and a text."""
    return "".join(
        f"<div class=post><div class=author>用户{n}</div><div class=when>10:2{n}</div><div class=say>{TEXT}</div></div>"
        for n in range(count)
    )


def test_densities() -> None:
    _, of = read("<p><a href=/>一二三四</a>五，六。</p>")
    assert np.expm1(of["size"][0]) == pytest.approx(8)
    assert np.expm1(of["tokens"][0]) == pytest.approx(6)
    assert of["linked"][0] == pytest.approx(0.5)
    assert of["marks"][0] == pytest.approx(2 / 8)
    assert np.expm1(of["commas"][0]) == pytest.approx(1)
    assert of["stop"][0] == 1


def test_places() -> None:
    _, of = read(f"<p>一</p><p>{TEXT}</p><p>二</p><p>三</p>")
    assert of["row"].tolist() == [0, 0.25, 0.5, 0.75]
    assert of["before"][0] == 0
    assert of["before"][3] > 0.9
    assert of["size_b1"][0] == -1  # there is no block before the first
    assert of["size_b1"][1] == of["size"][0]
    assert of["size_a2"][1] == of["size"][3]


def test_class_words_of_the_block_its_elements_and_all_around() -> None:
    _, of = read("<div class=sidebar><div class=x><div class=x><ul><li>一</ul></div></div></div><p class=nav>二</p>")
    assert of["near_side"].tolist() == of["mid_side"].tolist() == [0, 0]
    assert of["above_side"].tolist() == [1, 0]
    assert of["near_menu"].tolist() == [0, 1]
    assert of["in_ul"].tolist() == [1, 0]
    assert (of["tag_li"].tolist(), of["tag_p"].tolist()) == ([1, 0], [0, 1])


def test_words_in_the_text() -> None:
    _, of = read("<p>版权所有</p><p>Copyright reserved</p><p>网友评论</p>")
    assert of["text_rights"].tolist() == [1, 1, 0]
    assert of["text_comment"].tolist() == [0, 0, 1]


def test_blocks_of_one_path_are_a_cluster() -> None:
    _, of = read("<div><p class=a>一二</p><p class=b>三四</p><p class=b>五六</p></div><span>七八</span>")
    assert np.expm1(of["path_members"]).round().tolist() == [3, 3, 3, 1]
    assert np.expm1(of["style_members"]).round().tolist() == [1, 2, 2, 1]
    assert np.expm1(of["kind_members"]).round().tolist() == [1, 2, 2, 1]


def test_posts_are_told_by_names_and_hours_in_each() -> None:
    page, of = read(f"<h1>面馆换招牌</h1><div>{posts(4)}</div>")
    text = [row for row, block in enumerate(page.blocks.texts) if block == TEXT]
    assert np.expm1(of["kin_count"][text]).round().tolist() == [4] * 4
    assert (
        of["kin_stamped"][text].tolist() == of["kin_named"][text].tolist() == of["kin_told"][text].tolist() == [1] * 4
    )
    assert np.expm1(of["kin_index"][text]).round().tolist() == [0, 1, 2, 3]
    _, plain = read("<div>" + f"<p>{TEXT}</p>" * 4 + "</div>")
    assert plain["kin_stamped"].tolist() == plain["kin_named"].tolist() == [0] * 4


@pytest.mark.parametrize(
    ("text", "stamped"),
    [
        ("2019-03-08 10:22", 1),
        ("3月8日", 1),
        ("两小时前", 1),
        ("Jan 5", 1),
        ("第三章", 0),
        ("共 12 页", 0),
        (TEXT * 2 + "10:22", 0),
    ],
)
def test_stamps(text: str, stamped: int) -> None:
    assert read(f"<p>{text}</p>")[1]["stamp"].tolist() == [stamped]


def test_distance_to_the_line_that_heads_comments() -> None:
    _, of = read(f"<p>{TEXT}</p><p>{TEXT}！</p><h3>网友评论</h3><p>{TEXT}？</p>")
    assert np.expm1(of["until_comment"]).round().tolist() == [2, 1, 0, 50]
    assert np.expm1(of["since_comment"]).round().tolist() == [50, 50, 50, 1]


def test_what_is_told_twice_and_what_breaks_off() -> None:
    _, of = read("<p>回复</p><p>一</p><p>回复</p><p>回复</p><p>桥头的面馆今年换了…</p>")
    assert np.expm1(of["told_twice"]).round().tolist() == [2, 0, 2, 2, 0]
    assert of["teaser"].tolist() == [0, 0, 0, 0, 1]


def test_the_heading_that_repeats_the_title() -> None:
    page, of = read(f"<p>桥头的面馆换招牌</p><h1>桥头的面馆换招牌</h1><p>{TEXT}</p>", "桥头的面馆换招牌_某某网")
    assert page.title_row == 1
    assert of["is_title"].tolist() == [0, 1, 0]
    assert of["from_title"][0] == pytest.approx(-np.log(2))
    assert read("<p>一</p>", "别的")[0].title_row == -1


def test_the_body_s_container() -> None:
    markup = f"<div id=nav><a href=/>一</a></div><div id=main><p>{TEXT}</p><p>{TEXT}！</p></div><div>完</div>"
    _, of = read(markup)
    assert of["top_climb"][1] == of["top_climb"][2] == 0
    assert of["top_climb"][0] > 0
    assert of["top_climb"][3] > 0
    assert of["score_1"][1] > of["score_1"][0]


def test_the_strongest_repetition_around_an_element() -> None:
    #       0 - 1 - 2 - 3
    #        \\- 4
    strength = np.array([1.0, 5.0, 5.0, 2.0, 0.5])
    assert _strongest(strength, np.array([0, 0, 1, 2, 0])).tolist() == [0, 1, 2, 2, 0]  # the inner one of equals


@given(st.lists(st.floats(0, 9), min_size=1, max_size=40), st.randoms())
def test_the_strongest_is_found_at_any_depth(strength: list[float], random: object) -> None:
    parents = [0] + [random.randrange(row) for row in range(1, len(strength))]  # type: ignore[attr-defined]
    best = [0] * len(strength)
    for row in range(1, len(strength)):
        outer = best[parents[row]]
        best[row] = row if strength[row] >= strength[outer] else outer
    assert _strongest(np.array(strength), np.array(parents)).tolist() == best


@given(st.lists(st.sampled_from(TAGS), min_size=1, max_size=60))
def test_features_are_numbers(pieces: list[str]) -> None:
    blocks = read_blocks(parse("".join(pieces)))
    if blocks.texts:
        page, _ = describe(blocks, "字")
        assert page.matrix.shape[0] == len(blocks.texts)
        assert page.matrix.dtype == np.float32
        assert np.isfinite(page.matrix).all()
