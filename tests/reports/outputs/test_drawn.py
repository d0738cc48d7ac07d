"""An output as pages draw it: nothing without a name, and nothing twice."""

from venire.domain.flag import Finding
from venire.domain.judgement import Evidence
from venire.reports.outputs.drawn import drawn_output
from venire.reports.outputs.one_output import OneOutput, ShownJudgement
from venire.reports.words import ReportWords

WORDS = ReportWords("en")


def drawn(**terms):
    judgement = ShownJudgement(key="k", judge="oak", repeat="0", status="valid", counted=True, **terms)
    return drawn_output(OneOutput(text="A plain text.", judgements=(judgement,)), WORDS)


def test_quotes_of_no_dimension_are_called_quotes_and_need_no_key():
    shown = drawn(evidence=(Evidence("", "A plain", start=0, end=7),))
    assert [name for name, *_ in shown["cards"][0].scores] == ["Quotes"]
    assert shown["legend"] == []


def test_what_holds_for_both_outputs_of_a_pair_is_said_once():
    same, other = Finding("materials.not-given", "", "some", "none"), Finding("materials.not-given", "", "some", "one")
    assert drawn(findings=(same, other, same))["cards"][0].findings == (same, other)
