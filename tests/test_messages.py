"""What users read, in their language: the catalogue is whole, and commands speak it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from hypothesis import example, given, strategies as st

from crawler import errors, messages
from crawler.messages import LOCALES, language, translated
from crawler.reader.html.urls import canonical
from crawler.reader.text.printable import legible
from crawler.reasons import NONE, Code, Reason, clause, read, stored, told
from crawler.records import Outcome
from tests.conftest import LOOPBACK, ROOT, Scrapy
from tests.stored import rows

KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}  # as in the Makefile
METHODS = [("**.py", "python"), ("**.html", "jinja2")]
PLACEHOLDER = re.compile(r"\{(\w*)[^{}]*\}|%(?:\(\w+\))?[-.\d]*[a-z]")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def catalogue() -> Catalog:
    with (LOCALES / "zh" / "LC_MESSAGES" / "zhuti.po").open("rb") as file:
        return read_po(file)


def marked() -> set[str]:
    """The messages of the source; of those with a plural, the singular."""
    found = set()
    for folder in ("crawler", "zhuti"):
        for _, _, message, _, _ in extract_from_dir(str(ROOT / folder), METHODS, keywords=KEYWORDS):
            found.add(forms(message)[0])
    return found


@pytest.mark.release
def test_every_message_has_its_translation() -> None:
    translated, of_the_source = {forms(message.id)[0] for message in catalogue() if message.id}, marked()
    assert of_the_source - translated == set(), "run `make messages`, and translate"
    assert translated - of_the_source == set(), "run `make messages`"
    assert [message.id for message in catalogue() if not forms(message.string)[0]] == []


def test_translations_can_be_used() -> None:
    for message in catalogue():
        [text] = forms(message.string)  # Chinese has one form for any count
        assert not message.fuzzy, message.id
        if message.id and text:
            assert placeholders(forms(message.id)[-1]) == placeholders(text), message.id


def placeholders(text: str) -> Counter[str]:
    return Counter(match[0] for match in PLACEHOLDER.finditer(text))


def test_the_compiled_catalogue_is_that_of_the_source() -> None:
    with (LOCALES / "zh" / "LC_MESSAGES" / "zhuti.mo").open("rb") as file:
        compiled = read_mo(file)
    assert pairs(compiled) == pairs(catalogue()), "run `make messages`"


def pairs(messages: Catalog) -> set[tuple[str, ...]]:
    """Those that are translated: others are told in English."""
    told = ((forms(message.id), forms(message.string)) for message in messages if message.id)
    return {(*ours, *theirs) for ours, theirs in told if theirs[0]}


def forms(text: str | Sequence[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in (path for folder in ("crawler", "zhuti") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "N_"):
                yield str(path), node


def test_fields_are_those_of_the_message() -> None:
    for path, call in calls():
        [message] = call.args
        assert isinstance(message, ast.Constant), f"{path}:{call.lineno}: only a literal can be extracted"
        given = {keyword.arg for keyword in call.keywords}
        if given and None not in given:  # None: **fields
            assert given == {name for _, name, _, _ in Formatter().parse(message.value) if name}, (
                f"{path}:{call.lineno}"
            )


def test_fields_of_an_error_are_those_of_its_sentence() -> None:
    kinds = {name for name in vars(errors) if name.endswith("Error")} | {"InUse", "error", "_error", "wrong"}
    checked = 0
    for path in (ROOT / "crawler").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = call.func if isinstance(call, ast.Call) else None
            name = named.id if isinstance(named, ast.Name) else getattr(named, "attr", "")
            if not isinstance(call, ast.Call) or name not in kinds or not call.args or not call.keywords:
                continue
            sentence = call.args[-1]
            assert isinstance(sentence, ast.Call) and isinstance(sentence.args[0], ast.Constant), (
                f"{path}:{call.lineno}"
            )
            fields = {name.partition(".")[0] for _, name, _, _ in Formatter().parse(sentence.args[0].value) if name}
            assert fields == {keyword.arg for keyword in call.keywords}, f"{path}:{call.lineno}"
            checked += 1
    assert checked > 50


@pytest.mark.parametrize(
    ("environ", "spoken"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_ALL": "zh_CN.GBK", "LANG": "C"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "en_US:zh_CN"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LANGUAGE": "fr:zh_CN"}, "zh"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "zh_CN"}, "en"),
        ({"LANG": "C", "ZHUTI_LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "ZHUTI_LANG": "en"}, "en"),
    ],
)
def test_language(environ: Mapping[str, str], spoken: str) -> None:
    assert language(environ) == spoken


@pytest.mark.parametrize(
    ("environ", "encoding", "begins"),
    [
        ({"ZHUTI_LANG": "zh"}, "utf-8", "错误："),
        ({"LANG": "zh_CN.UTF-8"}, "utf-8", "错误："),
        ({"LC_ALL": "C"}, "utf-8", "Error: "),
        ({"LANG": "zh_CN.GBK", "PYTHONIOENCODING": "gbk"}, "gbk", "错误："),
        ({"ZHUTI_LANG": "zh", "PYTHONIOENCODING": "ascii"}, "ascii", "Error: "),
    ],
)
def test_a_mistake_is_told_in_the_users_language(environ: dict[str, str], encoding: str, begins: str) -> None:
    done = run("extract", "no.html", environ=environ)
    assert done.returncode == 2
    assert done.stderr.decode(encoding).startswith(begins)


def run(*arguments: str, environ: dict[str, str], folder: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    cleared = {name: text for name, text in os.environ.items() if not name.startswith(("LC_", "LANG", "ZHUTI_LANG"))}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(command, cwd=folder, env={**cleared, **environ}, capture_output=True, timeout=60)


def test_help_and_argparse_speak_chinese() -> None:
    printed = run("news", "--help", environ={"ZHUTI_LANG": "zh"}).stdout.decode()
    assert printed.startswith("用法：zhuti news TOPIC")
    assert "显示本帮助后退出" in printed and "通用选项" in printed and "（默认 INFO）" in printed
    assert "usage: zhuti news" not in printed
    wrong = run("news", "java", "--limit", environ={"ZHUTI_LANG": "zh"})
    assert wrong.returncode == 2 and "需要一个值" in wrong.stderr.decode()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    text = "这是一篇关于爬虫的文章，讲它怎样选择下一个链接😀。" * 9
    path.write_text(f"<meta charset=utf-8><title>爬虫😀</title><h1>爬虫😀</h1><p>{text}</p>", encoding="utf-8")
    return path


def test_what_programs_read_is_the_same_in_every_language(saved: Path) -> None:
    arguments = ("extract", str(saved), "--jsonl")
    chinese, english = (
        json.loads(run(*arguments, environ={"ZHUTI_LANG": spoken, "PYTHONIOENCODING": encoding}).stdout)
        for spoken, encoding in (("zh", "utf-8"), ("en", "ascii"))
    )
    assert chinese == english and chinese["kind"] == "article" and chinese["title"] == "爬虫😀"


def test_a_terminal_without_the_letters_gets_escapes(saved: Path) -> None:
    done = run("extract", str(saved), environ={"LANG": "zh_CN.GBK", "PYTHONIOENCODING": "gbk"})
    assert done.returncode == 0, done.stderr
    printed = done.stdout.decode("gbk")
    assert "标题：" in printed and "爬虫\\U0001f600" in printed


@pytest.fixture
def chinese() -> Iterator[None]:
    with messages.speaking("zh"):
        yield


SCRIPTS_AND_LOGIN = Reason(Code.RENDERED_AND, reason=Reason(Code.LOGIN))


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("reason", "sentence", "words"),
    [
        (NONE, "", ""),
        (Reason(Code.BUDGET), "预算已用完", "预算已用完"),
        (Reason(Code.STATUS, status=404), "状态码 404", "状态码 404"),
        (Reason(Code.REDIRECT, url="http://a.example/status 1"), "重定向到 http://a.example/status 1", ""),
        (
            Reason(Code.NO_INDEX_FILE, found=Reason(Code.MANY_PAGES, max_entries=50_000)),
            "不是索引文件：列出的网页超过 50,000 个",
            "",
        ),
        (Reason(Code.SIMILARITY, similarity=0.113, threshold=0.3), "相似度 0.113 低于阈值 0.3", ""),
        (Reason(Code.LINKS), "网页是链接列表。", "是链接列表"),
        (
            Reason(Code.RENDERED_AND, reason=Reason(Code.LOGIN)),
            "执行了网页的脚本：网页要求登录。",
            "执行了网页的脚本：要求登录",
        ),
        (Reason.of("ValueError: no one knows"), "ValueError: no one knows", ""),
        (Reason(Code.SIMILARITY, similarity="high"), 'similarity {"similarity":"high"}', ""),  # others wrote it
    ],
)
def test_a_reason_is_told_in_the_users_language(reason: Reason, sentence: str, words: str) -> None:
    assert (told(reason), clause(reason)) == (sentence, words or sentence)
    assert read(stored(reason)) == reason
    assert not CHINESE.search(str(reason)), "programs read English"


@pytest.mark.usefixtures("chinese")
def test_words_of_tables_are_told_in_the_users_language() -> None:
    assert (translated(Outcome.OFF_TOPIC), translated("")) == ("不切题", "")
    assert translated("topic: {evidence}", evidence=translated("own words")) == "切题：自身词语"


@given(st.text())
@example("links {")
@example('links {"a":[]}')
@example('status {"status":[[]]}')
@example("redirect 7")
def test_what_others_have_written_is_a_reason_in_words(text: str) -> None:
    found = read(text)
    assert isinstance(found, Reason) and isinstance(told(found), str)
    assert read(stored(found)) == found


def test_a_crawl_in_chinese(cold_scrapy: Scrapy, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prints Chinese, stores codes."""
    monkeypatch.setenv("ZHUTI_LANG", "zh")
    crawl = cold_scrapy("crawl", "topic", "-a", "topic=java", "-a", f"seeds={site}", *LOOPBACK)
    assert "主题 java 的抓取结果" in crawl.stdout and "收获率" in crawl.stdout and "下一步：" in crawl.stdout
    assert rows(tmp_path, "SELECT ended FROM runs") == [("finished",)]
    for (reason,) in rows(tmp_path, "SELECT DISTINCT reason FROM fetches UNION SELECT reason FROM judgements"):
        assert not CHINESE.search(str(reason))
    assert "第 1 次运行" in cold_scrapy("news", "java").stdout
    why = cold_scrapy("why", f"{site}0.html", "--quick").stdout
    assert "主题 java：已入库" in why and "来自链接" in why
    report = cold_scrapy("report", "java", "-s", f"REPORTS_DIR={tmp_path}")
    page = Path(report.stdout.strip()).read_text(encoding="utf-8")
    assert '<html lang="zh">' in page and "最好的主机" in page and "Best hosts" not in page


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("http://a.example/%E4%B8%BB%E9%A2%98/?q=%E7%88%AC", "http://a.example/主题/?q=爬"),
        ("http://xn--fiqs8s.example/", "http://中国.example/"),
        ("xn--fiqs8s.example", "中国.example"),
        ("http://xn--80ak6aa92e.com/", "http://xn--80ak6aa92e.com/"),  # Cyrillic that reads as a Latin name
        ("http://a.example/%E4%B8", "http://a.example/%E4%B8"),  # no UTF-8
        ("http://a.example/%E2%80%AE%20%0A", "http://a.example/%E2%80%AE%20%0A"),  # turns the line round
        ("http://a.example/%D0%B0%EF%BD%81", "http://a.example/%D0%B0%EF%BD%81"),
    ],
)
def test_legible_urls(url: str, read: str) -> None:
    assert legible(url) == read


@given(st.text(max_size=20))
@example("主题。，%20")
def test_a_legible_url_is_the_same_address(path: str) -> None:
    url = canonical(f"http://中文.example/{path}")
    if url is not None:
        assert canonical(legible(url)) == url


def test_what_users_read_is_marked() -> None:
    """Errors that users can fix, help, and what is printed."""
    told = {
        *(name for name in vars(errors) if name.endswith("Error")),
        "InUse",
        "UsageError",
        "print",
        "to_stderr",
        "warn",
    }
    for path in (path for folder in ("crawler", "zhuti") for path in (ROOT / folder).rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            said = [keyword.value for keyword in call.keywords if keyword.arg == "help"]
            said += call.args[:1] if isinstance(call.func, ast.Name) and call.func.id in told else []
            for text in said:
                pieces = text.values if isinstance(text, ast.JoinedStr) else [text]
                words = [str(piece.value) for piece in pieces if isinstance(piece, ast.Constant)]
                assert not any(re.search(r"[a-z]{3}", word) for word in words), f"{path}:{text.lineno}: mark it by _()"
