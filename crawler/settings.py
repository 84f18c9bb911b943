"""Settings of the project; each can be changed by ``-s NAME=VALUE``. docs/settings.md explains those a user needs."""

import os

from scrapy.settings import default_settings

# Matrix products are small here, and BLAS threads would compete with the process pool for processors (24 pages per
# second with them, 46 without). To be set before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BOT_NAME = "zhuti"
SPIDER_MODULES = ["crawler.spiders"]
NEWSPIDER_MODULE = "crawler.spiders"
COMMANDS_MODULE = "crawler.commands"

# -- this project's own --------------------------------------------------------------------------------------------
PAGE_BUDGET = 1000  # HTML pages to fetch with status 200, over the life of a topic in its database; 0: no limit
PAGE_TARGET = 0  # stop after this many kept pages over the life of a topic; 0: no limit
RUN_BUDGET = 0  # requests of one run, also those that find nothing new; 0: no limit
REVISIT = False  # visit again what is worth it, whatever PAGE_BUDGET says; `zhuti harvest` sets it from the second run
HISTORY = 3  # older texts of a page that are kept when it changes
STOP_BELOW = 0.0  # end the crawl when fewer on-topic pages per page fetched are expected of the rest; 0: never
LINK_SCORER = "ipagerank-learned"
EXTRACTOR = "best"
SEED_SOURCE = ""  # where a crawl of words alone asks for seeds: NAME:PLACE, several with commas; "": nowhere
# An OpenAI-compatible server, its key in the environment as MODEL_KEY: `label --ask-model`.
MODEL_URL = ""
MODEL_NAME = ""  # of the model there
PAGE_JUDGE = ""  # who judges whether a page is on topic: "" ours, or the import path of a subclass of it
HOSTS_AT_ONCE = 8  # hosts crawled at a time, the best ones; fewer: a better harvest, but slower; 0: all
PATIENCE = 3.0  # times longer a crawl may take, that it may wait for good pages of busy hosts; 1: it never waits
FURTHER_PAGES = 0  # further pages of a thread or article that come with its first one, once that is kept; 0: none
MAX_PAGES_PER_DOMAIN = 0  # URLs fetched of a registered domain, over the life of a topic in its database; 0: no limit
INDEX_FILES = True  # open sitemaps, feeds and search indexes; False: none; or some, as "sitemap,feed" or "True,search"
PDF = False  # also fetch PDF documents; needs zhuti[pdf]
RENDER = "off"  # or "auto": pages that are empty without their scripts are rendered; needs zhuti[render] and Chromium
RENDER_BROWSER = ""  # the path of Chromium; "": the system's, or Playwright's own
# Relative to the working directory. From the environment, other users of the machine do not see its password.
STORE_URL = os.environ.get("STORE_URL") or "sqlite:///data/harvest.db"
REPORTS_DIR = "reports"  # TOPIC/RUN.html of each run of `zhuti harvest`; search indexes of PostgreSQL harvests
TOPICS_DIR = "topics"  # where topic names are looked up first, then among the bundled ones
ANALYSE_PROCESSES = 0  # 0: one per processor
ANALYSE_TIMEOUT = 20.0  # seconds of processor time for one page
ANALYSE_MEMORY = 2048  # megabytes of address space for one process; pages of 16 MB take up to 950; 0: no limit
WARC_DIR = ""  # folder in which every response is kept as it was fetched; "": none
WARC_SIZE = 1 << 30  # bytes of a WARC file before the next one is begun
WARC_COMPRESSION = "gzip"  # or "zstd": smaller and faster, but not every tool reads it
LOG_JSON = False  # each line of the log is a JSON object
METRICS_PORT = 0  # where a crawl tells Prometheus how it is; 0: nowhere; needs zhuti[metrics]
METRICS_ADDRESS = "127.0.0.1"  # the address of this machine at which it does

# -- who we are and how we behave ----------------------------------------------------------------------------------
USER_AGENT = "Zhuti/0.3 (focused crawler)"
CONTACT = ""  # a page about your crawl, or a mail address; added to USER_AGENT, and needed for more than 100 pages
SIGN_WITH = ""  # the PEM file of an Ed25519 key by which each request is signed (Web Bot Auth); needs zhuti[sign]
HOST_ACCESS = ""  # a TOML file with passwords and certificates by host; see docs/what-sites-say.md
ROBOTSTXT_OBEY = True
ROBOTS_TAGS_OBEY = True  # noindex: a page is not kept; nofollow: its links are not followed; meta tags and X-Robots-Tag
# noai, tdm-reservation 1, a licence of RSL that is not free: a page is not kept; meta tags, headers, robots.txt, and
# tdmrep.json and ai.txt of its host, which are asked for once, after robots.txt. "search", "ai-input", "ai-index": the
# same where the corpus is for that and not for training.
MINING_TAGS_OBEY = True
DOWNLOAD_DELAY = 1.0  # seconds between two fetches of one host
CONCURRENT_REQUESTS_PER_DOMAIN = 1
CONCURRENT_REQUESTS = 16  # URLs under way at once, from the frontier to the store
CONCURRENT_ITEMS = 1  # a response gives one visit; Scrapy starts as many tasks for each response, by its default 100
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_FAIL_ON_DATALOSS = False  # of what is cut off, MarkupMiddleware keeps pages that are whole all the same
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "crawler.middlewares.response_limits.BoundedDownloadHandler")
# What rendered pages ask for waits for no delay of a host, only for a quarter of it at its address, like hosts that
# share one: such a page has seconds.
DOWNLOAD_SLOTS = {"zhuti-render": {"concurrency": 4, "delay": 0}}
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
    "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
}
COOKIES_ENABLED = False
ALLOW_ADDRESSES: list[str] = []  # networks beside the public ones that may be connected to, such as 127.0.0.0/8

# -- the way of a page ---------------------------------------------------------------------------------------------
SCHEDULER = "crawler.scheduler.FrontierScheduler"
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "crawler.middlewares.robots.RobotsMiddleware": 100,
    # Next to compression: it needs uncompressed bytes, and everything nearer to the engine needs its text.
    "crawler.middlewares.markup.MarkupMiddleware": 585,
    "crawler.middlewares.response_limits.CompressionLimitsMiddleware": 600,  # before compression is undone, at 590
    # Before CookiesMiddleware, at 700, which a user may turn on: it has then taken the cookie.
    "crawler.middlewares.cookie_redirects.CookieRedirectsMiddleware": 690,
    "crawler.middlewares.networks.NetworksMiddleware": 760,  # behind HttpProxyMiddleware
    "crawler.extensions.AccessMiddleware": 765,
    "crawler.extensions.SigningMiddleware": 770,
    "crawler.middlewares.archive.ArchiveMiddleware": 845,  # before compression is undone: bytes as they came
}
SPIDER_MIDDLEWARES = {"crawler.middlewares.links.LinkMetadataMiddleware": 500}
ITEM_PIPELINES = {
    # Before 0, where a user's own begin: these get the kept pages only, as plain items.
    "crawler.pipelines.ExtractionPipeline": -400,
    "crawler.pipelines.RelevancePipeline": -300,
    "crawler.pipelines.OutlinksPipeline": -250,
    "crawler.pipelines.ArchivePipeline": -200,
    "crawler.pipelines.StorePipeline": -100,
}
EXTENSIONS = {
    "crawler.extensions.ProgressExtension": 500,
    "crawler.extensions.MetricsExtension": 500,
    "scrapy.extensions.logstats.LogStats": None,  # ProgressExtension counts what matters here
}
EXTENSIONS_BASE = dict(default_settings.EXTENSIONS_BASE)
# It loads aiohttp, a twentieth of a daily run's processor time, even where a None in EXTENSIONS turns it off.
EXTENSIONS_BASE.pop("scrapy.extensions.remote_control.RemoteControl")

TELNETCONSOLE_ENABLED = False
FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "INFO"
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # of robots.txt; the end table counts what was given up
