"""JUnit of a check: which replies fail, which are errors, and which are only skipped."""

from xml.etree import ElementTree

import pytest

from valid_replies import DRIFT_SAMPLE, SAMPLE, as_json, changed, sample_reply
from venire.domain.judgement import Quotes
from venire.reports.formats.check_record import CheckCase
from venire.reports.formats.junit import junit_report
from venire.reports.words import ReportWords
from venire.shapes.check import Checker
from venire.words.said import say

CHECKER = Checker(DRIFT_SAMPLE)
GOOD = CHECKER.check(as_json(sample_reply()), SAMPLE)
BAD = CHECKER.check(changed(sample_reply(), lambda reply: reply["scores"].update(overall_score=8)), SAMPLE)
CASES = [
    CheckCase("good <1>.json", GOOD, quotes=Quotes.COMPARED),
    CheckCase("bad.json", BAD, quotes=Quotes.COMPARED),
    CheckCase("open.json", GOOD, quotes=Quotes.NOT_COMPARED),
    CheckCase("lost.json", None, problem=say("finding.nothing")),
    CheckCase("prompt.md", None, is_reply=False),
]


def suite(language="en", cases=CASES):
    return ElementTree.fromstring(junit_report("s", cases, ReportWords(language)))


def test_every_reply_is_a_case_with_its_outcome():
    document = suite()
    assert document.attrib == {"name": "s", "tests": "5", "failures": "1", "errors": "1", "skipped": "2"}
    outcomes = [(case.get("classname"), case.get("name"), [each.tag for each in case]) for case in document]
    assert outcomes == [
        ("s", "good <1>.json", []),
        ("s", "bad.json", ["failure"]),
        ("s", "open.json", ["skipped"]),
        ("s", "lost.json", ["error"]),
        ("s", "prompt.md", ["skipped"]),
    ]


def test_a_failure_names_its_flags_and_each_violation():
    (failure,) = suite()[1]
    assert failure.get("message") == "INTERNAL_INCONSISTENCY"
    assert failure.text == "overall.mismatch at /scores/overall_score: expected 6 (computed from the scores), found 8"


def test_a_finding_that_is_only_a_note_is_no_violation():
    noted = CHECKER.check(b"\xef\xbb\xbf" + changed(sample_reply(), lambda reply: reply.update(verdict="FAIL")), SAMPLE)
    assert len(noted.all_findings) == 2
    (failure,) = suite(cases=[CheckCase("a", noted)])[0]
    assert failure.text.count("\n") == 0


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", ["quotes not compared", "nothing", "not a reply"]), ("zh", ["引文未比对", "没有", "不是回复"])],
)
def test_reasons_are_in_the_language_of_the_reader(language, said):
    document = suite(language)
    assert [case[0].get("message") for case in document[2:]][::2] == said[::2]
    assert document[3][0].get("message") == ReportWords(language)("finding.nothing")


def test_characters_that_xml_cannot_hold_are_replaced():
    (case,) = suite(cases=[CheckCase("a\x00b\t\ud800\ufffe\U0001f600", GOOD)])
    assert case.get("name") == "a\ufffdb\t\ufffd\ufffd\U0001f600"
