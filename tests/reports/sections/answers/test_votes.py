"""The first screen of votes alone: who leads, on how many votes that rests, and how far voters agree."""

from __future__ import annotations

import pytest

from making_votes import vote_row
from shaped_ledgers import write_voted_pairs
from venire.domain.sample import Sample
from venire.domain.vote import VoterPrompt
from venire.ledger.location import open_ledger
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.words import ReportWords
from venire.votes.reading.table import read_votes
from venire.workflows.analyse import analyse
from venire.workflows.import_votes import import_votes, open_voting, votes_of_frame
from venire.workflows.rank import rank_pairs
from venire.workflows.trace import trace

VOTERS = ("ann", "bob", "cy", "dee", "eve", "flo")


def voted(path, means, *, models=True, outputs=6, voters=VOTERS, prompts=("funny",)):
    """Report on a ledger in which everybody votes on every output of each model, near the model's mean."""
    ledger = open_ledger(str(path))
    names = [(f"{model}{number}", model, mean) for model, mean in means.items() for number in range(outputs)]
    rows = [
        vote_row(mean + 0.02 * (place % 3) + 0.01 * (at % 2), voter=voter, item=item, prompt=prompt)
        for at, (item, _, mean) in enumerate(names)
        for place, voter in enumerate(voters)
        for prompt in prompts
    ]
    try:
        samples = [Sample(item, f"Text of {item}.", target_model=model if models else "") for item, model, _ in names]
        for prompt in prompts:
            open_voting(ledger, samples, VoterPrompt(prompt, f"{prompt}?"))
        import_votes(ledger, votes_of_frame(read_votes(rows).frame))
    finally:
        ledger.close()
    return analyse(path, Choices())


def said(report):
    return ReportWords("en", report.names).sentence(report.section("overview").notes[0])


def lights(report):
    return {row.names[0]: (row.cells[0].word.removeprefix("state."), row.cells[2].text) for row in
            report.table("trust").rows}  # fmt: skip


def test_the_model_whose_interval_lies_above_the_next_one_leads(tmp_path):
    report = voted(tmp_path / "v.db", {"low": 0.2, "high": 0.7})
    scores = {row.names[0]: row.cells[0].value for row in report.table("votes_model").rows}
    assert said(report) == f"high leads by votes: {scores['high']:.2f} of 1; low {scores['low']:.2f}."
    page = html_page(report, "en")
    first = page[: page.index('id="votes"')]
    assert f"<h1>{said(report)}</h1>" in page
    assert first.index(">high<") < first.index(">low<")
    assert "Votes and record" in first
    assert "Bars are 95" in first


def test_models_with_intervals_that_overlap_have_no_leader(tmp_path):
    assert said(voted(tmp_path / "v.db", {"one": 0.5, "two": 0.5})).startswith("No model leads yet by votes: ")


def test_without_models_the_headline_counts_and_outputs_are_drawn(tmp_path):
    report = voted(tmp_path / "v.db", {"one": 0.2, "two": 0.7}, models=False)
    assert said(report) == "6 voters cast 72 votes on 12 outputs."
    assert lights(report)["models"] == ("unknown", "–")
    page = html_page(report, "en")
    first = page[: page.index('id="votes"')]
    assert ">two0<" in first
    assert "Bars are" not in first


@pytest.mark.parametrize(
    ("voters", "state", "figure"),
    [(VOTERS, "good", "12 / 12"), (VOTERS[:2], "poor", "0 / 12")],
)
def test_outputs_with_fewer_votes_than_a_dispute_needs_are_counted(tmp_path, voters, state, figure):
    found = lights(voted(tmp_path / "v.db", {"one": 0.2, "two": 0.7}, voters=voters))
    assert found["enough"] == (state, figure)


def test_voters_agree_or_not_or_it_is_not_known(tmp_path):
    means = {"one": 0.1, "two": 0.8}
    assert lights(voted(tmp_path / "a.db", means))["voters"][0] == "good"
    assert lights(voted(tmp_path / "b.db", {"one": 0.5, "two": 0.5}))["voters"][0] == "poor"
    assert lights(voted(tmp_path / "c.db", means, voters=("ann",)))["voters"] == ("unknown", "–")
    assert lights(voted(tmp_path / "d.db", means, prompts=("funny", "short")))["voters"] == ("unknown", "–")


def test_votes_on_pairs_begin_with_who_leads_as_the_ranking_says(tmp_path):
    path = write_voted_pairs(tmp_path / "pairs.sqlite")
    report = analyse(path, Choices())
    ranked = rank_pairs(path, {}, by="people").ranking.models
    leader, basis = report.section("overview").notes
    assert leader.arguments["leader"] == ranked[0].model
    assert (basis.key, basis.arguments["outputs"]) == ("overview.basis_pair_votes", 6)
    rows = report.table("ranking").rows
    assert [(row.names[0], row.cells[0].value) for row in rows] == [
        (each.model, pytest.approx(each.strength.value)) for each in ranked
    ]
    assert {note.key for note in report.section("votes").notes}.isdisjoint({"votes.no_model", "votes.no_models"})
    assert trace(report, "ranking.alder.won", str(path)).total == 16
    page = html_page(report, "en")
    assert page.index("alder leads 3 models") < page.index('id="ranking"')
