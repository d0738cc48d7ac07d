"""Stated means: as objects, as bare numbers and in words, in English and Chinese; right, wrong and without a number."""

from __future__ import annotations

from typing import Any

import pytest

from valid_replies import BUNDLE, DRIFT_BUNDLE, as_json, bundle_reply, mean_total
from venire.shapes.check import Checker

SEED = Checker(DRIFT_BUNDLE, profile="seed")
CONTRACT = Checker(DRIFT_BUNDLE)
ENTRIES = bundle_reply()["per_file_scores"]
ALL, IMPLICIT, EXPLICIT = (mean_total(ENTRIES, word) for word in ("", "implicit", "explicit"))
TRIGGERS = "implicit_vs_explicit_summary"
VERSIONS = "version_level_summary"
THIRD_IMPLICIT = sum(e["total"] for e in ENTRIES if "q3" in e["file"] and "implicit" in e["file"]) / 4
NOT_CHECKED = "aggregate.not-checked"


def found(aggregates: Any, checker: Checker = SEED) -> list[tuple[str, str]]:
    judgement = checker.check(as_json({**bundle_reply(), "aggregates": aggregates}), BUNDLE)
    return [(finding.rule, finding.pointer) for finding in judgement.all_findings]


def test_the_groups_of_the_example_have_different_means() -> None:
    assert len({ALL, IMPLICIT, EXPLICIT}) == 3


@pytest.mark.parametrize("difference", [0, 0.005, -0.005])
def test_a_mean_within_the_tolerance_is_recomputed(difference: float) -> None:
    assert found({"avg_total": ALL + difference}) == []


@pytest.mark.parametrize("stated", [ALL + 0.0061, ALL - 0.0061, 0, -ALL, 1e308])
def test_a_mean_beyond_the_tolerance_is_not_recomputable(stated: float) -> None:
    assert found({"avg_total": stated}) == [("aggregate.mismatch", "/aggregates/avg_total")]


def test_groups_as_objects_are_compared_with_their_own_mean() -> None:
    right = {"avg_total": ALL, TRIGGERS: {"implicit": {"avg_total": IMPLICIT}, "explicit": {"avg_total": EXPLICIT}}}
    swapped = {"avg_total": ALL, TRIGGERS: {"implicit": {"avg_total": EXPLICIT}, "explicit": {"avg_total": EXPLICIT}}}
    assert found(right) == []
    assert found(swapped) == [("aggregate.mismatch", f"/aggregates/{TRIGGERS}/implicit/avg_total")]


def test_bare_numbers_under_a_group_are_its_mean() -> None:
    assert found({TRIGGERS: {"implicit": IMPLICIT, "explicit": EXPLICIT}}) == []
    assert found({TRIGGERS: {"implicit": EXPLICIT, "explicit": EXPLICIT}}) == [
        ("aggregate.mismatch", f"/aggregates/{TRIGGERS}/implicit")
    ]


def test_names_that_carry_a_group_in_them_mean_the_group() -> None:
    assert found({TRIGGERS: {"implicit_avg": IMPLICIT, "explicit_avg": EXPLICIT}}) == []
    assert found({TRIGGERS: {"avg_implicit": EXPLICIT}}) == [
        ("aggregate.mismatch", f"/aggregates/{TRIGGERS}/avg_implicit")
    ]


@pytest.mark.parametrize(
    "words",
    [
        f"Implicit files average {IMPLICIT}, explicit ones {EXPLICIT}.",
        f"隐式均值为{IMPLICIT}分，显式均值为{EXPLICIT}分。",
        f"implicit={IMPLICIT}/10; explicit={EXPLICIT}/10",
        f"The mean of implicit is {IMPLICIT} and of explicit {EXPLICIT}",
        f"explicit minus implicit: {EXPLICIT - IMPLICIT:.3f}",
        f"the difference between implicit, explicit is {abs(EXPLICIT - IMPLICIT):.3f}",
        "8 implicit files",
        f"第3题隐式均分{THIRD_IMPLICIT}",
    ],
)
def test_right_numbers_in_words_are_recomputed(words: str) -> None:
    assert found({"avg_total": ALL, TRIGGERS: words}) == []


@pytest.mark.parametrize(
    "words",
    [
        "Implicit files average 1.23.",
        "隐式均值为1.23分。",
        "implicit minus explicit: 1.23",
        "the lowest of implicit: 1.23",
    ],
)
def test_wrong_numbers_in_words_are_not(words: str) -> None:
    assert found({"avg_total": ALL, TRIGGERS: words}) == [("aggregate.mismatch", f"/aggregates/{TRIGGERS}")]


@pytest.mark.parametrize("words", ["Explicit is better.", "显式优于隐式。", "", "Q3 beats Q4 in v2", None, [], {}])
def test_a_summary_without_a_number_cannot_be_recomputed(words: Any) -> None:
    assert found({"avg_total": ALL, TRIGGERS: words}) == [("aggregate.no-number", f"/aggregates/{TRIGGERS}")]


@pytest.mark.parametrize("stated", ["high", None, True, []])
def test_an_overall_mean_that_is_no_number_cannot_be_recomputed(stated: Any) -> None:
    assert found({"avg_total": stated, TRIGGERS: {"implicit": IMPLICIT}}) == [
        ("aggregate.no-number", "/aggregates/avg_total")
    ]


def test_aggregates_that_say_nothing_at_all_cannot_be_recomputed() -> None:
    assert found({}) == [("aggregate.no-number", "/aggregates")]
    assert found({"remark": "fine"}) == [("aggregate.no-number", "/aggregates")]


@pytest.mark.parametrize(
    ("key", "is_remark"),
    [("notes", True), ("Note", True), ("summary", True), ("备注", True), ("implicit_mean", False)],
)
def test_notes_beside_numbers_are_only_remarks(key: str, is_remark: bool) -> None:
    summary = {"implicit": {"avg_total": IMPLICIT, key: "3 of them were at 99"}}
    assert (found({"avg_total": ALL, TRIGGERS: summary}) == []) is is_remark


def test_missing_aggregates_are_a_missing_field() -> None:
    reply = bundle_reply()
    del reply["aggregates"]
    for checker in (SEED, CONTRACT):
        judgement = checker.check(as_json(reply), BUNDLE)
        assert [finding.rule for finding in judgement.all_findings] == ["contract.missing-field"]


def test_the_contract_profile_wants_every_group_as_an_object() -> None:
    aggregates = bundle_reply()["aggregates"]
    aggregates[TRIGGERS] = f"implicit {IMPLICIT}, explicit {EXPLICIT}"
    del aggregates[VERSIONS]["weak"]
    assert sorted(found(aggregates, CONTRACT)) == [
        ("contract.missing-field", f"/aggregates/{VERSIONS}/weak"),
        ("contract.wrong-type", f"/aggregates/{TRIGGERS}"),
    ]


def test_means_of_the_totals_as_stated_are_recomputable_though_a_total_is_wrong() -> None:
    reply = bundle_reply()
    reply["per_file_scores"][0]["total"] += 1
    reply["aggregates"] = {"avg_total": sum(entry["total"] for entry in reply["per_file_scores"]) / 16}
    judgement = SEED.check(as_json(reply), BUNDLE)
    assert [finding.rule for finding in judgement.all_findings] == ["overall.mismatch"]


def test_totals_near_the_largest_number_do_not_overflow() -> None:
    reply = bundle_reply()
    for entry in reply["per_file_scores"]:
        entry["total"] = 1e308
    judgement = SEED.check(as_json(reply), BUNDLE)
    assert {finding.rule for finding in judgement.all_findings} == {"overall.mismatch"}


@pytest.mark.parametrize(
    "words",
    [f"Overall mean {ALL}; implicit {IMPLICIT}.", f"总均值{ALL}，隐式{IMPLICIT}", [f"explicit {EXPLICIT}"]],
)
def test_aggregates_in_one_paragraph_are_recomputed_where_the_profile_allows_it(words: Any) -> None:
    assert found(words) == []
    assert found(words, CONTRACT) == [("contract.wrong-type", "/aggregates")]


@pytest.mark.parametrize(
    ("words", "rule"),
    [("Overall mean 1.23", "mismatch"), ("总均值1.23", "mismatch"), ("All fine.", "no-number"), (None, "no-number")],
)
def test_a_paragraph_with_wrong_numbers_or_none_is_not_recomputable(words: Any, rule: str) -> None:
    assert found(words) == [(f"aggregate.{rule}", "/aggregates")]


def test_means_under_names_of_the_judges_own_are_recomputed_too() -> None:
    third, both = mean_total(ENTRIES, "q3"), mean_total(ENTRIES, "weak explicit")
    own = {"avg_total": ALL, "by_question": {"q3": third}, "cells": {"weak": {"explicit": {"mean": both}}}, "files": 16}
    assert found(own) == []
    own["by_question"] = {"q3": third + 1}
    own["cells"] = {"weak": {"explicit": {"mean": both + 1}}}
    assert found(own) == [
        ("aggregate.mismatch", "/aggregates/by_question/q3"),
        ("aggregate.mismatch", "/aggregates/cells/weak/explicit/mean"),
    ]


def test_an_overall_mean_inside_an_object_or_a_list_is_read() -> None:
    assert found({"avg_total": {"value": ALL}}) == []
    assert found({"avg_total": [ALL, 1.23]}) == [("aggregate.mismatch", "/aggregates/avg_total/1")]


@pytest.mark.parametrize(
    "summary",
    [
        f"implicit {IMPLICIT}/10, explicit {EXPLICIT} / 10",
        f"implicit {IMPLICIT} out of 10, explicit {EXPLICIT} Out of 10.0",
        f"隐式均分{IMPLICIT}，显式均分{EXPLICIT}（满分10分）",
        f"implicit {IMPLICIT}".translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789."}),
    ],
)
def test_what_a_number_is_out_of_is_no_claim(summary: str) -> None:
    assert found({TRIGGERS: summary}) == []


@pytest.mark.parametrize(
    "summary",
    ["implicit 3.21/10", "implicit：３.２１", f"explicit {EXPLICIT} vs implicit 3.21", "隐式均分3.21（满分10分）"],
)
def test_a_wrong_number_in_words_is_named(summary: str) -> None:
    judgement = SEED.check(as_json({**bundle_reply(), "aggregates": {TRIGGERS: summary}}), BUNDLE)
    (finding,) = judgement.all_findings
    assert finding.rule == "aggregate.mismatch"
    assert finding.found.startswith("3.21 in ")


def test_a_summary_that_only_says_what_numbers_are_out_of_has_none() -> None:
    assert found({TRIGGERS: "all files /10, 满分10分"}) == [("aggregate.no-number", f"/aggregates/{TRIGGERS}")]


TOTALS = {entry["file"].removesuffix(".pdf"): entry["total"] for entry in ENTRIES}


def totals(*words: str) -> list[int]:
    return [total for label, total in TOTALS.items() if set(words) <= set(label.split())]


def mean(*words: str) -> float:
    return sum(totals(*words)) / len(totals(*words))


# What a key may claim, with the number that is right; one more is wrong under every key.
CLAIMS: list[tuple[dict[str, Any], float]] = [
    ({"q3_count": ...}, 8),
    ({"counts": {"q4": ...}}, 8),
    ({"files_by_question": {"q3": ...}}, 8),
    ({VERSIONS: {"q3_count": ...}}, 8),
    ({VERSIONS: {"weak_n": ...}}, 4),
    ({"题目统计": {"第3题数量": ...}}, 8),
    ({"by_question": {"question_3": {"file_count": ...}}}, 8),
    ({"files": ...}, 16),
    ({"perfect_count": ...}, sum(total == 10 for total in totals())),
    ({"perfect": {"explicit": ...}}, sum(total == 10 for total in totals("explicit"))),
    ({"zero_total_files": ...}, 0),
    ({"满分文件数": ...}, 0),
    ({"隐式零分数量": ...}, 0),
    ({TRIGGERS: {"implicit": {"min": ...}}}, min(totals("implicit"))),
    ({"max_total_weak": ...}, max(totals("weak"))),
    ({"最低分": {"冲突": ...}}, min(totals("conflict"))),
    ({"隐式最高分": ...}, max(totals("implicit"))),
    ({"sumTotalQ3": ...}, sum(totals("q3"))),
    ({"by_cell": {"baseline/explicit": ...}}, mean("baseline", "explicit")),
    ({"cells": {"long × implicit": {"avg": ...}}}, mean("long", "implicit")),
    ({"q3": {"weak": {"explicit_mean": ...}}}, mean("q3", "weak", "explicit")),
    ({"各版本均分": {"基线": ...}}, mean("baseline")),
    ({"显式均分": ...}, mean("explicit")),
    ({"by_question": [{"question": "q3", "avg_total": ...}]}, mean("q3")),
    ({"values": [{"file": "q3 long explicit.pdf", "mean": ...}]}, mean("q3", "long", "explicit")),
    ({"explicit_minus_implicit": ...}, mean("explicit") - mean("implicit")),
    ({TRIGGERS: {"gap": ...}}, mean("implicit") - mean("explicit")),
    ({"implicit_vs_explicit_difference": ...}, mean("implicit") - mean("explicit")),
    ({"q3 与 q4 的差值": ...}, mean("q3") - mean("q4")),
    ({"dimension_means": {"A_structure": ...}}, 2),
    ({"D_completeness_avg": {"q3": ...}}, sum(position % 3 for position in range(8)) / 8),
    ({"A_structure": {"perfect_count": ...}}, 16),
]


def filled(aggregates: Any, number: float) -> Any:
    if isinstance(aggregates, dict):
        return {key: filled(item, number) for key, item in aggregates.items()}
    if isinstance(aggregates, list):
        return [filled(item, number) for item in aggregates]
    return number if aggregates is ... else aggregates


@pytest.mark.parametrize(("aggregates", "right"), CLAIMS)
def test_what_a_key_claims_is_recomputed(aggregates: dict[str, Any], right: float) -> None:
    assert found({"avg_total": ALL, **filled(aggregates, right)}) == []
    ((rule, _),) = found({"avg_total": ALL, **filled(aggregates, right + 1)})
    assert rule == "aggregate.mismatch"


def test_the_sign_of_a_difference_counts_where_it_is_stated() -> None:
    signed = mean("explicit") - mean("implicit")
    assert found({"explicit minus implicit": signed}) == []
    assert [rule for rule, _ in found({"implicit minus explicit": signed})] == ["aggregate.mismatch"]
    assert found({"avg_total": ALL, TRIGGERS: {"gap": signed}}) == found({"avg_total": ALL, TRIGGERS: {"gap": -signed}})


@pytest.mark.parametrize(
    "aggregates",
    [
        {"std_dev": ALL},
        {"implicit_median": IMPLICIT},
        {"implicit": {"pass_rate": IMPLICIT}},
        {"top_3_avg": ALL},
        {"max_possible_total": 10},
        {"max_avg": IMPLICIT},
        {"baseline_total": 8},
        {"quality": 8},
        {"gap": 0.1},
        {"implicit_explicit": IMPLICIT},
        {"implicit": {"explicit_avg": EXPLICIT}},
        {"by_model": [{"name": "kimi", "avg_total": ALL}]},
        {TRIGGERS: "about 50% of the implicit ones"},
        {TRIGGERS: f"implicit/explicit: {IMPLICIT}/{EXPLICIT}"},
        {TRIGGERS: f"Of 16 files, the 8 implicit ones have {IMPLICIT}."},
        {TRIGGERS: f"mean {IMPLICIT}; min 3; implicit"},
        {TRIGGERS: f"implicit is ~{IMPLICIT}"},
        {TRIGGERS: f"隐式平均{IMPLICIT}，显式更高"},
        {TRIGGERS: 8},
        {"统计量": ALL},
        {"k" * 1000: ALL},
    ],
)
def test_a_claim_that_is_not_understood_is_a_note_and_neither_passed_nor_failed(aggregates: dict[str, Any]) -> None:
    judgement = SEED.check(as_json({**bundle_reply(), "aggregates": {"avg_total": ALL, **aggregates}}), BUNDLE)
    findings = judgement.all_findings
    assert {finding.rule for finding in findings} == {NOT_CHECKED}
    assert all("(not checked: " in finding.found for finding in findings)
    assert judgement.valid


def test_a_number_that_resembles_another_of_the_bundle_is_not_passed_for_it() -> None:
    assert found({"avg_total": ALL, TRIGGERS: {"implicit": {"avg_total": ALL}}}) == [
        ("aggregate.mismatch", f"/aggregates/{TRIGGERS}/implicit/avg_total")
    ]
    assert found({"avg_total": ALL, TRIGGERS: {"implicit": {"count": 16}}}) == [
        ("aggregate.mismatch", f"/aggregates/{TRIGGERS}/implicit/count")
    ]


def test_more_numbers_than_any_summary_has_are_refused_and_not_recomputed() -> None:
    few = {f"count_{number}": 1 for number in range(999)}
    many = {"avg_total": ALL, "more": [few, {"a": 1, "b": 2}]}

    assert found(many) == [("contract.wrong-type", "/aggregates")]
    assert ("contract.wrong-type", "/aggregates") not in found({"avg_total": ALL, "more": few})


@pytest.mark.parametrize(("more", "rules"), [(0, ["aggregate.mismatch"]), (1, [NOT_CHECKED])])
def test_a_paragraph_is_read_up_to_its_longest_and_no_further(more: int, rules: list[str]) -> None:
    claim = f"Implicit files average {EXPLICIT}."
    words = claim + " " * (10_000 + more - len(claim))
    assert [rule for rule, _ in found({TRIGGERS: words})] == rules
