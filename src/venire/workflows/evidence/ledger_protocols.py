"""The protocols that a ledger has judgements of outputs under."""

from __future__ import annotations

import msgspec

from venire.domain.protocol import EvalProtocol
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.runner.records import is_voir_dire


def protocols_in(ledger: Ledger) -> list[EvalProtocol]:
    """Return the protocols that a ledger holds, but for one that only a voir dire asked, in another order."""
    outputs: set[str] = set()
    probes: set[str] = set()
    for entry in ledger.read(kinds=[Kind.RUN_OPENED]):
        (probes if is_voir_dire(entry.content) else outputs).add(entry.content["protocol"])
    only_probed = probes - outputs
    held = [msgspec.convert(entry.content, EvalProtocol) for entry in ledger.read(kinds=[Kind.PROTOCOL])]
    asked = [each for each in held if each.digest not in only_probed]
    return asked or held[:1]
