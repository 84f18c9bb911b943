"""A model of a fleet, not a measurement: pages a second of 1 to 64 machines whose visits one leader commits.

    python -m lab.benchmarks.fleet --analysis-ms 30 --leader-ms 6 --latency 0.5 --slots 32

A closed queueing network: each of a machine's slots has one page, which waits for its host, then for the machine's
processors, then for the leader, and is followed by the next one. Solved by mean value analysis (M. Reiser and S. S.
Lavenberg, 1980, doi 10.1145/322186.322195), so service times are taken as exponential. --analysis-ms is the processor
time of a page where it is fetched (lab.benchmarks.throughput), --leader-ms that of the leader (lab.benchmarks.leader).
What it leaves out: hosts that are asked too often, a database on a slow disk, and that a leader commits many at once.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple


class Fleet(NamedTuple):
    rate: float  # pages a second
    busy: float  # share of the leader's time
    delay: float  # seconds from a page's arrival to its commit


def fleet(machines: int, slots: int, latency: float, analysis: float, leader: float) -> Fleet:
    """Exact for one class of pages. `analysis`, `leader`: seconds a page, each at one server. `latency`: seconds
    without a queue."""
    at_machine = at_leader = 0.0  # pages that are there or wait there
    rate = delay = 0.0
    for pages in range(1, machines * slots + 1):
        analysing, committing = analysis * (1 + at_machine), leader * (1 + at_leader)
        delay = analysing + committing
        rate = pages / (latency + delay)
        at_machine, at_leader = rate / machines * analysing, rate * committing
    return Fleet(rate, rate * leader, delay)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--analysis-ms", type=float, required=True, help="processor time of a page")
    parser.add_argument("--leader-ms", type=float, required=True, help="of the leader, a page")
    parser.add_argument("--cores", type=int, default=2, help="of a machine (default: %(default)s)")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds of a host's answer (default: %(default)s)")
    parser.add_argument("--slots", type=int, default=32, help="pages under way, a machine (default: %(default)s)")
    args = parser.parse_args()
    print("| machines | pages a second | leader busy | arrival to commit, s |\n|---|---|---|---|")
    for machines in (1, 2, 4, 8, 16, 32, 64):
        found = fleet(machines, args.slots, args.latency, args.analysis_ms / 1e3 / args.cores, args.leader_ms / 1e3)
        print(f"| {machines} | {found.rate:.0f} | {found.busy:.2f} | {found.delay:.2f} |")


if __name__ == "__main__":
    main()
