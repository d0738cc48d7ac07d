"""Copies within a question tell nothing new about pairs, votes, claims and cliffs either: no interval gets narrower."""

from __future__ import annotations

import csv
import hashlib
from types import SimpleNamespace

import pytest

from making_votes import vote_frame, vote_row
from rating_rows import judgement_rows, overall_row, primary
from venire.reports.recorded.claims_read import ClaimsRead
from venire.reports.report import Choices
from venire.reports.sections.claims import claims
from venire.reports.sections.votes import VoteEvidence, votes
from venire.stats.drift.contrasts import cliffs
from venire.votes.decay.terms import Decay
from venire.workflows.analyse import analyse
from venire.workflows.rank import rank_pairs

COPIES = 4
LEAST = 0.75
"""How much of its width an interval must keep; the square root of four copies would leave half."""
QUESTIONS = 16
MODELS = ("alder", "birch", "cedar")


def chance(*parts):
    """Give a number from 0 to 1 that is the same on every machine."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


def narrowed(once, copied):
    """Yield the numbers whose interval shrank, with how much of it is left."""
    for name, before in once.items():
        if before.low is None or before.high == before.low:
            continue
        after = copied[name]
        assert after.value == pytest.approx(before.value, abs=2e-3), name  # Some allow for how many ratings there are.
        assert after.low is not None, name
        if after.high - after.low < LEAST * (before.high - before.low):
            yield name, (after.high - after.low) / (before.high - before.low), before.method


def estimates_of(tables):
    return {cell.id: cell for table in tables for row in table.rows for cell in row.cells}


def write_pairs(path, copies):
    """Write judged pairs in both orders; each copy is another meeting of the same two on the same question."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["pair_id", "question_id", "first", "second", "winner", "judge"])
        for question in range(QUESTIONS):
            worth = {model: place / 3 + chance(question, model) for place, model in enumerate(MODELS)}
            for one, two in ((a, b) for a in MODELS for b in MODELS if a != b):
                for judge in ("oak", "elm"):
                    ahead = worth[one] - worth[two] + 0.3 * chance(judge, question, one, two)
                    won = "tie" if abs(ahead) < 0.1 else "first" if ahead > 0 else "second"
                    for copy in range(copies):
                        named = f"{question} {' '.join(sorted((one, two)))} #{copy}"
                        rows.writerow([named, f"q{question}", one, two, won, judge])
    return path


def test_no_interval_on_pairs_is_narrower_with_copies(tmp_path):
    found = []
    for copies in (1, COPIES):
        path = write_pairs(tmp_path / f"{copies}.csv", copies)
        ranked = rank_pairs(path, {})
        found.append({
            **estimates_of(analyse(path, Choices()).tables()),
            **{f"strength {each.model}": each.strength for each in ranked.ranking.models},
            **{f"{each.name} {each.judge}": each.estimate for both in ranked.positions for each in both},
        })  # fmt: skip
    assert list(narrowed(*found)) == []
    assert sum(each.low is not None for each in found[0].values()) >= 20
    assert {"strength alder", "position flips oak", "position.oak.flips"} <= {
        name for name, each in found[0].items() if each.low is not None
    }


def voted(copies):
    """Score models by votes; other voters vote on each copy of an output, as those before them did on the first."""
    rows, models, asked = [], {}, {}
    for question in range(QUESTIONS):
        for model in MODELS[:2]:
            for copy in range(copies):
                output = f"{question} {model} #{copy}"
                models[output], asked[output] = model, f"q{question}"
                for voter in range(3):
                    vote = round(min(1, chance("hard", question) + 0.2 * chance(voter, question, model)))
                    rows.append(vote_row(vote, voter=f"{voter} {question} #{copy}", item=output))
    evidence = VoteEvidence(
        frame=vote_frame(rows).with_row_index("sequence"), models=models, asked=asked, questions={}, decay=Decay()
    )
    return estimates_of(table for table in votes(evidence).tables if table.id == "votes_model")


def test_no_score_of_a_model_by_votes_is_surer_with_copies():
    once, copied = voted(1), voted(COPIES)
    assert list(narrowed(once, copied)) == []
    assert sum(each.low is not None for each in once.values()) == 2


def claimed(copies):
    """Give shares of claims by finding."""
    rows, counts = [], {}
    for question in range(QUESTIONS):
        right = round(4 * chance("claims", question))
        for judge in ("oak", "elm"):
            for copy in range(copies):
                row = overall_row(f"{question} #{copy}", judge, 5, question_id=f"q{question}", target_model="alder")
                rows.append(row)
                counts[row.judgement] = (right, 4 - right, round(4 * chance("absent", question) ** 2))
    counted = primary(rows)
    evidence = SimpleNamespace(primary=counted, choices=Choices(), levels=lambda factor: {
        "target_model": ("alder",), "rater": ("oak", "elm"),
    }[factor])  # fmt: skip
    return estimates_of(claims(evidence, ClaimsRead(counts=counts)).tables)


def test_no_share_of_claims_is_surer_with_copies():
    once, copied = claimed(1), claimed(COPIES)
    assert list(narrowed(once, copied)) == []
    assert sum(each.low is not None for each in once.values()) == 9


def broken(copies):
    """Give the hard-break rates of two neighbouring variants, and the jump between them."""
    rows = []
    for question in range(QUESTIONS):
        for variant, weak in (("short", 0.3), ("long", 0.7)):
            score = 0 if chance("structure", question) < weak else 2
            for copy in range(copies):
                rows += judgement_rows(
                    f"{question} {variant} #{copy}", "oak", {"structure": score}, question_id=f"q{question}",
                    prompt_variant=variant, target_model="alder",
                )  # fmt: skip
    (cliff,) = cliffs(primary(rows), "structure", order=("short", "long"))
    return {"before": cliff.before, "after": cliff.after, "jump": cliff.jump}


def test_no_cliff_is_surer_with_copies():
    once, copied = broken(1), broken(COPIES)
    assert list(narrowed(once, copied)) == []
    assert all(each.low is not None for each in once.values())
