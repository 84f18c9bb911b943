"""scrapy evaluate: how good the extractors and the link scorers are; see lab/commands/evaluate.py."""

from crawler.cli.lab import LabCommand


class Command(LabCommand):
    name = "evaluate"
    description = "Measure the extractors on labelled pages, or the link scorers on a recorded web"
