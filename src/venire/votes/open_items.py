"""What an adaptive jury left to people: outputs of whose verdict no stage was sure enough wait for a curator."""

from __future__ import annotations

import msgspec

from venire.domain.curation import Outcome
from venire.domain.jury import OPEN_ITEM, JuryChoice
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import outline_of
from venire.votes.entries import LedgerVotes


class OpenItem(msgspec.Struct, frozen=True):
    """An output that waits for a person."""

    inference_id: str
    """The output."""
    voter_prompt_id: str
    """What stands for the question: whether the output passes under the protocol."""


class OpenOutputs:
    """Follows juries from their first round to their end."""

    def __init__(self) -> None:
        self._firsts: dict[str, JuryChoice] = {}

    def take(self, payload: bytes) -> tuple[str, dict[str, bool]] | None:
        """Take in a round; at the end of a jury return its prompt's name, and of each output whether it is open."""
        choice = msgspec.json.decode(payload, type=JuryChoice)
        if choice.number == 0:
            self._firsts.setdefault(choice.jury, choice)
        first = self._firsts.get(choice.jury)
        if choice.rule != "end" or first is None or first.terms is None:
            return None
        left = set(choice.open)
        found = {digest: place in left for place, digest in enumerate(first.outputs)}
        return f"{OPEN_ITEM}{first.terms.protocol[:12]}", found


def open_items(ledger: Ledger, votes: LedgerVotes) -> tuple[OpenItem, ...]:
    """Return the outputs that juries of a ledger left open and that nobody has decided yet; a later jury counts."""
    reading, names, waiting = OpenOutputs(), dict[str, str](), dict[tuple[str, str], None]()
    for entry in ledger.read(kinds=[Kind.CHOICE]):
        prompt, found = reading.take(entry.payload) or ("", {})
        for digest, is_open in found.items():
            waiting.pop((prompt, digest), None)
            if is_open:
                waiting[prompt, digest] = None
    for entry in ledger.read(kinds=[Kind.SAMPLE]) if waiting else ():
        names |= {each.digest: each.output_id for each in outline_of(entry).samples}
    items = (OpenItem(names.get(digest, digest), prompt) for prompt, digest in waiting)
    return tuple(each for each in items if not _is_decided(each, votes))


def _is_decided(item: OpenItem, votes: LedgerVotes) -> bool:
    made = votes.decisions_on(item.inference_id, item.voter_prompt_id)
    return bool(made) and made[-1][1].outcome is not Outcome.ANOTHER_ROUND
