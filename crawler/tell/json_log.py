"""The log as JSON, one object a line, for programs that collect logs (LOG_JSON)."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from scrapy.settings import BaseSettings

from crawler.addon import decide


class JsonFormatter(logging.Formatter):
    """Keys: time (ISO 8601, UTC), level, logger, message, process; exception where there is one, with its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        told = {"time": at, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        line: dict[str, object] = {**told, "process": record.process}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_as_json(settings: BaseSettings) -> None:
    """In place of Scrapy's own handler, whose form of a line is one of text: before the first line is logged."""
    if not settings.getbool("LOG_JSON") or not settings.getbool("LOG_ENABLED"):
        return
    name, mode = settings["LOG_FILE"], "a" if settings.getbool("LOG_FILE_APPEND") else "w"
    handler = logging.FileHandler(name, mode, settings["LOG_ENCODING"]) if name else logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.setLevel(settings["LOG_LEVEL"])
    logging.root.addHandler(handler)
    decide(settings, LOG_ENABLED=False)
