"""The first screen: the answer in one sentence, how far to trust it, and which outputs judges dispute most."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.reports.cells import Draft, make_table, number_cell, where
from venire.reports.report import Arguments, Column, Note, ReportCell, ReportSection, Table, Term
from venire.reports.sections.judges.panel_matrix import panel_matrix
from venire.reports.sections.leaderboard import SIGNIFICANT
from venire.reports.sections.trust import trust_table
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from venire.reports.evidence import ReportEvidence

EQUAL = 1e-9
"""Below which difference two scores are the same, but for the rounding of sums."""

NAMED = 3
"""How many models the headline names at most behind the leader, or beside it."""

DISPUTED = 5
"""How many of the most disputed outputs are listed."""

LEAST_SPREAD = 2.0
"""From how many points between the highest and the lowest judge, of 10, an output counts as disputed."""


class Standing(NamedTuple):
    """The models of a leaderboard, best first, and whom each can be told apart from."""

    models: tuple[str, ...]
    """The models that have a score."""
    scores: tuple[float, ...]
    """Their scores."""
    tested: dict[tuple[str, str], bool]
    """Of each two that were compared, better first: whether the better one is told apart."""
    out_of_ten: bool
    """Whether scores are the panel's, from 0 to 10; otherwise they are means as they were given."""
    differences: dict[tuple[str, str], float]
    """Of each two that were compared, better first: by how much, on the same questions and by the same judges."""

    def told_apart(self, better: int, worse: int) -> bool | None:
        """Tell whether two places differ by more than chance; None if it was not tested."""
        return self.tested.get((self.models[better], self.models[worse]))


def overview(evidence: ReportEvidence, sections: Sequence[ReportSection]) -> ReportSection:
    """Answer first: who leads and by how much, on one scale; then how far that can be trusted."""
    every = {table.id: table for section in sections for table in section.tables}
    found = standing(every.get("leaderboard"), every.get("comparisons"))
    ends = evidence.scale()
    paired = (10 / (ends[1] - ends[0]) if ends else 1.0) if _panels_differ(evidence) else None
    notes = [*_corrected(evidence, found, every.get("corrected_comparisons")), _headline(found, paired)]
    notes += [*_jury(evidence), *_basis(evidence)]
    if paired and len(found.models) > 1:
        pairs = every["comparisons"].rows if "comparisons" in every else ()
        compared = any(row.cells[0].value is not None for row in pairs)
        notes.append(Note("overview.panels_differ" if compared else "overview.panels_apart", warning=True))
    notes += _detectable(every)
    tables = [trust_table(evidence, every), *_disputed(evidence)]
    return ReportSection("overview", tuple(notes), tuple(tables))


def ranking_column(board: Table) -> str:
    """Return the column of a leaderboard by which models rank: panel scores or, where no scale is known, means."""
    known = (name for name in ("score", "mean") if any(cell.value is not None for cell in board.column(name)))
    return next(known, "score")


def standing(board: Table | None, comparisons: Table | None) -> Standing:
    """Read who stands where, and who is told apart, from the leaderboard and its comparisons."""
    column = ranking_column(board) if board else "score"
    ranked = zip(board.rows, board.column(column), strict=True) if board else ()
    known = [(row.names[0], cell.value) for row, cell in ranked if cell.value is not None]
    return stand(known, comparisons, out_of_ten=column == "score")


def stand(known: Sequence[tuple[str, float]], comparisons: Table | None, *, out_of_ten: bool = False) -> Standing:
    """Return the standing of models with their scores, the best first, by comparisons of every two of them."""
    rank = {name: place for place, (name, _) in enumerate(known)}
    tested, differences = {}, {}
    for row in comparisons.rows if comparisons else ():
        difference, _, p_value, *_ = row.cells
        if difference.value is None or p_value.value is None or not rank.keys() >= set(row.names):
            continue
        first, second = row.names
        is_higher = difference.value > 0
        if rank[first] > rank[second]:
            first, second, is_higher = second, first, difference.value < 0
        tested[first, second] = p_value.value < SIGNIFICANT and is_higher
        differences[first, second] = abs(difference.value) if is_higher else -abs(difference.value)
    models, scores = tuple(name for name, _ in known), tuple(score for _, score in known)
    return Standing(models, scores, tested, out_of_ten, differences)


def _panels_differ(evidence: ReportEvidence) -> bool:
    """Tell whether models were scored by different judges, as where judging oneself is left out."""
    frame = evidence.primary.table.frame
    if "target_model" not in frame.columns or frame.is_empty():
        return False
    judges: dict[str, set[str]] = {}
    for model, judge in frame.select("target_model", "rater").unique().iter_rows():
        judges.setdefault(model, set()).add(judge)
    return len({frozenset(each) for each in judges.values()}) > 1


def _headline(found: Standing, paired: float | None) -> Note:
    """Say who leads; with `paired`, by so many times the differences on equal terms, and not by the scores."""
    if not found.models:
        return Note("overview.nothing", warning=True)
    leader, score = found.models[0] or "–", _tenths(found.scores[0])
    scale = "" if found.out_of_ten else "_unscaled"
    if len(found.models) == 1:
        kind = "alone" if found.models[0] else "unnamed"
        return Note(f"overview.{kind}{scale}", {"model": leader, "score": score})
    told = [found.told_apart(0, place) for place in range(1, len(found.models))]
    equal = [place for place, each in enumerate(found.scores) if abs(each - found.scores[0]) < EQUAL]
    if all(each is None for each in told) and len(equal) > 1:
        return Note(f"overview.equal{scale}", {"models": _names(found, equal), "score": score})
    if all(each is None for each in told):
        return Note(f"overview.untested{scale}", {"model": leader, "score": score})
    beside = [place + 1 for place, each in enumerate(told) if not each]
    behind = [place + 1 for place, each in enumerate(told) if each]
    arguments: Arguments = {"model": leader, "behind": _behind(found, behind, paired)}
    if not beside:
        return Note("overview.leads", arguments)
    if len(beside) > NAMED:
        return Note("overview.many_tied", {"count": len(beside) + 1, "models": len(found.models)})
    arguments |= {"beside": _names(found, [0, *beside]), "count": len(beside) + 1}
    return Note("overview.tied" if behind else "overview.all_tied", arguments)


def _corrected(evidence: ReportEvidence, found: Standing, table: Table | None) -> Iterator[Note]:
    """Say first what people's labels make of the lead: of the leader and whoever comes closest in the judges' eyes."""
    rank = {name: place for place, name in enumerate(found.models)}
    rows = [row for row in (table.rows if table else ()) if rank.keys() >= set(row.names)]
    known = [row for row in rows if None not in (row.cells[0].value, row.cells[0].low, row.cells[2].value)]
    ends = evidence.scale()
    if not known or ends is None:
        return
    row = min(known, key=lambda row: sorted(rank[name] for name in row.names))
    corrected, naive, p_value, _, _, labelled = row.cells
    share = 10 / (ends[1] - ends[0])
    numbers = [_signed((each or 0.0) * share) for each in (corrected.value, corrected.low, corrected.high, naive.value)]
    arguments: Arguments = dict(zip(("corrected", "low", "high", "naive"), numbers, strict=True))
    arguments |= {"first": row.names[0], "second": row.names[1], "count": int(labelled.value or 0)}
    is_told = (p_value.value or 0.0) < SIGNIFICANT
    yield Note("overview.corrected.told" if is_told else "overview.corrected.open", arguments)


def _jury(evidence: ReportEvidence) -> Iterator[Note]:
    """Say whose scores these are where a jury asked some judges about some outputs only."""
    read = evidence.jury
    if read is not None and read.selected:
        mode = "decide" if read.half_width is None else "estimate"
        yield Note(f"overview.jury.{mode}", {"start": read.start, "then": read.selected}, warning=True)


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "−")


def _behind(found: Standing, places: Sequence[int], paired: float | None) -> tuple[Term | str, ...]:
    def points(place: int) -> float:
        if paired is None:
            return found.scores[0] - found.scores[place]
        return found.differences[found.models[0], found.models[place]] * paired

    named: list[Term | str] = [
        Term(
            "text", "overview.behind" if number == 0 else "overview.behind_more",
            {"model": found.models[place], "points": _tenths(points(place))},
        )
        for number, place in enumerate(places[:NAMED])
    ]  # fmt: skip
    return tuple(named + more_names(len(places) - NAMED))


def _tenths(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def _names(found: Standing, places: Sequence[int]) -> tuple[Term | str, ...]:
    return tuple([found.models[place] for place in places[: NAMED + 1]] + more_names(len(places) - NAMED - 1))


def more_names(count: int) -> list[Term | str]:
    """Return the words for further ones that are not named."""
    return [Term("text", "more", {"count": count})] if count > 0 else []


def _basis(evidence: ReportEvidence) -> Iterator[Note]:
    """Say on what the answer rests, in counts."""
    frame = evidence.primary.table.frame
    if frame.is_empty():
        return
    key = "overview.basis" if evidence.scale() or evidence.rescaled else "overview.basis_unscaled"
    yield Note(key, {"counts": basis_counts(evidence)})


def basis_counts(evidence: ReportEvidence) -> tuple[Term, ...]:
    """Return how many outputs or pairs, questions, variants and judges an answer rests on; what is none is left out."""
    units = evidence.primary.table.frame["unit"].unique().cast(str).to_list()
    counts = {
        "pairs" if evidence.pairs else "outputs": len({evidence.outputs.get(unit, unit) for unit in units}),
        "questions": len(evidence.levels("question_id")),
        "variants": len(evidence.levels("prompt_variant")),
        "judges": len(evidence.primary.raters),
    }
    return tuple(Term("text", f"overview.basis.{name}", {"count": count}) for name, count in counts.items() if count)


def _detectable(every: dict[str, Table]) -> Iterator[Note]:
    """Say which differences are too small for so many questions, on the leaderboard's scale."""
    power, board = every.get("power"), every.get("leaderboard")
    rows = [row for row in (power.rows if power else ()) if row.cells[0].value is not None]
    scales = {cell.scale for cell in board.column("mean")} if board else set()
    ends = next(iter(scales)) if len(scales) == 1 else None
    if not rows or ends is None:
        return
    widest = max(rows, key=lambda row: row.cells[0].value or 0.0)
    points = (widest.cells[0].value or 0.0) * 10 / (ends[1] - ends[0])
    key = "overview.nothing_detectable" if points >= 10 else "overview.detectable"
    if widest.cells[2].method.endswith("output"):
        key += "_by_output"
    yield Note(key, {"points": _tenths(points), "questions": int(widest.cells[2].value or 0)})


def _disputed(evidence: ReportEvidence) -> Iterator[Table]:
    """List the outputs on which the judges lie furthest apart, with what each judge gave."""
    if evidence.primary.table.frame.is_empty() or len(evidence.primary.raters) < 2:
        return
    matrix = panel_matrix(evidence.primary)
    there = ~np.isnan(matrix.scores)
    spread = np.where(there.sum(axis=1) > 1, _range(matrix.scores, there), 0.0)
    worst = [int(at) for at in np.argsort(-spread, kind="stable")[:DISPUTED] if spread[at] >= LEAST_SPREAD]
    drafts: list[Draft] = []
    for at in worst:
        rows = where({"unit": matrix.units[at]})
        apart = number_cell(float(spread[at]), rows, "score", method=say("method.spread_of_judges"))
        given = zip(matrix.judges, matrix.scores[at], strict=True)
        name = evidence.outputs.get(matrix.units[at], matrix.units[at])
        drafts.append(((name,), [apart, *(_given(score, matrix.units[at], judge) for judge, score in given)]))
    if drafts:
        yield make_table(
            "disputed", ("output_id",), ["spread", *(Column(judge, judge) for judge in matrix.judges)], drafts
        )


def _given(score: float, unit: str, judge: str) -> ReportCell:
    rows = where({"unit": unit, "rater": judge})
    return number_cell(None if np.isnan(score) else float(score), rows, "score", method=say("method.panel_scale"))


def _range(scores: NDArray[np.float64], there: NDArray[np.bool_]) -> NDArray[np.float64]:
    highest = np.where(there, scores, -np.inf).max(axis=1)
    lowest = np.where(there, scores, np.inf).min(axis=1)
    return np.where(there.any(axis=1), highest - lowest, 0.0)
