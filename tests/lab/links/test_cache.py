"""What a study keeps between its runs."""

from pathlib import Path

import pytest

from crawler.errors import StoreError
from lab.links.cache import Cache, version_of


def test_kept_over_a_restart_by_version(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "folder")
    cache.put("1", "http://a.example/", b"x")
    cache.close()
    again = Cache(tmp_path / "new" / "folder")
    assert again.get("1", "http://a.example/") == b"x"
    assert again.get("2", "http://a.example/") is None
    assert again.get("1", "http://b.example/") is None
    again.close()


def test_two_studies_do_not_share_one(tmp_path: Path) -> None:
    """A page that could not be read for a lock would count as one that says nothing."""
    cache = Cache(tmp_path)
    with pytest.raises(StoreError, match=r"locked\); name a writable folder that no other study uses"):
        Cache(tmp_path)
    cache.close()
    Cache(tmp_path).close()


def test_a_cache_that_fails_is_told(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.close()
    with pytest.raises(StoreError, match="no cache can be kept there"):
        cache.get("1", "http://a.example/")


def test_versions_tell_rooms_and_arguments_apart() -> None:
    versions = {
        version_of(("reader/text",)),
        version_of(("rank",)),
        version_of(("reader/text", "rank")),
        version_of(("reader/text",), "x"),
    }
    assert len(versions) == 4
    assert version_of(("reader/text",)) == version_of(("reader/text",))


def test_a_part_that_has_moved_away_is_an_error() -> None:
    """Else whatever it computes would be taken from the cache for good."""
    with pytest.raises(FileNotFoundError, match="no file here"):
        version_of(("reader/text", "gone.py"))
