"""Recorded webs of every form, and files that are none."""

from __future__ import annotations

import os
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from lab.errors import ReplayError
from lab.replay import spool
from lab.replay.opening import open_recording

Pack = Callable[..., Path]
ARCHIVES = ["web.tar", "web.tar.gz", "web.tar.zst"]


@pytest.mark.parametrize("prefix", ["", "./"])
@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_answers_as_the_folder_does(web: Path, pack: Pack, tmp_path: Path, name: str, prefix: str) -> None:
    folder, archive = open_recording(web), open_recording(pack(web, tmp_path / name, prefix=prefix))
    assert set(archive.hosts) == set(folder.hosts)
    assert (archive.pages, archive.aliases) == (folder.pages, folder.aliases)
    for file in (web / "a.example").rglob("*.*"):
        host, path = "a.example", file.relative_to(web / "a.example").as_posix()
        mine, other = archive.find("http", host, f"/{path}"), folder.find("http", host, f"/{path}")
        assert mine is not None
        assert other is not None
        assert (mine.status, mine.body) == (other.status, other.body)
    archive.close()


def test_an_archive_that_unpacks_to_more_than_pages_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "FREE", 1 << 20)
    bomb = tmp_path / "a.example" / "zeros.html"
    bomb.parent.mkdir()
    bomb.touch()
    os.truncate(bomb, 64 << 20)
    with tarfile.open(tmp_path / "web.tar.gz", "w:gz") as archive:
        archive.add(bomb, "a.example/zeros.html")
    with pytest.raises(ReplayError, match=r"web\.tar\.gz: unpacks to more than"):
        open_recording(tmp_path / "web.tar.gz")


@pytest.mark.parametrize("name", ARCHIVES)
@pytest.mark.parametrize("part", [0.3, 0.8])
def test_a_truncated_archive_is_refused(web: Path, pack: Pack, tmp_path: Path, name: str, part: float) -> None:
    archive = pack(web, tmp_path / name)
    os.truncate(archive, int(archive.stat().st_size * part))
    with pytest.raises(ReplayError, match=rf"{name}: is truncated.*again"):
        open_recording(archive)


def test_a_tar_cut_between_members_is_refused(web: Path, pack: Pack, tmp_path: Path) -> None:
    archive = pack(web, tmp_path / "web.tar")
    with tarfile.open(archive) as tar:
        cut = tar.getmembers()[-1].offset
    os.truncate(archive, cut)
    with pytest.raises(ReplayError, match="is truncated"):
        open_recording(archive)


def test_a_damaged_archive_is_refused(web: Path, pack: Pack, tmp_path: Path) -> None:
    archive = pack(web, tmp_path / "web.tar.gz")
    content = bytearray(archive.read_bytes())
    content[40:60] = bytes(20)
    archive.write_bytes(content)
    with pytest.raises(ReplayError, match="is damaged"):
        open_recording(archive)


def test_several_frames_are_one_stream(web: Path, pack: Pack, tmp_path: Path) -> None:
    plain = pack(web, tmp_path / "web.tar").read_bytes()
    frames = [zstandard.compress(plain[:3000]), zstandard.compress(plain[3000:])]
    (tmp_path / "web.tar.zst").write_bytes(b"".join(frames))
    recording = open_recording(tmp_path / "web.tar.zst")
    assert recording.pages == 9
    recording.close()


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"<html>a page</html>", b"PK\x03\x04 zip", bytes(2000)])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "page.html").write_bytes(content)
    with pytest.raises(ReplayError, match=r"page.html: is (not a recorded web; give a folder|truncated)"):
        open_recording(tmp_path / "page.html")


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="nothing: there is no such folder or file; give the path"):
        open_recording(tmp_path / "nothing")


def test_a_hard_link_is_its_target(pack: Pack, tmp_path: Path) -> None:
    host = tmp_path / "web" / "a.example"
    host.mkdir(parents=True)
    (host / "a.html").write_text("one")
    (host / "b.html").hardlink_to(host / "a.html")
    recording = open_recording(pack(tmp_path / "web", tmp_path / "web.tar"))
    answers = [recording.find("http", "a.example", f"/{name}.html") for name in "ab"]
    assert [answer and answer.body for answer in answers] == [b"one", b"one"]
    recording.close()


@pytest.mark.skipif(not Path("/dev/full").exists() or sys.platform != "linux", reason="needs a device that is full")
def test_a_full_disk_is_named(web: Path, pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = pack(web, tmp_path / "web.tar")
    with Path("/dev/full").open("r+b", buffering=0) as full:
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full)
        with pytest.raises(ReplayError, match=r"cannot unpack into .*make room there or set TMPDIR"):
            open_recording(archive)
