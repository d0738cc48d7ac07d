"""Findings of hostile replies are bounded, and nothing that decides about a judgement is lost."""

from __future__ import annotations

from typing import Any

import pytest

from valid_replies import BUNDLE, DRIFT_BUNDLE, DRIFT_SAMPLE, QUALITY, QUALITY_SAMPLE, SAMPLE, as_json, sample_reply
from venire.domain.flag import Flag
from venire.shapes.bundle_reader import MAX_EXTRA_ENTRIES
from venire.shapes.check import Checker
from venire.validation.finding_list import MAX_ENTRY_FINDINGS, MAX_FINDINGS, MAX_QUOTES

KINDS_OF_RULES = 40
"""More than there are rules: what a list may hold beyond its limit."""


def with_many_fields(count: int) -> dict[str, Any]:
    return {**{f"extra-{number}": 0 for number in range(count)}, **sample_reply()}


def test_what_is_beyond_the_limit_is_counted() -> None:
    judgement = Checker(DRIFT_SAMPLE).check(as_json(with_many_fields(MAX_FINDINGS + 500)), SAMPLE)
    assert len(judgement.findings) == MAX_FINDINGS + 1
    assert (judgement.findings[-1].rule, judgement.findings[-1].flag) == ("reply.findings-left-out", None)
    assert judgement.findings[-1].found.startswith("500 more")


def test_a_reply_with_as_many_findings_as_are_kept_has_no_such_note() -> None:
    judgement = Checker(DRIFT_SAMPLE).check(as_json(with_many_fields(MAX_FINDINGS)), SAMPLE)
    assert {finding.rule for finding in judgement.findings} == {"contract.unknown-field"}
    assert len(judgement.findings) == MAX_FINDINGS


def test_a_rule_that_is_first_broken_beyond_the_limit_still_counts() -> None:
    reply = with_many_fields(MAX_FINDINGS + 500)
    reply["scores"]["overall_score"] = 8
    judgement = Checker(DRIFT_SAMPLE).check(as_json(reply), SAMPLE)
    assert Flag.INTERNAL_INCONSISTENCY in judgement.flags


@pytest.mark.parametrize("repeated", ['"a": 1', '"scores": {"accuracy": 1}'])
def test_keys_that_are_repeated_without_end_make_few_findings(repeated: str) -> None:
    raw = "{" + ", ".join([repeated] * 10_000) + "}"
    for protocol, subject in ((DRIFT_SAMPLE, SAMPLE), (DRIFT_BUNDLE, BUNDLE), (QUALITY, QUALITY_SAMPLE)):
        judgement = Checker(protocol).check(raw, subject)
        assert len(judgement.findings) < MAX_FINDINGS + KINDS_OF_RULES
        assert not judgement.valid


def test_a_bundle_of_a_great_many_entries_is_read_in_part_and_says_so() -> None:
    assert DRIFT_BUNDLE.design
    raw = '{"per_file_scores": [' + ", ".join(["0"] * 100_000) + "]}"
    judgement = Checker(DRIFT_BUNDLE).check(raw, BUNDLE)
    read = len(DRIFT_BUNDLE.design.cells) + MAX_EXTRA_ENTRIES
    assert len(judgement.entries) == read
    assert f"{100_000 - read} were not read" in " ".join(finding.found for finding in judgement.findings)


def test_an_entry_with_a_great_many_quotes_keeps_few_findings() -> None:
    assert DRIFT_BUNDLE.design
    label = DRIFT_BUNDLE.design.cells[0].label
    entry = {"file": label, "scores": {}, "evidence": {"A_structure": [f"no such words {n}" for n in range(1_000)]}}
    judgement = Checker(DRIFT_BUNDLE, profile="seed").check(as_json({"per_file_scores": [entry]}), BUNDLE)
    assert len(judgement.entries[0].findings) < MAX_ENTRY_FINDINGS + KINDS_OF_RULES


def test_quotes_beyond_the_limit_are_not_looked_up_and_make_a_judgement_invalid() -> None:
    reply = sample_reply()
    reply["evidence"] += [reply["evidence"][0]] * MAX_QUOTES
    judgement = Checker(DRIFT_SAMPLE).check(as_json(reply), SAMPLE)
    assert [finding.rule for finding in judgement.findings] == ["contract.wrong-type"]
    assert "4 were not looked up" in judgement.findings[0].found
    assert len(judgement.evidence) == MAX_QUOTES


def test_a_thousand_quotes_are_still_a_valid_reply() -> None:
    reply = sample_reply()
    reply["evidence"] += [reply["evidence"][0]] * (MAX_QUOTES - 4)
    assert Checker(DRIFT_SAMPLE).check(as_json(reply), SAMPLE).valid


def test_an_entry_keeps_at_most_a_thousand_quotes_for_a_dimension() -> None:
    assert DRIFT_BUNDLE.design
    entry = {"file": DRIFT_BUNDLE.design.cells[0].label, "evidence": {"A_structure": ["x"] * (MAX_QUOTES + 7)}}
    judgement = Checker(DRIFT_BUNDLE, profile="seed").check(as_json({"per_file_scores": [entry]}), BUNDLE)
    assert len(judgement.entries[0].evidence) == MAX_QUOTES
    assert "7 were not looked up" in " ".join(finding.found for finding in judgement.entries[0].findings)
