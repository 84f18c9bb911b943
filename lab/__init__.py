"""Studies and benchmarks of Zhuti; no part of what a user installs."""

import crawler.settings  # noqa: F401  # one thread of OpenBLAS, as in a crawl: to be said before numpy is imported
