"""Finds the proxy that the environment names for an address, once instead of with every request."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

if TYPE_CHECKING:
    from yarl import URL


def proxy_for(url: URL) -> str | None:
    """Return the proxy from HTTP_PROXY, HTTPS_PROXY and NO_PROXY for this address; None to connect directly."""
    host = url.host or ""
    if _is_loopback(host) or proxy_bypass(host):
        return None
    return getproxies().get(url.scheme)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
