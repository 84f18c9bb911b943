"""A replay beside the caller, in a thread of its own: for tests and benchmarks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.replay.server import Replay, open_replay


@contextmanager
def serve_in_thread(source: Path, **options: Any) -> Iterator[Replay]:
    """The running server: `.proxy` is the value for http_proxy and https_proxy. `options`: those of `open_replay`.
    Raises ReplayError."""
    replay = open_replay(source, **options)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="replay", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(replay.start(), loop).result()
        yield replay
    finally:
        asyncio.run_coroutine_threadsafe(replay.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
