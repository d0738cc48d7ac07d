import itertools

import numpy as np
import pytest

from rating_rows import judgement_rows, overall_row, primary
from venire.errors import UsageError
from venire.stats.comparison.paired import paired_t
from venire.stats.drift.contrasts import cliffs, paired_contrasts


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


def test_samples_without_the_factor_are_left_out_of_its_contrasts():
    triggers = [{}, {}, *({"trigger": name} for _ in range(5) for name in ("implicit", "explicit"))]
    rows = [
        overall_row(f"u{number}", "j", number % 5, question_id=f"q{number // 2}", target_model="m", factors=factors)
        for number, factors in enumerate(triggers)
    ]
    (contrast,) = paired_contrasts(primary(rows), "trigger")
    assert {contrast.first, contrast.second} == {"implicit", "explicit"}
    assert 5 in contrast.total.n.values()


def test_pairs_that_were_picked_are_adjusted_for_all_that_could_have_been():
    rng = np.random.default_rng(4)
    rows = [
        overall_row(f"{variant}{n}", "j", rng.uniform(0, 5) + shift, question_id=str(n), prompt_variant=variant)
        for variant, shift in (("a", 0), ("b", 1), ("c", 2), ("d", 3))
        for n in range(12)
    ]
    (one,) = paired_contrasts(primary(rows), pairs=[("d", "a")])
    assert (one.first, one.second) == ("d", "a")
    assert one.total_adjusted_p == pytest.approx(min(1.0, 6 * one.total.p_value))
    two = paired_contrasts(primary(rows), pairs=[("d", "a"), ("c", "b")])
    assert min(each.total_adjusted_p for each in two) == pytest.approx(
        min(1.0, 6 * min(each.total.p_value for each in two))
    )


def test_variants_that_repeat_their_question_make_a_contrast_no_surer():
    def difference(variants):
        rows = [
            overall_row(
                f"{model}{question}{variant}", "oak", 4 + (question * 5 % 7) / 3 * (model == "alder"),
                target_model=model, question_id=f"q{question}", prompt_variant=f"v{variant}",
            )
            for question in range(7) for variant in range(variants) for model in ("alder", "birch")
        ]  # fmt: skip
        (found,) = paired_contrasts(primary(rows), "target_model", match=("question_id", "prompt_variant"))
        assert found.clustered_by == "question"
        return found.total

    once, repeated = difference(1), difference(4)
    assert repeated.p_value == pytest.approx(once.p_value)
    assert (repeated.difference.low, repeated.difference.high) == pytest.approx(
        (once.difference.low, once.difference.high)
    )


def test_variants_that_repeat_their_question_make_a_contrast_of_breaks_no_surer():
    def breaks(variants):
        rows = [
            row
            for question in range(7)
            for variant in range(variants)
            for model in ("alder", "birch")
            for row in judgement_rows(
                f"{model}{question}{variant}",
                "oak",
                {"structure": 0 if model == "birch" and question % 3 else 2},
                target_model=model,
                question_id=f"q{question}",
                prompt_variant=f"v{variant}",
            )
        ]
        (found,) = paired_contrasts(
            primary(rows), "target_model", match=("question_id", "prompt_variant"), structure_dimension="structure"
        )
        return found.hard_break

    twice, repeated = breaks(2), breaks(6)
    assert twice.difference.low is not None
    assert repeated.p_value == pytest.approx(twice.p_value)
    assert repeated.difference.low == pytest.approx(twice.difference.low)
