"""Where the crawls of a study start. The seeds are drawn at random, and a draw is the same on every machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from crawler.errors import SettingError

HOMES = "homes"  # the home page of every host
FEW = "few"  # five seeds: two posts on the topic and three home pages
SOME = "some"  # SHARE of the home pages, so that draws differ in their hosts and not only in the order of them
STARTS = (HOMES, FEW, SOME)
FEW_POSTS, FEW_HOMES = 2, 3
SHARE = 0.7


def seeds(kind: str, homes: Sequence[str], posts: Sequence[str], topic: str, draw: int) -> list[str]:
    """The seeds of one draw, in order. `posts`: on-topic posts. The first draw of HOMES keeps their order, as a user
    would write it. Raises SettingError for an unknown kind."""
    random = Random(f"{topic} {draw}")
    if kind == HOMES:
        return random.sample(homes, len(homes)) if draw else list(homes)
    if kind == SOME:
        return random.sample(homes, math.ceil(SHARE * len(homes)))
    if kind != FEW:
        raise SettingError(f"--seeds: there is no kind {kind!r} of seeds; use one of {', '.join(STARTS)}")
    chosen = random.sample(sorted(posts), min(FEW_POSTS, len(posts)))
    chosen += random.sample(sorted(homes), min(FEW_HOMES, len(homes)))
    random.shuffle(chosen)
    return chosen
