"""A contract compiled to a typed decoder: replies that follow it to the letter are recognised in one pass."""

from __future__ import annotations

from typing import Any

import msgspec

from venire.validation.contract import Node
from venire.validation.strict_json import MAX_REPLY_BYTES, StrictReply, read_strictly

_encode = msgspec.json.Encoder().encode


class CompiledContract:
    """Reads replies that follow a contract; anything else is left to the parser that can say what is wrong."""

    def __init__(self, contract: Node) -> None:
        self._decoder = msgspec.json.Decoder(contract.wire_type())

    def read(self, raw: bytes) -> dict[str, Any] | None:
        r"""Return the reply's object if it is strict JSON and follows the contract, else None.

        The decoder drops unknown fields and keeps the last of duplicate keys. Either loses a colon in a round trip; and
        without \u escapes both sides write the colons inside strings alike.
        """
        if len(raw) > MAX_REPLY_BYTES or (b"\\" in raw and b"\\u" in raw):  # one byte is found faster than two
            return None
        try:
            value: dict[str, Any] = self._decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return value if raw.count(b":") == _encode(value).count(b":") else None


def read_reply(raw: bytes, contract: CompiledContract) -> StrictReply:
    """Read a reply, by the fast way if it follows its contract and by the thorough way if not."""
    value = contract.read(raw)
    return read_strictly(raw) if value is None else StrictReply(value, follows_contract=True)
