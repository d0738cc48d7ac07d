"""The votes of a ledger in its report: scores that age, freshness, ambiguity, and the trail behind each number."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console

from making_votes import vote_row
from report_ledger import design, scoring, write_ledger
from venire.domain.sample import Sample
from venire.domain.vote import VoterPrompt
from venire.errors import InputError
from venire.ledger.location import open_ledger
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.sections import votes as section
from venire.reports.terminal.report import print_report
from venire.votes.decay.terms import Decay, decay_rate
from venire.votes.reading.table import read_votes
from venire.workflows.analyse import analyse
from venire.workflows.import_votes import import_votes, open_voting, votes_of_frame
from venire.workflows.trace import trace

ASKED = VoterPrompt("funny", "Did you laugh?\nOut loud counts.")
ROWS = [
    vote_row(1.0, day=0, voter="ann", item="j1", prompt="funny"),
    vote_row(0.5, day=0, voter="bob", item="j2", prompt="funny"),
    vote_row(0.0, day=10, voter="cy", item="j1", prompt="funny"),
    vote_row(0.8, day=0, voter="ann", item="j3", prompt="funny"),
    vote_row(0.8, day=0, voter="bob", item="j3", prompt="funny"),
]


def write_votes(path, rows=ROWS, models=("alder-1", "alder-1", "birch-2")):
    ledger = open_ledger(str(path))
    try:
        outputs = [
            Sample(f"j{number}", f"Joke {number}.", target_model=model) for number, model in enumerate(models, start=1)
        ]
        open_voting(ledger, outputs, ASKED)
        import_votes(ledger, votes_of_frame(read_votes(rows).frame))
    finally:
        ledger.close()
    return path


@pytest.fixture
def ledger(tmp_path):
    return write_votes(tmp_path / "votes.db")


def cells(report, table_id):
    table = next(table for table in report.tables() if table.id == table_id)
    names = [column.id for column in table.columns]
    return {row.names: dict(zip(names, row.cells, strict=True)) for row in table.rows}


def sentences(report):
    return [note.key for note in report.section("votes").notes]


def test_a_ledger_of_votes_alone_is_reported_as_votes_and_nothing_else(ledger):
    report = analyse(ledger, Choices())
    assert [each.id for each in report.sections] == ["overview", "votes", "run_log"]


def test_models_and_outputs_have_the_score_that_ages_with_its_freshness_and_ambiguity(ledger):
    report, alpha = analyse(ledger, Choices()), math.exp(-0.1 * 10)
    model = cells(report, "votes_model")[("alder-1",)]
    assert model["vote_score"].value == pytest.approx(alpha * 0.75)
    assert model["vote_score"].low <= model["vote_score"].value <= model["vote_score"].high
    assert model["freshness"].value == pytest.approx(1 - alpha)
    assert (model["ambiguous_outputs"].value, model["outputs"].value, model["votes"].value) == (1, 2, 3)
    output = cells(report, "votes_output")[("j1",)]
    assert output["vote_score"].value == pytest.approx(alpha)
    assert (output["ambiguous"].word, output["vote_variance"].value) == ("yes", 0.25)
    assert cells(report, "votes_output")[("j3",)]["ambiguous"].word == "no"


def test_the_weights_of_an_outputs_votes_in_the_trail_sum_to_1_and_give_its_score(ledger):
    report = analyse(ledger, Choices())
    own = [row for names, row in cells(report, "votes_trail").items() if names[0] == "j1"]
    assert sum(row["vote_weight"].value for row in own) == pytest.approx(1)
    score = cells(report, "votes_output")[("j1",)]["vote_score"].value
    assert sum(row["vote_weight"].value * row["vote"].value for row in own) == pytest.approx(score)


def test_a_score_is_traced_to_the_entries_of_its_votes(ledger):
    report = analyse(ledger, Choices())
    found = trace(report, "votes_model.alder-1.vote_score", str(ledger))
    assert {(each.judge, each.facts["inference_id"]) for each in found.requests} == {
        ("ann", "j1"), ("bob", "j2"), ("cy", "j1"),
    }  # fmt: skip
    one = next(cell.id for cell in report.cells() if cell.id.startswith("votes_trail.j1.cy"))
    assert [each.judge for each in trace(report, one, str(ledger)).requests] == ["cy"]


def test_votes_age_as_the_reader_chooses(ledger):
    slow = analyse(ledger, Choices(decay=Decay(decay_rate(0.01, "day"))))
    assert cells(slow, "votes_output")[("j1",)]["freshness"].value == pytest.approx(1 - math.exp(-0.1))


def test_what_was_asked_and_what_is_not_known_of_it_is_said(tmp_path):
    rows = [
        *ROWS,
        vote_row(1.0, voter="ann", item="j1", prompt="kind"),
        vote_row(1.0, voter="ann", item="j1", prompt=""),
    ]
    report = analyse(write_votes(tmp_path / "votes.db", rows), Choices())
    assert {"votes.asked", "votes.words_unknown", "votes.no_prompt"} <= set(sentences(report))
    assert ("j1", "kind") in cells(report, "votes_output")


def test_votes_on_outputs_of_unknown_models_are_counted_and_not_dropped_in_silence(tmp_path):
    some = analyse(write_votes(tmp_path / "some.db", models=("alder-1", "", "")), Choices())
    assert "votes.no_model" in sentences(some)
    none = analyse(write_votes(tmp_path / "none.db", models=("", "", "")), Choices())
    assert "votes.no_models" in sentences(none)
    assert [table.id for table in none.section("votes").tables] == ["votes_output", "votes_trail"]


def test_what_is_not_listed_is_said(ledger, monkeypatch):
    monkeypatch.setattr(section, "LISTED_OUTPUTS", 2)
    monkeypatch.setattr(section, "LISTED_VOTES", 2)
    report = analyse(ledger, Choices())
    assert {"votes.more", "votes.trail_part"} <= set(sentences(report))
    assert [names[0] for names in cells(report, "votes_output")] == ["j1", "j3"]
    assert {names[0] for names in cells(report, "votes_trail")} == {"j1"}


def test_votes_stand_beside_judgements_in_the_report_of_one_ledger(tmp_path):
    path = tmp_path / "both.db"
    write_ledger(path, design(), {"strict": scoring()})
    assert analyse(path, Choices()).section("votes") is None
    opened = open_ledger(str(path))
    try:
        import_votes(opened, votes_of_frame(read_votes(ROWS).frame))
    finally:
        opened.close()
    report = analyse(path, Choices())
    assert {"leaderboard", "votes"} <= {each.id for each in report.sections}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_section_is_shown_in_both_languages_without_a_key_of_the_wording(ledger, language):
    report = analyse(ledger, Choices())
    console = Console(file=io.StringIO(), width=200)
    print_report(console, report, language)
    shown = console.file.getvalue() + html_page(report, language)
    assert "Did you laugh?" in shown
    assert "Out loud counts" not in shown
    assert not [key for key in ("votes.read", "column.", "head.", "table.votes") if key in shown]


def test_a_table_of_votes_that_no_report_of_scores_can_be_made_of_leads_to_the_votes_commands(tmp_path):
    rows = "j1,ann,1,2026-03-02T00:00:00Z\nj1,ann,0,2026-03-12T00:00:00Z\n"
    (tmp_path / "votes.csv").write_text(f"inference_id,voter_id,vote,vote_time\n{rows}")
    with pytest.raises(InputError, match="expected one rating") as caught:
        analyse(tmp_path / "votes.csv", Choices())
    assert "venire votes score" in caught.value.hint
