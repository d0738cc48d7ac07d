"""Why no answer came, each reason a class of its own.

    HttpFailure
    ├── NoHostError           the name has no address
    ├── NotConnectedError     nobody accepts a connection there
    ├── NoTlsError            the connection there cannot be made a trusted one
    ├── ConnectTimeoutError   not within the time for that
    ├── ProxyRefusedError     the proxy does not let through
    ├── HungUpError           the server closed the connection without an answer
    ├── BrokenOffError        the answer ended before it was complete
    └── NotHttpError          what came back is no HTTP

An answer that takes too long is a `TimeoutError`.
"""

from __future__ import annotations

import ssl


class HttpFailure(Exception):  # noqa: N818 - the root is no error by itself
    """No answer, or none that is whole."""


class NoHostError(HttpFailure):
    """The name of the server, or of the proxy before it, has no address."""

    def __init__(self, host: str) -> None:
        super().__init__(host)
        self.host = host


class NotConnectedError(HttpFailure):
    """The server, or the proxy before it, does not accept a connection."""

    def __init__(self, host: str, port: int, reason: OSError, *, is_proxy: bool) -> None:
        super().__init__(host, port)
        self.host = host
        self.port = port
        self.reason = reason
        self.is_proxy = is_proxy


class NoTlsError(HttpFailure):
    """The server, or the proxy before it, does not speak TLS with us, or shows a certificate that we do not trust."""

    def __init__(self, authority: str, reason: ssl.SSLError) -> None:
        super().__init__(authority)
        self.authority = authority
        self.reason = reason


class ConnectTimeoutError(HttpFailure):
    """There was no connection in time."""


class ProxyRefusedError(HttpFailure):
    """The proxy does not connect to the server."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class HungUpError(HttpFailure):
    """The connection ended before anything of an answer had come."""


class BrokenOffError(HttpFailure):
    """The connection ended within an answer, or the answer cannot be unpacked."""


class NotHttpError(HttpFailure):
    """What came back is no answer in HTTP."""
