"""What the index files of a recorded web list: python -m lab.benchmarks.index_files WEB LABELS.jsonl --aliases
ALIASES.json

For each host the index files are looked for as a crawl would: in robots.txt, in its home page and a few others, then in
the usual places; further index files that an index file names are followed. On-topic posts are those that have a topic
in the labels. "Listed" is their share that the index files of a kind list, of the hosts that have such an index file;
"moved" is the same with what is all at one other host taken for this one (index_files.at_own_host).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from crawler.discovery.index_files import Contents, Entry, FoundBy, IndexFile, Kind, at_own_host
from crawler.discovery.locations import declared_in_page, declared_in_robots, site_root, usual_places
from crawler.discovery.reader import read
from crawler.reader.html.tree import parse
from crawler.reader.html.urls import canonical
from crawler.reader.text.charset import decode
from lab.benchmarks.replayed import add_web, read_labels
from lab.links.labels import Label, Labels
from lab.replay.opening import open_recording
from zhuti.demo.recorded.aliases import load_aliases, www_aliases
from zhuti.demo.recorded.site import Site

HOPS = 5
MOST_INDEX_FILES = 60  # that are opened on a host
HEADINGS = ("title", "text", "whole", "subjects", "updated", "published")


@dataclass
class Opened:
    """An index file that could be fetched."""

    index_kind: IndexFile
    address: str  # behind redirects
    contents: Contents
    size: int  # bytes
    seconds: float
    memory: int  # bytes of Python's at the most while it was read, the answer itself left out


@dataclass
class Host:
    labels: list[Label]
    opened: list[Opened] = field(default_factory=list)
    missing: Counter[tuple[Kind, bool]] = field(
        default_factory=Counter
    )  # index files not there, by kind and whether declared


class Web:
    def __init__(self, path: Path, aliases: Path | None) -> None:
        recording = open_recording(path)
        names = dict(load_aliases(aliases.read_bytes(), str(aliases))) if aliases else {}
        self.names = {**www_aliases(recording.hosts), **names}
        self.site = Site(recording, self.names)
        self.hosts = sorted(recording.hosts)

    def get(self, url: str) -> tuple[str, bytes] | None:
        """Address and body of the answer, None when there is none with status 200."""
        for _ in range(HOPS):
            parts = urlsplit(url)
            query = f"?{parts.query}" if parts.query else ""
            answer = self.site.answer(parts.scheme, parts.netloc, parts.path + query)
            if answer.status == 200:
                return url, answer.body
            location = {name.lower(): value for name, value in answer.headers}.get("location")
            target = canonical(location, url) if location else None
            if target is None:
                return None
            url = target
        return None

    def same(self, url: str) -> str:
        """The address under the name of the host that was recorded."""
        parts = urlsplit(url)
        return f"http://{self.names.get(parts.netloc, parts.netloc)}{url[len(f'{parts.scheme}://{parts.netloc}') :]}"


def index_files_of(web: Web, host: str, pages: list[str]) -> Iterator[IndexFile]:
    """Declared ones, then the usual places; of two that are one the first counts."""
    root = home = f"http://{host}/"
    if robots := web.get(f"{home}robots.txt"):
        yield from declared_in_robots(robots[1].decode("utf-8", "replace"), robots[0])
    for page in [home, *pages]:
        if found := web.get(page):
            tree = parse(decode(found[1])[0])
            yield from declared_in_page(tree, found[0])
            root = site_root(tree, found[0]) if page == home else root
    yield from usual_places(root)


def look(web: Web, name: str, labels: list[Label], pages: int, traced: bool) -> Host:
    host = Host(labels)
    posts = [label.url for label in labels if label.kind == "post"]
    waiting = list(index_files_of(web, name, posts[:: max(1, len(posts) // pages)][:pages] if pages else []))
    seen: set[str] = set()
    while waiting and len(seen) < MOST_INDEX_FILES:
        index_file = waiting.pop(0)
        if web.same(index_file.url) in seen:
            continue
        seen.add(web.same(index_file.url))
        found = web.get(web.same(index_file.url))
        if found is None:
            host.missing[index_file.kind, index_file.found is not FoundBy.GUESS] += 1
            continue
        if traced:
            tracemalloc.start()
        start = time.thread_time()
        contents = read(found[1], found[0], time.time())
        taken = time.thread_time() - start
        memory = tracemalloc.get_traced_memory()[1] if traced else 0
        tracemalloc.stop()
        host.opened.append(Opened(index_file, found[0], contents, len(found[1]), taken, memory))
        waiting[:0] = contents.index_files
    return host


def listed(web: Web, labels: Labels, entries: list[Entry]) -> set[str]:
    """Addresses of on-topic posts among them."""
    found = set()
    for url in {web.same(entry.url) for entry in entries}:
        label = labels.of(url) or labels.of(f"{url}/")
        if label is not None and label.kind == "post" and label.topics:
            found.add(label.url)
    return found


def report(web: Web, labels: Labels, hosts: dict[str, Host]) -> None:
    columns = "".join(f"{heading:>10}" for heading in HEADINGS)
    print(
        f"{'kind':<14}hosts  declared  guessed  index files  entries  listed   moved{columns}  ms/1,000  MB/1,000   MB"
    )
    for kind in (*Kind, None):
        mine = {name: [o for o in host.opened if kind in (None, o.contents.kind)] for name, host in hosts.items()}
        mine = {
            name: [o for o in opened if o.contents.entries or o.contents.index_files] for name, opened in mine.items()
        }
        mine = {name: opened for name, opened in mine.items() if opened}
        opened = [o for several in mine.values() for o in several]
        entries = [entry for o in opened for entry in o.contents.entries]
        if not entries:
            continue
        declared = sum(any(o.index_kind.found is not FoundBy.GUESS for o in several) for several in mine.values())
        found = listed(web, labels, entries)
        moved = listed(web, labels, [e for o in opened for e in at_own_host(o.contents, o.address).entries])
        wanted = sum(bool(label.kind == "post" and label.topics) for name in mine for label in hosts[name].labels)
        shares = "".join(f"{sum(has(entry, name) for entry in entries) / len(entries):10.3f}" for name in HEADINGS)
        thousands = len(entries) / 1000
        seconds, peaks = sum(o.seconds for o in opened), sum(o.memory for o in opened) / 1e6
        memory = f"{peaks / thousands:.2f}" if peaks else "-"
        print(
            f"{kind or 'all':<14}{len(mine):5}{declared:10}{len(mine) - declared:9}{len(opened):7}{len(entries):9}"
            f"{len(found) / max(wanted, 1):8.3f}{len(moved) / max(wanted, 1):8.3f}{shares}"
            f"{seconds * 1e3 / thousands:10.1f}{memory:>10}{sum(o.size for o in opened) / 1e6:5.1f}"
        )


def has(entry: Entry, name: str) -> bool:
    value = getattr(entry, name)
    return bool(value) if name != "updated" and name != "published" else value is not None


def report_places(hosts: dict[str, Host]) -> None:
    """Where index files were found, and which could not be read."""
    usual: Counter[str] = Counter()
    for name, host in hosts.items():
        paths = {
            urlsplit(o.index_kind.url).path.strip("/"): o
            for o in host.opened
            if o.contents.entries or o.contents.index_files
        }
        usual.update(path for path in paths if "/" not in path)
        for o in host.opened:
            if o.contents.reason:
                print(f"  {name} {o.index_kind.url} ({o.index_kind.found}): {o.contents.kind}: {o.contents.reason}")
    print("files at the root, by hosts:", ", ".join(f"{name} {count}" for name, count in usual.most_common(20)))
    missing: Counter[tuple[Kind, bool]] = Counter()
    for host in hosts.values():
        missing.update({key: 1 for key in host.missing if not any(o.contents.kind is key[0] for o in host.opened)})
    for (kind, declared), count in sorted(missing.items()):
        if declared:
            print(f"{kind}: declared by {count} hosts that have none recorded")
    print("hosts without any:", sum(not any(o.contents.entries for o in host.opened) for host in hosts.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_web(parser)
    parser.add_argument("--pages", type=int, default=3, help="pages of a host that are looked at beside its home page")
    parser.add_argument("--memory", action="store_true", help="trace Python's memory; makes reading slower")
    args = parser.parse_args()
    web, labels = Web(args.web, args.aliases), read_labels(args)
    by_host: dict[str, list[Label]] = defaultdict(list)
    for label in labels:
        by_host[urlsplit(label.url).netloc].append(label)
    hosts = {name: look(web, name, by_host[name], args.pages, args.memory) for name in web.hosts if name in by_host}
    print(f"{len(hosts)} hosts")
    report(web, labels, hosts)
    report_places(hosts)


if __name__ == "__main__":
    main()
