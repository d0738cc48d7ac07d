"""Courts for tests: a few samples, a clock that can be set, and somebody of every role."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Thread

import uvicorn
from litestar.testing import TestClient

from venire.domain.sample import Sample
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import RateLimit, ServerOptions
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind

HOST = "127.0.0.1:8600"
NO_LIMIT = RateLimit(per_second=1e9, burst=10**9)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, **terms: float) -> None:
        self.moment += timedelta(**terms)


def sample_of(number: int) -> Sample:
    return Sample(
        output_id=f"secretmodel-{number}",
        text=f"The answer {number} of SecretModel is fine.",
        question_id=f"q{number}",
        target_model="SecretModel",
        task=f"Answer question {number}.",
    )


def write_samples(path, count: int) -> None:
    ledger = open_ledger(str(path))
    samples = [sample_of(number) for number in range(count)]
    ledger.append([Draft(Kind.SAMPLE, {"sample": each}, each.digest) for each in samples])
    ledger.close()


def options_for(folder, **terms) -> ServerOptions:
    usual = {"ledger": str(folder / "ledger.sqlite"), "registry": folder / "people.sqlite", "rate_limit": NO_LIMIT}
    return ServerOptions(**{**usual, **terms})


class Bar:
    """A court with a client for each role, named by the role; `stranger` has no key."""

    def __init__(self, court: Court, http: TestClient) -> None:
        self.court = court
        self.http = http
        self.secrets: dict[str, str] = {}

    def secret(self, role: str, name: str = "") -> str:
        who = name or role
        if who not in self.secrets:
            self.secrets[who] = self.court.registry.issue(CredentialKind.KEY, Role(role)).secret
        return self.secrets[who]

    def ask(self, role: str, method: str, path: str, *, name: str = "", headers=None, **terms):
        said = {"host": HOST, **(headers or {})}
        if role != "stranger":
            said["authorization"] = f"Bearer {self.secret(role, name)}"
        return self.http.request(method, path, headers=said, follow_redirects=False, **terms)

    def pseudonym(self, name: str) -> str:
        return self.court.registry.person_of(self.secrets[name]).pseudonym


@contextmanager
def open_bar(folder, samples: int = 3, clock=None, **terms):
    options = options_for(folder, **terms)
    if samples and not (folder / "ledger.sqlite").exists():
        write_samples(options.ledger, samples)
    court = Court(options, clock) if clock else Court(options)
    with TestClient(create_app(options, court), base_url=f"http://{HOST}") as http:
        yield Bar(court, http)


@contextmanager
def served(folder, **terms):
    """A court that listens on a real socket, in a thread of its own; yields the court and its address."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
    options = options_for(folder, port=listening.getsockname()[1], **terms)
    court = Court(options)
    server = uvicorn.Server(
        uvicorn.Config(create_app(options, court), loop="asyncio", log_level="error", access_log=False)
    )
    thread = Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield court, options.address
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def enter(bar, role="juror"):
    """Log in as a browser does; return its cookie and its token."""
    answer = bar.ask("stranger", "POST", "/login", data={"secret": bar.secret(role)})
    secret = answer.cookies["venire_session"]
    bar.http.cookies.clear()
    return secret, bar.court.registry.person_of(secret).csrf_token, answer


def by_cookie(bar, method, path, cookie, headers=None, **terms):
    said = {"host": HOST, "cookie": f"venire_session={cookie}", **(headers or {})}
    return bar.http.request(method, path, headers=said, follow_redirects=False, **terms)
