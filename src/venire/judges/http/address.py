"""Where a server or a proxy listens, and the head of a request to it."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, quote, unquote, urlsplit

import msgspec

from venire.errors import ConfigError
from venire.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 §5.6.2
_NOT_A_VALUE = re.compile("[^\t\x20-\x7e\x80-\xff]")
_OURS = frozenset({"content-length", "transfer-encoding", "connection"})
_UNQUOTED = "!#$%&'()*+,/:;=?@[]~"


class Address(msgspec.Struct, frozen=True):
    """Where somebody listens."""

    host: str
    """The name or the number."""
    port: int
    """The port."""
    is_tls: bool
    """Whether TLS is spoken there."""
    credentials: str = ""
    """The header that a proxy is told who we are with; empty for none. It is never shown."""

    @property
    def authority(self) -> str:
        """Host and port, as HTTP writes them."""
        return f"{_written(self.host)}:{self.port}"


def address_of(url: SplitResult) -> Address:
    """Return where an address of http or https leads; what stands before the `@` is for a proxy."""
    port = url.port or _PORTS[url.scheme]
    named = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    secret = base64.b64encode(named.encode()).decode()
    credentials = f"Proxy-Authorization: Basic {secret}\r\n" if url.username else ""
    return Address(url.hostname or "", port, url.scheme == "https", credentials)


def request_head(method: str, url: str, headers: Mapping[str, str], proxy: Address | None) -> bytes:
    """Return the head of a request up to its length; raises `ConfigError` for a header that HTTP cannot say.

    A proxy is sent the whole address of a plain server, and who we are; one before TLS was told so already.
    """
    parts = urlsplit(url)
    shown = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else _written(parts.hostname or "")
    host = f"{shown}:{parts.port}" if parts.port and parts.port != _PORTS[parts.scheme] else shown
    path = quote(parts.path or "/", safe=_UNQUOTED) + (f"?{quote(parts.query, safe=_UNQUOTED)}" if parts.query else "")
    is_relayed = proxy is not None and parts.scheme == "http"
    target = f"http://{host}{path}" if is_relayed else path
    given = {name.lower(): (name, value) for name, value in _standard(host).items()}
    given |= {name.lower(): (name, value) for name, value in headers.items()}
    for lowered, (name, value) in given.items():
        if not _NAME.fullmatch(name) or _NOT_A_VALUE.search(value) or lowered in _OURS:
            raise ConfigError("error.judge.header", name=ascii(name))
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.values())
    credentials = proxy.credentials if proxy is not None and is_relayed else ""
    return f"{method} {target} HTTP/1.1\r\n{lines}{credentials}".encode("latin-1")


def _standard(host: str) -> dict[str, str]:
    return {"Host": host, "User-Agent": f"venire/{__version__}", "Accept-Encoding": "gzip"}


def _written(host: str) -> str:
    """Return a host as HTTP writes it: names in ASCII, IPv6 in brackets."""
    if ":" in host:
        return f"[{host}]"
    return host if host.isascii() else host.encode("idna").decode("ascii")
