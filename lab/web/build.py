"""Makes a recorded web again from its manifest: its pages, their labels, other names of its hosts, its licences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.web import repository
from lab.web.labels import labels, topics
from lab.web.manifest import Host, digest
from lab.web.pages import Described, described
from zhuti.demo.recorded.site import ALIASES_FILE, www_aliases

STORES, PAGES, LABELS, HOSTS, LICENCES = "repositories", "pages", "labels.jsonl", "hosts.txt", "LICENCES.md"


@dataclass(frozen=True, slots=True)
class Built:
    """What came of one host."""

    host: Host
    pages: int
    pages_digest: str
    index_digest: str
    licence: str  # the first line of its repository's licence file
    rows: list[dict[str, object]]  # its labels

    @property
    def differs(self) -> list[str]:
        """What is not as the manifest says."""
        found = {
            "pages": self.pages_digest != self.host.pages_digest,
            "index files": self.index_digest != self.host.index_digest,
        }
        return [name for name, is_other in found.items() if is_other]


def build(hosts: Sequence[Host], folder: Path) -> Iterable[Built]:
    """Yields each host when it is done; then writes what holds for all. A host that stands in `folder` already is not
    fetched again. Raises ReplayError when a repository cannot be had."""
    names = _names(hosts)
    for host in hosts:
        repository.fetched(host.address, host.commit, folder / STORES / f"{host.name}.git")
    with ProcessPoolExecutor() as pool:
        done = []
        for built in pool.map(partial(_host, folder=folder, names=names), hosts):
            done.append(built)
            yield built
    rows = (json.dumps(row, ensure_ascii=False) for built in done for row in built.rows)
    (folder / LABELS).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    (folder / HOSTS).write_text("".join(f"{host.name}\n" for host in hosts), encoding="utf-8")
    others = {host.name: {"host": host.name, "aliases": host.aliases} for host in hosts}
    (folder / ALIASES_FILE).write_text(json.dumps(others, indent=1), encoding="utf-8")
    (folder / LICENCES).write_text(_licences(done), encoding="utf-8")


def _names(hosts: Sequence[Host]) -> dict[str, set[str]]:
    """All names of each host, as the replay knows them."""
    known = {host.name: host.name for host in hosts} | {alias: host.name for host in hosts for alias in host.aliases}
    known |= {other: known[name] for other, name in www_aliases(known).items() if ".github.io" not in other}
    return {host.name: {name for name, of in known.items() if of == host.name} for host in hosts}


def _host(host: Host, folder: Path, names: dict[str, set[str]]) -> Built:
    store, root = folder / STORES / f"{host.name}.git", folder / PAGES / host.name
    pages: list[tuple[str, bytes, Described]] = []
    index: list[tuple[str, bytes]] = []
    for path, content in repository.files(store, host.commit):
        is_page, own = repository.PAGE.search(path), names[host.name]
        page = described(content, host.name, f"/{path}", own) if is_page else None
        if page is not None and page.kind == "empty":
            continue
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        if page is not None:
            pages.append((path, content, page))
        else:
            index.append((path, content))
    pages.sort(key=lambda each: _place(each[0]))
    of_pages = digest((path, content) for path, content, _ in pages)
    rows = labels(host.name, [page for _, _, page in pages], names[host.name], topics())
    said = repository.licence(store, host.commit)
    return Built(host, len(pages), of_pages, digest(index), said, rows)


def _place(path: str) -> list[tuple[bool, str]]:
    """Orders the files of a folder before its folders, as os.walk does."""
    *folders, name = path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]


def _licences(done: Iterable[Built]) -> str:
    lines = [f"| {one.host.name} | {one.host.repository} | {one.licence or 'none stated'} |" for one in done]
    head = [
        "The pages are their authors'. What their repositories state:",
        "",
        "| host | repository | licence |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *lines, ""])
