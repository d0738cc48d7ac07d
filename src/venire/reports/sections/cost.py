"""Cost and latency of every judge, from the requests that the ledger holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import make_table, number_cell
from venire.reports.report import Note, ReportCell, ReportSection, Rows
from venire.words.said import say

if TYPE_CHECKING:
    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.judge_work import JudgeWork

COLUMNS = ("requests", "failures", "median_seconds", "slow_seconds", "input_tokens", "output_tokens", "cost")
"""The columns of the table."""


def cost(evidence: ReportEvidence) -> ReportSection:
    """Say what the judges cost and how long they took; a table of scores knows neither."""
    if not evidence.work or evidence.imported_from:
        return ReportSection("cost", (Note(_nothing_known(evidence)),))
    drafts = [((judge,), _cells(judge, work)) for judge, work in evidence.work.items()]
    return ReportSection("cost", (Note("cost.read"),), (make_table("cost", ("rater",), COLUMNS, drafts),))


def _nothing_known(evidence: ReportEvidence) -> str:
    if evidence.imported_from:
        return "cost.imported"
    if evidence.is_check:
        return "cost.check"
    return "cost.table" if evidence.is_table else "cost.none"


def _cells(judge: str, work: JudgeWork) -> list[ReportCell]:
    attempts = Rows(among="attempts", where={"rater": (judge,)})
    replies = Rows(among="replies", where={"rater": (judge,)})
    seconds = np.array(work.latencies)
    median, slow = np.quantile(seconds, [0.5, 0.95]).tolist() if len(seconds) else (None, None)
    told = work.replies > work.without_tokens
    silent = "" if told else say("reason.asks_no_server" if work.free else "reason.server_silent")
    is_known = work.free or (work.priced and told)
    return [
        number_cell(work.requests, attempts),
        number_cell(work.failures, attempts),
        number_cell(median, attempts, "seconds", method=say("method.median"), n=len(seconds)),
        number_cell(slow, attempts, "seconds", method=say("method.quantile_95"), n=len(seconds)),
        number_cell(work.input_tokens if told else None, replies, method=say("method.sum"), reason=silent),
        number_cell(work.output_tokens if told else None, replies, method=say("method.sum"), reason=silent),
        number_cell(
            work.cost if is_known else None, replies, "money", method=say("method.token_cost"),
            reason="" if is_known else silent or say("reason.no_price"),
        ),
    ]  # fmt: skip
