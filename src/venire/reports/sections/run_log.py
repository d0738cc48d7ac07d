"""The run log: who judged with which settings, when, under which protocol and prompt, with which software."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.reports.cells import make_table, text_cell, word_cell
from venire.reports.report import Note, ReportSection, Rows
from venire.version import __version__
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.reports.cells import Draft
    from venire.reports.evidence import ReportEvidence
    from venire.reports.report import Origin

JUDGE_COLUMNS = ("model", "kind", "decoding", "blind", "tools", "language", "version")
"""What is said of each judge."""


def run_log(evidence: ReportEvidence, origin: Origin) -> ReportSection:
    """Say everything that is needed to repeat the run, and nothing of the clock of the machine that reports."""
    facts = [((key,), [text_cell(value, Rows(among="recorded"))]) for key, value in _facts(evidence, origin)]
    tables = [make_table("run", ("fact",), ("value",), facts)]
    if evidence.judges:
        tables.append(
            make_table(
                "instruments", ("rater",), JUDGE_COLUMNS, [_judge(name, each) for name, each in evidence.judges.items()]
            )
        )
    notes = (Note("log.table"),) if evidence.is_table else (Note("log.check"),) if evidence.is_check else ()
    return ReportSection("run_log", notes, tuple(tables))


def _facts(evidence: ReportEvidence, origin: Origin) -> list[tuple[str, str]]:
    protocol, choices = evidence.protocol, evidence.choices
    frame = evidence.table.frame
    facts = [("origin", f"{origin.name}, {origin.digest}"), ("software", f"venire {__version__}")]
    if origin.kind == "ledger":
        facts.append(
            (
                "entries",
                f"{origin.sequence} ({', '.join(f'{kind} {count}' for kind, count in evidence.counts.items())})",
            )
        )
    if protocol is not None:
        facts.append(("protocol", f"{protocol.id} {protocol.version}, {protocol.digest}"))
    prompts = [name for name in frame["prompt_version"].unique(maintain_order=True).cast(str) if name]
    if prompts:
        facts.append(("prompts", ", ".join(prompts)))
    if evidence.times:
        facts.append(("times", " – ".join(evidence.times)))
    for place, run in enumerate(evidence.runs, start=1):
        software = ", ".join(f"{name} {version}" for name, version in run["software"].items())
        runner: Mapping[str, Any] = run["runner"]
        terms = {"profile": run["profile"], "evidence": run["evidence"], "seed": str(runner.get("seed"))}
        name = f"{place} {run.get('run', '')}".rstrip()
        facts.append(("run", say("fact.run_terms", name=name, time=run["recorded_at"], software=software, **terms)))
    facts += [("answered", f"{each.judge}: {each.answered} / {each.planned}") for each in evidence.completeness.judges]
    if evidence.table.judgement_count:  # Samples without a judgement are not counted, so that there would be none.
        facts.append(("samples", str(frame["unit"].n_unique())))
    facts.append(("judgements", str(evidence.table.judgement_count)))
    facts.append(("seed", f"{choices.seed}, {choices.level:.0%}"))
    return facts


def _judge(name: str, judge: Mapping[str, Any]) -> Draft:
    rows = Rows(among="recorded", where={"rater": (name,)})
    silent = say("reason.recorded") if judge["kind"] == "recorded" else ""
    told = {name: "" if silent else "yes" if judge.get(name) else "no" for name in ("blind", "tools")}
    decoding = (
        "–" if silent else ", ".join(f"{key} {value}" for key, value in judge["decoding"].items() if value is not None)
    )
    return (
        (name,),
        [
            text_cell(judge["model"] or "–", rows),
            text_cell(judge["kind"], rows),
            text_cell(decoding, rows),
            word_cell(told["blind"], rows, reason=silent),
            word_cell(told["tools"], rows, reason=silent),
            text_cell("–" if silent else judge["language"], rows),
            text_cell(judge["digest"], rows),
        ],
    )
