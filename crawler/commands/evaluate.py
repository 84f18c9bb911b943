"""scrapy evaluate: lab/commands/evaluate.py."""

from crawler.cli.lab import LabCommand


class Command(LabCommand):
    summary = "Measure the extractors on labelled pages, or the link scorers on a recorded web"
