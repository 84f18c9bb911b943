from dataclasses import replace
from pathlib import Path

import pytest

from lab.extraction.evaluation import score
from lab.extraction.labelled import LabelledPage

THREAD = LabelledPage("zh/x/1", "a.cn", "zh", "forum", "", "问船票\n两元", "问船票", None, Path())


@pytest.mark.parametrize("label", ["问船票\n两元", "两元"])
@pytest.mark.parametrize("found", ["问船票\n两元", "两元"])
def test_a_threads_title_counts_neither_for_nor_against(label: str, found: str) -> None:
    assert score(replace(THREAD, body=label), (found, "", None)).body == (1, 1, 1)
    article = score(replace(THREAD, body=label, kind="article"), (found, "", None)).body
    assert article is not None
    assert (article[2] == 1) is (label == found)
