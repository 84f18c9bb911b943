"""What can go wrong with a recorded web."""

from crawler.errors import CrawlerError


class ReplayError(CrawlerError):
    """A recorded web, or its labels, cannot be read; or the web cannot be served."""
