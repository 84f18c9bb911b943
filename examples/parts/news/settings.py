"""An ordinary project. Three lines put the topic's filter behind every spider of it."""

BOT_NAME = "news"
SPIDER_MODULES = ["news.spiders"]
DOWNLOAD_DELAY = 0

ITEM_PIPELINES = {"zhuti.scrapy.ExtractionPipeline": 200, "zhuti.scrapy.RelevancePipeline": 300}
ZHUTI_TOPIC = "java"
ZHUTI_OFF_TOPIC = "drop"
