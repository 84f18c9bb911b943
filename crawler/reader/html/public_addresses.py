"""Which network addresses may be connected to: by default only those that anybody on the Internet can reach."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from crawler.errors import SettingError
from crawler.messages import _

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

LOCAL_NAMES = ("localhost", "localdomain", "ip6-localhost", "ip6-loopback", "local", "internal")  # also as a name's end
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last four bytes are an IPv4 address
IPV4_COMPATIBLE = IPv6Network("::/96")  # RFC 4291, 2.5.5.1, out of use
# Azure's metadata service, at a public address, and what Python 3.11 does not know to be reserved (RFC 6890, RFC 9637).
NOT_PUBLIC = (IPv4Network("168.63.129.16/32"), IPv4Network("192.0.0.0/24"), IPv6Network("3fff::/20"))
CACHED_NAMES = 20_000  # of hosts, known to be addresses or none: each request asks


@dataclass(frozen=True, slots=True)
class Networks:
    """The public addresses, and those of the networks that the user allows, without those that the topic denies."""

    allowed: tuple[Network, ...] = ()
    denied: tuple[Network, ...] = ()  # stronger

    @classmethod
    def of(cls, texts: Iterable[str], denied: Iterable[Network] = ()) -> Networks:
        """Raises SettingError for what is not a network."""
        try:
            return cls(tuple(ip_network(text.strip()) for text in texts), tuple(denied))
        except ValueError as error:
            raise SettingError(
                _("ALLOW_ADDRESSES cannot be used: {error}; give networks like 127.0.0.0/8,192.168.1.0/24,fd00::/8"),
                error=error,
            ) from error

    def admit(self, text: str) -> bool:
        """Whether a connection to this IP address may be made; False for anything else."""
        address = literal(text)
        if address is None or any(address in network for network in self.denied):
            return False
        return _is_public(address) or any(address in network for network in self.allowed)

    def refuse_name(self, host: str) -> bool:
        """True if the name itself is private (localhost, a literal address). It needs no DNS, so it works behind a
        proxy."""
        name = host.lower().rstrip(".")
        if literal(name) is not None:
            return not self.admit(name)
        is_local = any(name == local or name.endswith(f".{local}") for local in LOCAL_NAMES)
        return is_local and not any(network.is_loopback for network in self.allowed)


def is_public(text: str) -> bool:
    """Whether it is an address that anybody on the Internet can reach."""
    address = literal(text)
    return address is not None and _is_public(address)


@lru_cache(maxsize=CACHED_NAMES)
def literal(host: str) -> Address | None:
    """The address that a host's name is, also in the forms of RFC 6943, 3.1.1: 127.1, 0x7f.1, 2130706433. An IPv4
    address within an IPv6 address is the IPv4 address."""
    try:
        address = ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        try:
            return IPv4Address(socket.inet_aton(host)) if host[:1].isdigit() and " " not in host else None
        except (OSError, ValueError):
            return None
    return _inner(address) if isinstance(address, IPv6Address) else address


def _inner(address: IPv6Address) -> Address:
    if address in NAT64 or (address in IPV4_COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address


def _is_public(address: Address) -> bool:
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or (isinstance(address, IPv6Address) and address.is_site_local)
        or any(address in network for network in NOT_PUBLIC)
    )
