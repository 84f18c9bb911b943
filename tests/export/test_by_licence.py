from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import ExportError
from zhuti.export.corpus import export
from zhuti.export.field_stages import Licences, deed
from zhuti.export.stage import in_a_row

SAID = {
    "https://a.example/": "CC BY 4.0",
    "https://b.example/": "CC BY 4.0; no reprint",
    "https://c.example/": "",
    "https://d.example/": "CC BY-SA 3.0",
    "https://e.example/": "CC0 1.0",
}


@pytest.fixture
def harvested(crawl, kept):
    crawl.frontier.seed(SAID, now=0)
    visits = [kept(claim) for claim in crawl.claim()]
    crawl.store.commit(
        [
            replace(visit, analysis=replace(visit.analysis, licence=SAID[visit.claim.url], licence_scope="page"))
            for visit in visits
        ]
    )
    return crawl


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("allowed", "hosts"),
    [
        (["cc-by", "cc0"], "ae"),
        (["CC BY 4.0"], "a"),
        (["cc-by-3.0", "cc-by-sa"], "d"),
        (["cc-by", "no-reprint"], "ab"),
    ],
)
def test_allowed(harvested, folder: Path, allowed: list[str], hosts: str) -> None:
    out = folder / "c.jsonl"
    shape = in_a_row([Licences(allowed, out)])
    assert export(harvested.database, "t", out, fields=("url", "licence"), shape=shape) == len(hosts)
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [line["url"][8] for line in lines] == list(hosts)
    assert all(line["licence"] == SAID[line["url"]] for line in lines)
    told = (folder / "c.jsonl.ATTRIBUTION.md").read_text("utf-8")
    assert [line["url"] in told for line in lines] == [True] * len(hosts)
    assert told.count("\n- ") == len(hosts)
    assert f"{5 - len(hosts)} pages without are left out" in (folder / "README.md").read_text("utf-8")


def test_none(harvested, folder: Path) -> None:
    out = folder / "c.jsonl"
    with pytest.raises(ExportError, match=r"no page with licence gpl; the pages say: CC BY 4.0 \(1\)"):
        export(harvested.database, "t", out, shape=in_a_row([Licences(["gpl"], out)]))
    assert list(folder.glob("c.*")) == []


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("CC BY-NC-SA 4.0", "https://creativecommons.org/licenses/by-nc-sa/4.0/"),
        ("CC BY", ""),
        ("CC0 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
        ("Public Domain Mark 1.0", "https://creativecommons.org/publicdomain/mark/1.0/"),
        ("https://a.example/terms", "https://a.example/terms"),
        ("no reprint", ""),
    ],
)
def test_deed(name: str, address: str) -> None:
    assert deed(name) == address
