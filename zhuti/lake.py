"""Lakes: folders of Parquet files with pages. Apart from the rest: it needs `zhuti[lake]`."""

from zhuti.corpus.duplicates import duplicates

__all__ = ["duplicates"]
