"""Finds the proxy that the environment names for an address, once instead of with every request."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from venire.errors import ConfigError


def proxy_for(url: SplitResult) -> SplitResult | None:
    """Return the proxy from HTTP_PROXY, HTTPS_PROXY and NO_PROXY for this address; None to connect directly.

    Raises `ConfigError` for one that is not spoken to by HTTP; what stands there is not repeated, for its password.
    """
    host = url.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    named = getproxies().get(url.scheme)
    if not named:
        return None
    try:
        proxy = urlsplit(named if "://" in named else f"http://{named}")
        is_proxy = proxy.scheme in {"http", "https"} and bool(proxy.hostname) and proxy.port != 0
    except ValueError:  # such as a port beyond 65535
        is_proxy = False
    if not is_proxy:
        raise ConfigError("error.judge.proxy", scheme=url.scheme.upper(), host=host)
    return proxy


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
