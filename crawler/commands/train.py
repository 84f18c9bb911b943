"""scrapy train: lab/commands/train.py."""

from crawler.cli.lab import LabCommand


class Command(LabCommand):
    summary = "Train the extraction models, or count how rare words are on the Web, for learning topics"
