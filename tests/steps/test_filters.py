"""Steps that look at one document."""

from __future__ import annotations

import pytest
from datatrove.data import Document

from tests.steps.conftest import text
from zhuti.steps import Counts, Graded, Judge, Language, PersonalData, Step

PROSE = "茶叶要用沸水冲泡。\n水温因茶而异。\n绿茶宜用八十度的水。"
MENU = "首页\n关于\n归档\n标签\n友链\n搜索\n订阅\n留言\n统计"


@pytest.mark.parametrize(
    ("step", "document", "goes_on"),
    [
        (Language("zh"), text(PROSE), True),
        (Language("en"), text(PROSE), False),
        (Language("en"), text(PROSE, language="en"), True),
        (Language("zh"), text("。", language=""), False),
        (Language("zh", unknown=True), text("。", language=None), True),
        (Graded(), text(MENU), True),  # only told
        (Graded(0.3), text(MENU), False),
        (Graded(0.3), text(f"{PROSE}因此先烧水，例如八十度。\n" * 20), True),
        (Graded(0.3), text(""), False),
        (Counts(), text(""), True),
        (Judge(["java"]), text("Java 虚拟机的垃圾回收：堆、类加载与字节码。Spring Boot 与 MyBatis。" * 3), True),
        (Judge(["java"]), text(PROSE), False),
        (Judge(["java"], everything=True), text(PROSE), True),
        (Judge(["java"]), text("Java 虚拟机的垃圾回收、类加载与字节码。" * 3, kind="list"), False),
        (Judge(["java"]), text("Java 虚拟机的垃圾回收、类加载与字节码。" * 3, forbids=["noai"]), False),
        (Judge(["java"], waived=["noai"]), text("Java 虚拟机的垃圾回收、类加载与字节码。" * 3, forbids=["noai"]), True),
    ],
)
def test_what_goes_on(step: Step, document: Document, goes_on: bool) -> None:
    assert [one.id for one in step.run([document])] == ([document.id] if goes_on else [])


def test_counts() -> None:
    document = text("Java 虚拟机 has 3 parts")
    assert Counts().look(document)
    assert (document.metadata["characters"], document.metadata["tokens"]) == (16, 7)


def test_many_topics_at_once() -> None:
    document = text("Java 虚拟机的垃圾回收：堆、类加载与字节码。Spring Boot 与 MyBatis。" * 3)
    assert Judge(["java", "mathematics"]).look(document)
    told = {one["topic"]: one for one in document.metadata["judgements"]}
    assert told["java"]["kept"]
    assert not told["mathematics"]["kept"]
    assert "below the threshold" in told["mathematics"]["reason"]


@pytest.mark.parametrize("mask", [True, False])
def test_personal_data(mask: bool) -> None:
    document = text("电话 13812345678，邮箱 tea@a.example。", title="找 13812345678")
    assert PersonalData(mask).look(document)
    assert document.metadata["personal"] == {"mail": 1, "identity": 0, "card": 0, "phone": 2}
    assert (document.text == "电话 [phone]，邮箱 [mail]。") is mask
    assert (document.metadata["title"] == "找 [phone]") is mask
