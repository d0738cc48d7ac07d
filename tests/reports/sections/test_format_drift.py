"""What changed in the form of outputs is shown beside the baseline, on the same cases, and weighs nothing."""

from kept_reports import keep_sections
from venire.reports.recorded.outputs_read import CollectedForm
from venire.reports.sections.format_drift import format_drift
from venire.stats.drift.text_form import form_of

TEXTS = {"baseline": "# One\ntext\n# Two\nmore", "loose": "Sorry, I cannot.", "json": '{"a": 1}'}


def collected(variants, **factors):
    return [
        CollectedForm(f"q{number}", variant, "alder", tuple(factors.items()), 1, form_of(TEXTS[variant]))
        for variant in variants
        for number in range(3)
    ]


def cells(section, variant):
    row = next(row for row in section.tables[0].rows if row.names == (variant,))
    return {cell.id.rpartition(".")[2]: cell for cell in row.cells}


def test_variants_are_measured_and_paired_with_the_baseline():
    section = format_drift(collected(("loose", "baseline", "json")))
    base, loose, json_like = (cells(section, name) for name in ("baseline", "loose", "json"))
    assert [cell["with_headings"].value for cell in (base, loose, json_like)] == [1.0, 0.0, 0.0]
    assert (loose["refusals"].value, json_like["json"].value) == (1.0, 1.0)
    assert loose["same_headings"].value == 0.0
    assert loose["length_ratio"].value == len(TEXTS["loose"]) / len(TEXTS["baseline"])
    assert section.table("format_pairs").rows[0].names[2] in ("loose", "json")


def test_a_single_variant_has_nothing_to_be_held_against():
    assert format_drift(collected(("baseline",))) is None
    assert format_drift([]) is None


def test_a_factor_that_a_prompt_states_itself_does_not_keep_variants_from_being_paired():
    forms = collected(("baseline",), language="en") + collected(("loose",), language="zh")
    assert cells(format_drift(forms), "loose")["same_headings"].value == 0.0


def with_forbidden(variants, words):
    return [
        CollectedForm(each.case, each.variant, each.target, each.factors, 1, form_of(TEXTS[each.variant], words))
        for each in collected(variants)
    ]


def shown(table):
    return {row.names[0]: [cell.value for cell in row.cells] for row in table.rows}


def test_forbidden_words_are_shown_by_variant_and_those_that_nobody_uses_are_left_out():
    words = ("sorry", "delve")
    section = format_drift(with_forbidden(("baseline", "loose"), words), words)
    assert shown(section.table("forbidden_words")) == {"sorry": [0.0, 1.0]}
    assert section.notes[0].arguments == {"outputs": 6, "using": 3, "words": 2}
    alone = format_drift(with_forbidden(("loose",), words), words)  # One variant is enough for words to be forbidden.
    assert shown(alone.table("forbidden_words")) == {"sorry": [1.0]}


def test_sections_are_shown_with_their_length_in_each_variant():
    section = format_drift(collected(("baseline", "loose")))
    assert shown(section.table("section_lengths")) == {"One": [4, None], "Two": [4, None]}


def test_what_is_said_of_forms_stays():
    words = ("sorry", "delve", "text")
    keep_sections("format_drift", {
        "three variants": format_drift(collected(("loose", "baseline", "json"))),
        "two variants without a baseline": format_drift(collected(("loose", "json"))),
        "variants in two languages": format_drift(
            collected(("baseline", "json"), language="en") + collected(("loose",), language="zh")
        ),
        "forbidden words": format_drift(with_forbidden(("baseline", "loose"), words), words),
        "forbidden words in one variant": format_drift(with_forbidden(("loose",), words), words),
        "forbidden words that nobody uses": format_drift(with_forbidden(("json",), words), words),
        "nothing": format_drift([]),
    })  # fmt: skip
