import pytest

from lab.benchmarks.fleet import fleet


def test_without_a_queue_a_page_takes_what_each_stage_takes() -> None:
    assert fleet(1, 1, latency=0.4, analysis=0.5, leader=0.1) == pytest.approx((1.0, 0.1, 0.6))


def test_two_pages_wait_for_each_other_as_worked_out_by_hand() -> None:
    """One server of a second, and a second without a queue: X(1) = 1/2 and Q(1) = 1/2, so X(2) = 2 / (1 + 1.5)."""
    assert fleet(1, 2, latency=1.0, analysis=1.0, leader=0.0).rate == pytest.approx(0.8)


@pytest.mark.parametrize(("machines", "rate"), [(1, 50.0), (64, 100.0)])
def test_the_slowest_stage_ends_it(machines: int, rate: float) -> None:
    found = fleet(machines, 200, latency=0.1, analysis=0.02, leader=0.01)
    assert found.rate == pytest.approx(rate, rel=0.01)
