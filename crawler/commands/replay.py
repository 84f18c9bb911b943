"""zhuti replay: lab/commands/replay.py."""

from crawler.messages import _
from crawler.tell.command import LabCommand


class Command(LabCommand):
    summary = _("Serve a recorded web as an HTTP proxy on this machine")
