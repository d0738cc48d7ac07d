"""The result of a check at a terminal: rules by how often they were broken, and the worst replies first."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from valid_replies import DRIFT_SAMPLE, JUDGE, SAMPLE, as_json, sample_reply
from venire.reports.terminal.check_table import WorstReplies, print_rule_counts, print_worst, violation_count
from venire.reports.words import ReportWords
from venire.shapes.check import Checker

WORDS = ReportWords("en")


def printed(width, show, *parts):
    out = io.StringIO()
    show(Console(file=out, width=width), *parts, WORDS)
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(("width", "has_room"), [(129, False), (130, True)])
def test_rules_are_listed_by_how_often_they_were_broken_with_words_where_there_is_room(width, has_room):
    findings = {"score.out-of-scale": 2, "contract.wrong-type": 7, "json.syntax": 2}
    lines = printed(width, print_rule_counts, findings, dict.fromkeys(findings, 1))
    assert [line.split()[:3] for line in lines[2:] if not line.startswith(" " * 9)] == [
        ["contract.wrong-type", "7", "1"], ["json.syntax", "2", "1"], ["score.out-of-scale", "2", "1"],
    ]  # fmt: skip
    assert (WORDS("check.column.says") in lines[1]) is has_room
    assert printed(width, print_rule_counts, {}, {}) == []


def judged(faults):
    """Return the judgement of a reply with so many scores off the scale."""
    reply = sample_reply()
    for name in list(reply["scores"])[:faults]:
        reply["scores"][name] = 9
    return Checker(DRIFT_SAMPLE).check(as_json(reply), SAMPLE, judge=JUDGE)


def test_the_worst_come_first_and_of_equals_the_earlier():
    worst = WorstReplies(keep=3)
    for name, faults in (("a", 1), ("b", 3), ("ok", 0), ("c", 1), ("d", 2)):
        worst.add(name, judged(faults), "")
    worst.add("unread", None, "no JSON")
    assert [name for name, _, _ in worst.ranked()] == ["b", "d", "a"]
    assert worst.left_out == 2
    assert violation_count(judged(0)) == 0


def test_findings_of_a_reply_are_shown_up_to_three_and_the_others_counted():
    worst = WorstReplies()
    worst.add("four", judged(4), "")
    worst.add("unread", None, "no JSON")
    lines = printed(200, print_worst, worst)
    found = violation_count(judged(4))
    assert sum("out-of-scale" in line for line in lines) + sum("overall" in line for line in lines) <= 3
    assert any(line.strip() == WORDS("check.more_findings", count=found - 3) for line in lines)
    assert any("unread" in line and "no JSON" in line for line in lines)
    assert printed(200, print_worst, WorstReplies()) == []
