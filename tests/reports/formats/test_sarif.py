"""SARIF of a check: levels, places and sentences of findings."""

import json

import pytest

from valid_replies import DRIFT_SAMPLE, SAMPLE, as_json, changed, sample_reply
from venire.reports.formats.check_record import CheckCase
from venire.reports.formats.sarif import sarif_report
from venire.reports.words import ReportWords
from venire.shapes.check import Checker
from venire.version import __version__
from venire.words.said import say

CHECKER = Checker(DRIFT_SAMPLE)
BAD = CHECKER.check(changed(sample_reply(), lambda reply: reply["scores"].update(overall_score=8)), SAMPLE)
OPEN = CHECKER.check(as_json(sample_reply()), None)


def log(*cases, language="en"):
    document = json.loads(sarif_report(cases, ReportWords(language)))
    assert (document["version"], document["$schema"][-10:]) == ("2.1.0", "2.1.0.json")
    (run,) = document["runs"]
    return run


def test_a_violation_is_an_error_at_its_place_in_the_file():
    run = log(CheckCase("replies.jsonl:12", BAD))
    assert run["results"] == [
        {
            "ruleId": "overall.mismatch",
            "level": "error",
            "message": {"text": "Expected 6 (computed from the scores); found 8."},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "replies.jsonl"},
                        "region": {"startLine": 12},
                    },
                    "logicalLocations": [{"fullyQualifiedName": "/scores/overall_score"}],
                }
            ],
        }
    ]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("venire", __version__)
    assert [(rule["id"], rule["shortDescription"]["text"]) for rule in driver["rules"]] == [
        ("overall.mismatch", ReportWords("en")("rule.overall.mismatch"))
    ]


@pytest.mark.parametrize("name", ["a:b.json", ":5", "a.json"])
def test_only_a_number_after_a_name_is_a_line(name):
    (result,) = log(CheckCase(name, BAD))["results"]
    assert result["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": name}}


def test_quotes_that_were_not_compared_are_a_note():
    (result,) = log(CheckCase("a.json", OPEN))["results"]
    assert (result["ruleId"], result["level"]) == ("evidence.unchecked", "note")
    assert result["message"]["text"].startswith("Quotes not compared. Expected ")


def test_what_is_no_reply_and_what_cannot_be_read_have_rules_of_their_own():
    run = log(CheckCase("p.md", None, is_reply=False), CheckCase("x.json", None, problem=say("finding.nothing")))
    found = [(each["ruleId"], each["level"], each["message"]["text"]) for each in run["results"]]
    assert found == [
        ("input.not-a-reply", "note", "The file is not a reply; it is not counted."),
        ("input.unread", "error", "nothing"),
    ]
    assert "logicalLocations" not in run["results"][1]["locations"][0]
    assert [rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]] == [
        "Files that are not replies are only listed.",
        "The reply must be readable.",
    ]


def test_sentences_are_in_the_language_of_the_reader():
    run = log(CheckCase("a.json", BAD), CheckCase("p.md", None, is_reply=False), language="zh")
    assert [each["message"]["text"] for each in run["results"]] == [
        "应为：6（由各维度分数算出）；实为：8。",
        "该文件不是回复，不计入。",
    ]
    described = [rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]]
    assert described == ["不是回复的文件只列出。", ReportWords("zh")("rule.overall.mismatch")]
