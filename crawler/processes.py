"""Processes of our own: forks of one that has loaded what they need. A fork of a crawl is unsafe beside its threads."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.context import ForkServerContext, SpawnContext
from tempfile import gettempdir

# Where the folder of temporary files has too long a name for a socket (104 bytes, 35 of its own), each loads it.
MOST_OF_FOLDER = 65  # bytes
SPAWNED: ForkServerContext | SpawnContext = multiprocessing.get_context("spawn")
PROCESSES = multiprocessing.get_context("forkserver") if len(os.fsencode(gettempdir())) <= MOST_OF_FOLDER else SPAWNED
