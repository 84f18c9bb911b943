"""The features of a URL by name, with the weights that the two models have before anything is learned."""

from __future__ import annotations

from crawler.messages import N_

# `Evidence.features` gives their values. The weight is that in the chance that a post is on the topic: a
# formula made by hand. Values lie in [0, 1] or about there.
TOPIC_WEIGHTS = {
    N_("bias"): -3.5,
    N_("own words"): 4.0,
    N_("own words, mean over parents"): 0.0,
    N_("all words"): 1.0,
    N_("anchor"): 0.5,
    N_("best parent"): 1.0,
    N_("parents' mean"): 0.3,
    N_("nearest parent's nearness"): 0.3,
    N_("words of the list"): 1.0,
    N_("host's record"): 1.0,
    N_("pattern's record"): 1.0,
    N_("tag path's record"): 1.0,
    N_("siblings' record"): 1.5,
    N_("host's nearness"): 2.0,
    N_("words of the host's links"): 2.0,
    N_("host's posts"): 0.0,
    N_("pattern's posts"): 0.0,
    N_("tag path's posts"): 0.0,
    N_("siblings' posts"): 0.0,
    N_("purpose's posts"): 0.0,
    N_("in-links"): 0.0,
    N_("share as navigation"): 0.0,
    N_("noise"): 0.0,
    N_("position"): 0.0,
    N_("depth"): 0.0,
    N_("distance penalty"): 1.5,  # the price of tunnels
    N_("anchor's length"): 0.0,
    N_("segments"): 0.0,
    N_("ends with a slash"): 0.0,
    N_("digits"): 0.0,
    N_("on another host"): 0.0,
    N_("list's length"): 0.0,
    N_("parent's likeness to a post"): 0.0,
    N_("pages known of the host"): 0.0,
    N_("pages known of the URL pattern"): 0.0,
    N_("pages known of the sibling links"): 0.0,
    N_("own words x parent"): 0.0,
    N_("index file has text"): -1.5,  # by the text that an index file holds of it: whether there is one, and
    N_("nearness of the index file's text"): 5.0,
    N_("listed in an index file"): 0.0,  # by a feed or a search index, which list posts
    N_("importance"): 0.0,  # IPageRank; 0 where it takes no part
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
    "listed in an index file": 2.0,
}
