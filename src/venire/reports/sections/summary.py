"""The summary in plain words: what was compared, who judged, what was excluded, what can be concluded and what not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from venire.domain.completeness import missing_combinations
from venire.reports.report import Arguments, Note, ReportCell, ReportSection, Row, Table, Term
from venire.reports.sections.collected import collection_notes
from venire.reports.sections.invalid import off_scale_rows
from venire.reports.sections.leaderboard import SIGNIFICANT
from venire.reports.sections.people.corrected_comparisons import corrected_notes
from venire.reports.words import code_of, number_text
from venire.stats.ratings.derived_overall import OVERALL_RULES
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from venire.domain.completeness import Combination
    from venire.reports.evidence import ReportEvidence

FEW_QUESTIONS = 10
"""Below so many questions an interval over questions is wide and rests on a normal-looking handful."""

FEW_OUTPUTS = 10
"""Below so many outputs with two judges nothing is said about agreement."""

MANY_NAMES = 10
"""How many names a sentence lists at most, where a table names them all."""

MANY_LEADING = 5
"""Of how many models it is said at most whom they surpass, where a table names them all."""


def summary(
    evidence: ReportEvidence,
    scores: ReportSection,
    agreed: ReportSection,
    beside_people: ReportSection,
) -> ReportSection:
    """Say in sentences what the report shows, with its limits; conclusions follow from the other sections.

    Where people labelled outputs, what their labels make of the differences comes first.
    """
    corrected = beside_people.table("corrected_comparisons")
    parts: tuple[Iterable[Note], ...] = (
        corrected_notes(corrected) if corrected else (),
        (*_what(evidence), *_missing(evidence)),
        _excluded(evidence),
        _conclusions(scores, agreed),
        _limits(evidence),
    )
    return ReportSection("summary", tuple(note for part in parts for note in _paragraph(part)))


def _paragraph(notes: Iterable[Note]) -> Iterator[Note]:
    for place, note in enumerate(notes):
        yield note if place else replace(note, begins=True)


def _what(evidence: ReportEvidence) -> Iterator[Note]:
    frame = evidence.table.frame
    if frame.is_empty():
        yield Note("summary.empty", warning=True)
        return
    models = [name for name in frame["target_model"].unique(maintain_order=True).cast(str) if name]
    questions = [name for name in frame["question_id"].unique(maintain_order=True).cast(str) if name]
    variants = [name for name in frame["prompt_variant"].unique(maintain_order=True).cast(str) if name]
    if evidence.pairs:
        models = list(dict.fromkeys(name for pair in evidence.pairs for name in (pair.first, pair.second)))
    varied = "summary.compared" if variants else "summary.compared_unvaried"
    varied = varied if questions else "summary.compared_unasked"
    varied = "summary.compared_pairs" if evidence.pairs else varied
    yield Note(
        varied if models else "summary.compared_unnamed",
        {
            "samples": frame["unit"].n_unique(),
            "models": _shortened(models) or "–",
            "model_count": len(models),
            "questions": len(questions),
            "variants": len(variants),
        },
    )
    judges = list(frame["rater"].unique(maintain_order=True).cast(str))
    protocol = evidence.protocol
    yield Note(
        _judged(evidence),
        {"count": len(judges), "judges": _shortened(judges), "protocol": protocol.id if protocol else ""},
    )
    if evidence.imported_from:
        yield Note("summary.imported", {"tools": evidence.imported_from})
    if evidence.assumed_judge:
        yield Note("summary.assumed_judge", {"judge": evidence.assumed_judge}, warning=True)
    yield from _derived(evidence)
    for model, missing in evidence.missing_files.items():
        arguments: Arguments = {"model": model, "count": len(missing), "files": _shortened(missing)}
        yield Note("summary.missing_files", arguments, warning=True)


def _judged(evidence: ReportEvidence) -> str:
    if not evidence.is_table:
        return "summary.judged"
    return "summary.judged_verdicts" if evidence.has_verdicts_only else "summary.judged_table"


def _derived(evidence: ReportEvidence) -> Iterator[Note]:
    """Say how overall scores were made of dimensions, and which judgements have none for it."""
    rule, frame = evidence.derived_overall, evidence.table.frame
    if not rule:
        return
    names = [name for name in frame["dimension"].unique(maintain_order=True).cast(str) if name]
    known: Arguments = {"rule": Term("dimension", rule), "count": len(names), "dimensions": tuple(names)}
    yield Note(f"derived.{rule if rule in OVERALL_RULES else 'dimension'}", known)
    without = frame.filter(frame["score"].is_not_null() & frame["overall"].is_null())["judgement"].n_unique()
    if without:
        yield Note(f"derived.without.{'present' if rule == 'mean' else 'other'}", {"count": without}, warning=True)
    if rule in ("mean", "present") and frame["minimum"].null_count() == frame.height:
        yield Note("derived.no_scale", warning=True)


def missing_note(missing: Sequence[Combination]) -> Note:
    """Name the first combinations of question, variant and model without a sample, and say how many there are."""
    named = tuple(" · ".join(filter(None, each)) for each in missing[:MANY_NAMES])
    more = ("…",) if len(missing) > MANY_NAMES else ()
    return Note("summary.missing", {"count": len(missing), "named": named + more}, warning=True)


def _missing(evidence: ReportEvidence) -> Iterator[Note]:
    if evidence.pairs:
        return  # Which pairs are judged is chosen.
    frame = evidence.table.frame.select("question_id", "prompt_variant", "target_model").unique()
    present = ((str(question), str(variant), str(model)) for question, variant, model in frame.iter_rows())
    if missing := tuple(missing_combinations(present)):
        yield missing_note(missing)


def _excluded(evidence: ReportEvidence) -> Iterator[Note]:
    if evidence.quotes_not_compared:
        yield Note("summary.quotes_not_compared", {"count": evidence.quotes_not_compared}, warning=True)
    total = evidence.table.judgement_count
    if not total:
        return
    yield from _completeness(evidence)
    counted = evidence.primary.table.judgement_count
    yield Note("summary.counted", {"counted": counted, "total": total}, warning=counted == 0)
    for reason, count in evidence.primary.excluded.items():
        yield Note(code_of("summary.excluded", reason), {"count": count})
    yield from _qualified(evidence)
    beyond = off_scale_rows(evidence)["judgement"].n_unique()
    if beyond:
        yield Note("summary.off_scale", {"count": beyond}, warning=True)
    if counted:
        for factor in ("target_model", "rater", "prompt_variant", "question_id"):
            selected = evidence.jury.selected if evidence.jury else ()  # Said of them already.
            names = tuple(name for name in evidence.without_scores(factor) if name not in selected)
            if names:
                yield Note(f"summary.without_scores.{factor}", {"names": _shortened(names)}, warning=True)
    if evidence.primary.include_self:
        yield Note("summary.self_included", warning=True)
    if evidence.primary.count_recovered:
        yield Note("summary.recovered_included", warning=True)
    if evidence.primary.method_unknown:
        yield Note("summary.method_unknown", {"count": evidence.primary.method_unknown})


def _qualified(evidence: ReportEvidence) -> Iterator[Note]:
    """Say where only judges count that passed their voir dire, and who does not and why."""
    if evidence.unqualified is None:
        return
    left_out = tuple(
        Term("text", f"summary.unqualified.{why}", {"judge": judge}) for judge, why in evidence.unqualified.items()
    )
    if left_out:
        yield Note("summary.unqualified", {"judges": left_out}, warning=True)
    else:
        yield Note("summary.all_qualified")


def _completeness(evidence: ReportEvidence) -> Iterator[Note]:
    yield from collection_notes(evidence)
    known = evidence.completeness
    if known.missing:
        missing = ", ".join(f"{each.judge} {each.missing}" for each in known.judges if each.missing)
        arguments: Arguments = {"answered": known.answered, "planned": known.planned, "missing": missing}
        is_imported = bool(evidence.imported_from)
        yield Note("summary.incomplete_import" if is_imported else "summary.incomplete", arguments, warning=True)
    elif known.judges:
        yield Note("summary.complete", {"planned": known.planned})
    if known.unknown:
        kind = "_check" if evidence.is_check else "_table" if evidence.is_table else ""
        yield Note(f"summary.plan_unknown{kind}")


def _conclusions(scores: ReportSection, agreed: ReportSection) -> Iterator[Note]:
    yield from _differences(scores)
    yield from _power(scores)
    yield from _agreement(agreed)


def _differences(scores: ReportSection) -> Iterator[Note]:
    """Say on which scale differences are, every one that can be concluded, and which neighbours are not told apart."""
    board, comparisons = scores.table("leaderboard"), scores.table("comparisons")
    if board is None or comparisons is None:
        return
    told = _Told({row.names[0]: place for place, row in enumerate(board.rows)})
    for row in comparisons.rows:
        told.take(row)
    if told.higher or told.open_pairs:
        yield _scale(board, sum(map(len, told.untested.values())))
    by_means = "_by_means" if any(cell.value == 0 for cell in comparisons.column("pairs")) else ""
    leading = sorted(told.higher, key=lambda name: told.rank[name])
    for better in leading[:MANY_LEADING]:
        yield Note(
            f"summary.higher{by_means}", {"first": better, "others": _shortened(told.higher[better])}, begins=True
        )
    if len(leading) > MANY_LEADING:
        yield Note("summary.higher_more", {"count": len(leading) - MANY_LEADING}, begins=True)
    if told.open_pairs:
        yield Note("summary.not_told", {"pairs": _shortened(told.open_pairs)}, begins=True)
    for reason, pairs in told.untested.items():
        yield Note("summary.untested", {"pairs": _shortened(pairs), "reason": reason})


class _Told:
    """What comparisons of models tell: who is better, which neighbours are not told apart, and what was not tested."""

    def __init__(self, rank: dict[str, int]) -> None:
        self.rank = rank
        self.higher: dict[str, list[Term]] = {}
        self.open_pairs: list[Term] = []
        self.untested: dict[str, list[Term]] = {}

    def take(self, row: Row) -> None:
        """Sort one comparison in."""
        difference, _, p_value, *_ = row.cells
        near, far = sorted(row.names, key=lambda name: self.rank[name])
        named: dict[str, str | int | float] = {"first": near, "second": far}
        if difference.value is None or p_value.value is None:
            self.untested.setdefault(p_value.reason, []).append(Term("text", "pair", named))
            return
        named |= {"difference": number_text(abs(difference.value), "score"), "p": _p_text(p_value.value)}
        if p_value.value < SIGNIFICANT:
            better, worse = row.names if difference.value > 0 else row.names[::-1]
            self.higher.setdefault(better, []).append(Term("text", "pair.worse", {**named, "name": worse}))
        elif self.rank[far] - self.rank[near] == 1:
            self.open_pairs.append(Term("text", "pair.open", named))


def _scale(board: Table, untested: int) -> Note:
    """Say on which scale differences are, beside the leaderboard's, and for how many comparisons p is adjusted."""
    means = [cell for cell in board.column("mean") if cell.value is not None]
    arguments: Arguments = {"count": len(means) * (len(means) - 1) // 2 - untested}
    ends = means[0].scale if means else None
    if ends is None:
        return Note("summary.scale.unknown", arguments)
    arguments |= {"low": f"{ends[0]:g}", "high": f"{ends[1]:g}"}
    return Note("summary.scale.same" if ends == (0.0, 10.0) else "summary.scale.own", arguments)


def _p_text(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def _shortened(names: Sequence[str | Term]) -> tuple[str | Term, ...]:
    """Return at most `MANY_NAMES` names, with how many more there are."""
    more = len(names) - MANY_NAMES
    return (*names[:MANY_NAMES], Term("text", "more", {"count": more})) if more > 0 else tuple(names)


def _power(scores: ReportSection) -> Iterator[Note]:
    """Say what the comparison could have found, and what would settle the smallest difference that it did not tell."""
    known = [row for row in _rows(scores.table("power")) if row.cells[0].value is not None]
    if not known:
        return
    widest = max(known, key=lambda row: row.cells[0].value or 0.0)
    questions = int(widest.cells[2].value or 0)
    by_output = widest.cells[2].method.endswith("output")
    key = "summary.detectable_by_output" if by_output else "summary.detectable"
    yield Note(key, {"points": round(widest.cells[0].value or 0.0, 2), "questions": questions})
    tested = {row.names: row.cells[2].value for row in _rows(scores.table("comparisons"))}
    open_ones = [row for row in known if row.cells[3].value is not None and (tested.get(row.names) or 0) >= SIGNIFICANT]
    for row in sorted(open_ones, key=lambda row: abs(row.cells[1].value or 0.0))[:1]:
        arguments: Arguments = {
            "first": row.names[0],
            "second": row.names[1],
            "difference": round(abs(row.cells[1].value or 0.0), 2),
            "needed": int(row.cells[3].value or 0),
            "range": _range(row.cells[3]),
        }
        yield Note("summary.needed_by_output" if by_output else "summary.needed", arguments)


def _range(needed: ReportCell) -> str:
    """Say how many questions the ends of the difference's interval would need."""
    if needed.low is None or needed.high is None:
        return needed.note or say("unknown")
    return say("note.settle_range", low=int(needed.low), high=int(needed.high))


def _agreement(agreed: ReportSection) -> Iterator[Note]:
    for row in _rows(agreed.table("alpha"))[:1]:
        alpha, band, *_ = row.cells
        units = alpha.n.get("units", 0)
        few = say("reason.few_outputs_scored", found=units, least=FEW_OUTPUTS)
        if alpha.value is None or units < FEW_OUTPUTS:
            yield Note("summary.alpha_unknown", {"reason": alpha.reason if alpha.value is None and units else few})
        else:
            poor = band.word in {"reliability.very-low", "reliability.low"}
            yield Note(
                "summary.alpha",
                {"alpha": number_text(alpha.value, "score"), "band": Term("text", band.word)},
                warning=poor,
            )


def _rows(table: Table | None) -> tuple[Row, ...]:
    return table.rows if table else ()


def _limits(evidence: ReportEvidence) -> Iterator[Note]:
    if evidence.primary.table.frame.is_empty():
        return
    if len(evidence.primary.raters) == 1:
        yield Note("limits.one_judge", warning=True)
    if sides := evidence.stopped_when_decided:
        yield Note("limits.until_decided", {"first": sides[0], "second": sides[1]}, warning=True)
    questions = len(evidence.levels("question_id"))
    if 0 < questions < FEW_QUESTIONS:
        yield Note("limits.few_questions", {"questions": questions})
    if questions == 0:
        yield Note("limits.no_questions")
    if questions > 1:
        yield Note("limits.by_question")
    yield Note("limits.people", {"count": len(evidence.labels)}) if evidence.labels else Note("limits.no_people")
    kinds = {str(judge.get("kind")) for judge in evidence.judges.values()}
    if kinds and kinds <= {"rules", "matching"}:
        yield Note("limits.rules")
