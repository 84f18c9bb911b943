"""What a site's files reserve from text and data mining, each said in the words of a robots.txt: Disallow is reserved.

So one reader of rules serves all of them, and the longest rule that fits an address counts.
"""

from __future__ import annotations

import json
import re

TDMREP = "/.well-known/tdmrep.json"  # TDM Reservation Protocol, W3C Community Group, 6.2
AI_TXT = "/ai.txt"  # in the form of a robots.txt
MOST_RULES = 1000  # of a tdmrep.json that are read
# Cloudflare's `Content-Signal: search=yes, ai-train=no`; the IETF's `Content-Usage: /path train-ai=n` (aipref).
SIGNAL = re.compile(r"content-(?:signal|usage)\s*:\s*(/\S*\s)?(.*)", re.IGNORECASE)
NO_TRAINING = re.compile(r"\b(?:ai-train|train-ai)\s*=\s*no?\b", re.IGNORECASE)


def by_signals(group: str) -> str:
    """Of the lines of a robots.txt that are meant for this crawler (text.robots.own_group); "" where none reserves."""
    found = [SIGNAL.match(line) for line in group.splitlines()]
    return _rules([((one[1] or "/").strip(), True) for one in found if one and NO_TRAINING.search(one[2])])


def by_tdmrep(body: bytes) -> str:
    """Of a tdmrep.json; "" for what is none."""
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(entries, list):
        return ""
    said = [entry for entry in entries[:MOST_RULES] if isinstance(entry, dict)]
    places = [(str(entry.get("location", "")), str(entry.get("tdm-reservation"))) for entry in said]
    return _rules([(place, value == "1") for place, value in places if value in ("0", "1")])


def _rules(places: list[tuple[str, bool]]) -> str:
    lines = [f"{'Disallow' if reserved else 'Allow'}: {place}" for place, reserved in places if _is_path(place)]
    return "\n".join(["User-agent: *", *lines]) if lines else ""


def _is_path(place: str) -> bool:
    return place.startswith(("/", "*")) and place.isprintable()
