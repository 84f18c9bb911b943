"""Near-duplicates of many texts: what is found, and that nothing depends on how much is sorted at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from crawler.reader.text.minhash import VALUES, resemblance, signature
from zhuti.corpus import repetitions as module
from zhuti.corpus.repetitions import repetitions

NEAR = 0.5


def drawn(seed: int, texts: int, copies: int) -> NDArray[np.uint8]:
    """Random signatures, and later ones that agree with an earlier one in some of their values."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 256, (texts + copies, VALUES), np.uint8)
    for place in range(texts, texts + copies):
        kept = random.random(VALUES) < random.random()
        rows[place, kept] = rows[random.integers(place), kept]
    return rows


def by_comparing_all(rows: NDArray[np.uint8]) -> dict[int, int]:
    found: dict[int, int] = {}
    for later in range(len(rows)):
        for earlier in range(later):
            if earlier not in found and resemblance(rows[later].tobytes(), rows[earlier].tobytes()) >= NEAR:
                found[later] = earlier
                break
    return found


@given(st.integers(0, 1000))
def test_stars(seed: int) -> None:
    """What is found is there; what is kept is repeated by no text that is kept, but for the few that share no band."""
    rows = drawn(seed, 30, 30)
    found = {later: (earlier, share) for later, earlier, share in repetitions(rows, NEAR)}
    for later, (earlier, share) in found.items():
        assert earlier < later
        assert earlier not in found
        assert share == pytest.approx(resemblance(rows[later].tobytes(), rows[earlier].tobytes()))
        assert share >= NEAR
    assert list(found) == sorted(found)
    assert len(by_comparing_all(rows).keys() ^ found.keys()) <= 3


def test_most_are_found() -> None:
    found = missed = 0
    for seed in range(10):
        rows = drawn(seed, 60, 60)
        told = {later for later, _, _ in repetitions(rows, NEAR)}
        all_of_them = by_comparing_all(rows).keys()
        found, missed = found + len(told & all_of_them), missed + len(all_of_them - told)
    assert found / (found + missed) > 0.97


def test_sorted_by_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = drawn(1, 500, 500)
    whole = list(repetitions(rows, NEAR))
    monkeypatch.setattr(module, "MOST_AT_ONCE", 64)
    monkeypatch.setattr(module, "CHUNK", 7)
    assert list(repetitions(rows, NEAR)) == whole
    assert len(whole) > 100


def test_a_chain_is_not_one_text() -> None:
    """Each resembles its neighbours alone."""
    chain = np.random.default_rng(2).integers(0, 256, (3, VALUES), np.uint8)
    chain[1, :80] = chain[0, :80]
    chain[2, 48:] = chain[1, 48:]
    chain[2, :48] = chain[0, :48] + 1
    found = {later: earlier for later, earlier, _ in repetitions(chain, NEAR)}
    assert found == {1: 0}, "the third resembles the second, which is not kept, and not the first"


def test_thousands_of_one_text_are_compared_with_few() -> None:
    rows = np.repeat(drawn(3, 1, 0), 3000, axis=0)
    assert {earlier for _, earlier, _ in repetitions(rows, NEAR)} == {0}


@pytest.mark.parametrize("texts", [0, 1, 2])
def test_few(texts: int) -> None:
    assert list(repetitions(drawn(4, texts, 0), NEAR)) == []


def test_real_texts() -> None:
    text = "".join(f"第{n}步，把水烧到{n + 60}度，静置{n * 7}秒，再分到{n + 2}只杯里。" for n in range(30))
    other = "".join(f"第{n}章写{n * 3}年的雨，{n + 1}个人在檐下说话。" for n in range(40))
    rows = [signature(said) for said in (text, other, text.replace("水", "茶"), other + "完。")]
    found = list(repetitions(np.frombuffer(b"".join(rows), np.uint8).reshape(4, VALUES), NEAR))
    assert [(later, earlier) for later, earlier, _ in found] == [(2, 0), (3, 1)]
