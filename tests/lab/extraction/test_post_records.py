from crawler.records import Post
from lab.extraction.post_records import bylines, told

LABEL = """ann
Sun Dec 17, 2023 11:23 am
On 3 May 2023 I went there, and nobody else was to be seen.

bob (Bob B) \u00b7 2023-12-18 10:00
Edited 2023-12-19
So did I."""


def test_lines_of_who_wrote_when() -> None:
    assert list(bylines(LABEL)) == [("ann", "2023-12-17"), ("bob", "2023-12-18")]


def test_what_the_posts_tell_of_them() -> None:
    posts = (
        Post("a", "Ann", "2023-12-17T11:23:00", 1),
        Post("b", "bob", "2023-12-19", 2),
        Post("c", "", "2023-12-18", 3),
    )
    assert told(list(bylines(LABEL)), posts) == {"posts": 2, "day": 2, "author": 2, "both": 1}
