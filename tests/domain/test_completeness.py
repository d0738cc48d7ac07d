"""What was planned and has no reply is missing, also from what is not known."""

from venire.domain.completeness import Completeness, JudgeCompleteness


def test_the_panel_is_the_sum_of_its_judges():
    panel = Completeness((JudgeCompleteness("oak", 10, 4), JudgeCompleteness("elm", 5, 5)))
    assert (panel.planned, panel.answered, panel.missing) == (15, 9, 6)
    assert panel.said() == "9 of 15 planned tasks were answered; missing: oak 6"
