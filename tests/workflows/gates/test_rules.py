"""Rules of a gate are read strictly: every error says its line, and what there is."""

import pytest

from venire.errors import InputError
from venire.workflows.gates.rules import CHECKS, CompletenessRule, MinimumScore, NoDrop, VerdictShare, load_rules


def load(tmp_path, text):
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    return load_rules(path)


def refused(tmp_path, text):
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    return caught.value


def test_rules_are_read_with_their_lines_and_defaults(tmp_path):
    loaded = load(
        tmp_path,
        "rules:\n"
        "  - {check: minimum_score, at_least: 6, name: good}\n"
        "  - {check: no_drop}\n"
        "  - {check: verdict_share, at_most: 0.1}\n"
        "  - {check: completeness}\n",
    )
    assert loaded.rules.rules == (
        MinimumScore(at_least=6, name="good", when_unknown="fail", where={}, confident=False, dimension=""),
        NoDrop(margin=0.0, proof="of_no_harm", dimension="", when_unknown="fail"),
        VerdictShare(at_most=0.1, verdict="FAIL", confident=False),
        CompletenessRule(at_least=1.0, when_unknown="pass"),
    )
    assert [line.rpartition(":")[2] for line in loaded.lines] == ["2", "3", "4", "5"]
    assert loaded.rules.level == 0.95


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("check: minimum_score, at_least: 10.1", "10.1"),
        ("check: minimum_score, at_least: -0.1", "-0.1"),
        ("check: no_drop, margin: -1", "-1"),
        ("check: no_drop, margin: 11", "11"),
        ("check: invalid_share, at_most: 1.5", "1.5"),
        ("check: hard_break_rate, at_most: -0.5", "-0.5"),
        ("check: agreement, at_least: -1.5", "-1.5"),
        ("check: share_below, at_most: 0.1, score: 11", "11"),
        ("check: worst_score, at_least: 10.5", "10.5"),
    ],
)
def test_a_number_out_of_range_is_shown_at_its_line(tmp_path, rule, value):
    error = refused(tmp_path, f"rules:\n  - {{check: completeness}}\n  - {{{rule}}}\n")
    assert error.where.endswith("rules.yaml:3")
    assert value in str(error)
    assert "rules.1." in str(error)


@pytest.mark.parametrize(
    "rule", ["at_least: 10, check: minimum_score", "at_least: -1, check: agreement", "at_most: 1, check: invalid_share"]
)
def test_a_number_at_the_end_of_its_range_is_let_through(tmp_path, rule):
    assert len(load(tmp_path, f"rules: [{{{rule}}}]").rules.rules) == 1


@pytest.mark.parametrize(("level", "fits"), [(0.5, False), (0.51, True), (0.99, True), (1, False)])
def test_a_level_lies_between_a_half_and_one(tmp_path, level, fits):
    text = f"level: {level}\nrules: [{{check: completeness}}]"
    if fits:
        assert load(tmp_path, text).rules.level == level
    else:
        assert refused(tmp_path, text).where.endswith(":1")


def test_there_must_be_a_rule(tmp_path):
    assert "rules" in str(refused(tmp_path, "rules: []"))


def test_an_unknown_check_lists_those_that_there_are(tmp_path):
    error = refused(tmp_path, "rules: [{check: nonsense}]")
    assert CHECKS[:2] == ("minimum_score", "no_drop")
    assert len(CHECKS) == 12
    assert all(name in error.hint for name in CHECKS)


@pytest.mark.parametrize(("check", "told"), [("no_drop", True), ("completeness", False)])
def test_confidence_is_explained_where_it_is_asked_of_a_drop(tmp_path, check, told):
    error = refused(tmp_path, f"rules: [{{check: {check}, confident: true}}]")
    assert ("proof" in error.hint) == told


def test_a_file_of_another_shape_or_none_is_refused(tmp_path):
    assert refused(tmp_path, "7").where.endswith("rules.yaml:1")
    with pytest.raises(InputError, match="No such file"):
        load_rules(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: [{check: minimum_score, atleast: 4}]", "Did you mean `at_least:`?"),
        ("levl: 0.9\nrules: [{check: minimum_score, at_least: 4}]", "Did you mean `level:`?"),
        ("rules: [{check: minimum_score, colour: red, at_least: 4}]", "Known here: check, "),
        ("rules: [{check: minimun_score, at_least: 4}]", "A rule is a mapping"),
        ("rules: [{check: no_drop, margin: -1}]", "A rule is a mapping"),
    ],
)
def test_a_key_that_is_not_known_is_told_with_the_one_that_is_meant(tmp_path, text, said):
    assert said in str(refused(tmp_path, text))


def test_a_level_off_its_range_gets_no_advice_on_rules(tmp_path):
    assert "A rule is" not in str(refused(tmp_path, "level: 95\nrules: [{check: minimum_score, at_least: 4}]"))
