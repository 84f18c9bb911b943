"""scrapy replay: a recorded web on one loopback port; see lab/commands/replay.py."""

from crawler.cli.lab import LabCommand


class Command(LabCommand):
    name = "replay"
    description = "Serve a recorded web as an HTTP proxy on this machine"
