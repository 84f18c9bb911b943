"""A dictionary with a bound."""

from hypothesis import given, strategies as st

from crawler.bounded_dict import BoundedDict


@given(st.lists(st.integers(0, 9), max_size=60), st.integers(1, 6))
def test_what_was_written_last_stays(keys: list[int], most: int) -> None:
    recent: BoundedDict[int, int] = BoundedDict(most)
    for at, key in enumerate(keys):
        recent[key] = at
    last = list(dict.fromkeys(reversed(keys)))[:most]
    assert list(recent) == last[::-1]
    assert all(keys[at] == key for key, at in recent.items())
