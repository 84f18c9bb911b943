import pytest
from hypothesis import given, strategies as st

from crawler.reader.text.tokens import MAX_WORD, Tokenizer, stop_words

TERMS = ("機器學習", "Machine Learning", "K近邻", "K-Means", "Node.js", ".NET", "go", "C", "TCP/IP", "A/B测试")

TESTS = [
    ("", []),
    ("，。!?", []),
    ("我们的研究", ["研究"]),
    ("机器学习", ["机器学习"]),
    ("機器學習", ["机器学习"]),
    ("机器 学习", ["机器", "学习"]),
    ("Machine Learning", ["machine learning"]),
    ("ＭＡＣＨＩＮＥ　ｌｅａｒｎｉｎｇ", ["machine learning"]),
    ("machine-learning, machine\nlearning", ["machine learning", "machine learning"]),
    ("machine", ["machine"]),
    ("用K近邻与k means聚类", ["k近邻", "k-means", "聚类"]),
    ("学习C++和C#", ["学习", "c++", "c#"]),
    ("c++11", ["c++"]),
    ("i++; abc++", ["abc"]),
    (".NET与ASP.NET", [".net", "asp.net"]),
    ("node.js Vue.js", ["node.js", "vue.js"]),
    ("the end.Next sentence", ["end", "sentence"]),
    ("Go and C, r", ["go", "c"]),
    ("TCP/IP", ["tcp/ip"]),
    ("A/B测试", ["a/b测试"]),
    ("3.14 2020 ４２", []),
    ("don't it's python's", ["python"]),
    ("snake_case", ["snake", "case"]),
    ("Привет мир", ["привет", "мир"]),
    ("x" * (MAX_WORD + 1), []),
    ("〇㐀㐁々", ["〇", "㐀", "㐁", "々"]),
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(TERMS)


@pytest.mark.parametrize(("text", "expected"), TESTS)
def test_tokens(tokenizer: Tokenizer, text: str, expected: list[str]) -> None:
    assert tokenizer.tokens(text) == expected


def test_terms_do_not_leak_into_another_tokenizer(tokenizer: Tokenizer) -> None:
    assert Tokenizer().tokens("机器学习 machine learning") == ["机器", "学习", "machine", "learning"]


def test_very_long_runs_are_cut(tokenizer: Tokenizer) -> None:
    assert tokenizer.tokens("机器学习" * 20_000) == ["机器学习"] * 20_000
    assert tokenizer.tokens("a" * 200_000) == []


def test_longest_term_wins() -> None:
    tokenizer = Tokenizer(["deep learning", "deep learning model"])
    assert tokenizer.tokens("a deep learning model, deep learning") == ["deep learning model", "deep learning"]


def test_stop_words_are_folded() -> None:
    assert {"的", "the", "版权", "我们"} <= stop_words()
    assert all(word == word.lower() for word in stop_words())


SHARED = Tokenizer(TERMS)


@given(st.text())
def test_every_token_is_a_word(text: str) -> None:
    for token in SHARED.tokens(text):
        assert token
        assert token == token.strip()


@given(st.sampled_from(TERMS), st.sampled_from(["", "，", " ", "。\n"]), st.integers(1, 4))
def test_terms_come_out_whole(term: str, gap: str, times: int) -> None:
    expected = SHARED.tokens(term)
    assert len(expected) == 1
    assert SHARED.tokens(f"{gap or ' '}".join([term] * times)) == expected * times
