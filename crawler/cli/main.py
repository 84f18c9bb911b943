"""The console script `zhuti`: Scrapy's command line with our commands, in any folder.

Where a scrapy.cfg is near, its project's settings count, as for `scrapy`; in another project than ours, what these do
not name is taken from `crawler.settings`.
"""

from __future__ import annotations

import os
import sys

from scrapy.cmdline import execute
from scrapy.utils.conf import init_env
from scrapy.utils.project import ENVVAR, get_project_settings

from crawler.addon import Zhuti, complete
from crawler.messages import _


def main() -> None:
    init_env(os.environ.get("SCRAPY_PROJECT", "default"))
    os.environ.setdefault(ENVVAR, "crawler.settings")
    try:
        settings = get_project_settings()
    except ImportError as error:
        sys.exit(
            _(
                "Error: the settings of this Scrapy project cannot be imported ({error}); correct its scrapy.cfg",
                error=error,
            )
        )
    Zhuti.update_pre_crawler_settings(settings)
    complete(settings)
    settings.set("COMMANDS_MODULE", "crawler.commands", "project")
    execute(["zhuti", *sys.argv[1:]], settings)
