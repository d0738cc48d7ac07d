"""Which column of a table holds which field of a vote."""

from datetime import UTC, datetime

import pytest

from venire.errors import InputError, UsageError
from venire.votes.reading.table import VoteOptions, read_votes

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def read(source, **options):
    return read_votes(source, VoteOptions(**options), now=lambda: NOW)


def row(**changes):
    return {"inference_id": "a", "vote": 0.5, "voter_id": "x", "vote_time": "2025-01-01T00:00:00Z"} | changes


def test_columns_are_recognised_by_synonyms_and_in_any_case():
    table = read([{"Output-ID": 7, "Rating": 1, "Annotator": 3, "Created At": "2025-01-01T00:00:00Z"}])
    assert table.frame["inference_id"].cast(str).to_list() == ["7"]
    assert table.frame["voter_id"].to_list() == ["3"]


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("inference_id", "inference output_id item_id item sample_id response_id unit 输出编号 样本编号"),
        ("vote", "score rating value label judgement judgment 投票"),
        ("voter_id", "voter user_id user juror_id juror annotator_id annotator worker_id rater 投票者 投票人"),
        ("vote_time", "time timestamp voted_at created_at datetime date_time 投票时间 时间"),
        ("voter_prompt_id", "voter_prompt prompt_id rubric_id rubric"),
        ("reputation", "voter_reputation weight voter_weight"),
    ],
)
def test_a_field_is_found_under_the_names_that_other_tools_give_it(field, names):
    given = row(voter_prompt_id="p", reputation=2.0)
    usual = read([given]).frame.rows()
    for name in names.split():
        assert read([{name if each == field else each: value for each, value in given.items()}]).frame.rows() == usual


def test_a_mapping_names_columns_that_nothing_else_would_find():
    table = read([{"i": 1, "v": 1, "who": 1, "when": "2025-01-01T00:00:00Z"}],
                 columns={"inference_id": "i", "vote": "v", "voter_id": "who", "vote_time": "when"})  # fmt: skip
    assert table.votes == 1


def test_two_columns_for_one_field_are_an_error_that_names_both():
    with pytest.raises(InputError, match="'voter', 'user'"):
        read([{"inference_id": 1, "vote": 1, "voter": 1, "user": 2, "vote_time": "2025-01-01T00:00:00Z"}])


def test_a_missing_column_is_named_with_those_there_are():
    with pytest.raises(InputError, match=r"no column for vote_time.*'inference_id'"):
        read([{"inference_id": 1, "vote": 1, "voter_id": 1}])


def test_a_mapping_to_a_field_that_votes_do_not_have_is_refused():
    with pytest.raises(UsageError, match="no field 'colour'"):
        read([row()], columns={"colour": "vote"})


def test_a_mapping_to_a_column_that_is_not_there_names_those_that_are():
    with pytest.raises(UsageError, match=r"'points'.*'inference_id', 'vote'") as caught:
        read([row()], columns={"vote": "points", "voter_id": "voter_id"})
    assert "'voter_id'" not in str(caught.value).partition("'inference_id'")[0]


def test_a_field_that_votes_do_not_have_is_refused_with_those_that_they_have():
    with pytest.raises(UsageError, match="'points'") as caught:
        read([row()], columns={"points": "vote"})
    assert caught.value.hint.endswith(
        "inference_id, vote, voter_id, vote_time, voter_prompt_id, reputation, voter_kind."
    )
