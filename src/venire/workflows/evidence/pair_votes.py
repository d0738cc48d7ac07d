"""People's votes on the pairs of a ledger."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from venire.domain.sample import pair_name
from venire.ledger.entry import Kind
from venire.ledger.subjects import names_outputs, outline_of
from venire.votes.beside_people import PeoplesPairs
from venire.votes.decay.terms import Decay
from venire.votes.entries import read_ledger_votes
from venire.votes.pairs import VotedPair, weigh_pair_votes

if TYPE_CHECKING:
    from venire.ledger.store import Ledger


def read_people_pairs(ledger: Ledger, decay: Decay, as_of: datetime | None = None) -> PeoplesPairs:
    """Read people's votes on the pairs of a ledger; there may be none."""
    pairs = ledger_pairs(ledger)
    frame = read_ledger_votes(ledger).frame
    return PeoplesPairs(pairs, weigh_pair_votes(frame, pairs, decay, as_of=as_of))


def ledger_pairs(ledger: Ledger) -> dict[str, VotedPair]:
    """Return all pairs of a ledger, whatever orders they were shown in."""
    outputs: dict[str, tuple[str, str, str, int]] = {}
    pairs: dict[str, VotedPair] = {}
    for entry in ledger.read(kinds=[Kind.SAMPLE]):
        if not names_outputs(entry):
            subject = outline_of(entry)
            for each in () if subject.probe else subject.samples:
                question = each.question_id or each.task
                outputs[each.digest] = (each.output_id, each.target_model, question, len(each.text))
            continue
        known = sorted(outputs[key] for key in entry.content["pair"]["samples"] if key in outputs)
        if len(known) == 2:
            (one, first, question, length), (two, second, _, other) = known
            pairs[pair_name(one, two)] = VotedPair(
                first=first, second=second, question=question, first_length=length, second_length=other
            )
    return pairs
