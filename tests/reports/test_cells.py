"""How numbers become cells."""

from venire.cli.report import report as report_command
from venire.reports.cells import estimate_cell
from venire.reports.report import Rows
from venire.stats.result import Estimate


def test_an_interval_that_reaches_beyond_the_scale_is_cut_at_its_end_and_says_so():
    wide = Estimate(value=4.5, low=3.5, high=5.5, level=0.95, method="mean")
    cell = estimate_cell(wide, Rows(), "score", (1.0, 5.0))
    assert (cell.low, cell.high) == (3.5, 5.0)
    assert cell.method != "mean"
    low = estimate_cell(Estimate(value=1.5, low=0.5, high=2.0, level=0.95, method="mean"), Rows(), "score", (1.0, 5.0))
    assert (low.low, low.high) == (1.0, 2.0)


def test_an_interval_within_the_scale_stays_as_it_is():
    narrow = Estimate(value=4.5, low=4.0, high=5.0, level=0.95, method="mean")
    cell = estimate_cell(narrow, Rows(), "score", (1.0, 5.0))
    assert (cell.low, cell.high, cell.method) == (4.0, 5.0, "mean")
    assert estimate_cell(narrow, Rows(), "difference").high == 5.0


def test_the_terminal_says_below_a_table_which_intervals_are_rough(tmp_path, capsys):
    rows = [
        f"o{n},{judge},{1 + (n + place) % 3},m,q{n}" for n in range(8) for place, judge in enumerate(("oak", "elm"))
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["output_id,judge,score,target_model,question_id", *rows]))
    report_command.main([str(tmp_path / "scores.csv"), "--scale", "1", "3", "--full"], standalone_mode=False)
    assert "rough: the interval rests on 8" in capsys.readouterr().out
