from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rating_rows import judgement_rows, overall_row, primary
from venire.domain.judgement import Method, Status
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha


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


def test_an_empty_table_gives_an_empty_primary_set():
    found = primary([])
    assert (found.excluded, found.raters, found.dimensions, len(found.table)) == ({}, (), (), 0)
    assert found.matrix().unit_count == 0
    assert not krippendorff_alpha(found.matrix(), "interval").known


def test_the_rows_behind_a_slice_are_the_keys_of_its_judgements():
    found = primary(
        [
            *judgement_rows("u1", "j", {"a": 1, "b": 1}, prompt_variant="long", factors={"trigger": "implicit"}),
            *judgement_rows("u2", "j", {"a": 1, "b": 1}, prompt_variant="long", factors={"trigger": "explicit"}),
        ]
    )
    assert found.rows_behind({"prompt_variant": "long", "trigger": "explicit"}) == ("u2|j|0|",)


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
