"""Analyse a ledger or a table of scores: join all statistics into one report."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec

from venire.domain.judgement_key import JudgementKey
from venire.domain.label import Label
from venire.errors import UsageError
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.reports.evidence import ReportEvidence
from venire.reports.judgement_line import JudgementLine, Quote, judgement_lines
from venire.reports.report import Choices, Origin, Report, ReportSection
from venire.reports.sections.agreement import agreement
from venire.reports.sections.answers.pairs import pair_overview
from venire.reports.sections.answers.verdicts import verdict_overview
from venire.reports.sections.answers.votes import vote_overview
from venire.reports.sections.claims import claims
from venire.reports.sections.collected import collected
from venire.reports.sections.cost import cost
from venire.reports.sections.dimensions import dimensions
from venire.reports.sections.drift import drift
from venire.reports.sections.format_drift import format_drift
from venire.reports.sections.invalid import invalid
from venire.reports.sections.judges.bias import bias
from venire.reports.sections.judges.canaries import canaries
from venire.reports.sections.judges.jury import jury
from venire.reports.sections.judges.overview import judges
from venire.reports.sections.judges.voir_dire import family_names, voir_dire
from venire.reports.sections.leaderboard import leaderboard
from venire.reports.sections.overview import overview
from venire.reports.sections.pairwise import pairwise
from venire.reports.sections.people.overview import people
from venire.reports.sections.questions.difficulty import PASSES, questions
from venire.reports.sections.ranking import RankedPairs, judged_rows, rank_shown, ranking, voted_rows
from venire.reports.sections.rollup import rollup
from venire.reports.sections.run_log import run_log
from venire.reports.sections.summary import summary
from venire.reports.sections.verdicts import verdicts
from venire.reports.sections.votes import VoteEvidence, votes
from venire.runner.records import read_judgement
from venire.version import __version__
from venire.votes.pairs import rank_votes
from venire.words.said import say
from venire.workflows.evidence.from_ledger import read_ledger
from venire.workflows.evidence.from_source import read_file
from venire.workflows.evidence.pair_votes import read_people_pairs
from venire.workflows.evidence.vote_levels import read_vote_evidence
from venire.workflows.ledgers import opened_ledger

LISTED = 1000
"""Up to how many judgements a report lists them all."""


def analyse(source: str | Path, choices: Choices, *, labels: tuple[Label, ...] = ()) -> Report:
    """Make the report of a ledger (given by path or address), of a table of scores or of the results of a check.

    The same input, choices and labels give the same report. Raises `PoolingError` where numbers of different protocols
    or judge versions would be mixed.
    """
    found = read_file(source, choices)
    if found is not None:
        return make_report(*found, labels)
    with opened_ledger(str(source), read_only=True) as ledger:
        return analyse_ledger(ledger, choices, name=Path(str(source)).name, labels=labels)


def analyse_ledger(
    ledger: Ledger, choices: Choices, *, name: str, labels: tuple[Label, ...] = (), with_votes: bool = True
) -> Report:
    """Make the report of an open ledger."""
    return report_of_ledger(ledger, choices, name=name, labels=labels, with_votes=with_votes)[1]


def report_of_ledger(
    ledger: Ledger, choices: Choices, *, name: str, labels: tuple[Label, ...] = (), with_votes: bool = True
) -> tuple[ReportEvidence, Report]:
    """Make the report of an open ledger, and return what it rests on too."""
    evidence, origin = read_ledger(ledger, choices, name)
    if evidence.pairs and with_votes:
        voted = read_people_pairs(ledger, choices.decay)
        evidence = msgspec.structs.replace(evidence, people_pairs=voted if voted.votes.pairs else None)
    ballots = read_vote_evidence(ledger, choices, origin) if with_votes else None
    report = make_report(evidence, origin, labels, ballots)
    lines = tuple(with_record(line, ledger) for line in report.lines)
    return evidence, msgspec.structs.replace(report, lines=lines)


def make_report(
    evidence: ReportEvidence, origin: Origin, labels: tuple[Label, ...] = (), ballots: VoteEvidence | None = None
) -> Report:
    """Make the report of what was read; votes that no judgement stands beside are all that it is about."""
    evidence = evidence.with_labels(labels)
    is_judged = bool(evidence.runs or evidence.table.judgement_count)
    if not is_judged and (evidence.forms or ballots is not None):
        looked_at = _collected(evidence, is_judged=False)
        sections: tuple[ReportSection, ...] = (*looked_at, *_by_people(ballots), run_log(evidence, origin))
    elif evidence.has_verdicts_only:
        sections = _sections_on_verdicts(evidence, origin)
    else:
        sections = _sections(evidence, origin, ballots)
    few = evidence.table.judgement_count <= LISTED
    return Report(
        software=__version__,
        origin=origin,
        choices=evidence.choices,
        sections=sections,
        names=_names(evidence),
        lines=tuple(judgement_lines(evidence.table, evidence.primary)) if few else (),
    )


def _sections(evidence: ReportEvidence, origin: Origin, ballots: VoteEvidence | None) -> tuple[ReportSection, ...]:
    scores, agreed, beside_people = leaderboard(evidence), agreement(evidence), people(evidence)
    sections = (
        summary(evidence, scores, agreed, beside_people),
        *([jury(evidence.jury)] if evidence.jury else []),
        scores,
        *([claims(evidence, evidence.claims)] if evidence.claims else []),
        *([rollup(evidence, evidence.rollup)] if evidence.rollup else []),
        pairwise(evidence),
        dimensions(evidence),
        questions(evidence),
        *_collected(evidence, is_judged=True),
        drift(evidence),
        judges(evidence, agreed),
        *([voir_dire(evidence)] if evidence.voir_dire else []),
        *([canaries(evidence)] if evidence.canaries else []),
        agreed,
        bias(evidence),
        beside_people,
        *([votes(ballots)] if ballots is not None else []),
        invalid(evidence),
        cost(evidence),
        run_log(evidence, origin),
    )
    return (overview(evidence, sections), *sections)


def _by_people(ballots: VoteEvidence | None) -> tuple[ReportSection, ...]:
    """Return what votes say where no judgement stands beside them, the answer first."""
    if ballots is None:
        return ()
    told, found = votes(ballots), rank_votes(ballots.frame, ballots.pairs, ballots.decay, level=ballots.level)
    if found is None:
        return (vote_overview(ballots, told), told)
    ranked = ranking(RankedPairs(found.ranking, None), partial(voted_rows, ballots.pairs))
    return (vote_overview(ballots, told, found.ranking), ranked, told)


def _collected(evidence: ReportEvidence, *, is_judged: bool) -> tuple[ReportSection, ...]:
    """Return what can be said of collected outputs without any judge."""
    if not evidence.forms:
        return ()
    looked = format_drift(evidence.forms, evidence.forbidden)
    return (collected(evidence, is_judged=is_judged), *([looked] if looked else []))


def _sections_on_verdicts(evidence: ReportEvidence, origin: Origin) -> tuple[ReportSection, ...]:
    """Return what can be said without any score; a section on scores would only say that there are none."""
    beside_people = people(evidence)
    ranked = rank_shown(evidence.pairs, evidence) if evidence.pairs else None
    sections = (
        summary(evidence, ReportSection("leaderboard"), ReportSection("agreement"), beside_people),
        *([ranking(ranked, partial(judged_rows, evidence))] if ranked else []),
        verdicts(evidence),
        *([questions(evidence)] if {*PASSES} & {*evidence.levels("verdict")} and not evidence.pairs else []),
        *([voir_dire(evidence)] if evidence.voir_dire else []),
        beside_people,
        invalid(evidence),
        *([cost(evidence)] if evidence.work else []),
        run_log(evidence, origin),
    )
    answer = pair_overview(evidence, ranked, sections) if ranked else verdict_overview(evidence, sections)
    return (answer, *sections)


def with_record(line: JudgementLine, ledger: Ledger) -> JudgementLine:
    """Return a line with the hash of its entry, the name of the output and the judge's quotes."""
    name = JudgementKey.parse(line.judgement)
    entry = ledger.find(Kind.JUDGEMENT, name.key)
    if entry is None:
        raise UsageError(
            "error.report.no_judgement", where=say("place.entry", entry=line.sequence), key=f"{name.key[:16]}…"
        )
    record = read_judgement(entry)
    reply = ledger.find(Kind.REPLY, record.task.id) if record.words else None
    judgement = record.with_words(reply.content["text"]) if reply else record.judgement
    judgement = judgement if name.place is None else judgement.entries[name.place]
    quotes = tuple(
        Quote(each.dimension, each.quote, each.start is not None, each.source) for each in judgement.evidence
    )
    return msgspec.structs.replace(line, entry_hash=entry.hash, output_id=judgement.sample, quotes=quotes)


def _names(evidence: ReportEvidence) -> dict[str, dict[str, str]]:
    names = {"overall": {"en": "overall", "zh": "总分"}}
    if evidence.protocol is not None:
        names |= {dimension.id: dict(dimension.name) for dimension in evidence.protocol.dimensions}
        if evidence.protocol.mapping:
            names |= {name: dict(words) for name, words in evidence.protocol.mapping.onto.names.items()}
    return {**family_names(evidence), **names}
