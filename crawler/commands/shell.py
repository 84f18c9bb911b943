"""scrapy shell: Scrapy's own command, for other spiders than ours."""

from scrapy.commands.shell import Command as Scrapys

from crawler.tell.command import NotOurSpider


class Command(NotOurSpider, Scrapys):
    pass
