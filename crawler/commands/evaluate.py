"""zhuti evaluate: lab/commands/evaluate.py."""

from crawler.messages import _
from crawler.tell.command import LabCommand


class Command(LabCommand):
    summary = _("Measure the extractors on labelled pages, or the link scorers on a recorded web")
