"""The adaptive jury: what the whole jury would say, what was asked for it, and what was left to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.cells import Draft, make_table, number_cell, text_cell, word_cell
from venire.reports.report import Arguments, Column, Note, ReportCell, ReportSection, Rows, Table
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.recorded.jury_read import JuryMean, JuryRead, JuryStage

LISTED = 20
"""How many open outputs are listed."""
VERDICTS = ("PASS", "PARTIAL", "FAIL")


def jury(read: JuryRead) -> ReportSection:
    """Say what the jury came to; there is a section only where the last run asked one."""
    tables = [*([_means(read)] if read.means else []), *([_stages(read)] if read.stages else [])]
    tables += [_rounds(read), *_open(read)]
    return ReportSection("jury", tuple(jury_notes(read)), tuple(tables))


def jury_notes(read: JuryRead) -> Iterator[Note]:
    """Say in sentences who was asked what, and what follows."""
    counts: Arguments = {"start": read.start, "then": read.then, "asked": read.asked, "whole": read.whole}
    yield Note("jury.asked", counts)
    if not read.finished:
        yield Note("jury.not_finished", {}, warning=True)
    if read.half_width is not None:
        yield from _estimate_notes(read, read.half_width)
    else:
        yield from _decision_notes(read)


def _estimate_notes(read: JuryRead, wanted: float) -> Iterator[Note]:
    told: Arguments = {"half_width": f"{wanted:g}", "level": f"{read.level:.0%}"}
    wide = tuple(each.model or "–" for each in read.means if each.half_width is None or each.half_width > wanted + 1e-9)
    if wide:
        yield Note("jury.too_wide", {**told, "models": wide}, warning=True)
    else:
        yield Note("jury.narrow", told)
    yield Note("jury.these_outputs", told)


def _decision_notes(read: JuryRead) -> Iterator[Note]:
    decided = sum(sum(stage.decided.values()) for stage in read.stages)
    told: Arguments = {"decided": decided, "outputs": read.outputs, "level": f"{read.level:.0%}"}
    told["delta"] = f"{read.delta or 0.0:.0%}"
    yield Note("jury.decided" if decided else "jury.decided_none", told, warning=not decided)
    if read.open:
        yield Note("jury.open", {"count": len(read.open)}, warning=True)
    yield Note("jury.labels", {})


def _means(read: JuryRead) -> Table:
    drafts: list[Draft] = [((each.model,), _mean_cells(read, each)) for each in read.means]
    return make_table("jury_means", ("target_model",), ("jury_mean", "jury_asked", "jury_whole"), drafts)


def _mean_cells(read: JuryRead, each: JuryMean) -> list[ReportCell]:
    from msgspec.structs import replace

    rows = Rows(among="recorded", where={"target_model": (each.model,)})
    reason = "" if each.value is not None else say("reason.jury_not_finished")
    mean = number_cell(each.value, rows, "score", method=say("method.jury_mean"), reason=reason)
    if each.value is not None and each.half_width is not None:
        low, high = each.value - each.half_width, each.value + each.half_width
        ends = (max(low, read.scale[0]), min(high, read.scale[1]))
        mean = replace(mean, low=ends[0], high=ends[1], level=read.level, scale=read.scale)
    return [mean, number_cell(each.asked, rows), number_cell(each.whole, rows)]


def _stages(read: JuryRead) -> Table:
    columns = ("jury_reached", "jury_decided", "jury_agreeing", "jury_threshold", *VERDICTS)
    named = [Column(name, name) if name in VERDICTS else Column(name) for name in columns]
    drafts: list[Draft] = [((" + ".join(stage.judges),), _stage_cells(stage)) for stage in read.stages]
    return make_table("jury_stages", ("jury_stage",), named, drafts)


def _stage_cells(stage: JuryStage) -> list[ReportCell]:
    rows = Rows(among="recorded", sequences=(stage.sequence,))
    none = say("reason.jury_no_threshold")
    threshold = number_cell(
        stage.threshold,
        rows,
        "coefficient",
        method=say("method.jury_threshold"),
        reason=none if stage.threshold is None else "",
    )
    share = stage.agreeing / stage.labelled if stage.labelled else None
    agreeing = number_cell(share, rows, "share", method=say("method.jury_agreeing"), n=stage.labelled)
    counts = [number_cell(stage.decided.get(verdict, 0), rows) for verdict in VERDICTS]
    decided = number_cell(sum(stage.decided.values()), rows)
    return [number_cell(stage.reached, rows), decided, agreeing, threshold, *counts]


def _rounds(read: JuryRead) -> Table:
    drafts: list[Draft] = []
    for each in read.rounds:
        rows = Rows(among="recorded", sequences=(each.sequence,))
        likely = f"{each.lowest:.3g}" if each.lowest == each.highest else f"{each.lowest:.3g}–{each.highest:.3g}"
        cells = [
            word_cell(f"jury.rule.{each.rule}", rows),
            number_cell(each.possible, rows),
            text_cell(likely, rows),
            number_cell(each.chosen, rows),
        ]
        drafts.append(((str(each.number),), cells))
    return make_table(
        "jury_rounds", ("jury_round",), ("jury_rule", "jury_possible", "jury_likely", "jury_chosen"), drafts
    )


def _open(read: JuryRead) -> Iterator[Table]:
    if read.open:
        rows = Rows(among="recorded")
        drafts: list[Draft] = [((name,), [word_cell("jury.to_people", rows)]) for name in read.open[:LISTED]]
        yield make_table("jury_open", ("output_id",), ("jury_next",), drafts)
