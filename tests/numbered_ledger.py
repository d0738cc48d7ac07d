"""A ledger with every kind of number that a report has, and what stands behind each of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec

from courthouse import DAY_ONE
from report_ledger import design, scoring, write_ledger
from venire.domain.vote import Vote, VoterKind, VoterPrompt
from venire.ledger.location import open_ledger
from venire.reports.report import Report, ReportCell
from venire.reports.sections.votes import VoteEvidence, vote_sequences
from venire.workflows.evidence.vote_levels import read_vote_evidence
from venire.workflows.import_votes import import_votes
from venire.workflows.ledgers import opened_ledger

PROMPTS = (VoterPrompt("clear", "Is it clear?"), VoterPrompt("true", "Is it true?"))


def write_numbered_ledger(path: Path) -> Path:
    """Write 112 outputs, a judge whose replies to all of them are broken, one who is asked again, and odd votes.

    People vote on the first outputs under one prompt, a judge on later ones under another, and one vote is taken back.
    """
    samples = [
        msgspec.structs.replace(each, task=f"Answer question {each.question_id}.") for each in design(questions=14)
    ]
    answers = {"oak": scoring(), "elm": scoring(severity=1), "ash": scoring(broken_at="An answer")}
    write_ledger(path, samples, answers, reask_share=0.2, pause_invalid=False)
    votes = []
    for place, sample in enumerate(samples[:12]):
        kind, prompt = (VoterKind.PERSON, "clear") if place < 8 else (VoterKind.JUDGE, "true")
        for number in range(2):
            given = None if (place, number) in {(0, 0), (0, 1)} else float((place + number) % 2)
            votes.append(_vote(sample.output_id, given, f"{kind.value}-{number}", kind, prompt))
    ledger = open_ledger(str(path))
    import_votes(ledger, votes, prompts=PROMPTS)
    ledger.close()
    return path


def _vote(output: str, given: float | None, voter: str, kind: VoterKind, prompt: str) -> Vote:
    return Vote(
        inference_id=output,
        vote=given,
        voter_id=voter,
        vote_time=DAY_ONE + timedelta(minutes=len(output)),
        voter_prompt_id=prompt,
        voter_kind=kind,
    )


def read_votes(path: Path, report: Report) -> VoteEvidence:
    """Return the votes that a report counts."""
    with opened_ledger(str(path), read_only=True) as ledger:
        found = read_vote_evidence(ledger, report.choices, report.origin)
    assert found is not None
    return found


def names_behind(cell: ReportCell, report: Report, votes: VoteEvidence) -> set[str]:
    """Return the names of the outputs behind a number, from its rows and not by way of any list.

    Behind numbers on requests stand the outputs on which the judge replied.
    """
    if cell.rows.among == "votes":
        wanted = vote_sequences(votes, cell.rows)
        frame = votes.frame
        return set(frame.filter(frame["sequence"].is_in(list(wanted)))["inference_id"].cast(str))
    rows = msgspec.structs.replace(cell.rows, among="counted" if cell.rows.among == "counted" else "recorded")
    return {line.output_id for line in report.lines if rows.holds(line)}
