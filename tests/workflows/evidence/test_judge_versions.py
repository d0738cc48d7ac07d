"""Versions of judges, and how a user names two of them."""

import pytest

from venire.errors import UsageError
from venire.workflows.evidence.judge_versions import JudgeVersion, pair_versions

OLD, NEW = JudgeVersion("oak", "aa11", "p1", "v1", 3), JudgeVersion("oak", "ab22", "p2", "v2", 1)
OTHER = JudgeVersion("elm", "cc33", "p1", "v1", 2)


@pytest.mark.parametrize(("old", "new"), [("v1", "v2"), ("aa", "ab"), ("p1", "p2")])
def test_versions_are_meant_by_label_or_the_beginning_of_a_digest(old, new):
    assert pair_versions([OLD, NEW, OTHER], old, new) == ((OLD, NEW),)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("v1", "v1", "mean the same"),
        ("v1", "v3", "a judge with versions 'v1' and 'v3', found none"),
        ("", "v2", "found none"),
        ("a", "v2", "expected 'a' to mean one version of judge 'oak', found several"),
    ],
)
def test_what_does_not_mean_two_versions_is_refused_with_those_there_are(old, new, said):
    with pytest.raises(UsageError, match=said) as caught:
        pair_versions([OLD, NEW], old, new)
    assert "oak aa11 (v1) (prompt p1, 3 judgements), oak ab22 (v2) (prompt p2, 1 judgement)" in caught.value.hint


def test_a_ledger_without_judgements_has_no_versions_to_name():
    with pytest.raises(UsageError) as caught:
        pair_versions([], "v1", "v2")
    assert caught.value.hint == "The ledger holds: no judgements."
