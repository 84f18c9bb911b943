"""What travels between processes."""

from __future__ import annotations

import pickle

from crawler.records import Link, Outlink


def test_links_come_out_of_a_pipe_as_they_went_in() -> None:
    link = Link("http://a.example/", "题", around="文", position=0.5, noise=True, subjects=("a", "b"), updated=1.0)
    outlink = Outlink(link, 0.1, 0.2, 0.3, nearness=0.4)
    assert pickle.loads(pickle.dumps(outlink)) == outlink
    assert pickle.loads(pickle.dumps(link)) == link
