"""What a number in the aggregates is said to be, and that quantity computed again."""

from __future__ import annotations

import pytest

from venire.validation.aggregate_claims import AggregateClaim, EntryTotals, understand
from venire.validation.aggregate_words import Meaning

MODELS = ("model", "oak", "elm")
OAK, ELM = Meaning("group", "oak", "model"), Meaning("group", "elm", "model")
LONG = Meaning("group", "long", "prompt")
STYLE, SENSE = Meaning("dimension", "STYLE"), Meaning("dimension", "SENSE")
MEAN, SUM, DIFFERENCE = (Meaning("quantity", name) for name in ("mean", "sum", "difference"))
COUNT, MINUS, TOTAL, ENTRIES = Meaning("quantity", "count"), Meaning("minus"), Meaning("total"), Meaning("entries")
PERFECT, ZERO = Meaning("subject", "perfect"), Meaning("subject", "zero")

ENTRIES_OF_TWO = [
    EntryTotals({"model": "oak"}, 4.0, 4.0, {"STYLE": 2.0, "SENSE": 2.0}),
    EntryTotals({"model": "oak"}, 3.0, 5.0, {"STYLE": 1.0, "SENSE": 2.0}),
    EntryTotals({"model": "elm"}, 0.0, 0.0, {"STYLE": 0.0}),
]


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        (AggregateClaim("mean"), {7 / 3, 3.0}),
        (AggregateClaim("mean", (("model", "oak"),)), {3.5, 4.5}),
        (AggregateClaim("mean", dimension="STYLE"), {1.0}),
        (AggregateClaim("mean", dimension="SENSE"), {4 / 3}),
        (AggregateClaim("sum"), {7.0, 9.0}),
        (AggregateClaim("minimum"), {0.0}),
        (AggregateClaim("maximum"), {4.0, 5.0}),
        (AggregateClaim("count", (("model", "oak"),)), {2}),
        (AggregateClaim("count of perfect scores"), {1}),
        (AggregateClaim("count of perfect scores", dimension="STYLE"), {1}),
        (AggregateClaim("count of zeros"), {1}),
        (AggregateClaim("difference", pair=MODELS, is_signed=True), {3.5, 4.5}),
        (AggregateClaim("difference", pair=MODELS), {3.5, 4.5, -3.5, -4.5}),
        (AggregateClaim("difference", (("model", "oak"),), pair=MODELS), set()),
        (AggregateClaim("mean", (("model", "fir"),)), set()),
        (AggregateClaim("count", (("model", "fir"),)), {0}),
    ],
)
def test_a_quantity_is_computed_from_totals_as_summed_and_as_stated(claim, values):
    assert claim.values(ENTRIES_OF_TWO, 2.0) == values


@pytest.mark.parametrize(
    ("keys", "claim"),
    [
        ([(OAK,)], AggregateClaim("mean", (("model", "oak"),))),
        ([(OAK,), (LONG, SUM)], AggregateClaim("sum", (("model", "oak"), ("prompt", "long")))),
        ([(MEAN, STYLE)], AggregateClaim("mean", dimension="STYLE")),
        ([(STYLE,)], AggregateClaim("mean", dimension="STYLE")),
        ([(ENTRIES,)], AggregateClaim("count")),
        ([(PERFECT,)], AggregateClaim("count of perfect scores")),
        ([(COUNT, ZERO)], AggregateClaim("count of zeros")),
        ([(DIFFERENCE,)], AggregateClaim("difference", pair=MODELS)),
        ([(ELM, MINUS, OAK)], AggregateClaim("difference", pair=("model", "elm", "oak"), is_signed=True)),
        ([(LONG,), (MEAN, DIFFERENCE)], AggregateClaim("difference", (("prompt", "long"),), pair=MODELS)),
    ],
)
def test_the_keys_above_a_number_say_what_it_is(keys, claim):
    assert understand(keys, MODELS) == claim


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ([(Meaning("unknown", "vibes"),)], "finding.unknown_word"),
        ([(OAK,), (ELM,)], "finding.two_groups"),
        ([(OAK, ELM)], "finding.several_groups"),
        ([(STYLE, SENSE)], "finding.several_dimensions"),
        ([(DIFFERENCE, SUM)], "finding.unclear_difference"),
        ([(DIFFERENCE, PERFECT)], "finding.unclear_difference"),
        ([(OAK,), (DIFFERENCE,)], "finding.unclear_difference"),
        ([(MEAN, SUM)], "finding.these_quantities"),
        ([(PERFECT, ZERO)], "finding.several_quantities"),
        ([(PERFECT, MEAN)], "finding.several_quantities"),
        ([(OAK, TOTAL)], "finding.no_quantity"),
        ([(Meaning("plain"),)], "finding.no_quantity"),
    ],
)
def test_what_is_not_clear_is_told_and_not_guessed(keys, code):
    assert understand(keys, MODELS).code == code


def test_a_difference_needs_two_groups():
    assert understand([(DIFFERENCE,)], None).code == "finding.unclear_difference"
    assert understand([(OAK,), (OAK, SUM)], None) == AggregateClaim("sum", (("model", "oak"),))


def test_a_claim_is_said_in_words():
    assert AggregateClaim("difference", pair=MODELS).said().values["groups"] == ("oak - elm",)
    told = AggregateClaim("mean", (("model", "oak"),), "STYLE").said()
    assert (told.code, told.values["what"], told.values["groups"]) == ("finding.claim_of", "STYLE", ("oak",))
    assert AggregateClaim("sum").said().code == "finding.claim"
