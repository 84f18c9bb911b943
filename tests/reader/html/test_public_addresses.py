from ipaddress import ip_network

import pytest

from crawler.errors import SettingError
from crawler.reader.html.public_addresses import Networks
from crawler.reader.html.urls import canonical, host
from lab.benchmarks.hostile.addresses import DISGUISES


@pytest.mark.parametrize("url", DISGUISES)
def test_disguises_of_private_addresses(url: str) -> None:
    address = canonical(url)
    assert address is None or Networks().refuse_name(host(address)), address


@pytest.mark.parametrize(
    "name", ["example.com", "93.184.216.34", "[2606:2800:220:1::1]", "local.example", "127.example"]
)
def test_public_names(name: str) -> None:
    assert not Networks().refuse_name(name)


TESTS = [
    ("8.8.8.8", "", True),
    ("2001:4860:4860::8888", "", True),
    ("127.0.0.1", "127.0.0.0/8", True),
    ("::ffff:127.0.0.1", "127.0.0.0/8", True),
    ("10.1.2.3", "127.0.0.0/8,10.1.0.0/16", True),
    ("10.2.2.3", "127.0.0.0/8,10.1.0.0/16", False),
    ("fd00::7", "fd00::/8", True),
    ("::1", "fd00::/8", False),
    ("127.0.0.1", "", False),
    ("fe80::1%eth0", "", False),
    ("no address", "127.0.0.0/8", False),
]


@pytest.mark.parametrize(("address", "allowed", "expected"), TESTS)
def test_addresses_that_may_be_connected_to(address: str, allowed: str, expected: bool) -> None:
    assert Networks.of(allowed.split(",") if allowed else []).admit(address) == expected


def test_denied_networks_are_stronger() -> None:
    networks = Networks.of(["10.0.0.0/8"], [ip_network("10.1.0.0/16"), ip_network("8.8.8.0/24")])
    assert networks.admit("10.2.0.1")
    assert networks.admit("8.8.4.4")
    assert not networks.admit("10.1.0.1")
    assert not networks.admit("8.8.8.8")
    assert not networks.admit("::ffff:8.8.8.8")
    assert networks.refuse_name("8.8.8.8")


def test_a_network_that_is_none() -> None:
    with pytest.raises(SettingError, match=r"ALLOW_ADDRESSES.*127\.0\.0\.0/8"):
        Networks.of(["127.0.0.1/8"])
