import pytest

from rating_rows import judgement_rows, primary
from venire.errors import PoolingError
from venire.stats.ratings.table import RatingsTable


@pytest.mark.parametrize("field", ["protocol", "profile", "rater_version", "prompt_version"])
def test_pooling_versions_is_an_error_that_names_them(field):
    rows = [
        *judgement_rows("u1", "j", {"a": 1}, **{field: "first"}),
        *judgement_rows("u2", "j", {"a": 1}, **{field: "second"}),
    ]
    with pytest.raises(PoolingError) as caught:
        primary(rows)
    for part in ("first (1)", "second (1)", "not pooled", "table.only("):
        assert part in str(caught.value)


def test_choosing_a_version_is_what_the_pooling_error_advises():
    table = RatingsTable.from_rows(
        [
            *judgement_rows("u1", "j", {"a": 1}, rater_version="first"),
            *judgement_rows("u2", "j", {"a": 1}, rater_version="second"),
            *judgement_rows("u2", "k", {"a": 1}, rater_version="third"),
        ]
    )
    chosen = table.only(judge_versions={"j": "second"}).primary().table.frame
    assert chosen["rater_version"].cast(str).to_list() == ["second", "third"]


def test_different_judges_may_have_different_versions():
    rows = [
        *judgement_rows("u", "j", {"a": 1}, rater_version="1", prompt_version="zh"),
        *judgement_rows("u", "k", {"a": 1}, rater_version="2", prompt_version="en"),
    ]
    assert primary(rows).raters == ("j", "k")
