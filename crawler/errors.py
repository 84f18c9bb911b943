"""Everything that can go wrong through a user's input or surroundings, and what to do about it.

CrawlerError                every message is one sentence with the remedy; commands print it and exit non-zero
├── TopicError              a topic file or a topic vector cannot be used: correct the named file and key
├── SeedError               no seed, a malformed seed, or every seed failed: correct the seed list
│   └── SourceError         a source of seeds cannot be used: correct its address, or wait for it
├── SettingError            a setting or an algorithm's name is wrong: use one of the listed values
├── StoreError              the database cannot be opened, read or written
│   ├── ConnectionLost      it went away during a crawl: the same work is tried again before the user is told
│   └── InUse               another process is at work on it: wait for that one
├── ArchiveError            a WARC file or the folder of them cannot be read or written
├── ExportError             the corpus cannot be written where it was asked for
├── LakeError               a lake cannot be written, read or asked: correct the named folder, or the SQL
├── LabelError              a label, or a file of labels, cannot be used: correct the named line
├── PageError               a file given to `zhuti extract` is not an HTML page; labelled pages cannot be read
└── ModelError              a trained model file is missing, broken or of another program: train it again
"""


class CrawlerError(Exception):
    """Base of all errors that a user can fix: a sentence, and what is filled in for its fields."""

    def __init__(self, sentence: str = "", /, **fields: object) -> None:
        super().__init__(sentence.format(**fields) if fields else sentence)


class TopicError(CrawlerError):
    pass


class SeedError(CrawlerError):
    pass


class SourceError(SeedError):
    """A source of seeds cannot be used; the message says why, and what to do."""


class SettingError(CrawlerError):
    pass


class StoreError(CrawlerError):
    pass


class ConnectionLost(StoreError):
    pass


class InUse(StoreError):
    pass


class ArchiveError(CrawlerError):
    pass


class ExportError(CrawlerError):
    pass


class LakeError(CrawlerError):
    pass


class LabelError(CrawlerError):
    pass


class PageError(CrawlerError):
    pass


class ModelError(CrawlerError):
    pass
