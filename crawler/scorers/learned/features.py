"""The features of a URL by name, with the weights that the two models have before anything is learned."""

from __future__ import annotations

# In the order of the columns of `Evidence.features`. The weight is that in the chance that a post is on the topic: a
# formula made by hand. Values lie in [0, 1] or about there.
TOPIC_WEIGHTS = {
    "bias": -3.5,
    "own words": 4.0,
    "own words, mean over parents": 0.0,
    "all words": 1.0,
    "anchor": 0.5,
    "best parent": 1.0,
    "parents' mean": 0.3,
    "nearest parent's similarity": 0.3,
    "words of the list": 1.0,
    "host's record": 1.0,
    "pattern's record": 1.0,
    "tag path's record": 1.0,
    "siblings' record": 1.5,
    "host's similarity": 2.0,
    "words of the host's links": 2.0,
    "host's posts": 0.0,
    "pattern's posts": 0.0,
    "tag path's posts": 0.0,
    "siblings' posts": 0.0,
    "purpose's posts": 0.0,
    "in-links": 0.0,
    "share as navigation": 0.0,
    "noise": 0.0,
    "position": 0.0,
    "depth": 0.0,
    "toll": 1.5,  # the price of tunnels
    "anchor's length": 0.0,
    "segments": 0.0,
    "slash": 0.0,
    "digits": 0.0,
    "other host": 0.0,
    "list's length": 0.0,
    "parent's likeness to a post": 0.0,
    "known of the host": 0.0,
    "known of the pattern": 0.0,
    "known of the siblings": 0.0,
    "own words times parent": 0.0,
    "said": -1.5,  # by the text that a door holds of it: whether there is one, and
    "said similarity": 5.0,
    "listed": 0.0,  # by a feed or a search index, which list posts
    "importance": 0.0,  # IPageRank; 0 where it takes no part
}
FEATURES = len(TOPIC_WEIGHTS)
# The same in the chance that a page is a post.
POST_WEIGHTS = dict.fromkeys(TOPIC_WEIGHTS, 0.0) | {
    "bias": -1.5,
    "share as navigation": -2.0,
    "noise": -1.0,
    "pattern's posts": 1.0,
    "tag path's posts": 1.0,
    "siblings' posts": 1.0,
    "purpose's posts": 1.0,
    "listed": 2.0,
}
