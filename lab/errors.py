"""What can go wrong in the laboratory alone, beside `crawler.errors`."""

from crawler.errors import CrawlerError


class ReplayError(CrawlerError):
    """A recorded web, or its labels, cannot be read; or the web cannot be served."""
