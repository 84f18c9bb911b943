"""The files of a site at one commit of its repository, by git."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lab.errors import ReplayError

PAGE = re.compile(r"\.html?$", re.IGNORECASE)
# robots.txt, sitemaps, feeds and search indexes, as the common site generators name them.
INDEX_FILE = re.compile(
    r"(^|/)(robots\.txt|[^/]*sitemap[^/]*\.(xml|txt)|sitepath\.xml|(atom|rss2?|feed|index)\.xml"
    r"|(baidu|submit)_urls\.txt|[^/]*search[^/]*\.(xml|json)|search/index\.json)$"
    r"|^(content|index|manifest)\.json$|^api/.*(tags|site|posts|all|categories)\.json$",
    re.IGNORECASE,
)
MOST_BYTES = 4 * 2**20  # of an index file; one page of the recorded web is near it, and no larger one was recorded
LINK = "120000"  # mode of a symbolic link


def git(*arguments: str | Path) -> bytes:
    """What git prints. Raises ReplayError with the last line of its complaint."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=True)
    except FileNotFoundError as error:
        raise ReplayError("git is not installed; install it first") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
        command = next(str(part) for part in arguments if not str(part).startswith("-"))
        raise ReplayError(f"git {command}: {said[-1]}") from error
    return done.stdout


def fetched(address: str, commit: str, store: Path) -> bool:
    """Brings one commit into the bare repository `store`, without its history. False where it was there already.
    Raises ReplayError when it cannot be had."""
    where = f"--git-dir={store}"
    if store.is_dir():
        try:
            git(where, "cat-file", "-e", f"{commit}^{{tree}}")
            return False
        except ReplayError:
            pass  # a fetch that was broken off: fetched again
    git("init", "--quiet", "--bare", store)
    git(where, "fetch", "--quiet", "--depth", "1", address, commit)
    return True


def files(store: Path, commit: str) -> Iterator[tuple[str, bytes]]:
    """Path and content of each page, and of each index file of at most MOST_BYTES."""
    listed = git(f"--git-dir={store}", "ls-tree", "-r", "-z", "--long", commit)
    wanted: list[tuple[str, str]] = []
    for line in listed.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        described, _, path = line.partition("\t")
        mode, kind, blob, length = described.split()
        if kind != "blob" or mode == LINK:
            continue
        if PAGE.search(path) or (INDEX_FILE.search(path) and int(length) <= MOST_BYTES):
            wanted.append((path, blob))
    command = ["git", f"--git-dir={store}", "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reading:
        assert reading.stdin is not None and reading.stdout is not None
        for path, blob in wanted:
            reading.stdin.write(f"{blob}\n".encode())
            reading.stdin.flush()
            size = int(reading.stdout.readline().split()[2])
            yield path, reading.stdout.read(size)
            reading.stdout.read(1)


def licence(store: Path, commit: str) -> str:
    """The first line of the licence file of the repository; "" where it has none."""
    names = git(f"--git-dir={store}", "ls-tree", "-z", "--name-only", commit).decode("utf-8", "replace")
    for name in names.split("\0"):
        if re.match(r"(licen[cs]e|copying)(\.|$)", name, re.IGNORECASE):
            text = git(f"--git-dir={store}", "show", f"{commit}:{name}").decode("utf-8", "replace").split("\n")
            return next((line.strip() for line in text if line.strip()), name)
    return ""
