"""Samples and bundles: their ids follow their content, and offsets lead to pages."""

from __future__ import annotations

import msgspec
import pytest

from valid_replies import PAIR
from venire.domain.canonical import digest
from venire.domain.sample import Bundle, Sample, Source, make_pair

SAMPLE = Sample("a", "text", question_id="q", prompt_variant="v", target_model="m", factors={"language": "zh"})


@pytest.mark.parametrize(
    "change",
    [
        {"output_id": "b"},
        {"text": "text "},
        {"question_id": ""},
        {"prompt_variant": "w"},
        {"target_model": "n"},
        {"task": "Do it."},
        {"factors": {"language": "en"}},
        {"source": Source("a.txt", "0" * 64)},
    ],
)
def test_any_change_of_a_sample_gives_another_id(change: dict[str, object]) -> None:
    assert msgspec.structs.replace(SAMPLE, **change).digest != SAMPLE.digest
    assert msgspec.structs.replace(SAMPLE).digest == SAMPLE.digest


def test_notes_of_a_sample_are_no_part_of_its_id() -> None:
    assert msgspec.structs.replace(SAMPLE, notes={"latency_ms": "312"}).digest == SAMPLE.digest


def test_the_id_of_a_bundle_follows_its_samples_and_their_order() -> None:
    other = msgspec.structs.replace(SAMPLE, output_id="b")
    digests = {
        Bundle("x", samples, model).digest
        for samples in ((SAMPLE, other), (other, SAMPLE), (SAMPLE,))
        for model in ("", "m")
    }
    assert len(digests) == 6


@pytest.mark.parametrize(("offset", "page"), [(0, 1), (9, 1), (10, 2), (24, 2), (25, 3), (999, 3)])
def test_an_offset_leads_to_its_page(offset: int, page: int) -> None:
    assert Source("a.pdf", "0" * 64, (0, 10, 25)).page_at(offset) == page


def test_a_file_without_pages_has_no_page() -> None:
    assert Source("a.txt", "0" * 64).page_at(5) is None


def test_a_bundle_finds_its_outputs_by_name_and_a_sample_is_what_is_found():
    first, second = Sample("a", "one"), Sample("b", "two")
    bundle = Bundle("set", (first, second))
    assert (bundle.find("b"), bundle.find("c"), first.find("any name")) == (second, None, first)


def test_a_sample_tells_its_place_in_an_experiment_as_far_as_it_is_known():
    sample = Sample("a", "one", question_id="q1", target_model="elm", notes={"seconds": "3"})
    assert sample.place == {"question_id": "q1", "target_model": "elm", "notes": {"seconds": "3"}}
    bundle = Bundle("set", (sample,), "elm")
    assert (bundle.probe, bundle.question_id, bundle.prompt_variant, bundle.category) == ("", "", "", "")
    assert bundle.place == {}


@pytest.mark.parametrize("factors", [{}, {"b": "é", "a": "判"}, {"é": "1", "\U0001f600": "2", "\uffee": "3"}])
@pytest.mark.parametrize("source", [None, Source("a.txt", "0" * 64)])
def test_the_id_of_a_sample_is_over_its_canonical_json(factors: dict[str, str], source: Source | None) -> None:
    sample = Sample("a", 'text "é"\n', "q", "v", "m", "task", factors, source)
    content = msgspec.to_builtins(sample)
    for name in ("notes", "materials", "probe"):
        del content[name]
    assert sample.digest == digest("sample", content)


def test_swapped_it_is_another_pair_with_the_same_name_in_either_order():
    first, second = PAIR.samples
    swapped = make_pair(second, first)
    assert swapped.digest != PAIR.digest
    assert swapped.name != PAIR.name
    assert swapped.either_order == PAIR.either_order


def test_it_stands_where_its_outputs_stand():
    assert (PAIR.question_id, PAIR.target_models) == ("q1", ("alder-7b", "birch-9b"))
    assert PAIR.place == {"question_id": "q1"}
    assert PAIR.find("q1-alder") is PAIR.samples[0]
    assert PAIR.pair is PAIR
    assert PAIR.samples[0].pair is None


OTHER = Sample("b", "other", question_id="q", prompt_variant="v", target_model="n", probe="worse")
PROPERTIES = (
    "kind", "name", "probe", "question_id", "prompt_variant", "category", "place", "target_models", "pair", "samples",
)  # fmt: skip


def test_what_a_sample_a_bundle_and_a_pair_say_of_themselves():
    pair, bundle = make_pair(SAMPLE, OTHER), Bundle("set", (SAMPLE, OTHER), "m")
    place = {"question_id": "q", "prompt_variant": "v", "factors": {"language": "zh"}}
    said = {each.kind: [getattr(each, name) for name in PROPERTIES] for each in (SAMPLE, bundle, pair)}
    assert said == {
        "sample": ["sample", "a", "", "q", "v", "", {**place, "target_model": "m"}, ("m",), None, (SAMPLE,)],
        "bundle": ["bundle", "set", "", "", "", "", {}, ("m",), None, (SAMPLE, OTHER)],
        "pair": ["pair", "a | b", "", "q", "v", "", place, ("m", "n"), pair, (SAMPLE, OTHER)],
    }
    assert make_pair(OTHER, OTHER).probe == "worse | worse"
    assert make_pair(OTHER, SAMPLE).either_order == "a | b"
    outline = make_pair(OTHER, SAMPLE).outline
    assert (outline.output_id, outline.text, outline.target_model, outline.question_id) == ("b | a", "", "m | n", "q")
    assert bundle.with_samples((OTHER,)) == Bundle("set", (OTHER,), "m")
