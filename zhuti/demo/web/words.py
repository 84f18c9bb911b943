"""Vocabulary, read from words/*.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zhuti.demo.web.model import Subject

FOLDER = Path(__file__).parent / "words"
TOPICS = ("machine-learning", "security", "java", "life-essays")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one topic. Sentences have places {a} and {b} for two terms of a subject, {subject}, {tool}, {thing},
    {problem}, {effect}, and {n} and {percent} for numbers."""

    name: str
    chinese: str
    tools: list[str]
    things: list[str]
    problems: list[str]
    effects: list[str]
    subjects: tuple[Subject, ...]
    titles: list[str]
    openings: list[str]
    sentences: list[str]
    closings: list[str]
    questions: list[str]
    replies: list[str]


@dataclass(frozen=True, slots=True)
class Common:
    """The words that pages of every topic share."""

    surnames: list[str]
    given: list[str]
    nicks: list[str]
    fillers: list[str]
    navigation: list[str]
    banners: list[str]
    notices: list[str]
    hot: list[str]
    ad_titles: list[str]
    ad_sentences: list[str]


def load_words(topic: str) -> Vocabulary:
    content = _read(topic.replace("-", "_"))
    subjects = tuple(Subject(entry["slug"], entry["name"], tuple(entry["terms"])) for entry in content.pop("subjects"))
    return Vocabulary(subjects=subjects, **content.pop("prose"), **content)


def load_common() -> Common:
    return Common(**_read("common"))


def _read(name: str) -> dict[str, Any]:
    with (FOLDER / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)
