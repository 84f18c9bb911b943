import random

import pytest
from datasketch import MinHash
from hypothesis import given, settings, strategies as st

from crawler.reader.text.minhash import BANDS, RUN, VALUES, band_keys, candidates, resemblance, shingles, signature

TEXT = "山里的气象站每天记录三次风向，管理员把读数写进一本厚厚的簿子。夏天的雷雨常常在午后到来，雨量筒放在草地上。"


def letters(count: int, seed: int) -> str:
    chance = random.Random(seed)
    return "".join(chr(chance.randrange(0x4E00, 0x9000)) for _ in range(count))


EQUAL = [
    ("機器學習與資料", "机器学习与资料"),
    ("ＡＢＣ 机器", "abc机器"),
    ("机器，学习。数据！", "机器学习数据"),
    ("one, two; three four", "One Two\nThree FOUR"),
    ("a b c d e", "a  b\tc d e"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_the_same_shingles(one: str, other: str) -> None:
    assert shingles(one).tolist() == shingles(other).tolist()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("。，！", 0),
        ("机", 1),
        ("机器学习", 1),
        ("机器学习的", 2),
        ("one two three four five", 2),
        ("机 器abc学习", 2),
    ],
)
def test_how_many(text: str, count: int) -> None:
    assert RUN == 4
    assert len(shingles(text)) == count


def test_order_and_borders_count() -> None:
    assert shingles("机器学习")[0] != shingles("学习机器")[0]
    assert shingles("ab cd ef gh")[0] != shingles("a bcd ef gh")[0]
    assert shingles("ab cd ef gh")[0] != shingles("ba cd ef gh")[0]


def test_a_stored_signature_stays_what_it_was() -> None:
    """Changing this means computing every stored signature anew: a migration."""
    assert signature(TEXT)[:16].hex() == "b4cd56b0ff25061a5897d203ac8a523a"


def test_short_texts_have_none() -> None:
    assert signature("机器学习" * 10) == b""
    assert band_keys(b"") == []
    assert resemblance(b"", signature(TEXT)) == resemblance(b"", b"") == 0.0


def test_sizes() -> None:
    signed = signature(TEXT)
    assert len(signed) == VALUES
    keys = band_keys(signed)
    assert len(set(keys)) == BANDS
    assert all(0 <= key < 1 << 28 for key in keys)


@given(st.integers(0, 2000), st.integers(0, 10**6))
@settings(max_examples=40)
def test_resemblance_is_jaccards_index(shared: int, seed: int) -> None:
    common, chance = letters(shared, seed), random.Random(seed)
    one, other = (common + letters(2000 - shared, chance.randrange(10**9)) for _ in range(2))
    left, right = set(shingles(one).tolist()), set(shingles(other).tolist())
    exact = len(left & right) / len(left | right)
    assert resemblance(signature(one), signature(other)) == pytest.approx(exact, abs=0.2)
    assert resemblance(signature(one), signature(one)) == 1.0


@given(st.lists(st.lists(st.integers(0, 2), min_size=VALUES, max_size=VALUES), max_size=9))
@settings(max_examples=60)
def test_candidates_are_what_shares_a_band(drawn: list[list[int]]) -> None:
    signed = list(map(bytes, drawn))
    for one in [b"", *signed]:
        keys = set(band_keys(one))
        expected = [0.0 if keys.isdisjoint(band_keys(other)) else resemblance(one, other) for other in signed]
        assert candidates(one, signed).tolist() == pytest.approx(expected)


def test_as_right_as_datasketch() -> None:
    errors: list[float] = []
    theirs: list[float] = []
    for seed in range(30):
        common = letters(1500, seed)
        texts = [common + letters(600, seed + n) for n in (1000, 2000)]
        sets = [set(shingles(text).tolist()) for text in texts]
        exact = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
        sketches = [MinHash(VALUES, hashfunc=int) for _ in sets]
        for sketch, values in zip(sketches, sets, strict=True):
            sketch.update_batch(values)
        theirs.append(abs(sketches[0].jaccard(sketches[1]) - exact))
        errors.append(abs(resemblance(*map(signature, texts)) - exact))
    assert sum(errors) < 1.3 * sum(theirs) + 0.1


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_any_text(text: str) -> None:
    assert len(signature(text)) in (0, VALUES)
