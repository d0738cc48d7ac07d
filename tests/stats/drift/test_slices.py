import itertools
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rating_rows import judgement_rows, overall_row, primary
from venire.errors import UsageError
from venire.stats.comparison.paired import paired_t
from venire.stats.drift.contrasts import cliffs, paired_contrasts
from venire.stats.drift.slices import slice_metrics, worst_slices
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share, share_difference
from venire.stats.uncertainty.intervals import wilson_interval


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


def test_contrasts_pair_the_same_question_and_model():
    first, second = [3.0, 4.0, 6.0], [2.0, 5.0, 2.0]
    rows = [
        overall_row(f"b{n}", "j", score, question_id=str(n), prompt_variant="base") for n, score in enumerate(first)
    ]
    rows += [
        overall_row(f"l{n}", "j", score, question_id=str(n), prompt_variant="long") for n, score in enumerate(second)
    ]
    rows.append(overall_row("l9", "j", 9, question_id="9", prompt_variant="long"))
    (contrast,) = paired_contrasts(primary(rows))
    assert (contrast.first, contrast.second, contrast.unmatched, contrast.clustered_by) == (
        "base",
        "long",
        1,
        "question",
    )
    expected = paired_t(first, second)
    assert contrast.total.difference.value == pytest.approx(expected.difference.value)
    assert contrast.total.p_value == pytest.approx(expected.p_value)
    assert contrast.total_adjusted_p == contrast.total.p_value


def test_contrasts_are_adjusted_for_how_many_they_are():
    rng = np.random.default_rng(3)
    rows = [
        overall_row(f"{variant}{n}", "j", rng.uniform(0, 5) + shift, question_id=str(n), prompt_variant=variant)
        for variant, shift in (("a", 0), ("b", 3), ("c", 4))
        for n in range(12)
    ]
    contrasts = paired_contrasts(primary(rows))
    assert [(each.first, each.second) for each in contrasts] == [("a", "b"), ("a", "c"), ("b", "c")]
    smallest = min(contrasts, key=lambda each: each.total.p_value)
    assert smallest.total_adjusted_p == pytest.approx(3 * smallest.total.p_value)
    against = paired_contrasts(primary(rows), baseline="a")
    assert [(each.first, each.second) for each in against] == [("b", "a"), ("c", "a")]


def test_contrasts_can_hold_the_trigger_fixed_and_compare_triggers():
    found = paired_contrasts(bundle(), match=("question_id", "target_model", "trigger"), structure_dimension="A")
    assert {each.total.n["values"] for each in found} == {4}
    (trigger,) = paired_contrasts(bundle(), "trigger", match=("question_id", "prompt_variant"), structure_dimension="A")
    assert trigger.hard_break.difference.value == pytest.approx(0.25)
    assert trigger.total.difference.value == pytest.approx(-0.75)


def test_single_pairs_of_breaks_are_compared_exactly():
    rows = []
    for n in range(8):
        rows += output(str(n), "base", "t", {"A": 2})
        rows += output(str(n), "long", "t", {"A": 0 if n < 6 else 2})
    (contrast,) = paired_contrasts(primary(rows), structure_dimension="A")
    assert contrast.hard_break.method == "McNemar, exact"
    assert contrast.hard_break.p_value == pytest.approx(2 * 0.5**6)
    assert contrast.hard_break.difference.value == -0.75


def test_several_judges_of_one_output_are_not_counted_as_several_pairs():
    rows = []
    for n, rater in itertools.product(range(4), "jkl"):
        rows += output(str(n), "base", "t", {"A": 2}, rater=rater)
        rows += output(str(n), "long", "t", {"A": n % 2 * 2}, rater=rater)
    (contrast,) = paired_contrasts(primary(rows), structure_dimension="A")
    assert contrast.total.n["clusters"] == 4
    assert "clustered" in contrast.hard_break.method


def test_matching_on_the_contrasted_factor_is_refused():
    with pytest.raises(UsageError, match="prompt_variant"):
        paired_contrasts(bundle(), match=("prompt_variant",))


def test_an_unknown_baseline_is_refused():
    with pytest.raises(UsageError, match="baseline, long, weak, conflict"):
        paired_contrasts(bundle(), baseline="none")


def test_cliffs_are_the_largest_jumps_between_neighbours():
    found = cliffs(bundle(), "A", order=("baseline", "long", "weak", "conflict"), within=("trigger",), k=2)
    assert (found[0].first, found[0].second, found[0].where) == ("weak", "conflict", {"trigger": "implicit"})
    assert (found[0].before.value, found[0].after.value, found[0].jump.value) == (0.0, 1.0, 1.0)
    assert found[1].jump.value == 0.0


def test_the_order_decides_which_variants_are_neighbours():
    (cliff,) = cliffs(bundle(), "A", order=("conflict", "baseline"))
    assert (cliff.first, cliff.jump.value) == ("conflict", -0.5)


def test_a_jump_has_newcombes_interval():
    # Newcombe 1998, Stat. Med. 17, table II, example (a), method 10: 56/70 − 48/80, interval 0.0524 to 0.3339.
    jump = share_difference(wilson_interval(48, 80), wilson_interval(56, 70))
    assert (jump.value, jump.low, jump.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_shares_without_clusters_have_wilsons_interval():
    share = clustered_share([1, 0, 0, 1, 0], range(5))
    plain = wilson_interval(2, 5)
    assert (share.value, share.low, share.high) == (plain.value, plain.low, plain.high)


def test_shares_of_full_clusters_are_as_wide_as_if_each_cluster_counted_once():
    many = clustered_share(np.repeat([1, 0, 0, 1, 0, 0, 1, 0], 10), np.repeat(np.arange(8), 10))
    assert many.n["effective trials"] == 7  # 8 clusters, less the one that the CR1 factor takes
    assert many.high - many.low > wilson_interval(3, 8).high - wilson_interval(3, 8).low


def test_a_clustered_share_has_the_interval_of_korn_and_graubard():
    # A plain second computation: exact binomial ends for n_eff · (z/t)² trials.
    successes, clusters = [1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0], np.repeat(np.arange(4), 3)
    sums = np.array([1, 2, 0, 1]) - 3 / 3
    variance = 4 / 3 * float(sums @ sums) / 12**2
    trials = 1 / 3 * 2 / 3 / variance * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 3)) ** 2
    share = clustered_share(successes, clusters)
    assert share.low == pytest.approx(stats.beta.ppf(0.025, trials / 3, trials * 2 / 3 + 1))
    assert share.high == pytest.approx(stats.beta.ppf(0.975, trials / 3 + 1, trials * 2 / 3))


def test_a_share_of_zero_counts_each_cluster_once():
    none = clustered_share(np.zeros(30), np.repeat(np.arange(10), 3))
    assert (none.value, none.low, none.n["effective trials"]) == (0.0, 0.0, 10)
    assert none.high == pytest.approx(1 - 0.025**0.1)  # Clopper and Pearson's upper end of none in ten.


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_clustered_share_lies_in_its_interval_and_in_zero_to_one(drawn):
    successes, clusters = zip(*drawn, strict=True)
    share = clustered_share(successes, clusters)
    assert share.value == pytest.approx(clustered_mean(successes, clusters).value)
    if share.low is not None:
        assert 0 <= share.low <= share.value <= share.high <= 1
    else:
        assert share.reason


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


def test_samples_without_the_factor_are_left_out_of_its_contrasts():
    triggers = [{}, {}, *({"trigger": name} for _ in range(5) for name in ("implicit", "explicit"))]
    rows = [
        overall_row(f"u{number}", "j", number % 5, question_id=f"q{number // 2}", target_model="m", factors=factors)
        for number, factors in enumerate(triggers)
    ]
    (contrast,) = paired_contrasts(primary(rows), "trigger")
    assert {contrast.first, contrast.second} == {"implicit", "explicit"}
    assert 5 in contrast.total.n.values()
