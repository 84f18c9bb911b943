"""scrapy evaluate: lab/commands/evaluate.py."""

from crawler.cli.command import LabCommand
from crawler.messages import _


class Command(LabCommand):
    summary = _("Measure the extractors on labelled pages, or the link scorers on a recorded web")
