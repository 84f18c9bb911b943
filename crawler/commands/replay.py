"""scrapy replay: lab/commands/replay.py."""

from crawler.cli.command import LabCommand
from crawler.messages import _


class Command(LabCommand):
    summary = _("Serve a recorded web as an HTTP proxy on this machine")
