"""python -m lab evaluate|train|replay: the laboratory's commands, in a checkout."""

import os
import sys

from scrapy.cmdline import execute
from scrapy.utils.project import ENVVAR, get_project_settings

if __name__ == "__main__":
    os.environ.setdefault(ENVVAR, "crawler.settings")
    settings = get_project_settings()
    settings.set("COMMANDS_MODULE", "lab.commands", "cmdline")
    execute(["lab", *sys.argv[1:]], settings)
