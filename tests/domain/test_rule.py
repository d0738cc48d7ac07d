"""The catalogue of rules: each says in both languages what it asks for and where that comes from."""

from __future__ import annotations

import re

import pytest

from venire.domain import rule
from venire.domain.flag import Flag, Severity
from venire.domain.rule import RULES, Rule


@pytest.mark.parametrize("each", RULES.values(), ids=RULES.keys())
def test_every_rule_speaks_both_languages_and_names_its_source(each: Rule) -> None:
    assert each.says().endswith(".")
    assert each.says("zh").endswith("。")
    assert re.search("[\u4e00-\u9fff]", each.says("zh"))
    assert each.source.strip()
    assert re.fullmatch(r"[a-z]+\.[a-z-]+", each.id)


def test_the_catalogue_holds_every_rule_under_its_id() -> None:
    declared = [value for value in vars(rule).values() if isinstance(value, Rule)]
    assert sorted(each.id for each in declared) == sorted(RULES)
    assert all(RULES[each.id] is each for each in declared)


def test_every_flag_is_raised_by_some_rule() -> None:
    assert {each.flag for each in RULES.values()} - {None} == set(Flag)


def test_a_rule_without_a_flag_gives_notes_only() -> None:
    for each in RULES.values():
        assert (each.severity is Severity.NOTE) == (each.flag is None)
        assert each.finding("", "a", "b").severity is each.severity


def test_a_rule_that_a_protocol_does_not_forbid_can_be_noted() -> None:
    note = rule.OVERALL_MISMATCH.note("/overall_score", "4.35", "3")
    assert (note.severity, note.rule, note.pointer) == (Severity.NOTE, "overall.mismatch", "/overall_score")
