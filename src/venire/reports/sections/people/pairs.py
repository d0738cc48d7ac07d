"""Judges beside people on pairs that both compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.report import Note, Table
from venire.reports.sections.ranking import settle_shown
from venire.votes.beside_people import judges_beside_people

if TYPE_CHECKING:
    from venire.reports.evidence import ReportEvidence


class PairsBesidePeople(NamedTuple):
    """What people's votes on pairs add to the section about people."""

    notes: tuple[Note, ...] = ()
    """What is to be said."""
    tables: tuple[Table, ...] = ()
    """Each judge beside the majority of people; none where no pair was compared by both."""


def pairs_beside_people(evidence: ReportEvidence) -> PairsBesidePeople:
    """Give how often each judge prefers what most people prefer, ties of either aside."""
    people = evidence.people_pairs
    if people is None:
        return PairsBesidePeople()
    worth = float(people.votes.weights.sum())
    notes = [Note("people.pair_votes", {"votes": len(people.votes.pairs), "worth": f"{worth:,.1f}"})]
    kept, outcome, _ = settle_shown(evidence.pairs, evidence)
    shown = [evidence.pairs[place] for place in kept]
    judges, names, first = ([getattr(each, name) for each in shown] for name in ("judge", "pair", "first"))
    found = judges_beside_people(judges, names, first, outcome, people, level=evidence.choices.level)
    if not found:
        return PairsBesidePeople((*notes, Note("people.no_common_pair")))
    drafts: list[Draft] = []
    for each in found:
        rows = where({"rater": each.judge})
        cells = [estimate_cell(each.agreement, rows, "share"), estimate_cell(each.kappa, rows, "coefficient")]
        drafts.append(((each.judge,), [*cells, number_cell(each.pairs, rows)]))
    table = make_table("people_pairs", ("rater",), ("same_winner", "kappa", "common_pairs"), drafts)
    return PairsBesidePeople(tuple(notes), (table,))
