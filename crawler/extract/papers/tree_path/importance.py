"""How much each child of an element matters, by the entropy of its attributes (papers.md 6.2 step 3).

Reading [D-low] (register 29, `ipt_mode` "entropy"; "equal" weighs all attributes alike): p_im = x_im / sum_i x_im;
e_m = -(1/ln j) sum_i p_im ln p_im; w_m = (1 - e_m) / sum_m (1 - e_m); ipt_i = sum_m w_m p_im;
V = (1/j) sum_i (ipt_i - 1/j)^2.

`stop_rule`: "variance" stops as soon as V < 0.1, which for nine children and more is always; "share" stops as soon as
no child has half of the importance; "mixed" is the first for up to eight children, the second above.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from crawler.extract.papers.density_svm.svm import Floats

StopRule = Literal["mixed", "variance", "share"]
IptMode = Literal["entropy", "equal"]

STOP_VARIANCE = 0.1  # papers.md 6.2
STOP_SHARE = 0.5
FEW = 8  # children up to which the variance can reach STOP_VARIANCE
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


def importance(values: Floats, ipt_mode: IptMode = "entropy") -> Floats:
    """ipt_i of each child, in [0, 1]; they add up to 1 if any attribute is above 0. Shape (children,)."""
    if len(values) == 1:
        return np.ones(1)
    if ipt_mode == "equal":
        weights = np.full(values.shape[1], 1.0 / values.shape[1])
    else:
        _, weights = entropy_weights(values)
    found: Floats = _shares(values) @ weights
    return found


def variance(ipt: Floats) -> float:
    """V: mean squared distance of the importances from an even spread."""
    return float(((ipt - 1.0 / len(ipt)) ** 2).mean())


def goes_down(ipt: Floats, stop_rule: StopRule = "mixed") -> bool:
    """Whether one child is so important that the content lies in it."""
    if len(ipt) == 1:
        return True
    by_share = stop_rule == "share" or (stop_rule == "mixed" and len(ipt) > FEW)
    return bool(ipt.max() >= STOP_SHARE) if by_share else variance(ipt) >= STOP_VARIANCE


def _shares(values: Floats) -> Floats:
    sums = values.sum(axis=0)
    shares: Floats = np.divide(values, sums, out=np.zeros_like(values, dtype=np.float64), where=sums > 0)
    return shares
