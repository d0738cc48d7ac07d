"""Replies on a bundle: both profiles, shapes found in the wild, quotes, coverage, and entries beside the whole."""

from __future__ import annotations

import random
from typing import Any, Literal

import msgspec
import pytest

from valid_replies import (
    BUNDLE,
    DRIFT_BUNDLE,
    JUDGE,
    Change,
    aggregates,
    as_json,
    bundle_entry,
    bundle_reply,
    changed,
)
from venire.domain.flag import Flag, Severity
from venire.domain.judgement import EvidenceLevel, Judgement, Method, Quotes, Status
from venire.domain.sample import Bundle
from venire.errors import UsageError
from venire.shapes.check import Checker

CONTRACT = Checker(DRIFT_BUNDLE)
SEED = Checker(DRIFT_BUNDLE, profile="seed")
PROFILES: list[Literal["contract", "seed"]] = ["contract", "seed"]
FIRST = "q3 baseline implicit.pdf"


def contract(change: Change, bundle: Bundle | None = BUNDLE) -> Judgement:
    return CONTRACT.check(changed(bundle_reply(), change), bundle)


def seed(change: Change, bundle: Bundle | None = BUNDLE) -> Judgement:
    return SEED.check(changed(bundle_reply(), change), bundle)


def found(judgement: Judgement) -> list[tuple[str, str]]:
    return [(finding.rule, finding.pointer) for finding in judgement.all_findings]


def rules(judgement: Judgement) -> list[str]:
    return [finding.rule for finding in judgement.all_findings]


def same(reply: dict[str, Any]) -> None:
    """Change nothing."""


@pytest.mark.parametrize("checker", [CONTRACT, SEED], ids=PROFILES)
def test_a_valid_reply_has_no_findings_in_either_profile(checker: Checker) -> None:
    judgement = checker.check(as_json(bundle_reply()), BUNDLE, judge=JUDGE)
    assert judgement.valid
    assert judgement.all_findings == ()
    assert (judgement.profile, judgement.method) == (checker.terms.profile, Method.CROSS_JUDGE)
    assert [entry.sample for entry in judgement.entries] == [sample.output_id for sample in BUNDLE.samples]
    assert judgement.overall == pytest.approx(bundle_reply()["aggregates"]["avg_total"], abs=1e-4)
    assert judgement.entries[0].evidence[2].quote == "for q3 baseline implicit"
    assert judgement.entries[0].evidence[2].start == BUNDLE.samples[0].text.index("for q3")


def test_the_verdict_of_the_bundle_does_not_hide_the_fifteen_good_entries() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][3]["evidence"]["A_structure"] = "a paraphrase"

    judgement = contract(change)
    assert found(judgement) == [("evidence.not-verbatim", "/per_file_scores/3/evidence/A_structure")]
    assert judgement.status is Status.INVALID
    assert judgement.flags == (Flag.PROTOCOL_VIOLATION,)
    assert [entry.valid for entry in judgement.entries] == [position != 3 for position in range(16)]


@pytest.mark.parametrize("place", ["in the entry", "inside scores", "in both", "nowhere"])
def test_the_seed_profile_reads_a_total_wherever_it_stands(place: str) -> None:
    def change(reply: dict[str, Any]) -> None:
        for entry in reply["per_file_scores"]:
            if place in ("inside scores", "in both"):
                entry["scores"]["total"] = entry["total"]
            if place in ("inside scores", "nowhere"):
                del entry["total"]

    judgement = seed(change)
    if place == "nowhere":
        assert rules(judgement) == ["contract.missing-field"] * 16
    else:
        assert judgement.valid
        assert judgement.entries[0].stated_overall == judgement.entries[0].overall == 7


def test_the_contract_profile_wants_the_total_in_the_entry() -> None:
    def change(reply: dict[str, Any]) -> None:
        entry = reply["per_file_scores"][0]
        entry["scores"]["total"] = entry.pop("total")

    assert found(contract(change)) == [
        ("score.unknown-dimension", "/per_file_scores/0/scores/total"),
        ("contract.missing-field", "/per_file_scores/0/total"),
    ]


@pytest.mark.parametrize("place", ["entry", "scores"])
def test_a_wrong_total_is_a_contradiction_wherever_it_stands(place: str) -> None:
    def change(reply: dict[str, Any]) -> None:
        entry = reply["per_file_scores"][0]
        (entry if place == "entry" else entry["scores"])["total"] = 9

    pointer = "/per_file_scores/0/total" if place == "entry" else "/per_file_scores/0/scores/total"
    judgement = seed(change)
    assert found(judgement) == [("overall.mismatch", pointer)]
    assert judgement.entries[0].overall == 7


@pytest.mark.parametrize("key", ["file", "file_name", "filename"])
def test_the_seed_profile_reads_the_label_under_each_of_its_names(key: str) -> None:
    def change(reply: dict[str, Any]) -> None:
        for entry in reply["per_file_scores"]:
            entry[key] = entry.pop("file")

    assert seed(change).all_findings == ()


def test_the_contract_profile_knows_only_file() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["file_name"] = reply["per_file_scores"][0].pop("file")

    judgement = contract(change)
    assert found(judgement) == [
        ("contract.missing-identifier", "/per_file_scores/0/file"),
        ("contract.unknown-field", "/per_file_scores/0/file_name"),
    ]
    assert judgement.entries[0].sample == FIRST


@pytest.mark.parametrize(
    "label",
    [
        "q3_baseline_implicit.pdf",
        "Q3 Baseline IMPLICIT.PDF",
        "outputs/q3 baseline implicit.pdf",
        "C:\\data\\q3 baseline implicit.pdf",
        "q3  baseline  implicit",
        "q3-baseline-implicit.txt",
    ],
)
def test_a_label_spelt_otherwise_is_matched_and_remarked_on(label: str) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["file"] = label

    judgement = contract(change)
    assert judgement.valid
    (finding,) = judgement.all_findings
    assert (finding.rule, finding.severity) == ("coverage.label", Severity.NOTE)
    assert judgement.entries[0].sample == FIRST


def test_the_order_of_the_entries_does_not_matter() -> None:
    def change(reply: dict[str, Any]) -> None:
        random.Random(7).shuffle(reply["per_file_scores"])

    assert contract(change).all_findings == ()


def test_missing_notes_and_extra_keys_matter_only_to_the_contract_profile() -> None:
    def change(reply: dict[str, Any]) -> None:
        del reply["final_notes"], reply["per_file_scores"][0]["notes"]
        reply["model"] = reply["per_file_scores"][1]["mood"] = "x"

    assert seed(change).all_findings == ()
    assert sorted(found(contract(change))) == [
        ("contract.missing-field", "/final_notes"),
        ("contract.missing-field", "/per_file_scores/0/notes"),
        ("contract.unknown-field", "/model"),
        ("contract.unknown-field", "/per_file_scores/1/mood"),
    ]


def test_partial_evidence_lacks_what_its_scores_need() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"] = {"A_structure": "[事实快照]"}

    places = ["B_snapshot_constraint", "C_actionability", "E_drift_failure"]  # D_completeness is 0 there
    assert found(seed(change)) == [("evidence.missing", f"/per_file_scores/0/evidence/{place}") for place in places]


def test_no_evidence_at_all_is_missing_for_each_score_above_zero() -> None:
    def change(reply: dict[str, Any]) -> None:
        del reply["per_file_scores"][0]["evidence"]

    assert rules(seed(change)) == ["evidence.missing"] * 4
    assert set(rules(contract(change))) == {"contract.missing-field", "evidence.missing"}


@pytest.mark.parametrize("shape", [["[事实快照]", "现象 of"], {"quote": "[事实快照]"}, [{"quote": "现象 of"}]])
def test_quotes_in_lists_and_objects_are_looked_up_where_the_profile_allows_them(shape: Any) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["A_structure"] = shape

    assert seed(change).valid
    assert rules(contract(change)) == ["contract.wrong-type"]


def test_a_paraphrase_in_a_list_of_quotes_is_found_at_its_place() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["A_structure"] = ["[事实快照]", "not there"]

    assert found(seed(change)) == [("evidence.not-verbatim", "/per_file_scores/0/evidence/A_structure/1")]


@pytest.mark.parametrize("value", [True, 5, [], {}, None, ""])
def test_what_is_no_quote_does_not_support_a_score(value: Any) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["A_structure"] = value

    assert found(seed(change)) == [("evidence.missing", "/per_file_scores/0/evidence/A_structure")]


def test_evidence_for_a_zero_may_be_empty_but_what_is_there_must_be_verbatim() -> None:
    def empty(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["D_completeness"] = ""

    def paraphrase(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["D_completeness"] = "no table"

    assert contract(empty).all_findings == ()
    assert found(contract(paraphrase)) == [("evidence.not-verbatim", "/per_file_scores/0/evidence/D_completeness")]


@pytest.mark.parametrize(
    "meta",
    [
        {"bundle_size": "16 files", "judge": "glm"},
        {"size": 16, "questions": "Q3, Q4"},
        "16 PDFs",
        None,
        {"bundle_size": 16, "questions": [3, 4], "versions": {"count": 4}},
    ],
)
def test_the_seed_profile_takes_any_bundle_meta_and_the_contract_profile_none_of_them(meta: Any) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["bundle_meta"] = meta

    assert seed(change).all_findings == ()
    assert contract(change).status is Status.INVALID


@pytest.mark.parametrize(
    ("field", "value"),
    [("bundle_size", 15), ("questions", ["q3"]), ("versions", ["baseline", "long"]), ("trigger_types", ["implicit"])],
)
def test_a_bundle_meta_that_tells_of_another_set_is_not_this_bundle(field: str, value: Any) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["bundle_meta"][field] = value

    assert found(contract(change)) == [("coverage.identity", f"/bundle_meta/{field}")]


def test_a_bundle_meta_that_lists_a_value_twice_is_not_this_bundle() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["bundle_meta"]["questions"] = ["q3", "q4", "Q4"]

    assert found(contract(change)) == [("coverage.identity", "/bundle_meta/questions")]


def test_spelling_and_order_in_bundle_meta_do_not_matter() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["bundle_meta"] |= {"questions": ["Q4", "Q3"], "trigger_types": ["Explicit", "Implicit"]}

    assert contract(change).all_findings == ()


@pytest.mark.parametrize("checker", [CONTRACT, SEED], ids=PROFILES)
def test_a_closed_gate_forbids_other_scores(checker: Checker) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0] = bundle_entry(FIRST, (0, 2, 0, 0, 0))
        reply["aggregates"] = aggregates(reply["per_file_scores"])

    judgement = checker.check(changed(bundle_reply(), change), BUNDLE)
    assert found(judgement) == [("score.gate", "/per_file_scores/0/scores")]
    assert judgement.flags == (Flag.INTERNAL_INCONSISTENCY,)


def test_zeros_behind_a_closed_gate_are_valid() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0] = bundle_entry(FIRST, (0, 0, 0, 0, 0))
        reply["per_file_scores"][0]["evidence"] = dict.fromkeys(DRIFT_BUNDLE.dimension_ids, "")
        reply["aggregates"] = aggregates(reply["per_file_scores"])

    assert contract(change).valid


ELLIPSES = ["...", "…", "……", "⋯", "‥‥", "。。。", "．．．", "｡｡｡", "․․․", "︙", ".\u200b.\u200b.", "。.．"]


@pytest.mark.parametrize("ellipsis", ELLIPSES)
def test_words_joined_by_an_ellipsis_break_both_rules_and_are_told_apart(ellipsis: str) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["C_actionability"] = f"search the web{ellipsis}baseline"

    judgement = contract(change)
    assert rules(judgement) == ["evidence.ellipsis", "evidence.not-verbatim"]
    assert "ellipsis_join" in judgement.all_findings[1].found


def test_words_that_do_not_follow_one_another_are_no_ellipsis_join() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["C_actionability"] = "表格...search the web"

    assert "ellipsis_join" not in contract(change).all_findings[1].found


@pytest.mark.parametrize("ellipsis", ["...", "…", "。。。", "．．．", "․․․", "︙", ".\u200b.\u200b."])
def test_an_ellipsis_that_stands_in_the_source_is_still_a_violation_and_says_so(ellipsis: str) -> None:
    samples = list(BUNDLE.samples)
    samples[0] = msgspec.structs.replace(samples[0], text=samples[0].text + "\n等等…完")
    bundle = msgspec.structs.replace(BUNDLE, samples=tuple(samples))

    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["C_actionability"] = f"等等{ellipsis}完"

    judgement = contract(change, bundle)
    assert rules(judgement) == ["evidence.ellipsis"]
    assert "ellipsis_in_source" in judgement.all_findings[0].found


@pytest.mark.parametrize("quote", ["来源与表格。", "a.. b", "1. 2. 3."])
def test_single_stops_are_no_ellipsis(quote: str) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["C_actionability"] = quote

    assert "evidence.ellipsis" not in rules(contract(change))


def test_a_misplaced_quote_names_the_file_in_which_it_stands() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["C_actionability"] = "for q4 weak explicit"

    judgement = contract(change)
    assert rules(judgement) == ["evidence.not-verbatim"]
    assert "misplaced: it is from 'q4 weak explicit.pdf'" in judgement.all_findings[0].found


def test_fifteen_entries_lack_one_file() -> None:
    def change(reply: dict[str, Any]) -> None:
        del reply["per_file_scores"][0]
        reply["aggregates"] = aggregates(reply["per_file_scores"])

    judgement = contract(change)
    assert found(judgement) == [("coverage.missing", "/per_file_scores")]
    assert FIRST in judgement.findings[0].expected
    assert judgement.overall is None
    assert all(entry.valid for entry in judgement.entries)


def test_a_seventeenth_entry_is_not_planned() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"].append({**reply["per_file_scores"][0], "file": "q5 baseline implicit.pdf"})

    judgement = contract(change)
    assert found(judgement) == [("coverage.unplanned", "/per_file_scores/16/file")]
    assert [entry.valid for entry in judgement.entries] == [True] * 16 + [False]


def test_a_repeated_entry_is_found_where_it_is_repeated() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"].append(reply["per_file_scores"][0])
        reply["aggregates"] = aggregates(reply["per_file_scores"])

    assert found(contract(change)) == [("coverage.repeated", "/per_file_scores/16/file")]


@pytest.mark.parametrize("items", [{}, "none", None, 5])
def test_scores_that_are_no_list_are_of_the_wrong_type_and_no_scores(items: Any) -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"] = items

    assert found(seed(change)) == [
        ("contract.wrong-type", "/per_file_scores"),
        ("judge.no-scores", "/per_file_scores"),
    ]


def test_an_empty_list_lacks_every_file() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"] = []

    assert sorted(rules(seed(change))) == ["coverage.missing"] * 16 + ["judge.no-scores"]


def test_an_entry_that_is_no_object_is_classified_too() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][2] = "q3 long implicit.pdf: 8"

    judgement = seed(change)
    assert judgement.entries[2].status is Status.INVALID
    assert "contract.wrong-type" in rules(judgement)


def test_one_missing_score_leaves_the_entry_without_a_total_and_nothing_is_filled_in() -> None:
    def change(reply: dict[str, Any]) -> None:
        del reply["per_file_scores"][0]["scores"]["B_snapshot_constraint"]

    judgement = contract(change)
    assert found(judgement) == [("score.missing", "/per_file_scores/0/scores/B_snapshot_constraint")]
    assert (judgement.entries[0].overall, judgement.overall) == (None, None)
    assert "B_snapshot_constraint" not in judgement.entries[0].scores


def test_without_sources_quotes_stay_unchecked_but_an_ellipsis_is_seen() -> None:
    def change(reply: dict[str, Any]) -> None:
        reply["per_file_scores"][0]["evidence"]["A_structure"] = "not there"
        reply["per_file_scores"][1]["evidence"]["A_structure"] = "not... there"

    judgement = contract(change, None)
    assert rules(judgement) == ["evidence.unchecked", "evidence.ellipsis"]
    assert judgement.evidence_level is EvidenceLevel.OFF


def test_quotes_from_a_file_without_a_text_make_the_bundle_and_that_entry_invalid() -> None:
    bundle = msgspec.structs.replace(BUNDLE, samples=BUNDLE.samples[1:])
    judgement = contract(same, bundle)
    assert not judgement.valid
    assert found(judgement) == [("evidence.no-source", "/per_file_scores/0/evidence")]
    assert "q3 baseline explicit.pdf" in judgement.entries[0].findings[0].found
    assert [entry.valid for entry in judgement.entries] == [False] + [True] * 15
    assert judgement.entries[0].evidence_level is EvidenceLevel.OFF
    assert judgement.quotes is Quotes.NOT_COMPARED


def test_a_bundle_whose_texts_are_all_missing_is_invalid_in_every_entry_that_quotes() -> None:
    judgement = contract(same, msgspec.structs.replace(BUNDLE, samples=()))
    assert judgement.findings[0].rule == "evidence.no-source"
    assert not any(entry.valid for entry in judgement.entries)
    assert (judgement.evidence_level, judgement.sample_digest) == (EvidenceLevel.OFF, "")


def test_where_a_protocol_asks_for_no_quotes_a_missing_text_is_only_noted() -> None:
    policy = msgspec.structs.replace(DRIFT_BUNDLE.evidence, required="none")
    checker = Checker(msgspec.structs.replace(DRIFT_BUNDLE, evidence=policy))
    bundle = msgspec.structs.replace(BUNDLE, samples=BUNDLE.samples[1:])
    judgement = checker.check(as_json(bundle_reply()), bundle)
    assert judgement.valid
    assert found(judgement) == [("evidence.unchecked", "/per_file_scores/0/evidence")]


def test_a_bundle_in_a_fence_is_checked_all_the_same() -> None:
    judgement = CONTRACT.check(b"```json\n" + as_json(bundle_reply()) + b"\n```", BUNDLE)
    assert rules(judgement) == ["json.surrounding-text"]
    assert (judgement.status, judgement.recovered_by) == (Status.INVALID, "fenced-json")
    assert all(entry.valid for entry in judgement.entries)


def test_a_single_sample_is_not_a_bundle_and_a_bundle_not_a_sample() -> None:
    with pytest.raises(UsageError, match="judges bundles"):
        CONTRACT.check(b"{}", BUNDLE.samples[0])
