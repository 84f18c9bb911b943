"""Lakes: folders of Parquet files with pages. Apart from the rest: it needs `zhuti[lake]`."""

from crawler.store.lake.duplicates import duplicates
from crawler.store.lake.ranks import ranks

__all__ = ["duplicates", "ranks"]
