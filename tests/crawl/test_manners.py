"""What publishers forbid, in crawls of a small server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawl.test_fetching import outcomes, page
from tests.crawl.test_private_addresses import crawl, server

NOINDEX = "its publisher forbids keeping it (noindex)"


def answer(path: str) -> tuple[int, dict[str, str], bytes]:
    name = path.strip("/")
    meta = {"hidden": "noindex", "dead": "nofollow"}.get(name)
    head = f'<head><meta name="robots" content="{meta}">' if meta else "<head>"
    links = ["/hidden", "/dead", "/headed"] if not name else [f"/{name}-leads-here"]
    body = page(name or "首页", *links).replace(b"<head>", head.encode())
    return 404 if "robots.txt" in name else 200, {"X-Robots-Tag": "none"} if name == "headed" else {}, body


@pytest.mark.parametrize("obey", [True, False])
def test_noindex_and_nofollow(tmp_path: Path, topics: Path, obey: bool) -> None:
    with server("127.0.0.1", answer) as (port, _):
        host = f"http://127.0.0.1:{port}"
        more = ("-s", "ALLOW_ADDRESSES=127.0.0.0/8", "-s", f"ROBOTS_TAGS_OBEY={obey}", "-s", "PAGE_BUDGET=8")
        crawl(tmp_path, topics, [f"{host}/"], *more)
    ends = {url.removeprefix(f"{host}/"): end for url, end in outcomes(tmp_path).items()}
    assert ends[""][0] == ends["dead"][0] == "kept"
    assert (ends["hidden"] == ("off-topic", NOINDEX)) == obey
    assert (ends["headed"] == ("off-topic", NOINDEX)) == obey
    assert "hidden-leads-here" in ends, "a page that is not kept leads on"
    assert ("dead-leads-here" in ends) != obey
    assert ("headed-leads-here" in ends) != obey
