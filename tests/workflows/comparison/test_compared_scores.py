"""Which instruments differ between two runs."""

import msgspec
import pytest

from rating_rows import overall_row
from valid_replies import DRIFT_SAMPLE
from venire.reports.evidence import ReportEvidence
from venire.reports.report import Choices
from venire.stats.ratings.table import RatingsTable
from venire.workflows.comparison.compared_scores import judge_versions, what_changed

CHANGED = msgspec.structs.replace(DRIFT_SAMPLE, version="99")
OLD, NEW = "0" * 64, "f" * 64


def side(version="", prompt="", judge="oak", protocol=DRIFT_SAMPLE):
    row = overall_row("u", judge, 5, rater_version=version, prompt_version=prompt)
    table = RatingsTable.from_rows([row])
    return ReportEvidence(table=table, primary=table.primary(), choices=Choices(), protocol=protocol)


def test_the_same_instruments_give_nothing_to_say():
    assert what_changed(side(OLD), side(OLD)) == ()


def test_another_protocol_is_told_before_and_after():
    (found,) = what_changed(side(protocol=CHANGED), side())
    assert found.values == {"before": DRIFT_SAMPLE.digest[:12], "after": CHANGED.digest[:12]}


def test_another_version_of_a_judge_is_told_before_and_after_with_its_prompt():
    (found,) = what_changed(side(NEW, "p" * 64), side(OLD))
    assert (found.values["judge"], found.values["before"]) == ("oak", OLD[:12])
    assert found.values["after"].values == {"version": NEW[:12], "prompt": "p" * 12}


@pytest.mark.parametrize("protocol", [None, DRIFT_SAMPLE])
def test_what_only_one_side_knows_is_no_change(protocol):
    assert what_changed(side(NEW, judge="elm", protocol=protocol), side(OLD, protocol=None)) == ()


def test_a_judge_without_a_version_has_none():
    assert judge_versions(side().primary) == {"oak": ()}
