"""The recipe of a recorded web: which public repository holds each host's built site, at which commit.

A tab-separated file; lines that begin with # are comments. Columns: host, repository (OWNER/NAME, or an address that
git takes), commit, number of pages, digest of the pages, digest of the index files. The site is the repository's root.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lab.errors import ReplayError

MANIFEST = Path(__file__).with_name("manifest.tsv")
GITHUB = "https://github.com/"
COLUMNS = 6
DIGITS = 16  # of a digest, hexadecimal


@dataclass(frozen=True, slots=True)
class Host:
    name: str
    repository: str
    commit: str
    pages: int  # HTML files
    pages_digest: str
    index_digest: str  # of robots.txt, sitemaps, feeds, search indexes

    @property
    def address(self) -> str:
        is_name = self.repository.count("/") == 1 and not self.repository.startswith((".", "/"))
        return f"{GITHUB}{self.repository}" if is_name else self.repository

    @property
    def aliases(self) -> list[str]:
        """The name that the repository's owner has at GitHub Pages, where it is another."""
        name = f"{self.repository.split('/')[-2].lower()}.github.io"
        is_site = self.repository.lower().removesuffix(".git").endswith((".github.io", ".github.com"))
        return [name] if is_site and name != self.name else []


def read(path: Path) -> list[Host]:
    """Raises ReplayError when the file cannot be read or a line has another form."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError(f"{path}: cannot be read ({error}); give the manifest of a web") from error
    hosts = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != COLUMNS or not cells[3].isdigit():
            raise ReplayError(f"{path}, line {number}: needs host, repository, commit, pages and two digests")
        name, repository, commit, pages, *digests = cells
        hosts.append(Host(name, repository, commit, int(pages), *digests))
    return hosts


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """Of paths and their bytes, in whatever order they come."""
    lines = sorted(f"{sha256(content).hexdigest()} {path}\n" for path, content in files)
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:DIGITS]
