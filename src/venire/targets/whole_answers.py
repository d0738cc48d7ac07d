"""Answers that were longer than what is read of them: their envelope is broken, so there is no output in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from venire.words.said import say

if TYPE_CHECKING:
    from venire.judges.provider import Provider, Reply, Request


def without_cut_envelope(reply: Reply) -> Reply:
    """Return a reply as it is, or as a failure where it holds nothing but the beginning of an envelope.

    A judge's reply of that kind is kept and found invalid; as an output it would be judged as if it were one.
    """
    if reply.finish_reason != "cut":
        return reply
    body = reply.body or (reply.text or "").encode()
    return msgspec.structs.replace(
        reply,
        text=None,
        body=body,
        finish_reason=None,
        error=say("error.target.answer_too_long", count=len(body)),
        error_kind="malformed",
    )


class WholeAnswers:
    """Asks a provider whose replies come in envelopes, and takes whole ones only."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def ask(self, request: Request) -> Reply:
        """Ask once and return what came back."""
        return without_cut_envelope(await self._provider.ask(request))

    async def close(self) -> None:
        """Let the provider close what it has open."""
        await self._provider.close()
