"""zhuti train: lab/commands/train.py."""

from crawler.messages import _
from crawler.tell.command import LabCommand


class Command(LabCommand):
    summary = _("Train the extraction models, or count how rare words are on the Web, for learning topics")
