"""The comparisons of two outputs that a table or a ledger holds: judges', people's, or both."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from venire.errors import InputError
from venire.inputs.tables.rows import read_rows
from venire.ledger.entry import Kind
from venire.stats.comparison.both_orders import BothOrders, settle_orders
from venire.votes.beside_people import JudgeOnPairs, PeoplesPairs, judges_beside_people
from venire.workflows.comparison.judged_pairs import JudgedPairs, is_of_pairs, pooled, read_judged_pairs
from venire.workflows.comparison.ledger_pairs import flips_of, pairs_of
from venire.workflows.comparison.people_pairs import comparisons_of
from venire.workflows.evidence.from_check import is_check
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.evidence.from_table import is_table
from venire.workflows.evidence.pair_votes import read_people_pairs
from venire.workflows.ledgers import opened_ledger

if TYPE_CHECKING:
    from venire.reports.evidence import ReportEvidence
    from venire.reports.report import Choices

Voters = Literal["judges", "people", "both"]
"""Whose comparisons count."""


class SourcePairs(NamedTuple):
    """Comparisons that count, and what is to be said of them."""

    shown: JudgedPairs
    """The pairs as they were shown, each order for itself."""
    pairs: JudgedPairs
    """The comparisons that count."""
    by: Voters
    """Whose they are."""
    orders: BothOrders | None = None
    """What became of pairs in both orders; None for a table, whose rows all count."""
    people: PeoplesPairs | None = None
    """People's votes; None for a table."""
    beside: tuple[JudgeOnPairs, ...] = ()
    """Each judge beside the majority of people."""
    evidence: ReportEvidence | None = None
    """What the ledger says beside judges' comparisons; None if they do not count or there is no ledger."""


def holds_pairs(source: str | Path, choices: Choices) -> bool:
    """Tell whether a table or a ledger holds comparisons of two outputs."""
    if is_check(source):
        return False
    if is_table(source):
        row = next(iter(read_rows(Path(source))), None)
        return row is not None and is_of_pairs(row, choices.columns)
    with opened_ledger(str(source), read_only=True) as ledger:
        shapes = {
            str(entry.content.get("shape"))
            for entry in ledger.read(kinds=[Kind.PROTOCOL])
            if entry.key.startswith(choices.protocol) or entry.content.get("id") == choices.protocol
        }
        return shapes == {"pair"} or (not shapes and bool(read_people_pairs(ledger, choices.decay).votes.pairs))


def read_source_pairs(
    source: str | Path, choices: Choices, *, by: Voters | None = None, as_of: datetime | None = None
) -> SourcePairs:
    """Read the comparisons of a table of judged pairs, or of a ledger whose judges or people compared two outputs.

    In a ledger a pair that a judge saw in both orders is one comparison. What it counts for if the outcome changed with
    the order is the protocol's choice. If nothing is said about whose comparisons count, judges' do where there are
    any, else people's.
    """
    if is_table(source):
        pairs = read_judged_pairs(Path(source), choices.columns)
        return SourcePairs(pairs, pairs, "judges")
    return _of_ledger(str(source), choices, by, as_of)


def _of_ledger(source: str, choices: Choices, by: Voters | None, as_of: datetime | None) -> SourcePairs:
    with opened_ledger(source, read_only=True) as ledger:
        people = read_people_pairs(ledger, choices.decay, as_of)
        votes = comparisons_of(people)
        is_judged = any(entry.content.get("shape") == "pair" for entry in ledger.read(kinds=[Kind.PROTOCOL]))
        if votes.first and not is_judged and by in (None, "people"):
            return SourcePairs(votes, votes, "people", people=people)
        evidence, _ = read_ledger(ledger, choices, Path(source).name)
    chosen: Voters = by or ("people" if votes.first and not evidence.pairs else "judges")
    if chosen != "judges" and not votes.first:
        raise InputError("error.rank.no_votes", where=source)
    if chosen == "people" and not evidence.pairs:
        return SourcePairs(votes, votes, chosen, people=people)
    shown = pairs_of(evidence, source)
    orders = settle_orders(shown.judges, shown.names, shown.first, shown.outcome, flips_of(evidence))
    judged = msgspec.structs.replace(shown.at(orders.kept), outcome=orders.outcome)
    beside = judges_beside_people(
        judged.judges, judged.names, judged.first, judged.outcome, people, level=choices.level
    )
    if chosen == "people":
        return SourcePairs(votes, votes, chosen, people=people, beside=beside)
    pairs = pooled(judged, votes) if chosen == "both" else judged
    return SourcePairs(shown, pairs, chosen, orders, people, beside, evidence)
