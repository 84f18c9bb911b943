from crawler.reader.html.page import Page
from lab.extraction.recorded_posts import container, post_label

WORDS = ["渡口", "果园", "水库", "木桥", "茶山", "磨坊", "石塔", "集市"]


def post(number: int) -> Page:
    word = WORDS[number]
    text = f"<p>{word}在村子的第{number}个弯道后面，从前每天有人走，现在只有赶集的日子才热闹。</p>" * 9
    code = f"<pre>  open {word}\n    close</pre><table><tr><td>甲<br>乙<td>{number}</tr></table>"
    menu = "<div class=menu>这个网站写的是一条河两岸的村子和村子里的人，欢迎常来</div>"
    return Page(f"{menu}<div class=page><h1>{word}</h1><div class=post>{text}{code}</div></div>")


def test_the_element_that_holds_the_posts_is_found_and_read() -> None:
    pages = [post(number) for number in range(len(WORDS))]
    look = container(pages)
    assert look == ("div", "post", None)
    label = post_label(pages[0], look)
    assert label is not None
    assert label["code"] == ["  open 渡口", "    close"]
    assert label["cells"] == ["甲 乙", "0"]
    assert label["body"].startswith("渡口在村子的第0个弯道后面")
    assert post_label(Page("<p>别的</p>"), look) is None


def test_pages_without_anything_in_common_have_no_container() -> None:
    assert container([Page(f"<p class={word}>{word * 200}</p>") for word in WORDS]) is None
