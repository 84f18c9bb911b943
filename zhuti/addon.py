"""Zhuti in another Scrapy project: ADDONS = {"zhuti.addon.Zhuti": 100}."""

from crawler.addon import Zhuti

__all__ = ["Zhuti"]
