"""The data card of a corpus: what is in it, where it comes from, how it was made; its head is what
`datasets.load_dataset(FOLDER)` reads to find the file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from crawler.document import Document
from crawler.reader.text.printable import in_markdown, printable
from zhuti.export.selection import DATE, Selection

README = "README.md"
STATUS = 3  # characters of the status of a file that is not there; digests are longer
BINS = 20  # of the similarity histogram
BAR = 40  # characters of its longest bar
HOSTS = 50  # named
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGEST = "1M<n<10M"
BODY_TEXT = "body text only"


@dataclass(slots=True)
class Tally:
    """What a card tells, counted while the pages go by: memory for each host and licence, not for each page."""

    pages: int = 0
    characters: int = 0
    hosts: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)  # answers about them
    similarity: list[int] = field(default_factory=lambda: [0] * BINS)
    fetched: tuple[str, str] = ("", "")  # first and last
    published: tuple[str, str] = ("", "")
    steers: tuple[str, ...] = ()  # what people blocked and boosted
    told: Counter[str] = field(default_factory=Counter)  # pages by what the files of their sites were when fetched
    forbidden: Counter[str] = field(default_factory=Counter)  # pages of the topic, by what their publishers forbid

    def counted(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yields the documents, and counts them."""
        for document in documents:
            self._add(document)
            yield document

    def _add(self, document: Document) -> None:
        self.pages += 1
        self.characters += len(document.body)
        self.hosts[document.host] += 1
        self.languages[document.language or "unknown"] += 1
        if document.label:
            self.labels[document.label] += 1
        for path, said in json.loads(document.consent or "{}").get("files", {}).items():
            self.told[f"{path}: {'none' if len(said) == STATUS else 'there'}"] += 1
        if document.licence:
            self.licences[document.licence] += 1
        self.similarity[min(max(int(document.similarity * BINS), 0), BINS - 1)] += 1
        self.fetched = _wider(self.fetched, document.fetched_at[:DATE])
        if document.published:
            self.published = _wider(self.published, document.published[:DATE])


def card(
    topic: str,
    name: str,
    data_files: str,
    fields: Iterable[str],
    selection: Selection,
    tally: Tally,
    bodies: str = BODY_TEXT,
    told: Iterable[str] = (),
) -> str:
    """The card of the corpus `name`, in Markdown. `data_files`: a glob of what `datasets` loads, "" for a format that
    it cannot. `bodies`: what is written of the pages. `told`: what else became of them."""
    parts = (
        _head(topic, data_files, tally),
        f"{_mark(name)}\n# {topic}\n\nWeb pages about the topic *{topic}*, {bodies}, in `{name}`.",
        _counts(tally),
        _table("Hosts", "pages", tally.hosts, HOSTS),
        _licences(tally),
        _forbidden(tally),
        *([_table("Files of sites", "pages", tally.told, HOSTS)] if tally.told else []),
        _histogram(tally.similarity),
        _made(fields, selection, tally.steers, told),
    )
    return "\n\n".join(parts) + "\n"


def place(path: Path) -> Path:
    """Where the card of the file `path` goes: README.md beside it when the folder holds nothing but the file and its
    card, so that the folder is a data set; else FILE.README.md, so that no other README.md is touched."""
    try:
        there = {item.name for item in path.parent.iterdir() if not item.name.startswith(".")} - {path.name}
    except OSError:  # writing will tell
        return path.with_name(README)
    own = f"{path.name}.{README}"
    others = {name for name in there if not name.startswith(f"{path.name}.")}  # than what belongs to the file
    if others <= {README} and (README not in others or _is_card_of(path.with_name(README), path.name)):
        return path.with_name(README)
    return path.with_name(own)


def has_card(path: Path) -> bool:
    """Whether the file was written by an export: its card lies beside it."""
    return any(_is_card_of(path.with_name(name), path.name) for name in (README, f"{path.name}.{README}"))


def _is_card_of(readme: Path, name: str) -> bool:
    try:
        return _mark(name) in readme.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def _mark(name: str) -> str:
    return f"<!-- data card of {name} -->"


def _wider(known: tuple[str, str], value: str) -> tuple[str, str]:
    first, last = known
    return min(first or value, value), max(last, value)


def _head(topic: str, data_files: str, tally: Tally) -> str:
    """YAML; JSON strings and lists are YAML."""
    languages = sorted(printable(language) for language in tally.languages if language != "unknown")
    size = next((name for bound, name in SIZES if tally.pages < bound), LARGEST)
    lines = ["---", f"pretty_name: {_quoted(topic)}", "license: unknown", f"size_categories: {_quoted([size])}"]
    if languages:
        lines.append(f"language: {_quoted(languages)}")
    lines.append('task_categories: ["text-generation"]')
    if data_files:
        lines += ["configs:", "- config_name: default", f"  data_files: {_quoted(data_files)}"]
        if data_files.endswith(".txt"):
            lines.append("  sample_by: document")
    return "\n".join([*lines, "---"])


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _counts(tally: Tally) -> str:
    languages = ", ".join(f"{in_markdown(name)} {count:,}" for name, count in _most(tally.languages))
    ranked = tally.hosts.most_common(1)
    largest = f", the largest with {ranked[0][1] / tally.pages:.0%} of the pages" if len(tally.hosts) > 1 else ""
    rows = {
        "pages": f"{tally.pages:,}",
        "characters": f"{tally.characters:,}",
        "hosts": f"{len(tally.hosts):,}{largest}",
        "languages": languages or "none",
        "fetched": " to ".join(dict.fromkeys(tally.fetched)) or "never",
        "published": " to ".join(dict.fromkeys(tally.published)) or "unknown",
    }
    if tally.labels:
        rows["labels"] = ", ".join(f"{answer} {count:,}" for answer, count in _most(tally.labels))
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())])


def _most(counter: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first, equals by name."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))


def _table(title: str, unit: str, counter: Counter[str], limit: int) -> str:
    ranked = _most(counter)
    lines = [f"## {title}", "", f"| {title.lower()} | {unit} |", "|---|---:|"]
    lines += [f"| {in_markdown(name)} | {count:,} |" for name, count in ranked[:limit]]
    if len(ranked) > limit:
        lines.append(f"| {len(ranked) - limit:,} more | {sum(count for _, count in ranked[limit:]):,} |")
    return "\n".join(lines)


def _licences(tally: Tally) -> str:
    note = (
        "The pages belong to their authors. The table counts what pages say of their use, by links, in their heads and"
        " in words; a page that says nothing is not free by that. A page that says two things that differ has both,"
        " parted by a semicolon. Field `licence` names each page's own, `licence_note` has its words."
    )
    without = tally.pages - sum(tally.licences.values())
    counter = tally.licences + Counter({"no note found": without})
    return _table("Licences", "pages", counter, HOSTS).replace("\n\n", f"\n\n{note}\n\n", 1)


def _forbidden(tally: Tally) -> str:
    note = (
        "Publishers may forbid that a page is kept (`noindex`), that machines are trained on it (`noai`), or reserve"
        " text and data mining (`tdm-reservation`), in meta tags or headers. Of all pages that the crawl has seen:"
    )
    if not tally.forbidden:
        return f"## What publishers forbid\n\n{note} none says so."
    return _table("What publishers forbid", "pages", tally.forbidden, HOSTS).replace("\n\n", f"\n\n{note}\n\n", 1)


def _histogram(bins: list[int]) -> str:
    top = max(bins) or 1
    first = next((place for place, count in enumerate(bins) if count), 0)
    lines = ["## Similarity to the topic", "", "```"]
    for place in range(first, BINS):
        bar = "#" * round(bins[place] * BAR / top)
        lines.append(f"{place / BINS:.2f}-{(place + 1) / BINS:.2f} {bins[place]:>9,} {bar}".rstrip())
    return "\n".join([*lines, "```"])


def _made(fields: Iterable[str], selection: Selection, steers: Iterable[str], told: Iterable[str]) -> str:
    conditions = {
        "similarity at least": selection.min_similarity or None,
        "since": selection.since,
        "until": selection.until,
        "hosts": ", ".join(selection.hosts),
        "languages": ", ".join(selection.languages),
        "kinds": ", ".join(selection.kinds),
        "characters at least": selection.min_length or None,
        "one page of each text": "yes" if selection.no_duplicates else None,
        "fetched since": selection.fetched_since,
        "other than before run": selection.since_run or None,
        "gone pages": "yes" if selection.with_gone else None,
        "a changed text": "yes" if selection.changed else None,
    }
    chosen = [f"- {name}: {value}" for name, value in conditions.items() if value]
    chosen += [f"- {line}" for line in told]
    return "\n".join(
        [
            "## How it was made",
            "",
            "A focused crawler (Zhuti) followed links from seed pages, obeyed robots.txt, took the body text out of"
            " each page, compared it with the topic's vector and kept what is similar and no repetition of a kept"
            " page. Pages stand in the order in which their addresses were found.",
            "",
            f"Fields: {', '.join(fields)}.",
            "",
            "Of the kept pages, those with:" if chosen else "All pages that were kept.",
            *chosen,
            *(f"- people said: {in_markdown(steer)}" for steer in steers),
        ]
    )
