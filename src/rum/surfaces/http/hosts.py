"""Names of hosts: which ones a server answers to, and which are the own machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable


def host_name(host: str) -> str:
    """The name of a Host header without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[").lower()
    return host.partition(":")[0].lower()


def is_loopback(host: str) -> bool:
    """Whether a server that listens there can be reached from its own machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def known_hosts(host: str, allowed: Iterable[str]) -> frozenset[str]:
    """The names under which a server answers: those allowed, where it listens, and its own machine's."""
    own = ("localhost", "127.0.0.1", "::1") if is_loopback(host) else (host,)
    return frozenset(
        host_name(one) if "]" in one or one.count(":") < 2 else one.lower() for one in (*own, *allowed)
    )
