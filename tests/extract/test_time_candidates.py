import pytest

from crawler.extract.time_candidates import parse_times


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # papers.md 7.9, test E7: in the text of a block eight figures alone are no date
        ("2015-11-08 10:30:05", ["2015-11-08T10:30:05"]),
        ("2015年11月8日 10:30", ["2015-11-08T10:30:00"]),
        ("2016/3/2", ["2016-03-02"]),
        ("2015-13-40 10:00", []),
        ("20151108", []),
        # and more
        ("2022年05月23日16:55", ["2022-05-23T16:55:00"]),
        ("2015-03-02T10:30:05.123Z", ["2015-03-02T10:30:05Z"]),
        ("2015-03-02T10:30+0800", ["2015-03-02T10:30:00+08:00"]),
        ("Mar 3, 2020 at 4:05 pm", ["2020-03-03T16:05:00"]),
        ("3rd of May 2021", ["2021-05-03"]),
        ("12/25/2020", ["2020-12-25"]),
        ("25.12.2020", ["2020-12-25"]),
        ("12/01/2004 - 01/01/2005", []),
        ("2020-01-01 至 2020-02-01", []),
        ("Jan 1, 2020 – Feb 1, 2020", []),
        ("2015-02-30", []),
        ("1789-07-14", []),
        ("版本 1.2.2015.3", []),
        ("先 2015-03-02 后 2016-04-05", ["2015-03-02", "2016-04-05"]),
    ],
)
def test_parse_times(text: str, expected: list[str]) -> None:
    assert [iso for _, iso, *_ in parse_times(text, compact=False)] == expected


def test_declared_dates_may_be_figures_only() -> None:
    assert [iso for _, iso, *_ in parse_times("20151108")] == ["2015-11-08"]
    assert [iso for _, iso, *_ in parse_times("20151108103005")] == ["2015-11-08T10:30:05"]
