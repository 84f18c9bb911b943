import pytest

from crawler.reader.extract.best import best
from crawler.reader.extract.script_times import MOST_VALUES, script_time
from crawler.reader.html.page import Page

STORY = "<p>渡口的老船工说，今年水位比往年低，过江要多绕半里路。</p>" * 4


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("var a = {publishTime: '2019-03-08 09:15'}", "2019-03-08T09:15:00"),
        ('var createTime = "2021-11-02 20:05";', "2021-11-02T20:05:00"),
        ('{"pubDate":"2018/7/1 8:00","publishTime":"2018-07-01 08:00"}', "2018-07-01T08:00:00"),
        ('{"publishTime":"2018-07-01","other":{"publishTime":"2018-07-09"}}', None),  # a list
        ("var expires = '2030-01-01'", None),
        ("var publishTime = ''", None),
        ("var publishTime = '2019-13-45 xx'", None),
        ("", None),
    ],
)
def test_times_named_for_a_publication(script: str, expected: str | None) -> None:
    assert script_time(Page(f"<script>{script}</script>{STORY}")) == expected


def test_a_list_of_many_is_read_no_further() -> None:
    values = ",".join('{"publishTime":"2018-07-01"}' for _ in range(MOST_VALUES)) + ',{"publishTime":"2019-01-01"}'
    assert script_time(Page(f"<script>[{values}]</script>{STORY}")) == "2018-07-01"


def test_what_the_page_shows_comes_first() -> None:
    script = "<script>var createTime = '2021-11-02 20:05'</script>"
    hidden = f"<title>渡口</title>{script}<h1>渡口水位下降</h1>{STORY}"
    assert best(Page(hidden)).published == "2021-11-02T20:05:00"
    shown = f"<title>渡口</title>{script}<h1>渡口水位下降</h1><div>发布时间：2021-11-03 08:00</div>{STORY}"
    assert (best(Page(shown)).published or "")[:10] == "2021-11-03"
