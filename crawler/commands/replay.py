"""scrapy replay: lab/commands/replay.py."""

from crawler.cli.lab import LabCommand


class Command(LabCommand):
    summary = "Serve a recorded web as an HTTP proxy on this machine"
