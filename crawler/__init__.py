"""Zhuti (主题), a focused crawler. Import from the rooms: ``from crawler.topic.files import Topic``."""
