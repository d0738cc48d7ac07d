"""A court to look at: made-up outputs, judged by rules on this machine, with made-up votes of made-up jurors."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path

import msgspec

from venire.config import load_settings
from venire.domain.vote import Vote, VoterPrompt
from venire.ledger.checkpoint import create_key
from venire.ledger.location import open_ledger
from venire.server.court.court import Court
from venire.server.options import DEFAULT_PROMPT, DEFAULT_PROMPT_ZH, ServerOptions
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind
from venire.workflows.import_votes import import_votes
from venire.workflows.judge import judge, read_subjects

_JURORS = 9
_DAYS = 21

ASKED = VoterPrompt(DEFAULT_PROMPT.id, DEFAULT_PROMPT.text, {"en": DEFAULT_PROMPT.text, "zh": DEFAULT_PROMPT_ZH.text})
"""What jurors of the demonstration are asked, in the language that they read."""


class RoleLink(msgspec.Struct, frozen=True):
    """A link with which somebody is logged in."""

    role: Role
    """The role."""
    link: str
    """The link."""


async def make_demo(folder: Path, now: datetime, *, seed: int = 1) -> ServerOptions:
    """Judge the made-up outputs into a new ledger in a folder, add votes, and return the options to serve it with."""
    with as_file(files("venire.server").joinpath("demo_data")) as data:
        shutil.copytree(data, folder, dirs_exist_ok=True)
    settings = load_settings(folder / "venire.yaml")
    await judge(settings)
    outputs = [subject.output_id for subject in read_subjects(settings) if hasattr(subject, "output_id")]
    ledger = open_ledger(settings.ledger)
    try:
        import_votes(ledger, _votes(outputs, now, random.Random(seed)), prompts=[ASKED])  # noqa: S311
    finally:
        ledger.close()
    create_key(folder / "checkpoint.key")
    return ServerOptions(
        ledger=settings.ledger,
        registry=folder / "registry.sqlite",
        signing_key=folder / "checkpoint.key",
        voter_prompt=ASKED,
        demo=True,
    )


def make_links(court: Court) -> list[RoleLink]:
    """Make a key or an invitation for each role, and return links that log in with it."""
    links = []
    for role in Role:
        kind = CredentialKind.INVITATION if role is Role.JUROR else CredentialKind.KEY
        issued = court.registry.issue(kind, role, name=f"demo {role.value}", lifetime=timedelta(days=1))
        links.append(RoleLink(role, f"{court.options.address}/login#{issued.secret}"))
    return links


def _votes(outputs: list[str], now: datetime, chance: random.Random) -> Iterator[Vote]:
    """Yield votes that mostly agree, on two of three outputs.

    On every seventh output jurors are of two minds, and were so until an hour ago: what is latest is shown first, and
    should have something to show.
    """
    for number, output in enumerate(outputs):
        if number % 3 == 2:
            continue
        leaning = chance.choice((0.01, 0.98, 1.0)) if number % 7 else 0.5
        youngest = 2 if number % 7 else 0.05
        for juror in range(_JURORS):
            moment = now - timedelta(days=chance.uniform(youngest, _DAYS))
            likes = chance.random() < leaning
            yield Vote(
                inference_id=output,
                vote=1.0 if likes else 0.0,
                voter_id=f"juror-demo-{juror + 1}",
                vote_time=moment,
                voter_prompt_id=ASKED.id,
            )
