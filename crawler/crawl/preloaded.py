"""Loaded once in the fork server, so that analysis processes start fast and share its memory."""

from __future__ import annotations

import gc
from contextlib import suppress

import crawler.crawl.worker  # noqa: F401
from crawler.reader.html.urls import domain
from crawler.reader.text.tokens import Tokenizer

with suppress(Exception):  # it would end the fork server without a word; a process that fails alike tells why
    Tokenizer().tokens("渡口")  # the segmenter and the table of characters
    domain("a.example")  # the public suffix list
gc.freeze()  # a collection would copy what is shared
