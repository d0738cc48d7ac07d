"""Which pairs are made of samples, and in which order each is shown."""

import msgspec
import pytest

from venire.domain.sample import Sample
from venire.errors import InputError
from venire.inputs.pairs import PairPlan, SomePairs, read_pairs


def outputs(questions=3, models=("alder", "birch", "cedar", "dogwood")):
    for question in range(questions):
        for model in models:
            name = f"q{question}"
            yield Sample(
                f"{name}-{model}", f"{model} says {question}", name, target_model=model, task=f"Task {question}"
            )


def pairs(samples=None, seed=0, on_problem=None, **plan):
    found = samples if samples is not None else outputs()
    return list(read_pairs(found, PairPlan(**plan), seed=seed, where="t.csv", on_problem=on_problem))


def models_of(found):
    return [(pair.question_id, *pair.target_models) for pair in found]


def test_all_pairs_of_a_question_are_made_in_both_orders_and_never_across_questions():
    found = models_of(pairs())
    assert len(found) == len(set(found)) == 3 * 4 * 3
    assert {(question, second, first) for question, first, second in found} == set(found)
    assert all(pair.samples[0].question_id == pair.samples[1].question_id for pair in pairs())


def test_the_order_of_the_rows_does_not_matter_to_which_pairs_are_made():
    scattered = sorted(outputs(), key=lambda sample: sample.text[::-1])
    for plan in ({"order": "random"}, {"order": "random", "choose": SomePairs(share=0.5)}):
        assert {pair.digest for pair in pairs(scattered, **plan)} == {pair.digest for pair in pairs(**plan)}


def test_a_random_order_is_a_fair_coin_that_the_seed_decides():
    one, again, other = (models_of(pairs(list(outputs(200)), seed, order="random")) for seed in (1, 1, 2))
    assert one == again != other
    first = sum(first < second for _, first, second in one)
    assert abs(first - 600) < 3.3 * 300**0.5  # 1200 tosses


def test_a_fixed_order_is_that_of_the_samples():
    assert all(first < second for _, first, second in models_of(pairs(order="fixed")))


def test_neighbours_make_a_ring():
    found = models_of(pairs(outputs(1), order="fixed", choose="neighbours"))
    assert {frozenset(each[1:]) for each in found} == {
        frozenset(each) for each in (("alder", "birch"), ("birch", "cedar"), ("cedar", "dogwood"), ("alder", "dogwood"))
    }


def test_a_baseline_is_in_every_pair_and_every_other_model_meets_it():
    found = models_of(pairs(order="fixed", choose=SomePairs(baseline="cedar")))
    assert len(found) == 9
    assert all("cedar" in each for each in found)


def test_a_share_of_the_pairs_is_drawn_whole_with_both_orders():
    found = models_of(pairs(list(outputs(300)), choose=SomePairs(share=0.2)))
    assert abs(len(found) / 2 - 360) < 3.3 * 17  # of 1800
    assert {(question, second, first) for question, first, second in found} == set(found)


def test_outputs_of_other_variants_or_factors_are_not_compared():
    samples = list(outputs(1, ("alder", "birch")))
    other = [
        msgspec.structs.replace(samples[0], prompt_variant="B"),
        msgspec.structs.replace(samples[1], factors={"x": "1"}),
    ]
    assert pairs([samples[0], other[1]]) == pairs([other[0], samples[1]]) == []


def test_two_outputs_of_one_model_are_not_compared_with_each_other():
    twice = [Sample(f"o{number}", "words", "q", target_model="alder", task="T") for number in range(2)]
    assert pairs([*twice, Sample("o3", "words", "q", target_model="birch", task="T")], order="fixed") != []
    assert pairs(twice) == []


def test_outputs_without_a_question_are_paired_by_their_task():
    samples = [Sample(f"o-{model}", "words", target_model=model, task="T") for model in ("alder", "birch")]
    assert len(pairs(samples)) == 2


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        (Sample("o", "words", "q", task="T"), "the model of sample 'o'"),
        (Sample("o", "words", target_model="alder"), "the question or the task"),
        (Sample("o", "words", "q0", target_model="alder", task="Another"), "another one in sample 'o'"),
    ],
)
def test_what_cannot_be_paired_is_a_problem_and_the_rest_goes_on(sample, said):
    problems = []
    assert len(pairs([*outputs(1), sample], on_problem=problems.append)) == 12
    assert said in problems[0].message
    with pytest.raises(InputError):
        pairs([*outputs(1), sample])


def test_a_choice_has_one_meaning():
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"choose": {"baseline": "a", "share": 0.5}}, PairPlan)
