"""Courthouses for tests: the real app over a small judged ledger, on loopback."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import uvicorn

from report_ledger import design, scoring, write_ledger
from venire.domain.sample import Sample
from venire.domain.vote import Vote
from venire.ledger.checkpoint import create_key
from venire.ledger.location import open_ledger
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import DEFAULT_PROMPT, RateLimit, ServerOptions
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind
from venire.workflows.import_votes import import_votes

SPLIT = "q0-baseline-explicit-birch-2"
"""The output on which voters disagree."""
DAY_ONE = datetime(2025, 1, 1, 12, 0, tzinfo=UTC)

HOSTILE = {
    "script": "<script>window.pwned = 1</script><style>body { display: none }</style></div></main>",
    "handler": '<img src=x onerror="window.pwned = 2"><a href="javascript:window.pwned=3" autofocus>click</a>',
    "svg": '<svg onload="window.pwned = 4"><animate onbegin="window.pwned = 5" attributeName="x"/></svg>',
    "bidi": "safe \u202erof dehsaw\u202c \u2066isolated\u2069 \u200bzero\u200b \x07bell \ufeffmark",
    "template": "{{ 7 * 7 }} {% for x in y %} ${7*7} #{7*7} <%= 7*7 %> {{ words.report }}",
    "line": "".join(f"{place:07d}" for place in range(150_000)),
}
"""Outputs that try to be more than text; the last is a line of 1 MB."""


def hostile_samples() -> list[Sample]:
    """Return the hostile outputs as samples of a model of their own, with hostile tasks."""
    return [
        Sample(
            f"hostile-{name}",
            text,
            question_id="q0",
            prompt_variant=name,
            target_model="yew-9",
            task=text[:400],
            factors={"trigger": "explicit", "language": "en"},
        )
        for name, text in HOSTILE.items()
    ]


class Courthouse(msgspec.Struct, frozen=True):
    """A server under test."""

    address: str
    """Where it is."""
    court: Court
    """Its insides, for handing out keys."""
    ledger: Path
    """Its ledger."""
    events: Path
    """The file of events that it follows."""

    def invite(self, role: Role = Role.JUROR) -> str:
        """Return an address that lets somebody new in, from any number of browsers."""
        return f"{self.address}/login#{self.key(role)}"

    def key(self, role: Role) -> str:
        """Return a new key."""
        return self.court.registry.issue(CredentialKind.KEY, role).secret


def write_judged_ledger(path: Path, regions: tuple[str, ...] = ()) -> Path:
    """Write a ledger with judgements of two judges on friendly and hostile outputs, and votes over some days.

    With `regions`, the friendly ones have a note each that names one of them, in turn.
    """
    samples = [
        msgspec.structs.replace(
            each,
            task=f"Answer question {each.question_id} in two sentences.",
            notes={"region": regions[place % len(regions)]} if regions else {},
        )
        for place, each in enumerate(design(questions=2))
    ]
    answers = {"oak": scoring(), "elm": scoring(severity=1, broken_at="worth 5")}
    write_ledger(path, [*samples, *hostile_samples()], answers)
    ledger = open_ledger(str(path))
    import_votes(ledger, list(_votes(samples)), prompts=[DEFAULT_PROMPT])
    ledger.close()
    return path


def _votes(samples: list[Sample]) -> Iterator[Vote]:
    for place, sample in enumerate(samples[:6]):
        for number in range(4):
            vote = number % 2 if sample.output_id == SPLIT else 1 - place / 8
            moment = DAY_ONE + timedelta(days=number, minutes=place)
            yield Vote(
                inference_id=sample.output_id,
                vote=float(vote),
                voter_id=f"juror-{number}",
                vote_time=moment,
                voter_prompt_id=DEFAULT_PROMPT.id,
            )


@contextmanager
def open_courthouse(judged: Path, folder: Path, **options: object) -> Iterator[Courthouse]:
    """Serve a copy of a ledger until the end of the block."""
    folder.mkdir()
    ledger = Path(shutil.copy(judged, folder / "ledger.sqlite"))
    create_key(folder / "signing.key")
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    settings = ServerOptions(
        ledger=str(ledger),
        registry=folder / "registry.sqlite",
        port=port,
        signing_key=folder / "signing.key",
        events=folder / "events.jsonl",
        rate_limit=RateLimit(per_second=10_000, burst=10_000),
        **options,  # type: ignore[arg-type]
    )
    court = Court(settings)
    server = uvicorn.Server(
        uvicorn.Config(create_app(settings, court), loop="asyncio", log_level="warning", lifespan="on")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield Courthouse(f"http://127.0.0.1:{port}", court, ledger, folder / "events.jsonl")
    finally:
        server.should_exit = True
        thread.join(timeout=60)


def as_a(role: Role, court: Court, **headers: str) -> dict[str, str]:
    """Return the headers of somebody new in this role who asks for a page."""
    secret = court.registry.issue(CredentialKind.KEY, role).secret
    return {"authorization": f"Bearer {secret}", "accept": "text/html", **headers}
