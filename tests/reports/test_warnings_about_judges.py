"""The report warns of judges that a panel should not rely on."""

from __future__ import annotations

from report_ledger import design, scoring, write_ledger
from venire.reports.report import Choices
from venire.workflows.analyse import analyse


def warnings(report):
    return {(note.key, note.arguments["judge"]) for note in report.section("judges").notes if "judge" in note.arguments}


def test_a_judge_that_gives_one_score_to_everything_is_named(tmp_path):
    answers = {"oak": scoring(), "elm": scoring(), "fir": scoring(severity=-8)}
    report = analyse(write_ledger(tmp_path / "l.sqlite", design(), answers), Choices())
    assert ("judges.constant", "fir") in warnings(report)
    assert ("judges.lenient", "fir") in warnings(report)
    assert not {judge for _, judge in warnings(report)} & {"oak", "elm"}


def test_a_judge_far_more_severe_than_the_rest_is_named(tmp_path):
    answers = {"oak": scoring(), "elm": scoring(), "fir": scoring(severity=4)}
    report = analyse(write_ledger(tmp_path / "l.sqlite", design(), answers), Choices())
    assert ("judges.severe", "fir") in warnings(report)
    assert {judge for _, judge in warnings(report)} == {"fir"}


def test_an_even_panel_is_not_warned_of(tmp_path):
    report = analyse(write_ledger(tmp_path / "l.sqlite", design(), {"oak": scoring(), "elm": scoring(1)}), Choices())
    assert warnings(report) == set()


def test_a_judge_that_contradicts_itself_is_named(tmp_path):
    asked = []

    def fickle(request):
        asked.append(request.user)
        return scoring(severity=len(asked) * 7 % 5)(request)

    path = write_ledger(tmp_path / "l.sqlite", design(), {"oak": scoring(), "elm": fickle}, reask_share=1.0)
    assert ("retests.low", "elm") in warnings(analyse(path, Choices()))
