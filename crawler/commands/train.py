"""scrapy train: lab/commands/train.py."""

from crawler.cli.command import LabCommand
from crawler.messages import _


class Command(LabCommand):
    summary = _("Train the extraction models, or count how rare words are on the Web, for learning topics")
