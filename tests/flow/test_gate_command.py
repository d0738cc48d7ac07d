"""A gate lets a release pass or not, says why, and never takes what is not known for good."""

from xml.etree import ElementTree

import msgspec
import pytest

from experiment import make_judge
from report_ledger import design, scoring, write_ledger
from venire.cli.gate import gate
from venire.errors import InputError
from venire.reports.gate_result import Outcome
from venire.stats.result import Estimate
from venire.workflows.gate import at_least, at_most, hold_against_rules, no_drop
from venire.workflows.gate_rules import load_rules


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return write_ledger(tmp_path_factory.mktemp("gate") / "now.sqlite", design(questions=6))


def rules_file(folder, text):
    path = folder / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def outcomes(folder, text, ledger, **options):
    return hold_against_rules(load_rules(rules_file(folder, text)), ledger, **options).results


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
    assert result.outcome is Outcome.FAILED


def test_a_drop_is_found_in_pairs_and_told_from_no_change(tmp_path, ledger):
    samples = design(questions=6)
    fallen = write_ledger(tmp_path / "fallen.sqlite", worse(samples))
    text = "rules: [{check: no_drop, margin: 0.2}]"
    [dropped] = outcomes(tmp_path, text, fallen, baseline=ledger)
    [same] = outcomes(tmp_path, text, ledger, baseline=ledger)
    [risen] = outcomes(tmp_path, text, ledger, baseline=fallen)
    assert (dropped.outcome, same.outcome, risen.outcome) == (Outcome.FAILED, Outcome.PASSED, Outcome.PASSED)
    assert dropped.found.value < -0.2
    assert "48 pairs by output_id" in dropped.detail


def test_a_change_of_the_judge_is_not_taken_for_a_change_of_the_system(tmp_path, ledger):
    other = write_ledger(tmp_path / "other.sqlite", design(questions=6), judges=[make_judge("oak", prompt_version="2")])
    [result] = outcomes(tmp_path, "rules: [{check: no_drop}]", other, baseline=ledger)
    assert result.outcome is Outcome.UNKNOWN
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
    assert {each.outcome for each in found} == {Outcome.UNKNOWN}
    assert [each.blocks for each in found] == [True, False, True]


@pytest.mark.parametrize(
    ("estimate", "confident", "expected"),
    [
        (Estimate(value=-1.0, low=-1.5, high=-0.6, level=0.95, method="m"), False, Outcome.FAILED),
        (Estimate(value=-1.0, low=-1.5, high=-0.4, level=0.95, method="m"), False, Outcome.PASSED),
        (Estimate(value=-1.0, low=-1.5, high=-0.4, level=0.95, method="m"), True, Outcome.FAILED),
        (Estimate(value=0.0, low=-0.4, high=0.4, level=0.95, method="m"), True, Outcome.PASSED),
        (Estimate(value=-1.0, method="m", n={"clusters": 3}, reason="no variation"), False, Outcome.FAILED),
        (Estimate(value=0.0, method="m", n={"clusters": 3}, reason="no variation"), True, Outcome.PASSED),
        (Estimate(value=0.0, method="m", n={"clusters": 1}, reason="one cluster"), False, Outcome.UNKNOWN),
        (Estimate.unknown("m", "no observations"), False, Outcome.UNKNOWN),
    ],
)
def test_a_drop_must_be_shown_or_if_confident_be_ruled_out(estimate, confident, expected):
    assert no_drop(estimate, 0.5, confident=confident) is expected


def test_a_confident_limit_is_held_against_the_end_of_the_interval():
    estimate = Estimate(value=0.5, low=0.4, high=0.6, level=0.95, method="m")
    assert at_least(estimate, 0.5) is Outcome.PASSED
    assert at_least(estimate, 0.5, confident=True) is Outcome.FAILED
    assert at_most(estimate, 0.5) is Outcome.PASSED
    assert at_most(estimate, 0.5, confident=True) is Outcome.FAILED
    assert at_most(Estimate(value=0.5, method="m"), 0.9, confident=True) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("rules:\n  - check: minimum_score\n    at_leest: 3\n", 3, "unknown key 'at_leest'"),
        ("rules:\n  - check: minimum\n    at_least: 3\n", 2, "invalid value 'minimum'"),
        ("rules:\n  - {check: agreement, at_least: 0}\n  - {check: minimum_score}\n", 3, "at_least"),
        ("rules:\n  - check: invalid_share\n    at_most: 5\n", 3, "found 5"),
        ("rules: []\n", 1, "length"),
        ("rules:\n  - check: agreement\n    check: agreement\n", 3, "stands twice"),
    ],
)
def test_an_error_in_the_rules_says_its_file_and_line(tmp_path, text, line, message):
    with pytest.raises(InputError, match=message) as caught:
        load_rules(rules_file(tmp_path, text))
    assert caught.value.where.endswith(f"gate.yaml:{line}")


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
    assert run_gate(path, ledger, "--junit", tmp_path / "gate.xml", "--markdown", tmp_path / "gate.md") == 0
    suite = ElementTree.fromstring((tmp_path / "gate.xml").read_text(encoding="utf-8"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "0", "1")
    summary = (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert "| good \\| &lt;b>enough&lt;/b> |" in summary
    assert "gate open: 2 of 2" in capsys.readouterr().out
    strict = rules_file(tmp_path, "rules: [{check: minimum_score, at_least: 10}, {check: no_drop}]")
    assert run_gate(strict, ledger, "--junit", tmp_path / "gate.xml") == 1
    suite = ElementTree.fromstring((tmp_path / "gate.xml").read_text(encoding="utf-8"))
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")


def test_a_table_of_scores_can_stand_before_the_gate(tmp_path):
    table = tmp_path / "scores.csv"
    rows = [f"u{n},{judge},{n % 5 + 1},q{n},1,5" for n in range(20) for judge in ("oak", "elm")]
    table.write_text("unit,rater,score,question_id,minimum,maximum\n" + "\n".join(rows), encoding="utf-8")
    [result] = outcomes(tmp_path, "rules: [{check: minimum_score, at_least: 5}]", table)
    assert (result.outcome, result.found.value) == (Outcome.PASSED, 5.0)
