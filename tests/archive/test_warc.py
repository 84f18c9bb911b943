"""The archive, read back by this program and by other tools."""

from __future__ import annotations

import gzip
import random
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from crawler.archive.writer import Fetched, WarcWriter
from crawler.errors import ArchiveError, SettingError
from zhuti.archive.reader import WarcFile, WarcPages, decoded, response_at, warc_files

PAGE = "<p>归档的网页</p>".encode() * 40
RESPONSES = [
    Fetched(
        "https://a.example/", 200, [("Content-Type", "text/html; charset=gbk"), ("X-A", "1"), ("X-A", "2")], PAGE, 1e9
    ),
    Fetched("https://a.example/gone", 404, [], b"", 1e9 + 1, ip="192.0.2.1"),
    Fetched("https://a.example/old", 302, [("Location", "https://a.example/è".encode().decode("latin-1"))], b"", 1e9),
    Fetched("https://a.example/zip", 200, [("Content-Encoding", "gzip")], gzip.compress(PAGE, mtime=0), 1e9),
    Fetched("https://a.example/odd", 999, [("Transfer-Encoding", "chunked")], b"as it is", 1e9, truncated="disconnect"),
]
KILLS = 6


def written(folder: Path, **options: object) -> Path:
    writer = WarcWriter(folder, **options)  # type: ignore[arg-type]
    for response in RESPONSES:
        place = writer.write(response)
        writer.note(place, response.url, {"topic": "t", "similarity": "0.5"})
    writer.close()
    writer.close()
    (path,) = warc_files(folder)
    return path


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_what_is_written_is_read(tmp_path: Path, compression: str) -> None:
    file = WarcFile(written(tmp_path, compression=compression))
    found = list(file.responses())
    assert file.torn == ""
    assert [(one.url, one.status, one.at) for one in found] == [(one.url, one.status, one.at) for one in RESPONSES]
    assert [one.body for one in found] == [PAGE, b"", b"", PAGE, b"as it is"]
    assert [one.truncated for one in found] == [False, False, False, False, True]
    assert [response_at(tmp_path, one.place) for one in found] == found


def test_warcio_reads_it(tmp_path: Path) -> None:
    with written(tmp_path).open("rb") as file:
        found = ArchiveIterator(file, check_digests="raise")
        records = [(record, record.content_stream().read()) for record in found]
    kinds = [record.rec_type for record, _ in records]
    assert kinds == ["warcinfo", *["response", "metadata"] * len(RESPONSES)]
    assert all(record.rec_headers.protocol == "WARC/1.1" for record, _ in records)
    first, note = records[1], records[2]
    assert first[1] == PAGE
    assert first[0].http_headers.headers == [*RESPONSES[0].headers, ("Content-Length", str(len(PAGE)))]
    assert note[0].rec_headers.get_header("WARC-Refers-To") == first[0].rec_headers.get_header("WARC-Record-ID")
    assert note[1] == b"topic: t\r\nsimilarity: 0.5\r\n"
    assert records[7][1] == PAGE, "the content encoding is undone by the reader"
    assert records[3][0].rec_headers.get_header("WARC-IP-Address") == "192.0.2.1"
    assert records[9][0].rec_headers.get_header("WARC-Truncated") == "disconnect"


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_fastwarc_reads_it(tmp_path: Path, compression: str) -> None:
    path = written(tmp_path, compression=compression)
    with path.open("rb") as file:
        found = [
            (record.headers["WARC-Target-URI"], record.http_headers.status_code, record.reader.read())
            for record in FastIterator(file, parse_http=True, verify_digests=True)
            if record.headers["WARC-Type"] == "response"
        ]
    assert found == [(one.url, one.status, one.body) for one in RESPONSES]


def test_files_are_rolled(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path, size=2000)
    places = [
        writer.write(Fetched(f"https://a.example/{n}", 200, [], random.Random(n).randbytes(700), 0)) for n in range(9)
    ]
    writer.close()
    paths = warc_files(tmp_path)
    assert len(paths) > 3
    assert all(path.stat().st_size <= 2000 for path in paths)
    assert [one.place for path in paths for one in WarcFile(path).responses()] == places
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name for path in paths], "no marks are left"


@pytest.mark.parametrize("missing", [1, 30, 300])
@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_truncated_file_gives_what_is_whole(tmp_path: Path, compression: str, missing: int) -> None:
    path = written(tmp_path, compression=compression)
    path.write_bytes(path.read_bytes()[:-missing])
    file = WarcFile(path)
    found = list(file.responses())
    assert [one.url for one in found] == [one.url for one in RESPONSES][: len(found)]
    assert len(found) >= len(RESPONSES) - 1
    assert str(path) in file.torn
    assert "cut off" in file.torn


@pytest.mark.parametrize("missing", [10, 150, 300, 420, 700, 1200])
def test_a_truncated_file_that_is_not_compressed(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "web.warc"
    path.write_bytes(gzip.decompress(written(tmp_path / "w").read_bytes())[:-missing])
    file = WarcFile(path)
    found = list(file.responses())
    assert [one.url for one in found] == [one.url for one in RESPONSES][: len(found)]
    assert found
    assert file.torn


RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
ENCODED = [
    ("gzip", gzip.compress(PAGE, mtime=0), PAGE, ""),
    ("x-gzip", gzip.compress(PAGE, mtime=0) + b"more", PAGE, ""),
    ("deflate", zlib.compress(PAGE), PAGE, ""),
    ("deflate", RAW.compress(PAGE) + RAW.flush(), PAGE, ""),
    ("br", brotli.compress(PAGE), PAGE, ""),
    ("zstd", zstandard.compress(PAGE), PAGE, ""),
    ("gzip, br", brotli.compress(gzip.compress(PAGE, mtime=0)), PAGE, ""),
    ("identity", PAGE, PAGE, ""),
    ("gzip", PAGE, PAGE, "gzip"),
    ("gzip, gzip, gzip, gzip", PAGE, PAGE, "gzip, gzip, gzip, gzip"),
    ("x-odd, gzip", gzip.compress(PAGE, mtime=0), PAGE, "x-odd"),
    ("br", brotli.compress(PAGE)[:-3], brotli.compress(PAGE)[:-3], "br"),
]


@pytest.mark.parametrize(("encodings", "body", "page", "left"), ENCODED)
def test_content_encodings(encodings: str, body: bytes, page: bytes, left: str) -> None:
    assert decoded(body, encodings) == (page, left)


HEADS = [
    (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", PAGE, 200),
    (b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n", PAGE, 200),
    (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n", PAGE, 200),
    (b"ICY\r\nContent-Type: text/html\r\n\r\n", PAGE, 0),
]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("head", "body", "status"), HEADS)
def test_records_of_other_crawlers(tmp_path: Path, packed: bool, head: bytes, body: bytes, status: int) -> None:
    """A file that was compressed as a whole is read, too."""
    if b"chunked" in head:
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    one = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <https://a.example/>\r\n"
    record = (
        f"{one}Content-Type: application/http\r\nContent-Length: {len(head + body)}\r\n\r\n".encode()
        + head
        + body
        + b"\r\n\r\n"
    )
    path = tmp_path / "web.warc"
    path.write_bytes(gzip.compress(2 * record, mtime=0) if packed else 2 * record)
    file = WarcFile(path)
    found = list(file.responses())
    assert file.torn == ""
    assert [(one.url, one.status, one.content_type, one.body) for one in found] == [
        ("https://a.example/", status, "text/html", PAGE)
    ] * 2


def foreign_record(number: int, kind: str = "response", end: bytes = b"\r\n", lower: bool = False) -> bytes:
    noise = random.Random(number).randbytes(500).hex()
    html = f"<html><title>{number}</title><body><p>归档 {number}</p><!-- {noise} --></body></html>".encode()
    http = end.join([b"HTTP/1.1 200 OK", b"Content-Type: text/html; charset=utf-8", b"", html])
    body, media = (html, "text/html") if kind == "resource" else (http, "application/http; msgtype=response")
    named = {
        "WARC-Type": kind,
        "WARC-Target-URI": f"https://a.example/{number}",
        "WARC-Date": "2025-03-04T05:06:07Z",
        "WARC-Record-ID": f"<urn:uuid:{number}>",
        "Content-Type": media,
        "Content-Length": str(len(body)),
    }
    lines = ["WARC/1.0", *(f"{name.lower() if lower else name}: {value}" for name, value in named.items()), "", ""]
    return end.join(line.encode() for line in lines) + body + end + end


@pytest.mark.parametrize(
    ("kind", "end", "lower"),
    [
        ("response", b"\r\n", False),
        ("response", b"\r\n", True),
        ("response", b"\n", False),
        ("response", b"\n", True),
        ("resource", b"\r\n", False),
        ("resource", b"\n", True),
    ],
)
@pytest.mark.parametrize("packing", ["plain", "records", "whole", "zstd"])
def test_files_of_other_programs(tmp_path: Path, kind: str, end: bytes, lower: bool, packing: str) -> None:
    """Every page is read in turn and by its place, however the file is packed and its headers are written."""
    records = [foreign_record(number, kind, end, lower) for number in range(1, 4)]
    pack = {"records": gzip.compress, "whole": gzip.compress, "zstd": zstandard.compress}.get(packing, bytes)
    data = b"".join(map(pack, records)) if packing == "records" else pack(b"".join(records))
    name = {"plain": "a.warc", "zstd": "a.warc.zst"}.get(packing, "a.warc.gz")
    (tmp_path / name).write_bytes(data)
    (tmp_path / "b.warc.gz").write_bytes(b"no archive at all")
    pages = WarcPages.of(warc_files(tmp_path))
    assert [address for address, _ in pages] == [f"https://a.example/{number}" for number in range(1, 4)]
    assert all(f"归档 {number}" in (pages.markup(f"https://a.example/{number}") or "") for number in range(1, 4))
    assert len(pages.torn) == 1, "the other file, and it alone, is told of"


@pytest.mark.parametrize("packing", ["plain", "whole"])
def test_a_foreign_file_is_cut_off(tmp_path: Path, packing: str) -> None:
    data = b"".join(foreign_record(number, lower=True) for number in range(1, 3))
    path = tmp_path / ("a.warc" if packing == "plain" else "a.warc.gz")
    path.write_bytes((data if packing == "plain" else gzip.compress(data))[:-100])
    file = WarcFile(path)
    assert [each.url for each in file.responses()] == ["https://a.example/1"]
    assert file.torn


def test_a_damaged_record_ends_the_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 40] = b"\xff" * 40
    path.write_bytes(content)
    file = WarcFile(path)
    assert 0 < len(list(file.responses())) < len(RESPONSES)
    assert "damaged" in file.torn or "cut off" in file.torn


WRITER = """
import sys
from pathlib import Path
from crawler.archive.writer import Fetched, WarcWriter
writer = WarcWriter(Path(sys.argv[1]), size=100_000)
print("mended", writer.mended, flush=True)
for n in range(10**9):
    place = writer.write(Fetched(f"https://a.example/{n}", 200, [], bytes(str(n), "ascii") * 3000, 0.0))
    print(n, place.file, place.offset, flush=True)
"""


ROLLED = 100  # records, each in a file of its own
ROLLING = f"""
import sys
from pathlib import Path
from crawler.archive.writer import Fetched, WarcWriter, mend
writer = WarcWriter(Path(sys.argv[1]), size=1)
for n in range({ROLLED}):
    mend(Path(sys.argv[1]))
    place = writer.write(Fetched(f"https://a.example/{{n}}", 200, [], b"x", 0.0))
    print(place.file, place.offset)
writer.close()
"""


def test_killed_writers_lose_nothing_that_they_told(tmp_path: Path) -> None:
    chance = random.Random(5)
    told: list[tuple[str, str, int]] = []
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0, 0.2))
            process.send_signal(signal.SIGKILL)
            lines = process.stdout.read().split("\n")[:-1]
        told += [(number, file, int(offset)) for number, file, offset in map(str.split, lines)]
    WarcWriter(tmp_path).close()  # mends what the last one left
    stored = {
        (one.place.file, one.place.offset): one for path in warc_files(tmp_path) for one in WarcFile(path).responses()
    }
    assert len(told) > KILLS
    for number, file, offset in told:
        assert stored[file, offset].body == number.encode() * 3000
    for path in warc_files(tmp_path):
        with path.open("rb") as content:
            assert sum(1 for _ in ArchiveIterator(content))


@pytest.mark.parametrize("torn", [b"", b"\x1f\x8b\x08\0"])
def test_a_file_without_a_record_is_removed(tmp_path: Path, torn: bytes) -> None:
    """Its writer was killed before it had written one."""
    path = tmp_path / "zhuti-20260101000000-1-00000.warc.gz"
    path.write_bytes(torn)
    path.with_name(path.name + ".open").touch()
    WarcWriter(tmp_path).close()
    assert not path.exists()


def test_a_torn_tail_is_cut_off_at_the_next_start(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:100])
    path.with_name(path.name + ".open").touch()
    living = WarcWriter(tmp_path)
    assert living.mended == [(path.name, 100)]
    assert path.read_bytes() == whole
    living.write(RESPONSES[0])
    beside = WarcWriter(tmp_path)
    assert beside.mended == [], "the writer lives"
    beside.close()
    living.close()
    assert not list(tmp_path.glob("*.open"))


FULL = """
import random, resource, signal, sys
from pathlib import Path
from crawler.errors import ArchiveError
from crawler.archive.writer import Fetched, WarcWriter
writer = WarcWriter(Path(sys.argv[1]))
writer.write(Fetched("https://a.example/", 200, [], b"x", 0.0))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    writer.write(Fetched("https://a.example/", 200, [], random.Random(1).randbytes(9999), 0.0))
except ArchiveError as error:
    print(error)
writer.close()
"""


def test_a_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "make room" in done.stdout
    file = WarcFile(warc_files(tmp_path)[0])
    assert [one.body for one in file.responses()] == [b"x"]
    assert file.torn == ""


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="gzip, zstd"):
        WarcWriter(tmp_path, compression="rar")
    (tmp_path / "file").touch()
    with pytest.raises(ArchiveError, match="WARC_DIR"):
        WarcWriter(tmp_path / "file")
    with pytest.raises(ArchiveError, match="no WARC file"):
        warc_files(tmp_path)
    with pytest.raises(ArchiveError, match="cannot be read"):
        list(WarcFile(tmp_path / "none.warc.gz").responses())
    (tmp_path / "page.warc").write_text("<html>")
    with pytest.raises(ArchiveError, match="is not a WARC file"):
        list(WarcFile(tmp_path / "page.warc").responses())


def test_a_mark_without_its_file_is_removed(tmp_path: Path) -> None:
    """Its writer was killed before it had made the file."""
    mark = tmp_path / "zhuti-20260101000000-1-00000.warc.gz.open"
    mark.touch()
    WarcWriter(tmp_path).close()
    assert not mark.exists()


def test_writers_that_start_together_take_no_file_from_each_other(tmp_path: Path) -> None:
    """Each mends what dead ones have left while the others make theirs."""
    command = [sys.executable, "-c", ROLLING, str(tmp_path)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    told = [line.split() for writer in writers for line in writer.communicate()[0].splitlines()]
    assert len(told) == 3 * ROLLED
    stored = {(one.place.file, one.place.offset) for path in warc_files(tmp_path) for one in WarcFile(path).responses()}
    assert {(file, int(offset)) for file, offset in told} == stored
    assert not list(tmp_path.glob("*.open"))
