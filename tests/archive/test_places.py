"""An archive in an object store: a real server of S3 on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from moto.server import ThreadedMotoServer

from crawler.archive.places import UNSENT, archive_at, written_at
from crawler.archive.writer import OPEN, Fetched, WarcWriter
from crawler.errors import ArchiveError
from zhuti.archive.reader import WarcFile, response_at, warc_files

PAGE = Fetched("http://a.example/", 200, [("Content-Type", "text/html")], b"<p>The ferry runs again.</p>", 1.7e9)


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        yield
    server.stop()


@pytest.fixture
def place(server: None, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A folder in a bucket of the test's own."""
    monkeypatch.chdir(tmp_path)
    bucket = request.node.originalname.replace("_", "-")[:60].strip("-")
    fsspec.filesystem("s3").makedirs(bucket, exist_ok=True)
    return f"s3://{bucket}/of/a crawl"


def writer(place: str) -> WarcWriter:
    folder, send = written_at(place)
    return WarcWriter(folder, size=1_000, send=send)


def unsent() -> list[str]:
    return sorted(path.name for path in UNSENT.rglob("*") if path.is_file())


def test_whole_files_go_there_and_are_read_there(place: str) -> None:
    archive = writer(place)
    pages = [archive.write(PAGE) for _ in range(5)]
    assert len(unsent()) == 2  # the open file, and its mark
    archive.close()
    assert unsent() == []
    assert written_at("memory://a/b-c")[0] != written_at("memory://a/b/c")[0]
    files = warc_files(archive_at(place))
    assert len(files) == len({each.file for each in pages}) > 1
    assert [stored.body for path in files for stored in WarcFile(path).responses()] == [PAGE.body] * 5
    assert response_at(archive_at(place), pages[-1]).body == PAGE.body


def test_what_a_killed_crawl_left_goes_there_at_the_next_start(place: str) -> None:
    archive = writer(place)
    page = archive.write(PAGE)
    (path,) = UNSENT.rglob("*.gz")
    copies = [(path.with_name(f"killed-{name}"), path.read_bytes()) for name in ("in-a-record.warc.gz", "0.warc.gz")]
    for copy, data in copies:
        copy.write_bytes(data[: -5 if "record" in copy.name else 0])
        copy.with_name(copy.name + OPEN).touch()
    again = writer(place)
    assert [name for name, _ in again.mended] == [copies[0][0].name]
    assert [each.name for each in warc_files(archive_at(place))] == [copies[0][0].name]
    again.close()
    archive.close()
    assert response_at(archive_at(place), page).body == PAGE.body


@pytest.mark.parametrize("place", ["sftp://me:wild-geese@host.example/warc", "s3://key:wild-geese@bucket/a"])
def test_a_password_in_an_address_is_refused_and_told_to_nobody(place: str) -> None:
    with pytest.raises(ArchiveError, match="put it into the environment instead") as told:
        written_at(place)
    assert "geese" not in str(told.value)


def test_a_store_that_fails_loses_nothing(place: str) -> None:
    archive = writer(place)
    page = archive.write(PAGE)
    fs = fsspec.filesystem("s3")
    bucket = place.split("/")[2]
    fs.rm(bucket, recursive=True)
    with pytest.raises(ArchiveError, match="cannot be used"):
        archive.close()
    with pytest.raises(ArchiveError, match="cannot be used"):
        writer(place)
    assert page.file in unsent()
    fs.mkdir(bucket)
    del archive  # as its process ends
    writer(place).close()
    assert response_at(archive_at(place), page).body == PAGE.body


@pytest.mark.parametrize("other", ["nosuch://bucket/warc", "s3://no-bucket-of-mine/warc", "s3://"])
@pytest.mark.usefixtures("place")
def test_a_place_that_cannot_be_is_told_before_the_crawl(other: str) -> None:
    with pytest.raises(ArchiveError, match="cannot be used"):
        written_at(other)
