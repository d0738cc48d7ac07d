"""The first screen of votes alone: whose outputs people like best, and how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from venire.domain.curation import LEAST_VOTES
from venire.reports.cells import make_table
from venire.reports.report import Note, ReportSection, Table, Term
from venire.reports.sections.ranking import who_leads
from venire.reports.sections.trust import State, TrustLine, trust_draft
from venire.stats.agreement.bands import reliability_band
from venire.votes.analysis.voter_ratings import voter_agreement
from venire.votes.decay.items import ITEM
from venire.words.said import say

if TYPE_CHECKING:
    from venire.reports.report import Arguments, ReportCell
    from venire.reports.sections.votes import VoteEvidence
    from venire.stats.comparison.ranking import Ranking

VOTES_BASIS = frozenset({"overview.basis_votes", "overview.scale_votes", "overview.basis_pair_votes"})
"""The sentences that say of a first screen that it is about votes."""

NAMED = 3
"""How many models the headline names behind the first."""


def vote_overview(evidence: VoteEvidence, told: ReportSection, compared: Ranking | None = None) -> ReportSection:
    """Answer first: who leads by people's votes; then on how many votes that rests, and how far voters agree."""
    cast = evidence.frame.filter(pl.col("vote").is_not_null())
    counts: Arguments = {
        "votes": cast.height,
        "voters": cast["voter_id"].n_unique(),
        "outputs": cast["inference_id"].n_unique(),
    }
    headline = _headline(told.table("votes_model"), counts)
    is_counted = headline.key == "overview.votes.count"
    if is_counted and compared is not None:  # Votes on pairs give outputs no score of their own, but models an order.
        notes = (who_leads(compared), Note("overview.basis_pair_votes", counts))
        return ReportSection("overview", notes, (_trust(evidence, cast),))
    rests_on = Note("overview.scale_votes" if is_counted else "overview.basis_votes", counts)
    return ReportSection("overview", (headline, rests_on), (_trust(evidence, cast),))


def ranked_votes(report_table: Table | None, outputs: Table | None) -> list[tuple[str, ReportCell]]:
    """Return models by what people voted, the best first; outputs where no model is known."""
    table = report_table or outputs
    if table is None:
        return []
    rows = [(" · ".join(row.names), row.cells[0]) for row in table.rows if row.cells[0].value is not None]
    return sorted(rows, key=lambda row: -(row[1].value or 0.0))


def _headline(models: Table | None, counts: Arguments) -> Note:
    """Name the leader if there is one: its interval lies above the next one's, as on the pages of votes."""
    rows = ranked_votes(models, None)
    if models is None or not rows or len(models.heads) > 1:
        return Note("overview.votes.count", counts)
    (name, first), *rest = rows
    arguments: Arguments = {"model": name, "score": f"{first.value:.2f}"}
    if not rest:
        return Note("overview.votes.alone", arguments)
    behind: list[Term | str] = [
        Term("text", "overview.votes.score", {"model": each, "score": f"{cell.value:.2f}"})
        for each, cell in rest[:NAMED]
    ]
    if len(rest) > NAMED:
        behind.append(Term("text", "more", {"count": len(rest) - NAMED}))
    second = rest[0][1]
    is_led = first.low is not None and second.high is not None and first.low > second.high
    return Note(f"overview.votes.{'leads' if is_led else 'open'}", arguments | {"behind": tuple(behind)})


def _trust(evidence: VoteEvidence, cast: pl.DataFrame) -> Table:
    lines = {"enough": _enough(cast), "voters": _voters(cast), "beside_judges": _judged()}
    if not any(evidence.models.values()):
        lines["models"] = TrustLine("unknown", say("trust.votes.no_models"), "–")
    drafts = [trust_draft(name, line) for name, line in lines.items()]
    return make_table("trust", ("trust",), ("state", "says", "figure"), drafts)


def _enough(cast: pl.DataFrame) -> TrustLine:
    """Say whether outputs have so many votes that a dispute could be seen."""
    votes = cast.group_by(list(ITEM)).len()["len"]
    few = int((votes < LEAST_VOTES).sum())
    figure = f"{votes.len() - few} / {votes.len()}"
    if not few:
        return TrustLine("good", say("trust.votes.enough", least=LEAST_VOTES), figure)
    state: State = "middling" if 2 * few <= votes.len() else "poor"
    return TrustLine(state, say("trust.votes.few", count=few, least=LEAST_VOTES), figure)


def agreement_state(alpha: float | None) -> State:
    """Say in a word how far voters agree whose alpha is this."""
    band = reliability_band(alpha)
    if band is None:
        return "unknown"
    states: dict[str, State] = {"very-high": "good", "high": "good", "moderate": "middling"}
    return states.get(band.id, "poor")


def _voters(cast: pl.DataFrame) -> TrustLine:
    if cast["voter_id"].n_unique() < 2:
        return TrustLine("unknown", say("trust.votes.one_voter"), "–")
    if cast["voter_prompt_id"].n_unique() > 1:
        return TrustLine("unknown", say("trust.votes.several"), "–")
    alpha = voter_agreement(cast, "interval", replicates=0).value
    state = agreement_state(alpha)
    if alpha is None or state == "unknown":
        return TrustLine("unknown", say("trust.votes.agree_unknown"), "–")
    return TrustLine(state, say(f"trust.votes.agree_{state}"), f"α {alpha:.2f}".replace("-", "−"))


def _judged() -> TrustLine:
    return TrustLine("unknown", say("trust.votes.no_judge"), "–")
