import itertools
import statistics

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rating_rows import judgement_rows, overall_row, primary
from venire.errors import UsageError
from venire.stats.drift.contrasts import cliffs, paired_contrasts
from venire.stats.drift.slices import slice_metrics, worst_slices


def output(question, variant, trigger, scores, *, rater="j", model="m"):
    return judgement_rows(
        f"{model} {question} {variant} {trigger}", rater, scores, question_id=question, prompt_variant=variant,
        target_model=model, factors={"trigger": trigger},
    )  # fmt: skip


def bundle():
    """Two questions × four versions × two triggers; `conflict` breaks the structure of every second output."""
    rows = []
    for question, variant, trigger in itertools.product(
        ("3", "4"), ("baseline", "long", "weak", "conflict"), ("implicit", "explicit")
    ):
        broken = variant == "conflict" and trigger == "implicit"
        rows += output(question, variant, trigger, {"A": 0, "B": 0} if broken else {"A": 2, "B": 1})
    return primary(rows)


def test_a_slice_has_the_count_mean_breaks_and_failures_of_its_judgements():
    found = {
        each.where["prompt_variant"]: each
        for each in slice_metrics(bundle(), ["prompt_variant"], structure_dimension="A")
    }
    conflict = found["conflict"]
    assert (conflict.judgements, conflict.samples) == (4, 4)
    assert (conflict.mean_total.value, conflict.hard_break_rate.value) == (1.5, 0.5)
    assert {name: mean.value for name, mean in conflict.dimension_means.items()} == {"A": 1.0, "B": 0.5}
    assert {name: rate.value for name, rate in conflict.failure_rates.items()} == {"A": 0.5, "B": 1.0}
    assert found["long"].hard_break_rate.value == 0.0


def test_slices_are_conjunctions_of_factors_and_lead_to_their_rows():
    found = slice_metrics(bundle(), ["prompt_variant", "trigger"], structure_dimension="A")
    assert len(found) == 8
    worst = worst_slices(found, 1, by="hard_break_rate", smallest=1)[0]
    assert worst.where == {"prompt_variant": "conflict", "trigger": "implicit"}
    assert bundle().rows_behind(worst.where) == ("m 3 conflict implicit|j|0|", "m 4 conflict implicit|j|0|")


def test_no_factors_give_one_slice_of_everything():
    (everything,) = slice_metrics(bundle())
    assert (everything.where, everything.judgements) == ({}, 16)
    assert everything.hard_break_rate.reason == "no structure dimension was named"


def test_errors_are_clustered_by_question_or_by_sample_where_there_is_one_question():
    rows = [
        row
        for question, copy, rater in itertools.product(range(5), range(3), "jk")
        for row in output(str(question), f"v{copy}", "t", {"A": (question + copy) % 3}, rater=rater)
    ]
    (everything,) = slice_metrics(primary(rows))
    assert (everything.clustered_by, everything.mean_total.n["clusters"]) == ("question", 5)
    one = slice_metrics(primary(rows), ["question_id"])[0]
    assert (one.clustered_by, one.mean_total.n["clusters"], one.mean_total.n["values"]) == ("sample", 3, 6)


def test_without_numbers_by_dimension_all_others_are_the_same():
    whole = slice_metrics(bundle(), ["prompt_variant"], structure_dimension="A")
    found = slice_metrics(bundle(), ["prompt_variant"], structure_dimension="A", by_dimension=False)
    assert all(each.dimension_means and each.failure_rates for each in whole)
    assert found == tuple(msgspec.structs.replace(each, dimension_means={}, failure_rates={}) for each in whole)


def test_worst_slices_need_a_number_of_judgements():
    rows = [overall_row("lonely", "j", 0, prompt_variant="rare")]
    rows += [overall_row(f"u{n}", "j", 5 + n % 2, prompt_variant="often") for n in range(6)]
    found = slice_metrics(primary(rows), ["prompt_variant"])
    assert [each.where["prompt_variant"] for each in worst_slices(found)] == ["often"]
    assert [each.where["prompt_variant"] for each in worst_slices(found, smallest=1)] == ["rare", "often"]


def test_a_structure_dimension_that_is_not_scored_is_an_error_that_lists_the_dimensions():
    with pytest.raises(UsageError, match="A, B"):
        slice_metrics(bundle(), structure_dimension="C")


SCORED = st.tuples(
    st.sampled_from("pq"), st.sampled_from("xy"), st.sampled_from("jk"), st.integers(0, 2), st.integers(0, 2)
)


@given(st.lists(SCORED, min_size=1, max_size=12, unique_by=lambda drawn: drawn[:3]))
@settings(max_examples=50)
def test_slices_are_those_of_a_plain_loop(drawn):
    rows = [
        row
        for question, variant, rater, a, b in drawn
        for row in output(question, variant, "t", {"A": a, "B": b}, rater=rater)
    ]
    found = slice_metrics(primary(rows), ["prompt_variant", "rater"], structure_dimension="A")
    plain = {}
    for _, variant, rater, a, b in drawn:
        plain.setdefault((variant, rater), []).append((a, b))
    assert [tuple(each.where.values()) for each in found] == list(plain)
    for each in found:
        pairs = plain[tuple(each.where.values())]
        assert each.judgements == len(pairs)
        assert each.mean_total.value == pytest.approx(statistics.fmean(a + b for a, b in pairs))
        assert each.hard_break_rate.value == pytest.approx(statistics.fmean(a == 0 for a, _ in pairs))
        assert each.failure_rates["B"].value == pytest.approx(statistics.fmean(b < 2 for _, b in pairs))
        assert each.dimension_means["B"].value == pytest.approx(statistics.fmean(b for _, b in pairs))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        list(output("3", "long", "t", {"A": 1, "B": 1})),
        [row for n in range(4) for row in output(str(n), "long", "t", {"A": 0, "B": 0})],
        [row for n in range(4) for row in output("3", f"v{n}", "t", {"A": 2, "B": 2})],
    ],
)
def test_degenerate_tables_give_values_or_reasons(rows):
    found = primary(rows)
    structure = "A" if rows else None
    for each in slice_metrics(found, ["prompt_variant"], structure_dimension=structure):
        for estimate in (each.mean_total, each.hard_break_rate, *each.dimension_means.values()):
            assert estimate.value is not None
            assert estimate.low is not None or estimate.reason
    for contrast in paired_contrasts(found, structure_dimension=structure):
        assert contrast.total.p_value is not None or contrast.total.reason
    if rows:
        assert all(cliff.jump.value == 0 for cliff in cliffs(found, "A"))
