"""Decisions at any look, and rules that prove equality: from a growing table to the command and the gate."""

import re

import numpy as np
import pytest

from venire.cli.decide.compare import compare
from venire.errors import InputError, UsageError
from venire.reports.formats.gate import RuleOutcome
from venire.reports.report import Choices
from venire.workflows.compare import compare_levels
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.rules import load_rules

SCALE = Choices(scale=(0.0, 10.0))


def table(path, questions, difference, model=""):
    """Write scores of two models, or of one of them, that differ by so much on so many questions."""
    generator = np.random.default_rng(9)
    lines = ["output_id,judge,score,target_model,question_id"]
    for number in range(questions):
        shared, noise = 5 + generator.normal(), generator.normal(size=2) * 0.3
        for name, score in (("alder", shared + noise[0] + difference), ("birch", shared + noise[1])):
            if model in ("", name):
                lines.append(f"{'o' if model else name}{number},oak,{score:.3f},{'m' if model else name},q{number}")
    path.write_text("\n".join(lines))
    return path


def test_evidence_grows_with_what_is_recorded_until_it_is_decided(tmp_path):
    looks = []
    for questions in (8, 20, 60):
        source = table(tmp_path / "scores.csv", questions, 1.0)
        found = compare_levels(source, "target_model", "birch", "alder", SCALE, sequential=True)
        looks.append(found.scores[0].sequential)
    assert [look.difference.n["clusters"] for look in looks] == [8, 20, 60]
    assert looks[0].e_value < looks[1].e_value < 20 < looks[2].e_value
    assert [look.decided for look in looks] == [False, False, True]


def test_compare_says_when_to_stop_and_what_it_could_have_found(tmp_path, capsys):
    options = ["--models", "birch", "alder", "--scale", "0", "10", "--sequential"]
    for difference, said in ((2.0, "stop: decided"), (0.0, "not decided yet")):
        source = table(tmp_path / "scores.csv", 40, difference)
        assert compare.main([str(source), *options], standalone_mode=False) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert said in out
        assert "with 40 questions, a true difference of" in out
        assert ("would settle it; at least" in out) == (difference == 0.0)


@pytest.fixture
def held(tmp_path):
    def hold(rule, difference, questions=40):
        (tmp_path / "gate.yaml").write_text(f"rules:\n  - {rule}\n")
        now = table(tmp_path / "now.csv", questions, difference, "alder")
        before = table(tmp_path / "before.csv", questions, 0.0, "birch")
        return hold_against_rules(load_rules(tmp_path / "gate.yaml"), now, baseline=before, choices=SCALE).results[0]

    return hold


@pytest.mark.parametrize(
    ("difference", "questions", "outcome"),
    [(0.0, 40, RuleOutcome.PASSED), (1.0, 40, RuleOutcome.FAILED), (-1.0, 40, RuleOutcome.FAILED),
     (0.3, 40, RuleOutcome.UNDECIDED), (0.0, 3, RuleOutcome.UNDECIDED)],
)  # fmt: skip
def test_equivalence_is_proved_within_the_margin_and_nowhere_else(held, difference, questions, outcome):
    found = held("{check: equivalence, margin: 0.3}", difference, questions)
    assert found.outcome is outcome
    assert found.found.level == pytest.approx(0.9)


def test_non_inferiority_asks_for_one_side_only(held):
    rule = "{check: non_inferiority, margin: 0.3}"
    outcomes = [held(rule, difference).outcome for difference in (1.0, 0.0, -0.3, -1.0)]
    assert outcomes == [RuleOutcome.PASSED, RuleOutcome.PASSED, RuleOutcome.UNDECIDED, RuleOutcome.FAILED]
    assert "with 80% probability" in held(rule, 0.0).detail


def test_a_sequential_rule_needs_more_than_a_single_look_would(held):
    once, always = (held(f"{{check: no_drop, margin: 0.2, sequential: {flag}}}", 0.0) for flag in ("false", "true"))
    assert always.found.high - always.found.low > once.found.high - once.found.low
    assert "every look" in always.detail


@pytest.mark.parametrize("check", ["no_drop", "non_inferiority", "equivalence"])
def test_a_gate_says_whose_scores_and_how_many_looks_a_rule_asks_for(held, check):
    rule = f"check: {check}, margin: 0.2"
    plain = held(f"{{{rule}}}", 0.0).expected
    assert held(f"{{{rule}, corrected: true}}", 0.0).expected == f"{plain}, corrected by people's labels"
    if check == "no_drop":
        assert held(f"{{{rule}, sequential: true}}", 0.0).expected == f"{plain}, at every look"


def test_a_rule_is_not_both_corrected_by_labels_and_sequential(tmp_path):
    (tmp_path / "gate.yaml").write_text("rules:\n  - {check: no_drop, corrected: true, sequential: true}\n")
    with pytest.raises(InputError, match="one look only") as raised:
        load_rules(tmp_path / "gate.yaml")
    assert "gate.yaml:2" in str(raised.value)


def test_a_margin_must_be_given_and_above_zero(tmp_path):
    for rule in ("{check: equivalence}", "{check: non_inferiority, margin: 0}"):
        (tmp_path / "gate.yaml").write_text(f"rules:\n  - {rule}\n")
        with pytest.raises(InputError, match="margin"):
            load_rules(tmp_path / "gate.yaml")


def test_compare_says_how_many_questions_a_stated_difference_needs(tmp_path, capsys):
    source = table(tmp_path / "scores.csv", 40, 0.0)
    options = ["--models", "birch", "alder", "--scale", "0", "10", "--difference"]
    counts = []
    for stated in ("0.1", "0.2"):
        assert compare.main([str(source), *options, stated], standalone_mode=False) == 0
        said = re.search(rf"difference of {stated} needs (\d+) questions", " ".join(capsys.readouterr().out.split()))
        counts.append(int(said[1]))
    assert counts[0] == pytest.approx(4 * counts[1], rel=0.05)
    with pytest.raises(UsageError, match="above 0"):
        compare.main([str(source), *options, "0"], standalone_mode=False)


def test_a_gate_says_how_many_questions_its_margin_needs(held):
    wide, narrow = (held(f"{{check: non_inferiority, margin: {margin}}}", 0.0).detail for margin in (0.4, 0.1))
    needed = [int(re.search(r"needs (\d+) questions", detail)[1]) for detail in (wide, narrow)]
    assert needed[0] < needed[1]
