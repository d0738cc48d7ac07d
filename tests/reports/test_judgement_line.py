"""One judgement as reports list it."""

from rating_rows import judgement_rows, overall_row
from venire.reports.judgement_line import JudgementLine, judgement_lines
from venire.stats.ratings.table import RatingsTable


def lines(*rows):
    table = RatingsTable.from_rows(rows)
    return list(judgement_lines(table, table.primary()))


def test_a_judgement_is_one_line_with_all_its_scores():
    fields = {"question_id": "q1", "prompt_variant": "A", "target_model": "alder", "verdict": "PASS", "sequence": 4}
    (line,) = lines(*judgement_rows("o1", "oak", {"a": 1.0, "b": 2.0}, factors={"trigger": "implicit"}, **fields))
    assert (line.unit, line.rater, line.overall, line.overall_maximum) == ("o1", "oak", 3.0, 4.0)
    assert line.scores == {"a": 1.0, "b": 2.0}
    assert line.factors == {"trigger": "implicit"}
    assert (line.verdict, line.sequence, line.counted) == ("PASS", 4, True)
    assert line.about == "o1 · alder · q1 · A · implicit"


def test_a_judgement_that_does_not_count_is_listed_as_such_and_in_the_order_of_the_table():
    first, second = lines(overall_row("o1", "oak", 3.0, status="invalid"), overall_row("o1", "elm", 4.0))
    assert (first.rater, first.counted, first.scores) == ("oak", False, {})
    assert (second.rater, second.counted) == ("elm", True)


def test_the_output_is_called_by_its_name_where_it_has_one():
    named = JudgementLine(judgement="j", counted=True, unit="0ab", rater="oak", output_id="out")
    assert named.about == "out"
    assert JudgementLine(judgement="j", counted=True, unit="0ab", rater="oak").about == "0ab"


def test_columns_are_looked_up_among_the_factors_first():
    line = JudgementLine(judgement="j", counted=True, unit="u", rater="oak", factors={"rater": "f"}, sequence=3)
    assert [line.value_of(name) for name in ("rater", "sequence", "verdict", "nonsense")] == ["f", "3", None, None]
