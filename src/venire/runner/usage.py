"""How many tokens a request takes: estimated before it is sent, counted when its reply is there."""

from __future__ import annotations

import msgspec

from venire.judges.provider import Reply, Request

_FRAME_TOKENS = 16
_DOCUMENT_TOKENS = 3000
_DOCUMENT_BYTES_PER_TOKEN = 16


class Tokens(msgspec.Struct, frozen=True):
    """Tokens of one request and its reply."""

    input: int
    """Of the request."""
    output: int
    """Of the reply."""

    @property
    def total(self) -> int:
        """Both together."""
        return self.input + self.output


def estimate(request: Request) -> Tokens:
    """Estimate a request from its length, and its reply by the most that it may have.

    It errs on the high side, because budgets are kept by it: three letters of a Latin script to a token, and three
    tokens to two characters of any other. Documents count by their size, and no less than a page or two.
    Judges that are not models take no tokens.
    """
    if not request.model:
        return Tokens(0, 0)
    text = request.system + request.user
    other = len(text) - len(text.encode("ascii", "ignore"))
    words = -(-(len(text) - other) // 3) + -(-other * 3 // 2)
    documents = sum(_DOCUMENT_TOKENS + len(each.data) // _DOCUMENT_BYTES_PER_TOKEN for each in request.attachments)
    return Tokens(_FRAME_TOKENS + words + documents, request.decoding.max_tokens)


def count(reply: Reply, expected: Tokens) -> Tokens:
    """Return what a request has really taken, as its server says, or as was expected where it does not say.

    A server that refuses a request bills nothing; one that was cut off, or whose answer cannot be read, may.
    """
    if reply.input_tokens is not None or reply.output_tokens is not None:
        return Tokens(reply.input_tokens or 0, reply.output_tokens or 0)
    may_be_billed = reply.text is not None or reply.error_kind in ("timeout", "malformed")
    return expected if may_be_billed else Tokens(0, 0)
