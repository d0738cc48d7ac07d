from collections import Counter

import msgspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating_rows import judgement_rows, overall_row, primary
from venire.domain.design import BundleDesign
from venire.domain.judgement import Judgement, Method, Status
from venire.domain.protocol import Dimension, EvalProtocol, EvidencePolicy, OverallRule, Scale
from venire.domain.sample import Sample
from venire.errors import InputError, PoolingError, UsageError
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.rating import Asked, Rating, ratings_of
from venire.stats.ratings.table import RatingsTable

WORDS = {"en": "x", "zh": "x"}


def protocol(**changes):
    made = EvalProtocol(
        id="p", version="1", title=WORDS, source=WORDS, shape="sample", instructions=WORDS,
        scales=(Scale("0-2", 0, 2, {}, integer=True),),
        dimensions=(Dimension("a", WORDS, WORDS), Dimension("b", WORDS, WORDS)),
        overall=OverallRule("overall_score", "sum"), evidence=EvidencePolicy("none"),
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def judgement(of, **changes):
    made = Judgement(
        protocol=of.digest, profile="strict", reply_sha256="r", sample="o1", sample_digest="", status=Status.VALID,
        scores={"a": 2.0, "b": 1.0}, overall=3.0, verdict="PARTIAL", scale="0-2",
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


def test_a_judgement_becomes_a_row_for_each_dimension_with_the_factors_of_its_sample():
    rubric = protocol()
    sample = Sample(
        "o1", "four", question_id="q", prompt_variant="v", target_model="m", factors={"trigger": "implicit"}
    )
    rows = list(
        ratings_of(
            judgement(rubric, sample_digest=sample.digest), rubric, {sample.digest: sample}, Asked(rater="j", key="k")
        )
    )
    assert [(row.dimension, row.score) for row in rows] == [("a", 2.0), ("b", 1.0)]
    row = rows[0]
    assert (row.unit, row.rater, row.judgement, row.question_id) == (sample.digest, "j", "k", "q")
    assert (row.prompt_variant, row.target_model, row.length, row.factors) == ("v", "m", 4, {"trigger": "implicit"})
    assert (row.minimum, row.maximum, row.overall_minimum, row.overall_maximum) == (0, 2, 0, 4)


def test_a_weighted_overall_lies_on_the_scale_of_its_criteria():
    rubric = protocol(overall=OverallRule("overall_score", "weighted"))
    row = next(iter(ratings_of(judgement(rubric), rubric, {}, Asked(rater="j", key="k"))))
    assert (row.overall_minimum, row.overall_maximum) == (0, 2)


def test_a_judgement_without_scores_keeps_a_row_to_be_counted():
    rubric = protocol()
    silent = judgement(rubric, scores={}, overall=None, status=Status.INVALID)
    rows = list(ratings_of(silent, rubric, {}, Asked(rater="j", key="k")))
    assert [(row.dimension, row.score) for row in rows] == [("", None)]
    assert primary(rows).excluded == {"invalid": 1}


def test_a_judgement_under_another_protocol_is_refused():
    other = protocol(version="2")
    with pytest.raises(UsageError, match="found one under"):
        list(ratings_of(judgement(protocol()), other, {}, Asked(rater="j", key="k")))


def bundle(status, *entries):
    design = BundleDesign("q{q} {v}.pdf", {"q": ("3", "4"), "v": ("long",)}, "q", "v", {}, {})
    rubric = protocol(shape="bundle", design=design)
    inner = tuple(
        judgement(rubric, sample=f"q{3 + place} long.pdf", status=entry) for place, entry in enumerate(entries)
    )
    return rubric, judgement(rubric, sample="bundle", status=status, scores={}, entries=inner)


def test_entries_of_a_bundle_take_their_factors_from_the_design():
    rubric, whole = bundle(Status.VALID, Status.VALID, Status.VALID)
    rows = list(ratings_of(whole, rubric, {}, Asked(rater="j", key="k", target_model="m")))
    assert {(row.unit, row.question_id, row.prompt_variant, row.target_model) for row in rows} == {
        ("m/q3 long.pdf", "3", "long", "m"),
        ("m/q4 long.pdf", "4", "long", "m"),
    }


def test_entries_of_an_invalid_bundle_count_only_if_they_may_stand_alone():
    rubric, whole = bundle(Status.INVALID, Status.VALID, Status.INVALID)
    asked = Asked(rater="j", key="k")
    assert primary(ratings_of(whole, rubric, {}, asked)).excluded == {"invalid": 2}
    alone = primary(ratings_of(whole, rubric, {}, asked, entries_stand_alone=True))
    assert alone.excluded == {"invalid": 1}
    assert alone.table.judgement_count == 1


def test_the_primary_set_counts_what_it_leaves_out_by_reason():
    rows = [
        *judgement_rows("u1", "j", {"a": 1, "b": 2}, method=Method.CROSS_JUDGE),
        *judgement_rows("u2", "j", {"a": 1, "b": 2}, status=Status.INVALID),
        *judgement_rows("u3", "j", {"a": 1, "b": 2}, status=Status.RECOVERED),
        *judgement_rows("u4", "j", {"a": 1, "b": 2}, method=Method.SELF_JUDGE),
        *judgement_rows("u1", "j", {"a": 0, "b": 0}, repeat="retest-1"),
        *judgement_rows("u5", "j", {}),
        *judgement_rows("u6", "j", {"a": 1}, judgement="old"),
        *judgement_rows("u6", "j", {"b": 2}, judgement="new"),
    ]
    found = primary(rows)
    assert found.excluded == {
        "superseded": 1, "invalid": 1, "recovered": 1, "self-judged": 1, "asked again": 1, "without a score": 1,
    }  # fmt: skip
    assert found.table.frame["judgement"].unique(maintain_order=True).to_list() == ["u1|j|0|", "new"]
    assert found.method_unknown == 1


def test_recovered_and_self_judged_ones_count_only_on_request():
    rows = [
        *judgement_rows("u3", "j", {"a": 1}, status=Status.RECOVERED),
        *judgement_rows("u4", "j", {"a": 1}, method=Method.SELF_JUDGE),
    ]
    assert len(primary(rows).table) == 0
    assert len(primary(rows, count_recovered=True).table) == 1
    assert len(primary(rows, include_self=True).table) == 1


def test_the_first_valid_reply_counts_if_a_judge_was_asked_again_after_an_invalid_one():
    rows = [
        *judgement_rows("u1", "j", {"a": 1}, status=Status.INVALID),
        *judgement_rows("u1", "j", {"a": 1}, status=Status.INVALID, repeat="reask-1"),
        *judgement_rows("u1", "j", {"a": 2}, repeat="reask-10"),
        *judgement_rows("u1", "j", {"a": 0}, repeat="reask-2"),
        *judgement_rows("u1", "other", {"a": 1}),
        *judgement_rows("u1", "other", {"a": 2}, repeat="reask-1"),
    ]
    found = primary(rows)
    assert found.table.frame["judgement"].to_list() == ["u1|j|reask-2|", "u1|other|0|"]
    assert found.excluded == {"invalid": 2, "asked again": 2}


def test_a_consistency_check_never_stands_in_for_an_invalid_first_reply():
    rows = [
        *judgement_rows("u1", "j", {"a": 1}, status=Status.INVALID),
        *judgement_rows("u1", "j", {"a": 2}, repeat="retest-1"),
        *judgement_rows("u2", "j", {"a": 1}, status=Status.INVALID),
        *judgement_rows("u2", "j", {"a": 2}, repeat="reask-1"),
    ]
    found = primary(rows)
    assert found.table.frame["judgement"].to_list() == ["u2|j|reask-1|"]
    assert found.excluded == {"invalid": 2, "asked again": 1}


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


def test_rows_are_read_as_a_stream_across_chunks():
    def rows():
        for number in range(70_000):
            factors = {"late": "x"} if number == 69_999 else {}
            yield overall_row(f"u{number}", "j", number % 11, factors=factors)

    table = RatingsTable.from_rows(rows())
    assert len(table) == 70_000
    assert len(table.only(where={"late": "x"})) == 1


def test_an_empty_table_gives_an_empty_primary_set():
    found = primary([])
    assert (found.excluded, found.raters, found.dimensions, len(found.table)) == ({}, (), (), 0)
    assert found.matrix().unit_count == 0
    assert not krippendorff_alpha(found.matrix(), "interval").known


def test_scores_that_are_not_finite_are_missing():
    found = primary([Rating(unit="u", rater="j", dimension="a", score=float("nan"), judgement="k")])
    assert found.excluded == {"without a score": 1}


def test_an_unknown_factor_is_an_error_that_lists_the_known_ones():
    with pytest.raises(UsageError, match="trigger"):
        RatingsTable.from_rows(judgement_rows("u", "j", {"a": 1}, factors={"trigger": "x"})).only(where={"triger": "x"})


def test_the_rows_behind_a_slice_are_the_keys_of_its_judgements():
    found = primary(
        [
            *judgement_rows("u1", "j", {"a": 1, "b": 1}, prompt_variant="long", factors={"trigger": "implicit"}),
            *judgement_rows("u2", "j", {"a": 1, "b": 1}, prompt_variant="long", factors={"trigger": "explicit"}),
        ]
    )
    assert found.rows_behind({"prompt_variant": "long", "trigger": "explicit"}) == ("u2|j|0|",)


SCORES = {"unit": ["a", "a", "b"], "rater": ["x", "y", "x"], "score": [1, 2, None]}


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table, lambda data: pl.DataFrame(data).lazy()])
def test_any_kind_of_frame_is_read(make):
    found = RatingsTable.from_frame(make(SCORES), minimum=0, maximum=10).primary()
    assert found.matrix().scores.tolist() == [[1.0, 2.0]]
    assert found.excluded == {"without a score": 1}


def test_columns_of_a_frame_may_be_called_otherwise_and_hold_factors():
    frame = pl.DataFrame({"id": ["a"], "who": ["x"], "s": [1.5], "trigger": ["implicit"], "question_id": [7]})
    table = RatingsTable.from_frame(
        frame, columns={"unit": "id", "rater": "who", "score": "s"}, factors=["trigger"], minimum=1, maximum=5
    )
    row = table.frame.row(0, named=True)
    assert (row["unit"], row["rater"], row["score"], row["factor.trigger"], row["question_id"]) == (
        "a", "x", 1.5, "implicit", "7",
    )  # fmt: skip


def test_dimensions_of_a_frame_belong_to_one_judgement():
    frame = pl.DataFrame({"unit": ["a", "a"], "rater": ["x", "x"], "score": [1, 2], "dimension": ["p", "q"]})
    assert RatingsTable.from_frame(frame).judgement_count == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"unit": ["a"], "score": [1]}, "'rater'"),
        ({"unit": ["a"], "rater": ["x"], "score": ["good"]}, "expected numbers in column 'score'"),
        ({"unit": ["a", "a"], "rater": ["x", "x"], "score": [1, 2]}, "found more of unit 'a' by 'x'"),
        ({"unit": ["a", None], "rater": ["x", "x"], "score": [1, 2]}, "row 2: expected a unit"),
        ({"unit": ["a"], "rater": ["x"], "score": [1], "status": ["ok"]}, "found 'ok'"),
    ],
)
def test_a_frame_that_cannot_be_read_is_an_error_that_says_why(data, message):
    with pytest.raises(InputError, match=message):
        RatingsTable.from_frame(pl.DataFrame(data))


def test_something_that_is_no_frame_is_refused():
    with pytest.raises(InputError, match="expected a data frame"):
        RatingsTable.from_frame([1, 2])


RATING = st.tuples(
    st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from(["0", "0", "retest-1", "reask-1", "reask-2"]),
    st.sampled_from([*Status]), st.sampled_from([None, *Method]), st.integers(0, 2),
)  # fmt: skip


@given(st.lists(RATING, max_size=25))
def test_the_primary_set_is_what_a_plain_loop_keeps(drawn):
    rows = [
        row
        for number, (unit, rater, repeat, status, method, score) in enumerate(drawn)
        for row in judgement_rows(
            unit, rater, {"a": score}, repeat=repeat, status=status, method=method, judgement=str(number)
        )
    ]
    last = {(row.unit, row.rater, row.repeat): row for row in rows}
    reasons = Counter({"superseded": len(rows) - len(last)})
    kept = []
    order = ["0", "reask-1", "reask-2", "retest-1"]
    counted = set()
    for row in sorted(last.values(), key=lambda row: order.index(row.repeat)):
        if row.status is not Status.VALID:
            reasons[row.status.value] += 1
        elif row.method is Method.SELF_JUDGE:
            reasons["self-judged"] += 1
        elif row.repeat == "retest-1" or (row.unit, row.rater) in counted:
            reasons["asked again"] += 1
        else:
            counted.add((row.unit, row.rater))
            kept.append(row.judgement)
    found = primary(rows)
    assert found.excluded == {name: count for name, count in reasons.items() if count}
    assert sorted(found.table.frame["judgement"]) == sorted(kept)


@given(st.dictionaries(st.tuples(st.integers(0, 5), st.sampled_from("xyz")), st.integers(0, 10), max_size=15))
def test_the_matrix_holds_each_score_in_its_place(ratings):
    found = primary(overall_row(f"u{unit}", rater, score) for (unit, rater), score in ratings.items())
    matrix = found.matrix()
    assert int(matrix.present.sum()) == len(ratings)
    for (unit, rater), score in ratings.items():
        assert matrix.scores[matrix.units.index(f"u{unit}"), matrix.raters.index(rater)] == score


def test_rows_of_a_plain_table_are_told_apart_by_their_numbers() -> None:
    frame = {"unit": ["a", "b", "a", "b"], "rater": ["x", "x", "y", "y"], "score": [1.0, 2.0, 3.0, 4.0]}
    table = RatingsTable.from_frame(pl.DataFrame(frame))
    assert table.frame["judgement"].cast(pl.String).to_list() == ["row 1", "row 2", "row 3", "row 4"]
