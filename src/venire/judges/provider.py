"""The interface between Venire and whoever replies: a request goes in, a raw reply comes out."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import msgspec

from venire.domain.output import PlannedOutput
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample

ErrorKind = Literal["rate_limited", "server", "connection", "timeout", "auth", "quota", "bad_request", "malformed"]
"""Why there is no text, in a word that retries can be decided on.

`rate_limited`, `server`, `connection` and `timeout` may pass by themselves; `auth`, `quota` (the account is
empty) and `bad_request` will not; `malformed` is an answer that is not of the protocol.
"""


class Attachment(msgspec.Struct, frozen=True):
    """A document that is sent beside the text of a request."""

    name: str
    """An opaque name; it never tells the model or the file's origin."""
    media_type: str
    """Such as `application/pdf`."""
    data: bytes
    """The document's bytes."""


class Decoding(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a judge's model is asked to decode; part of the judge's identity."""

    max_tokens: int = 2048
    """The most tokens that a reply may have."""
    temperature: float | None = 0.3
    """The sampling temperature; None leaves it to the server."""
    top_p: float | None = None
    """The nucleus sampling share; None leaves it to the server."""
    seed: int | None = None
    """The server's sampling seed; None sends none."""


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation that was said before."""

    role: Literal["user", "assistant"]
    """Who speaks."""
    text: str
    """The words."""


class Request(msgspec.Struct, frozen=True):
    """One question to one judge, or to a target. Providers that send text use only the upper half."""

    model: str
    """The model's name as the server knows it."""
    system: str
    """The system message; a target's may be empty, and is not sent then."""
    user: str
    """The user message, with the judged text fenced as data."""
    decoding: Decoding
    """The decoding parameters."""
    reply_schema: dict[str, Any]
    """The JSON Schema of the reply, for servers that can constrain decoding; empty where the reply is free."""
    attachments: tuple[Attachment, ...] = ()
    """Documents to send along."""
    protocol: EvalProtocol | None = None
    """The protocol, for judges that are not language models."""
    subject: Sample | Bundle | None = None
    """What is judged, for judges that are not language models."""
    task_id: str = ""
    """The id of the task, for judges that replay recorded replies."""
    handle: str = ""
    """The opaque name under which the judge knows the sample."""
    language: str = "en"
    """The language that the judge is asked in, for judges that are not language models."""
    before: tuple[Message, ...] = ()
    """What was said before the user's message, in conversations of several turns."""
    may_be_empty: bool = False
    """Whether an answer without text is a reply; a judge's is a fault, a target's is an output."""
    planned: PlannedOutput | None = None
    """The output that is asked for, for targets that are not language models."""
    not_ascii: int | None = None
    """How many characters of the user message are not ASCII, if whoever wrote it has counted them."""


class LimitLeft(msgspec.Struct, frozen=True, gc=False):
    """What the headers of an answer say is left of a limit."""

    unit: Literal["requests", "tokens"]
    """What it limits."""
    remaining: float
    """How many are left."""
    reset_seconds: float
    """In how many seconds all of them are there again."""


class Reply(msgspec.Struct, frozen=True):
    """What came back, whole and unread. A failure is a reply too."""

    text: str | None
    """The judge's own words; None if there were none."""
    body: bytes = b""
    """The bytes that the server sent; empty if nothing came."""
    status: int | None = None
    """The HTTP status; None if there was no HTTP answer."""
    error: str | None = None
    """Why there is no text, in words that hold no secret; None if there is one."""
    error_kind: ErrorKind | None = None
    """The kind of the error; None exactly when there is no error."""
    retry_after_seconds: float | None = None
    """How long the server asks to be left alone."""
    limited_unit: Literal["", "requests", "tokens"] = ""
    """What a server that refuses has too much of; empty if it does not say."""
    rate_limits: tuple[LimitLeft, ...] = ()
    """What the server says is left of its limits."""
    input_tokens: int | None = None
    """Tokens of the request as the server counted them."""
    output_tokens: int | None = None
    """Tokens of the reply as the server counted them."""
    finish_reason: str | None = None
    """Why the model stopped, in the server's word; `cut` if we stopped reading at the size limit."""
    model: str | None = None
    """The model that the server says has answered."""
    latency_seconds: float = 0.0
    """The time from sending the request to the last byte."""


class Provider(Protocol):
    """Whoever replies. Two methods, so that a fake fits on a page."""

    async def ask(self, request: Request) -> Reply:
        """Ask once and return what came back; never retries, never parses, never raises for a bad answer."""

    async def close(self) -> None:
        """Let go of connections and processes."""
