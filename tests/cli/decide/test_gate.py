"""A gate lets a release pass or not, says why, and never takes what is not known for good."""

import json
from xml.etree import ElementTree

import msgspec
import pytest

from experiment import make_judge
from report_ledger import design, scoring, write_ledger
from venire.cli.decide.gate import gate
from venire.errors import InputError
from venire.reports.formats.gate import RuleOutcome
from venire.runner.options import Budget
from venire.stats.result import Estimate
from venire.workflows.gate import hold_against_rules
from venire.workflows.gates.decision import at_least, at_most, no_drop
from venire.workflows.gates.rules import load_rules


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return write_ledger(tmp_path_factory.mktemp("gate") / "now.sqlite", design(questions=6))


def rules_file(folder, text):
    path = folder / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def outcomes(folder, text, ledger, **options):
    """Return the outcome of each rule of a file; the rule that is on by default comes last and is left out."""
    return hold_against_rules(load_rules(rules_file(folder, text)), ledger, **options).results[:-1]


def worse(samples):
    """Return the same outputs, each worth less."""
    return [
        msgspec.structs.replace(sample, text=sample.text.replace("worth 8", "worth 5").replace("worth 7", "worth 4"))
        for sample in samples
    ]


def run_gate(*args):
    return gate.main([str(arg) for arg in args], standalone_mode=False)


def test_each_kind_of_rule_passes_and_fails_at_its_limit(tmp_path, ledger):
    found = outcomes(
        tmp_path,
        """
rules:
  - {check: minimum_score, at_least: 0}
  - {check: minimum_score, at_least: 10}
  - {check: hard_break_rate, at_most: 1}
  - {check: hard_break_rate, at_most: 0, where: {prompt_variant: conflict}}
  - {check: invalid_share, at_most: 0}
  - {check: agreement, at_least: 0.2}
  - {check: agreement, at_least: 1}
""",
        ledger,
    )
    assert [each.outcome.value for each in found] == [
        "passed", "failed", "passed", "failed", "passed", "passed", "failed",
    ]  # fmt: skip
    assert found[0].found.n["clusters"] == 6


def test_invalid_replies_are_counted_against_the_share(tmp_path):
    path = write_ledger(
        tmp_path / "broken.sqlite", design(questions=4), {"oak": scoring(broken_at="line 3"), "elm": scoring()}
    )
    [result] = outcomes(tmp_path, "rules: [{check: invalid_share, at_most: 0.12}]", path)
    assert result.found.value == pytest.approx(0.125)  # one judge of two, on one question of four
    assert result.outcome is RuleOutcome.FAILED


def test_a_drop_is_found_in_pairs_and_told_from_no_change(tmp_path, ledger):
    samples = design(questions=6)
    fallen = write_ledger(tmp_path / "fallen.sqlite", worse(samples))
    text = "rules: [{check: no_drop, margin: 0.2}]"
    [dropped] = outcomes(tmp_path, text, fallen, baseline=ledger)
    [same] = outcomes(tmp_path, text, ledger, baseline=ledger)
    [risen] = outcomes(tmp_path, text, ledger, baseline=fallen)
    assert (dropped.outcome, same.outcome, risen.outcome) == (
        RuleOutcome.FAILED,
        RuleOutcome.PASSED,
        RuleOutcome.PASSED,
    )
    assert dropped.found.value < -0.2
    assert "48 pairs by output_id" in dropped.detail


def test_a_change_of_the_judge_is_not_taken_for_a_change_of_the_system(tmp_path, ledger):
    other = write_ledger(tmp_path / "other.sqlite", design(questions=6), judges=[make_judge("oak", prompt_version="2")])
    [result] = outcomes(tmp_path, "rules: [{check: no_drop}]", other, baseline=ledger)
    assert result.outcome is RuleOutcome.UNKNOWN
    assert "judge 'oak'" in result.detail
    assert result.blocks


def test_what_is_not_known_fails_unless_the_rule_lets_it_pass(tmp_path, ledger):
    found = outcomes(
        tmp_path,
        """
rules:
  - {check: no_drop}
  - {check: no_drop, when_unknown: pass}
  - {check: minimum_score, at_least: 1, where: {target_model: nobody}}
""",
        ledger,
    )
    assert {each.outcome for each in found} == {RuleOutcome.UNKNOWN}
    assert [each.blocks for each in found] == [True, False, True]


@pytest.mark.parametrize(
    ("estimate", "proof", "expected"),
    [
        (Estimate(value=-1.0, low=-1.5, high=-0.6, level=0.95, method="m"), "of_no_harm", RuleOutcome.FAILED),
        (Estimate(value=-1.0, low=-1.5, high=-0.6, level=0.95, method="m"), "of_harm", RuleOutcome.FAILED),
        (Estimate(value=-1.0, low=-1.5, high=-0.4, level=0.95, method="m"), "of_no_harm", RuleOutcome.UNDECIDED),
        (Estimate(value=-1.0, low=-1.5, high=-0.4, level=0.95, method="m"), "of_harm", RuleOutcome.PASSED),
        (Estimate(value=0.0, low=-0.4, high=0.4, level=0.95, method="m"), "of_no_harm", RuleOutcome.PASSED),
        (Estimate(value=-1.0, method="m", n={"clusters": 3}, reason="no variation"), "of_no_harm", RuleOutcome.FAILED),
        (Estimate(value=0.0, method="m", n={"clusters": 3}, reason="no variation"), "of_no_harm", RuleOutcome.PASSED),
        (Estimate(value=0.0, method="m", n={"clusters": 1}, reason="one cluster"), "of_no_harm", RuleOutcome.UNKNOWN),
        (Estimate(value=0.0, method="m", n={"clusters": 1}, reason="one cluster"), "of_harm", RuleOutcome.UNKNOWN),
        (Estimate.unknown("m", "no observations"), "of_no_harm", RuleOutcome.UNKNOWN),
    ],
)
def test_a_drop_must_be_ruled_out_or_if_so_asked_be_proved(estimate, proof, expected):
    assert no_drop(estimate, 0.5, proof).outcome is expected


def test_a_drop_that_is_neither_proved_nor_ruled_out_does_not_pass_by_default():
    found = Estimate(value=-0.879, low=-1.522, high=-0.235, level=0.95, method="m", n={"pairs": 30, "clusters": 10})
    decision = no_drop(found, 0.3, by_question=True)
    assert decision.outcome is RuleOutcome.UNDECIDED
    assert decision.detail == (
        "the interval spans −0.3: about 8 more samples on 3 more questions would decide it, "
        "if the estimate stays as it is"
    )
    assert "not ruled out" in no_drop(found, 0.3, "of_harm").detail


def test_the_samples_that_are_said_to_decide_do_decide():
    found = Estimate(value=0.6, low=0.4, high=0.8, level=0.95, method="m", n={"clusters": 100})
    decision = at_least(found, 0.5, confident=True)
    assert "about 300 more samples would decide it" in decision.detail
    narrower = 0.2 * (100 / 400) ** 0.5
    shrunk = msgspec.structs.replace(found, low=0.6 - narrower, high=0.6 + narrower)
    assert at_least(shrunk, 0.5, confident=True).outcome is RuleOutcome.PASSED


def test_no_number_of_samples_decides_what_lies_on_the_limit():
    found = Estimate(value=0.5, low=0.4, high=0.6, level=0.95, method="m", n={"clusters": 100})
    assert "too close" in at_most(found, 0.5, confident=True).detail


def test_a_confident_limit_is_held_against_the_whole_interval():
    estimate = Estimate(value=0.5, low=0.4, high=0.6, level=0.95, method="m", n={"clusters": 5})
    assert at_least(estimate, 0.5).outcome is at_most(estimate, 0.5).outcome is RuleOutcome.PASSED
    assert at_least(estimate, 0.4, confident=True).outcome is RuleOutcome.PASSED
    assert at_least(estimate, 0.45, confident=True).outcome is RuleOutcome.UNDECIDED
    assert at_least(estimate, 0.7, confident=True).outcome is RuleOutcome.FAILED
    assert at_most(estimate, 0.6, confident=True).outcome is RuleOutcome.PASSED
    assert at_most(estimate, 0.55, confident=True).outcome is RuleOutcome.UNDECIDED
    assert at_most(estimate, 0.3, confident=True).outcome is RuleOutcome.FAILED
    assert at_most(Estimate(value=0.5, method="m"), 0.9, confident=True).outcome is RuleOutcome.UNKNOWN


def test_single_outputs_and_verdicts_have_rules_of_their_own(tmp_path, ledger):
    found = outcomes(
        tmp_path,
        """
rules:
  - {check: share_below, score: 0, at_most: 0}
  - {check: share_below, score: 10, at_most: 0.5}
  - {check: worst_score, at_least: 0}
  - {check: worst_score, at_least: 9.9}
  - {check: verdict_share, at_most: 1}
  - {check: verdict_share, verdict: PASS, at_most: 0}
  - {check: verdict_share, verdict: NONSENSE, at_most: 0}
""",
        ledger,
    )
    assert [each.outcome.value for each in found] == [
        "passed", "failed", "passed", "failed", "passed", "failed", "passed",
    ]  # fmt: skip
    assert found[2].detail.startswith("of output ")
    assert found[1].found.value == pytest.approx(1.0, abs=0.5)
    assert found[4].found.value + found[5].found.value <= 1


def test_a_run_that_was_stopped_closes_the_gate_by_default(tmp_path):
    path = tmp_path / "stopped.sqlite"
    write_ledger(path, design(questions=4), budget=Budget(calls=10))
    rules = load_rules(rules_file(tmp_path, "rules: [{check: minimum_score, at_least: 0}]"))
    result = hold_against_rules(rules, path)
    assert [(each.check, each.outcome.value, each.blocks) for each in result.results] == [
        ("minimum_score", "passed", False), ("completeness", "failed", True),
    ]  # fmt: skip
    assert "10 of 64 planned tasks were answered; missing: " in result.results[-1].detail
    lenient = load_rules(rules_file(tmp_path, "rules: [{check: completeness, at_least: 0.1}]"))
    assert [each.outcome.value for each in hold_against_rules(lenient, path).results] == ["passed"]


def test_the_completeness_of_a_table_is_not_known_and_does_not_close_the_gate(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("unit,rater,score,minimum,maximum\nu1,oak,3,1,5\nu2,oak,4,1,5\n", encoding="utf-8")
    rules = load_rules(rules_file(tmp_path, "rules: [{check: minimum_score, at_least: 1}]"))
    result = hold_against_rules(rules, table)
    assert (result.results[-1].outcome, result.passed) == (RuleOutcome.UNKNOWN, True)
    assert result.results[-1].detail == "a table of scores does not say what was planned"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("rules:\n  - check: minimum_score\n    at_leest: 3\n", 3, "unknown key 'at_leest'"),
        ("rules:\n  - check: minimum\n    at_least: 3\n", 2, "'minimum' is not an allowed value"),
        ("rules:\n  - {check: agreement, at_least: 0}\n  - {check: minimum_score}\n", 3, "at_least"),
        ("rules:\n  - check: invalid_share\n    at_most: 5\n", 3, "found 5"),
        ("rules: []\n", 1, "length"),
        ("rules:\n  - check: no_drop\n    confident: true\n", 3, "unknown key 'confident'"),
        ("rules:\n  - check: agreement\n    check: agreement\n", 3, "duplicate key"),
    ],
)
def test_an_error_in_the_rules_says_its_file_and_line(tmp_path, text, line, message):
    with pytest.raises(InputError, match=message) as caught:
        load_rules(rules_file(tmp_path, text))
    assert caught.value.where.endswith(f"gate.yaml:{line}")


def test_a_rule_may_be_about_any_column_of_the_samples(tmp_path):
    samples = [msgspec.structs.replace(each, notes={"tenant": each.output_id}) for each in design(questions=1)]
    ledger = write_ledger(tmp_path / "tenants.sqlite", samples)
    rule = f"{{check: minimum_score, at_least: 0, where: {{tenant: {samples[0].output_id}}}}}"
    [result] = outcomes(tmp_path, f"rules:\n  - {rule}\n", ledger)
    assert result.found.n["values"] == 1


def test_a_rule_about_what_the_data_lacks_is_an_error_at_its_line(tmp_path, ledger):
    for rule in (
        "{check: minimum_score, at_least: 1, where: {colour: red}}",
        "{check: agreement, at_least: 0, dimension: WIT}",
    ):
        with pytest.raises(InputError, match=r"colour|WIT") as caught:
            outcomes(tmp_path, f"rules:\n  - {rule}\n", ledger)
        assert caught.value.where.endswith("gate.yaml:2")


def test_the_command_exits_by_the_outcome_and_writes_its_files(tmp_path, ledger, capsys):
    path = rules_file(
        tmp_path,
        "rules:\n"
        "  - {check: minimum_score, at_least: 1, name: 'good | <b>enough</b>'}\n"
        "  - {check: no_drop, when_unknown: pass}\n",
    )
    files = ("--junit", tmp_path / "gate.xml", "--markdown", tmp_path / "gate.md", "--json", tmp_path / "gate.json")
    assert run_gate(path, ledger, *files) == 0
    told = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))
    assert (told["passed"], [each["outcome"] for each in told["results"]]) == (True, ["passed", "not known", "passed"])
    suite = ElementTree.fromstring((tmp_path / "gate.xml").read_text(encoding="utf-8"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "0", "1")
    summary = (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert "| good \\| &lt;b>enough&lt;/b> |" in summary
    assert "gate open: 3 of 3" in capsys.readouterr().out
    strict = rules_file(tmp_path, "rules: [{check: minimum_score, at_least: 10}, {check: no_drop}]")
    assert run_gate(strict, ledger, "--junit", tmp_path / "gate.xml") == 1
    suite = ElementTree.fromstring((tmp_path / "gate.xml").read_text(encoding="utf-8"))
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")


def test_a_table_of_scores_can_stand_before_the_gate(tmp_path):
    table = tmp_path / "scores.csv"
    rows = [f"u{n},{judge},{n % 5 + 1},q{n},1,5" for n in range(20) for judge in ("oak", "elm")]
    table.write_text("unit,rater,score,question_id,minimum,maximum\n" + "\n".join(rows), encoding="utf-8")
    [result] = outcomes(tmp_path, "rules: [{check: minimum_score, at_least: 5}]", table)
    assert (result.outcome, result.found.value) == (RuleOutcome.PASSED, 5.0)


def test_a_table_of_scores_does_not_pass_for_valid_replies(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("unit,rater,score,question_id,minimum,maximum\nu1,oak,3,q1,1,5\nu2,oak,4,q2,1,5\n")
    [result] = outcomes(tmp_path, "rules: [{check: invalid_share, at_most: 0.5}]", table)
    assert (result.outcome, result.found.value) == (RuleOutcome.UNKNOWN, None)
