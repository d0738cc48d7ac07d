"""How far to trust the answer: a short list of what was looked at, each with a state, a sentence and a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

from venire.domain.output import OutputState
from venire.reports.cells import Draft, make_table, text_cell, word_cell
from venire.reports.report import Rows, Table
from venire.reports.sections.judges.canaries import state_of
from venire.reports.sections.judges.warnings import REPEATED
from venire.reports.words import code_of, e_text
from venire.stats.agreement.bands import reliability_band
from venire.stats.judges.retest_reliability import RELIABLE
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.judge_fitness import CanaryRead
    from venire.reports.report import ReportCell

State = Literal["good", "middling", "poor", "unknown"]
"""Whether a reader can lean on it; `unknown` is not a fault, but nobody looked or could look."""

MOSTLY = 0.95
"""From which share on what is missing or invalid is a blemish and no hole."""

FEW_OUTPUTS = 10
"""Below so many outputs with two judges nothing is said about agreement."""

FEW_FLIPS, MANY_FLIPS = 0.1, 0.25
"""Up to which share of winners that change with the order of the outputs it hardly matters, or matters in part. That
it hardly matters is said only where the whole interval lies below."""

FEW_LABELS = 30
"""Below so many labelled outputs a correlation with people says little."""

TRUST_SECTIONS = {
    "complete": "run_log",
    "valid": "invalid",
    "repeats": "judges",
    "order": "verdicts",
    "agree": "agreement",
    "qualified": "voir_dire",
    "unchanged": "canaries",
    "people": "people",
    "enough": "votes",
    "voters": "votes",
    "beside_judges": "run_log",
    "models": "votes",
}
"""Where each line is told at length."""


class TrustLine(NamedTuple):
    """One line of the list."""

    state: State
    """How it stands."""
    says: str
    """What was looked at, and what was found."""
    figure: str
    """The number behind it; empty if there is none."""


def trust_table(evidence: ReportEvidence, every: Mapping[str, Table]) -> Table:
    """Judge completeness, validity, repeatability, agreement and the check by people from what was measured."""
    lines = {
        "complete": _complete(evidence),
        "valid": _valid(evidence),
        "repeats": _repeats(every.get("retests"), asked_again=_asked_again(evidence)),
        **({"order": _order(every.get("position"))} if evidence.pairs else {}),
        "agree": _agree(evidence, every.get("alpha") or _alpha_of_verdicts(every.get("verdicts"))),
        "qualified": _qualified(evidence),
        **({"unchanged": _unchanged(evidence.canaries, evidence)} if evidence.canaries else {}),
        "people": _beside_people(evidence, every),
    }
    drafts = [trust_draft(name, line) for name, line in lines.items()]
    return make_table("trust", ("trust",), ("state", "says", "figure"), drafts)


def trust_draft(name: str, line: TrustLine) -> Draft:
    """Return a line as a row of the table."""
    rows = Rows(among="recorded")
    return (name,), [word_cell(f"state.{line.state}", rows), text_cell(line.says, rows), text_cell(line.figure, rows)]


def _complete(evidence: ReportEvidence) -> TrustLine:
    known, planned = evidence.completeness, sum(each.planned for each in evidence.collection)
    if missing := sum(each.missing for each in evidence.collection):
        held: State = "middling" if missing <= (1 - MOSTLY) * planned else "poor"
        return TrustLine(held, say("trust.not_collected", count=missing), f"{planned - missing} / {planned}")
    figure = f"{known.answered} / {known.planned}" if known.judges else "–"
    if known.missing:
        state: State = "middling" if known.answered >= MOSTLY * known.planned else "poor"
        return TrustLine(state, say("trust.incomplete", count=known.missing), figure)
    if known.unknown or not known.judges:
        return TrustLine("unknown", say("trust.plan_unknown"), figure)
    if empty := sum(each.state is OutputState.EMPTY for each in evidence.forms):
        return TrustLine("middling", say("trust.empty_outputs", count=empty), f"{empty} / {len(evidence.forms)}")
    return TrustLine("good", say("trust.is_complete"), figure)


def _valid(evidence: ReportEvidence) -> TrustLine:
    if evidence.is_table:
        return TrustLine("unknown", say("trust.no_replies"), "–")
    if evidence.imported_from:
        return TrustLine("unknown", say("trust.imported", tools=evidence.imported_from), "–")
    total = evidence.table.judgement_count
    invalid = sum(evidence.primary.excluded.get(name, 0) for name in ("invalid", "recovered"))
    figure = f"{total - invalid} / {total}"
    if not total:
        return TrustLine("unknown", say("trust.nothing_judged"), "–")
    if not invalid and evidence.quotes_not_compared:
        count = evidence.quotes_not_compared
        return TrustLine("unknown", say("trust.quotes_not_compared", count=count), f"{total - count} / {total}")
    if not invalid:
        return TrustLine("good", say("trust.is_valid"), figure)
    state: State = "middling" if total - invalid >= MOSTLY * total else "poor"
    code = "trust.invalid_entries" if evidence.table.holds_entries else "trust.invalid"
    return TrustLine(state, say(code, count=invalid), figure)


def _asked_again(evidence: ReportEvidence) -> bool:
    return evidence.has_verdicts_only and evidence.table.frame["repeat"].n_unique() > 1


def _repeats(retests: Table | None, *, asked_again: bool = False) -> TrustLine:
    if asked_again:
        return TrustLine("unknown", say("trust.repeats_unmeasured"), "–")
    if retests is None:
        return TrustLine("unknown", say("trust.never_again"), "–")
    exact, icc = retests.column("exact_match"), retests.column("retest_icc")
    pairs = [cell.n.get("values", 0) for cell in exact]
    if min(pairs) < REPEATED:
        return TrustLine("unknown", say("trust.seldom_again"), f"{min(pairs)} / {REPEATED}")
    if all(cell.value == 1.0 for cell in exact):
        return TrustLine("good", say("trust.repeat_themselves"), say("number.whole_percent", share="100"))
    lowest = min((cell.value for cell in icc if cell.value is not None), default=None)
    if lowest is None or any(cell.value is None for cell in icc):
        return TrustLine("unknown", say("trust.repeats_unknown"), "–")
    if lowest < RELIABLE:
        return TrustLine("poor", say("trust.repeats_poorly"), f"ICC {lowest:.2f}")
    return TrustLine("good", say("trust.repeat_themselves"), f"ICC {lowest:.2f}")


def _order(table: Table | None) -> TrustLine:
    """Say how often the winner of a pair changes with the order in which its outputs are shown."""
    if table is None or not table.rows:
        return TrustLine("unknown", say("trust.one_order"), "–")
    shown = int(min(cell.value or 0 for cell in table.column("both_orders")))
    flips = [cell.value for cell in table.column("flips") if cell.value is not None]
    if len(flips) < len(table.rows):
        return TrustLine("unknown", say("trust.seldom_both_orders" if shown else "trust.one_order"), str(shown))
    most, worst = max(flips), max(cell.high if cell.high is not None else 1.0 for cell in table.column("flips"))
    share, limit = (say("number.whole_percent", share=f"{100 * each:.0f}") for each in (most, worst))
    figure = say("trust.order_figure", share=share, limit=limit)
    if most <= FEW_FLIPS < worst:
        return TrustLine("middling", say("trust.order_open", most=math.ceil(100 * worst - 1e-9)), figure)
    state: State = "good" if most <= FEW_FLIPS else "middling" if most <= MANY_FLIPS else "poor"
    return TrustLine(state, say(f"trust.order_{state}"), figure)


def _alpha_of_verdicts(table: Table | None) -> Table | None:
    """Return how far judges agree on verdicts, in the form in which agreement on scores is."""
    if table is None:
        return None
    alpha = table.column("alpha_nominal")[0]
    band = reliability_band(alpha.value)
    cells = [alpha, word_cell(f"reliability.{band.id}" if band else "", alpha.rows)]
    return make_table("alpha", ("dimension",), ("alpha", "band"), [(("verdict",), cells)])


def _agree(evidence: ReportEvidence, table: Table | None) -> TrustLine:
    if len(evidence.primary.raters) < 2:
        return TrustLine("unknown", say("trust.one_judge"), "–")
    alpha, band = table.rows[0].cells[:2] if table and table.rows else (None, None)
    if alpha is None or band is None or alpha.value is None or alpha.n.get("units", 0) < FEW_OUTPUTS:
        return TrustLine("unknown", say("trust.agree_unknown"), "–")
    size = band.word.removeprefix("reliability.")
    states: dict[str, State] = {"very-high": "good", "high": "good", "moderate": "middling"}
    return TrustLine(states.get(size, "poor"), say(code_of("trust.agree", size)), f"α {alpha.value:.2f}")


def _qualified(evidence: ReportEvidence) -> TrustLine:
    """Say whether the judges that count passed a voir dire."""
    if evidence.unqualified:
        return TrustLine("middling", say("trust.unqualified_left_out"), str(len(evidence.unqualified)))
    outcomes = {each.content.judge: each.content.outcome for each in evidence.voir_dire}
    passed = sum(outcomes.get(judge) == "qualified" for judge in evidence.primary.raters)
    figure = f"{passed} / {len(evidence.primary.raters)}"
    if not outcomes:
        return TrustLine("unknown", say("trust.not_examined"), "–")
    if passed == len(evidence.primary.raters):
        return TrustLine("good", say("trust.all_qualified"), figure)
    is_struck = any(outcomes.get(judge) == "struck" for judge in evidence.primary.raters)
    return TrustLine("poor" if is_struck else "middling", say("trust.not_all_qualified"), figure)


def _unchanged(read: CanaryRead, evidence: ReportEvidence) -> TrustLine:
    """Say whether anchors show that a judge has changed."""
    states = [state_of(each) for each in read.judges]
    figure = f"e {e_text(max(each.peak for each in read.judges))}"
    if "changed" in states:
        names = tuple(each.judge for each in read.judges if each.has_changed)
        return TrustLine("poor", say("trust.judge_changed", judges=names), figure)
    is_known = all(state == "unchanged" for state in states)
    watched = {each.judge for each in read.judges}
    if not is_known or not watched.issuperset(evidence.primary.raters):
        return TrustLine("unknown", say("trust.anchors_begun"), figure)
    return TrustLine("good", say("trust.judges_unchanged"), figure)


def _people(evidence: ReportEvidence, table: Table | None) -> TrustLine:
    if not evidence.labels:
        return TrustLine("poor", say("trust.nobody"), "0")
    overall = [row for row in (table.rows if table else ()) if row.names[1] == "overall"]
    measured: list[ReportCell] = [row.cells[4] for row in overall]
    known = [cell.value for cell in measured if cell.value is not None]
    labelled = int(max((row.cells[5].value or 0 for row in overall), default=0))
    if not known or len(known) < len(measured):
        return TrustLine("unknown", say("trust.people_unknown"), str(len(evidence.labels)))
    lowest, figure = min(known), f"r {min(known):.2f}".replace("-", "−")
    if labelled < FEW_LABELS:
        return TrustLine("middling", say("trust.people_few", count=labelled), figure)
    state: State = "good" if lowest >= 0.7 else "middling" if lowest >= 0.5 else "poor"
    return TrustLine(state, say(f"trust.people_{state}", count=labelled), figure)


def _beside_people(evidence: ReportEvidence, every: Mapping[str, Table]) -> TrustLine:
    if "people_pairs" in every:
        return _people_on_verdicts(every["people_pairs"], "common_pairs", "pairs")
    if evidence.has_verdicts_only and evidence.labels and "people_verdicts" in every:
        return _people_on_verdicts(every["people_verdicts"])
    return _people(evidence, every.get("people"))


def _people_on_verdicts(
    table: Table, column: str = "labelled", kind: Literal["pairs", "verdicts"] = "verdicts"
) -> TrustLine:
    """Say how often the judge that differs most says what people say, by kappa, which allows for chance."""
    labelled = int(max((cell.value or 0 for cell in table.column(column)), default=0))
    known = [cell.value for cell in table.column("kappa") if cell.value is not None]
    if len(known) < len(table.rows):
        return TrustLine("unknown", say("trust.people_unknown"), str(labelled))
    lowest = min(known)
    figure = f"κ {lowest:.2f}".replace("-", "−")
    if labelled < FEW_LABELS:
        few = "trust.people_few_pairs" if kind == "pairs" else "trust.people_few"
        return TrustLine("middling", say(few, count=labelled), figure)
    state: State = "good" if lowest >= 0.6 else "middling" if lowest >= 0.4 else "poor"
    return TrustLine(state, say(f"trust.people_{kind}_{state}", count=labelled), figure)
