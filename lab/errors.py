"""What can go wrong in the laboratory alone, beside `crawler.errors`."""

from zhuti.demo.recorded.base import ReplayError as ReplayError
