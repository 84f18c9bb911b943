"""The end of a crawl waits for its connections, but not for ever."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from twisted.internet.defer import Deferred

from crawler.middlewares.response_limits import BoundedDownloadHandler


def test_connections_that_close_after_the_wait_are_no_error() -> None:
    closing: Deferred[None] = Deferred()
    handler = BoundedDownloadHandler.__new__(BoundedDownloadHandler)
    handler._pool = SimpleNamespace(closeCachedConnections=lambda: closing)  # type: ignore[assignment]
    handler._disconnect_timeout = 0

    async def close() -> None:
        await handler.close()
        assert not closing.called, "whose answer it is"
        closing.callback(None)

    asyncio.run(close())
