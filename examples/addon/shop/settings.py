"""An ordinary project; the last line is all that Zhuti needs. Run `zhuti crawl topic -a topic=java -a seeds=...`."""

BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders", "crawler.spiders"]  # ours for scrapyd and `scrapy list`, which ask no add-on
ITEM_PIPELINES = {"shop.pipelines.Shout": 300}
DOWNLOAD_DELAY = 0

ADDONS = {"zhuti.addon.Zhuti": 100}
