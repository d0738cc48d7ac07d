"""Comparisons in the terminal: the headline follows the labels, and what is not known says so."""

import io

import msgspec
import numpy as np
import pytest

from venire.cli.terminal.comparison_tables import (
    estimate_text,
    look_text,
    make_table,
    print_comparison,
    print_judges,
    win_matrix_table,
)
from venire.cli.terminal.printing import open_console
from venire.stats.comparison.change_attribution import ChangeAttribution
from venire.stats.comparison.paired import PairedTest
from venire.stats.comparison.score_difference import ScoreDifference
from venire.stats.comparison.sequential import SequentialDifference
from venire.stats.comparison.win_matrix import WinMatrix
from venire.stats.judges.versions import JudgeMigration, ScoreChange
from venire.stats.result import Estimate
from venire.stats.uncertainty.corrected_difference import CorrectedDifference
from venire.workflows.comparison.result import ComparedScore, Comparison, JudgeComparison


def about(value, spread=0.25, **more):
    ends = {} if value is None or spread is None else {"low": value - spread, "high": value + spread, "level": 0.95}
    return Estimate(value=value, method="m", **ends, **({"reason": "too few"} if value is None else {}), **more)


def score(name="overall", difference=None, *, p_value=0.2, pairs=12, unmatched=(0, 0), by="question", **more):
    test = PairedTest(
        difference=difference or about(0.5, n={"clusters": 6}), statistic=1.0, p_value=p_value, method="t"
    )
    return ComparedScore(
        name=name, first=about(5.0), second=about(5.5), adjusted_p=0.4,
        difference=ScoreDifference(test=test, effect=about(0.125), paired_by=("question_id", "factor.language"),
                                   clustered_by=by, pairs=pairs, unmatched=unmatched),
        **more,
    )  # fmt: skip


def labelled(value, p_value, bias=None, note="", labels=(3, 4)):
    return CorrectedDifference(
        corrected=about(value, note=note), p_value=p_value, naive=about(0.5), labels_only=about(0.1),
        judge_bias=bias or about(0.0), tuning=1.0, labelled=labels,
    )  # fmt: skip


def printed(show, found):
    file = io.StringIO()
    show(open_console(file=file, width=160), found)
    return file.getvalue()


def compared(*scores, **more):
    found = Comparison(first="old", second="new", judges=("oak", "elm"), scores=scores or (score(),), **more)
    return printed(print_comparison, found)


def test_both_sides_their_difference_and_what_it_rests_on_are_shown():
    lines = compared(score(), score("style", p_value=None, difference=about(None))).splitlines()
    assert lines[0] == "first old, second new, judged by oak, elm; scores on 0–10"
    assert lines[1].split() == [
        "score", "first", "second", "difference", "p", "p,", "Holm", "Hedges'", "g",
    ]  # fmt: skip
    assert lines[2].split() == ["overall", "5.00", "5.50", "+0.50", "0.200", "0.400", "+0.12"]
    assert lines[3].split() == ["+0.25", "…", "+0.75", "−0.12", "…", "+0.38"]
    assert lines[4].split() == ["style", "5.00", "5.50", "not", "known", "not", "known", "0.400", "+0.12"]
    assert lines[-1] == "12 pairs by question_id, language, errors clustered by question"


def test_samples_without_a_counterpart_and_means_without_pairs_are_told():
    paired = " ".join(compared(score(unmatched=(1, 2))).splitlines()[-2:])
    assert paired.endswith("; without a counterpart: 3, counted in the means and not in the difference")
    alone = compared(score(pairs=0, by="sample", unmatched=(1, 2))).splitlines()[-1]
    assert alone.endswith("; without a counterpart: 3")
    means = compared(score(pairs=0, by="sample")).splitlines()[-1]
    assert means == "no samples match: means are compared, errors clustered by sample"


@pytest.mark.parametrize(
    ("p_value", "said", "ending"),
    [(0.0499, "p = 0.050)", "p = 0.050)"), (0.0009, "p < 0.001)", ")"), (0.001, "p = 0.001)", ")"),
     (0.05, "p = 0.050), no proof of a difference", "difference")],
)  # fmt: skip
def test_the_headline_is_what_labels_make_of_the_difference(p_value, said, ending):
    line = compared(score(corrected=labelled(1.0, p_value))).splitlines()[0]
    assert line.startswith("judges see +0.50; corrected by 7 labels of people: +1.00 (+0.75 … +1.25, ")
    assert said in line
    assert line.endswith(ending)


def test_what_labels_do_not_tell_is_said_to_be_unknown():
    line = compared(score(corrected=labelled(None, None))).splitlines()[0]
    assert line == "judges see +0.50; the difference corrected by people's labels is not known (7 labels): too few"


@pytest.mark.parametrize(("bias", "favoured"), [(2.0, "new"), (-2.0, "old")])
def test_where_judges_and_people_part_the_favoured_side_is_named(bias, favoured):
    text = compared(score(corrected=labelled(1.0, 0.01, about(bias, 0.5))))
    expected = (
        f"judges and people disagree: the judges favour {favoured} by 2.00 points (1.50 … 2.50) more than people do"
    )
    assert text.splitlines()[1] == expected


def test_judges_and_people_that_do_not_part_are_not_said_to():
    text = compared(score(corrected=labelled(1.0, 0.01, about(0.1, 0.5), note="few labels")))
    assert "part:" not in text
    assert text.splitlines()[1] == "few labels"


def test_corrected_scores_have_a_table_of_their_own():
    text = compared(score(corrected=labelled(1.0, None)), score("style"))
    rows = [line.split() for line in text.splitlines()]
    assert ["overall", "+0.50", "+1.00", "not", "known", "0.00", "7"] in rows
    assert "corrected by people's labels" in text
    assert text.count("style") == 1
    assert "corrected" not in compared()


@pytest.mark.parametrize(
    ("e_value", "decided", "said"),
    [
        (21.234, True, ("stop: decided at 95%, however often one has looked: "
                       "+1.00 (+0.75 … +1.25, e-value 21.2, 9 questions)")),
        (999_999, True, "e-value 1e+06"),
        (1e6, True, "e-value > 1e6"),
        (2, False, "not decided yet at 95%: +1.00"),
    ],
)  # fmt: skip
def test_a_look_says_whether_the_difference_is_decided(e_value, decided, said):
    looked = SequentialDifference(
        difference=about(1.0, n={"clusters": 9}), e_value=e_value, least_p=1 / e_value, decided=decided
    )
    assert said in look_text(looked)
    assert said in compared(score(sequential=looked))


def test_a_look_without_evidence_decides_nothing():
    unknown = SequentialDifference(difference=about(None), e_value=None, least_p=None, decided=False)
    assert look_text(unknown) == "nothing is decided: too few"


def test_an_open_difference_says_what_would_settle_it():
    power = {"detectable": about(1.5, None), "needed": about(80.0, None), "stated": about(30.0, None)}
    lines = compared(score(p_value=0.05, **power), stated=0.75).splitlines()
    assert "with 6 questions, a true difference of 1.50 is found with 80% probability" in lines
    assert "a difference of 0.75 needs 30 questions to be found with 80% probability" in lines
    assert "if +0.50 is the true difference, 80 questions would settle it" in lines
    assert "would settle" not in compared(score(p_value=0.049, **power))
    assert "would settle" not in compared(score(p_value=None, **power))
    assert "probability" not in compared(score(detectable=about(None)))


def test_the_judges_part_of_a_change_is_shown_beside_the_systems():
    known = ChangeAttribution(
        judge_name="oak", observed=about(1.0), judge=about(0.75), system=about(0.25), notes=("n1",)
    )
    unknown = ChangeAttribution(judge_name="elm", observed=about(1.0), judge=about(None), system=about(None))
    text = compared(attribution=(known, unknown), notes=("the last word",))
    rows = [line.split() for line in text.splitlines()]
    assert ["oak", "+1.00", "+0.75", "+0.25"] in rows
    assert ["elm", "+1.00", "not", "known", "not", "known"] in rows
    assert text.splitlines()[-3:] == ["oak: n1", "elm: too few", "the last word"]


def migration():
    change = ScoreChange(
        difference=score().difference.test,
        exact_match=about(0.5),
        mean_absolute_difference=about(1.0),
        raised=3,
        lowered=1,
    )
    return JudgeMigration(
        judge="oak", old="a" * 13, new="b" * 13, outputs=8, only_old=2, only_new=1, invalid_old=4, invalid_new=5,
        overall=change, dimensions={}, verdict_flips=about(0.25),
        verdicts={"PASS → FAIL": 2, "PASS → PASS": 6},
    )  # fmt: skip


def test_two_versions_of_a_judge_say_what_changed():
    text = printed(print_judges, [JudgeComparison(migration=migration(), scores=(score(),))])
    lines = text.splitlines()
    counts = "on 8 outputs that both judged (2 only by the old, 1 only by the new)"
    assert lines[0] == f"oak: {'a' * 12} → {'b' * 12}, {counts}"
    assert lines[1].split()[:3] == ["score", "old", "new"]
    assert lines[-4:] == [
        "same score: 50.0 % 25.0 % … 75.0 %",
        "verdicts that changed: 25.0 % 0.0 % … 50.0 % (PASS → FAIL: 2)",
        "raised / lowered: 3 / 1",
        "invalid, old / new: 4 / 5",
    ]


def test_verdicts_that_did_not_move_are_not_listed():
    still = msgspec.structs.replace(migration(), verdicts={"PASS → PASS": 6})
    text = printed(print_judges, [JudgeComparison(migration=still, scores=(score(),))])
    assert "verdicts that changed: 25.0 % 0.0 % … 50.0 %\n" in text


def test_a_win_matrix_counts_ties_as_half_in_the_order_that_is_asked_for():
    wins = WinMatrix(
        models=("a", "b", "c"), wins=np.array([[0, 3, 0], [1, 0, 0], [0, 0, 0.0]]),
        ties=np.array([[0, 2, 0], [2, 0, 0], [0, 0, 0.0]]),
    )  # fmt: skip
    text = printed(lambda console, table: console.print(table), win_matrix_table(wins, [1, 0, 2]))
    rows = [line.split() for line in text.splitlines()]
    assert rows[-4:] == [["model", "b", "a", "c"], ["b", "–", "33%", "–"], ["a", "67%", "–", "–"], ["c", "–", "–", "–"]]


def test_an_estimate_without_an_interval_stands_alone():
    assert estimate_text(about(0.5, None), "share") == "50.0 %"
    assert estimate_text(about(None), "share") == "not known"
    assert estimate_text(about(0.5), "share") == "50.0 %\n25.0 % … 75.0 %"


def test_names_stand_to_the_left_and_numbers_to_the_right():
    table = make_table("", ["name", "number"])
    assert [column.justify for column in table.columns] == ["left", "right"]
    assert table.title is None
    assert str(make_table("title", ["a\x1b"]).columns[0].header) == "a⟨U+001B⟩"
