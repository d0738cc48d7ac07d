from rating_rows import overall_row
from venire.stats.judges.masking_flips import masking_flips
from venire.stats.ratings.table import RatingsTable


def test_verdicts_that_flip_under_masking_are_counted():
    rows = []
    for n in range(25):
        rows.append(overall_row(f"u{n}", "j", 8, rater_version="open", verdict="PASS"))
        masked = {"verdict": "FAIL"} if n < 5 else {"verdict": "PASS"}
        rows.append(overall_row(f"u{n}", "j", 3 if n < 5 else 8, rater_version="masked", **masked))
    flips, shift = masking_flips(RatingsTable.from_rows(rows), open_version="open", masked_version="masked")
    assert (flips.estimate.value, flips.observations) == (0.2, 25)
    assert shift.estimate.value == -1.0
    few, _ = masking_flips(RatingsTable.from_rows(rows[:20]), open_version="open", masked_version="masked")
    assert few.estimate.reason.startswith("only 10 observations")
