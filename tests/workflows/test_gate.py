"""Rules of a gate: the number that each finds, by hand from a small table, and what it says beside it."""

import numpy as np
import polars as pl
import pytest

from golden_values import assert_as_kept
from venire.errors import InputError
from venire.reports.formats.gate import RuleOutcome
from venire.reports.report import Choices
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.rules import load_rules

CHOICES = Choices(columns={"unit": "output_id"}, scale=(0, 10))
SCORES = {("q1", "zh"): 8.0, ("q1", "en"): 6.0, ("q2", "zh"): 4.0, ("q2", "en"): 8.0, ("q3", "zh"): 5.0}


def table(path, shift=0.0, judges=("a", "b"), dimensions=("",)):
    rows = [
        {"output_id": f"{question}-{language}", "question": question, "model": "m", "judge": judge,
         "score": score + shift + (0.5 if judge == "b" else 0.0) - place, "dimension": dimension, "language": language}
        for (question, language), score in SCORES.items()
        for judge in judges
        for place, dimension in enumerate(dimensions)
    ]  # fmt: skip
    frame = pl.DataFrame(rows)
    (frame if any(dimensions) else frame.drop("dimension")).write_csv(path)
    return path


@pytest.fixture
def held(tmp_path):
    def hold(*rules, level=0.95, baseline=None, judges=("a", "b"), choices=CHOICES, dimensions=("",)):
        text = f"level: {level}\nrules:\n" + "".join(f"- {{{rule}}}\n" for rule in rules)
        (tmp_path / "rules.yaml").write_text(text)
        before = None if baseline is None else table(tmp_path / "old.csv", baseline, dimensions=dimensions)
        loaded = load_rules(tmp_path / "rules.yaml")
        now = table(tmp_path / "new.csv", judges=judges, dimensions=dimensions)
        return hold_against_rules(loaded, now, baseline=before, choices=choices)

    return hold


def test_scores_are_means_of_the_panel_and_slices_are_chosen_by_factor(held):
    whole, some, worst = held(
        "check: minimum_score, at_least: 6.45",
        "check: minimum_score, at_least: 6, where: {language: zh}",
        "check: worst_score, at_least: 4",
    ).results[:3]
    assert whole.found.value == pytest.approx(np.mean(list(SCORES.values())) + 0.25)
    assert whole.outcome is RuleOutcome.PASSED
    assert some.found.value == pytest.approx(np.mean([8, 4, 5]) + 0.25)
    assert some.outcome is RuleOutcome.FAILED
    assert some.blocks
    assert some.expected.endswith("where language is zh") or "language" in some.expected
    assert worst.found.value == pytest.approx(4.25)
    assert "q2-zh" in worst.detail


def test_a_share_below_a_score_leaves_out_what_reaches_it(held):
    share, all_of_them = held(
        "check: share_below, score: 5.25, at_most: 0.2", "check: share_below, score: 5.26, at_most: 0.2"
    ).results[:2]
    assert (share.found.value, share.outcome) == (pytest.approx(1 / 5), RuleOutcome.PASSED)
    assert (all_of_them.found.value, all_of_them.outcome) == (pytest.approx(2 / 5), RuleOutcome.FAILED)


def test_a_confident_rule_says_its_level_and_holds_the_interval_against_the_limit(held):
    [plain, confident] = held(
        "check: minimum_score, at_least: 6", "check: minimum_score, at_least: 6, confident: true", level=0.9
    ).results[:2]
    assert plain.outcome is RuleOutcome.PASSED
    assert confident.outcome is RuleOutcome.UNDECIDED
    assert confident.blocks
    assert "90%" in confident.expected
    assert "90%" not in plain.expected


def test_what_is_not_known_blocks_unless_the_rule_lets_it_pass(held):
    closed, open_one = held(
        "check: verdict_share, at_most: 0.5", "check: verdict_share, at_most: 0.5, when_unknown: pass"
    ).results[:2]
    assert (closed.outcome, closed.blocks) == (RuleOutcome.UNKNOWN, True)
    assert (open_one.outcome, open_one.blocks) == (RuleOutcome.UNKNOWN, False)
    assert closed.found.value is None
    assert closed.detail


def test_agreement_needs_two_judges(held):
    two = held("check: agreement, at_least: 0.5").results[0]
    assert two.outcome is RuleOutcome.PASSED
    assert two.found.value > 0.9
    one = held("check: agreement, at_least: 0.5", judges=("a",)).results[0]
    assert one.outcome is RuleOutcome.UNKNOWN


@pytest.mark.parametrize(
    ("shift", "rule", "outcome"),
    [
        (0.0, "check: no_drop", RuleOutcome.PASSED),
        (1.0, "check: no_drop, margin: 0.5", RuleOutcome.FAILED),
        (1.0, "check: no_drop, margin: 1.5", RuleOutcome.PASSED),
        (-1.0, "check: no_drop", RuleOutcome.PASSED),
        (1.0, "check: no_drop, proof: of_harm", RuleOutcome.FAILED),
        (0.25, "check: non_inferiority, margin: 0.5", RuleOutcome.PASSED),
        (1.0, "check: non_inferiority, margin: 0.5", RuleOutcome.FAILED),
        (0.25, "check: equivalence, margin: 0.5", RuleOutcome.PASSED),
        (-1.0, "check: equivalence, margin: 0.5", RuleOutcome.FAILED),
    ],
)
def test_a_change_is_new_minus_old(held, shift, rule, outcome):
    result = held(rule, baseline=shift).results[0]
    assert result.found.value == pytest.approx(-shift)
    assert result.outcome is outcome
    assert "5 pairs by" in result.detail


def test_a_change_without_a_baseline_is_not_known(held):
    result = held("check: no_drop").results[0]
    assert (result.outcome, result.found.value) == (RuleOutcome.UNKNOWN, None)


def test_only_judges_of_both_sides_are_compared(held):
    result = held("check: no_drop", baseline=1.0, judges=("a",)).results[0]
    assert result.found.value == pytest.approx(-1.0)
    assert "a" in result.detail


def test_completeness_is_asked_for_unless_the_rules_ask_otherwise(held):
    added = held("check: minimum_score, at_least: 1").results
    assert [each.check for each in added] == ["minimum_score", "completeness"]
    assert added[1].line == ""
    assert not added[1].blocks
    own = held("check: completeness, at_least: 0.5", "check: minimum_score, at_least: 1").results
    assert [each.check for each in own] == ["completeness", "minimum_score"]


def test_a_rule_is_called_by_its_name_or_by_what_it_asks_for(held):
    named, unnamed = held(
        "check: minimum_score, at_least: 1, name: good enough", "check: minimum_score, at_least: 1"
    ).results[:2]
    assert named.name == "good enough"
    assert unnamed.name == unnamed.expected != ""
    result = held("check: minimum_score, at_least: 1", baseline=0.0)
    assert (result.source, result.baseline) == ("new.csv", "old.csv")


def test_a_dimension_that_nobody_scored_is_an_error_at_its_line(held):
    with pytest.raises(InputError) as caught:
        held("check: minimum_score, at_least: 1", "check: agreement, at_least: 0, dimension: GRAMMAR")
    assert "GRAMMAR" in str(caught.value)
    assert caught.value.where.endswith(":4")


RULES = {
    "minimum_score": ("at_least: 6.5", True),
    "share_below": ("score: 5.5, at_most: 0.3", True),
    "worst_score": ("at_least: 4.5", True),
    "verdict_share": ("at_most: 0.5", False),
    "hard_break_rate": ("at_most: 0.1", True),
    "invalid_share": ("at_most: 0.1", False),
    "agreement": ("at_least: 0.99", True),
    "no_drop": ("margin: 0.5", True),
    "non_inferiority": ("margin: 0.5", True),
    "equivalence": ("margin: 0.5", True),
}
"""Each kind of rule with a limit, and whether it can be about a dimension."""


def structure(dimension):
    return Choices(columns={"unit": "output_id"}, scale=(0, 10), structure_dimension=dimension)


CHANGES = ("no_drop", "non_inferiority", "equivalence")


def variants(check, limit, has_dimension):
    """A rule in all the ways in which it can be asked."""
    plain = f"check: {check}, {limit}"
    yield plain
    yield f"{plain}, where: {{language: zh}}"
    yield f"{plain}, where: {{language: zh, question_id: q3}}"
    if has_dimension:
        yield f"{plain}, dimension: STYLE"
    if check in CHANGES:
        yield f"{plain}, corrected: true"
    elif check != "worst_score":
        yield f"{plain}, confident: true"
    if check == "no_drop":
        yield f"{plain}, sequential: true"
        yield f"{plain}, proof: of_harm"


def lines_of(result):
    found = result.found
    numbers = " ".join("-" if each is None else f"{each:.6g}" for each in (found.value, found.low, found.high))
    yield f"{result.check}: {result.name} | {result.expected}"
    yield f"  {result.outcome.value}, {'blocks' if result.blocks else 'lets pass'}, {numbers}, {dict(found.n)}"
    yield f"  {found.method} | {found.reason} | {result.detail}"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("alone", {}),
        ("one_judge", {"judges": ("a",)}),
        ("dimensions", {"dimensions": ("STYLE", "BODY"), "baseline": 0.5}),
        ("no_structure", {"dimensions": ("STYLE",), "choices": structure("BODY")}),
        ("structure", {"dimensions": ("STYLE", "BODY"), "choices": structure("STYLE")}),
        ("after_worse", {"baseline": -0.5, "level": 0.9}),
        ("after_better", {"baseline": 1.0, "judges": ("b",)}),
    ],
)
def test_what_every_rule_finds_and_says_stays(held, name, options):
    can = {check: (limit, has and "dimensions" in options) for check, (limit, has) in RULES.items()}
    rules = [rule for check, (limit, has) in can.items() for rule in variants(check, limit, has)]
    lines = [line for result in held(*rules, **options).results for line in lines_of(result)]
    assert_as_kept(f"gate/{name}.txt", "".join(f"{line}\n" for line in lines))
