"""Asks a Venire server the questions of the client: JSON there and back, under /api/v1."""

from __future__ import annotations

import http.client
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from venire.errors import UsageError, VenireError
from venire.judges.http.proxy import is_loopback

_TIMEOUT_SECONDS = 60.0


class VoteServer:
    """A server at an address; the path `/api/v1` is added unless it is there."""

    def __init__(self, base_url: str, api_key: str | None = None, *, insecure_http: bool = False) -> None:
        self._parts = parts = server_address(base_url, has_key=bool(api_key), insecure_http=insecure_http)
        path = parts.path.rstrip("/")
        self._path = path if path.endswith("/api/v1") else f"{path}/api/v1"
        self._api_key = api_key

    @property
    def address(self) -> str:
        """Where it is asked, without what a user may have put before its name."""
        return f"{self._parts.scheme}://{self._parts.netloc.rpartition('@')[2]}{self._path}"

    def ask(self, route: str, **question: object) -> Any:
        """Post a question and return the answer. Raises `VenireError` if the server does not give one."""
        where = f"{self.address}/{route}"
        secure = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(str(self._parts.hostname), self._parts.port, timeout=_TIMEOUT_SECONDS)
        headers = {"Content-Type": "application/json"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        sent = {name: value for name, value in question.items() if value is not None}
        try:
            connection.request("POST", f"{self._path}/{route}", msgspec.json.encode(sent), headers)
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise VenireError("error.votes.no_answer", where=where, error=error) from error
        finally:
            connection.close()
        if response.status != http.client.OK:
            said = body[:500].decode("utf-8", "replace")
            raise VenireError("error.votes.bad_status", where=where, status=response.status, said=said)
        try:
            return msgspec.json.decode(body)
        except msgspec.DecodeError as error:
            raise VenireError("error.votes.bad_answer", where=where, error=error) from error


def server_address(base_url: str, *, has_key: bool, insecure_http: bool = False) -> SplitResult:
    """Return the address of a server, without a user and password that it may hold; neither is ever repeated.

    Raises `UsageError` for what is no address, and if a key would go over plain http to another machine.
    """
    parts = urlsplit(base_url)
    parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        found = base_url.rpartition("@")[2]
        raise UsageError("error.votes.no_address", found=found)
    if parts.scheme == "http" and has_key and not insecure_http and not is_loopback(parts.hostname):
        raise UsageError("error.votes.plain_http", host=parts.hostname)
    return parts
