"""Lakes: folders of Parquet files with pages. Apart from the rest: it needs `zhuti[lake]`."""

from zhuti.corpus.duplicates import duplicates
from zhuti.corpus.ranks import ranks

__all__ = ["duplicates", "ranks"]
