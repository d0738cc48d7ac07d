"""How a server is set up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from venire.domain.vote import VoterPrompt
from venire.errors import UsageError
from venire.votes.decay.terms import Decay

DEFAULT_PROMPT = VoterPrompt("accept", "Is this output good enough to be given to the person who asked for it?")
"""What jurors are asked unless the configuration says something else."""
DEFAULT_PROMPT_ZH = VoterPrompt("accept-zh", "这份输出是否足以交给提出请求的人？")
"""The same in Chinese, under a name of its own: other words make other votes."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


VoteScale = Literal["yes_no", "five", "unit", "pairs", "protocol"]
"""How a juror answers: yes or no, 1 to 5, a number from 0 to 1, the better of two, or the scores of a protocol."""


class RateLimit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many requests one key, juror or address may make."""

    per_second: Annotated[float, msgspec.Meta(gt=0)] = 50.0
    """How many a second on the long run."""
    burst: Annotated[int, msgspec.Meta(ge=1)] = 200
    """How many at once after a pause."""


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a server is set up; made by `venire serve` from its options and the `server:` part of a configuration."""

    ledger: str
    """Where the ledger is: a path, an address, or `memory:`."""
    read_only: bool = False
    """Whether the ledger is only looked at, because another program writes to it; votes are refused then."""
    registry: Path | str | None = None
    """Where keys and the names behind pseudonyms are: a file, the address of a database, or None for in memory."""
    host: str = "127.0.0.1"
    """The address that is listened on."""
    port: int = 8600
    """The port that is listened on."""
    public_url: str = ""
    """The address that people use if it is another one, as behind a proxy; its host is then accepted too."""
    signing_key: Path | None = None
    """The key that signs checkpoints; None if none are handed out."""
    events: Path | None = None
    """A file of events that `venire judge` writes, for showing live progress; None to watch the ledger instead."""
    voter_prompt: VoterPrompt = DEFAULT_PROMPT
    """What jurors are asked."""
    vote_scale: VoteScale = "yes_no"
    """How jurors answer: yes or no, 1 to 5, a number from 0 to 1, which of two outputs is better, or by the dimensions
    of the protocol."""
    drawn: bool = False
    """Whether jurors see only the outputs that were drawn for labelling."""
    second_vote: Literal["refuse", "change"] = "refuse"
    """What a second vote of a juror on an item in the same round is: refused, or a recorded change."""
    undo_seconds: float = 60.0
    """For how long a juror may take a vote back."""
    decay: Decay = Decay()
    """The terms on which votes age."""
    patience_seconds: float = 10.0
    """For how long requests wait for a database that has gone away, before they are refused."""
    rate_limit: RateLimit = RateLimit()
    """How many requests one key, juror or address may make."""
    jurors_per_address: int = 100
    """How many new jurors may come in by an open link from one address within an hour."""
    body_limit_bytes: int = 4 * 1024 * 1024
    """How long the body of a request may be."""
    request_seconds: float = 30.0
    """How long a request may take to arrive, from its first byte to the end of its body."""
    session_hours: float = 12.0
    """How long somebody stays logged in."""
    language: Literal["en", "zh"] = "en"
    """The language of pages for those who have not chosen one."""
    demo: bool = False
    """Whether pages should say that the data is made up."""

    def __post_init__(self) -> None:
        if self.public_url and not self.public_url.startswith(("http://", "https://")):
            raise UsageError("error.server.public_url", url=self.public_url)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in _LOOPBACK or self.host.startswith("127.")

    @property
    def address(self) -> str:
        """The address that people use, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{self.port}"
