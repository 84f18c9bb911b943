#!/bin/sh
# Chromium with a bound on what each of its processes may hold: a page can allocate beside the heap of its scripts.
ulimit -d 1500000
exec "$ZHUTI_CHROMIUM" "$@"
