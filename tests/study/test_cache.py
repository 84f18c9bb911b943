"""What a study keeps between its runs."""

from pathlib import Path

from crawler.study.cache import Cache, version_of


def test_kept_over_a_restart_by_version(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "folder")
    cache.put("1", "http://a.example/", b"x")
    cache.close()
    again = Cache(tmp_path / "new" / "folder")
    assert again.get("1", "http://a.example/") == b"x"
    assert again.get("2", "http://a.example/") is None
    assert again.get("1", "http://b.example/") is None
    again.close()


def test_versions_tell_rooms_and_arguments_apart() -> None:
    versions = {version_of(("text",)), version_of(("rank",)), version_of(("text", "rank")), version_of(("text",), "x")}
    assert len(versions) == 4
    assert version_of(("text",)) == version_of(("text",))
