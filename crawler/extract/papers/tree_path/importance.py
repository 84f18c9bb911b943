"""How much each child of an element matters, by the entropy of its attributes (papers.md 6.2 step 3).

Reading [D-low] (register 29): p_im = x_im / sum_i x_im; e_m = -(1/ln j) sum_i p_im ln p_im;
w_m = (1 - e_m) / sum_m (1 - e_m); ipt_i = sum_m w_m p_im. The way down stops as soon as no child has half of the
importance: the variance of the importances, as printed, is below its 0.1 for nine children and more whatever they hold.
"""

from __future__ import annotations

import numpy as np

from crawler.extract.papers.outline import Floats

STOP_SHARE = 0.5
CERTAIN = 1e-12  # 1 - e below this is rounding


def entropy_weights(values: Floats) -> tuple[Floats, Floats]:
    """Entropy e_m and weight w_m of each attribute, from values x_im >= 0 of shape (children, attributes), two
    children at least. An attribute that is 0 everywhere has entropy 1; equal weights if none tells anything."""
    shares = _shares(values)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    entropy = -(shares * logs).sum(axis=0) / np.log(len(values))
    entropy = np.where(values.sum(axis=0) > 0, entropy, 1.0)
    told = np.maximum(1.0 - entropy, 0.0)
    if told.sum() < CERTAIN:
        return entropy, np.full(len(told), 1.0 / len(told))
    return entropy, told / told.sum()


def importance(values: Floats) -> Floats:
    """ipt_i of each child, in [0, 1]; they add up to 1 if any attribute is above 0. Shape (children,)."""
    if len(values) == 1:
        return np.ones(1)
    found: Floats = _shares(values) @ entropy_weights(values)[1]
    return found


def goes_down(ipt: Floats) -> bool:
    """Whether one child is so important that the content lies in it."""
    return bool(ipt.max() >= STOP_SHARE)


def _shares(values: Floats) -> Floats:
    sums = values.sum(axis=0)
    shares: Floats = np.divide(values, sums, out=np.zeros_like(values, dtype=np.float64), where=sums > 0)
    return shares
