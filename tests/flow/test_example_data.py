"""The example experiment is complete, is what its scripts make, and has in it what its page promises."""

import asyncio
import json
import runpy
from collections import Counter
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest
import yaml
from msgspec.structs import replace

from venire.config import load_settings
from venire.domain.hidden import show_controls
from venire.domain.judgement import Method
from venire.inputs.bundles import read_bundle
from venire.inputs.reader import read_samples
from venire.judges.blinding import find_leaks, sample_handle
from venire.judges.provider import Decoding, Request
from venire.judges.registry import create_provider
from venire.judges.rule_judge.document import count_words
from venire.protocols.catalogue import find_protocol
from venire.shapes.check import Checker
from venire.workflows.collect import collect
from venire.workflows.collecting.collected import read_collected

EXAMPLE = Path(__file__).parents[2] / "examples/drift"
SETTINGS = load_settings(EXAMPLE / "venire.yaml")
SAMPLES = tuple(read_samples(SETTINGS.samples_path, factors=SETTINGS.factors))
QUESTIONS, VARIANTS = ("q1", "q2", "q3", "q4"), ("baseline", "long", "weak", "conflict")
TRIGGERS, MODELS = ("implicit", "explicit"), ("alder-1", "birch-2", "cedar-mini")
BUNDLED_MODELS = ("alder-1", "cedar-mini")
DAMAGE = {
    "duplicate_key.json": "json.duplicate-key",
    "fenced_in_markdown.md": "json.surrounding-text",
    "missing_dimension.json": "score.missing",
    "paraphrased_quote.json": "evidence.not-verbatim",
    "quote_joined_by_an_ellipsis.json": "evidence.not-verbatim",
    "refusal.txt": "judge.no-scores",
    "scale_and_dimensions_altered.json": "score.unknown-dimension",
    "self_judgement_called_cross_judge.json": "method.mismatch",
    "truncated.json": "json.syntax",
    "wrong_total.json": "overall.mismatch",
    "wrong_verdict.json": "verdict.mismatch",
}


def ask(judge, subject, protocol, handle):
    provider = create_provider(judge.kind, judge.options)
    request = Request("", "", "", Decoding(), {}, protocol=protocol, subject=subject, handle=handle)
    return asyncio.run(provider.ask(request)).text


@pytest.fixture(scope="module")
def judgements():
    """Every judgement of the panel, by judge and sample."""
    checker = Checker(SETTINGS.protocol, blind=True)
    return {
        (judge.name, sample.output_id): checker.check(
            ask(judge, sample, SETTINGS.protocol, handle := sample_handle(sample.digest)), sample, handle=handle
        )
        for judge in SETTINGS.judges
        for sample in SAMPLES
    }


@pytest.fixture(scope="module")
def mean_of(judgements):
    """A function that returns the mean overall score of all judgements whose judge and sample fit."""

    def mean(fits):
        return fmean(judgements[j.name, s.output_id].overall for j in SETTINGS.judges for s in SAMPLES if fits(j, s))

    return mean


def sample(output_id):
    return next(each for each in SAMPLES if each.output_id == output_id)


def test_every_combination_of_the_factors_has_one_output():
    found = Counter((s.question_id, s.prompt_variant, s.factors["trigger"], s.target_model) for s in SAMPLES)
    assert found == Counter(product(QUESTIONS, VARIANTS, TRIGGERS, MODELS))
    assert len(SAMPLES) == 96


def test_outputs_are_all_different_and_of_a_readable_length():
    assert len({each.text for each in SAMPLES}) == len(SAMPLES)
    assert all(60 <= count_words(each.text) <= 250 for each in SAMPLES)


def test_each_question_has_one_language_and_its_task_shows_question_and_headings():
    assert {(s.question_id, s.factors["language"]) for s in SAMPLES} == {
        ("q1", "en"), ("q2", "en"), ("q3", "zh"), ("q4", "zh"),
    }  # fmt: skip
    heading = {"en": "[Snapshot]", "zh": "[事实快照]"}
    assert all(heading[each.factors["language"]] in each.task for each in SAMPLES)
    assert len({each.task for each in SAMPLES}) == len(QUESTIONS) * len(VARIANTS) * len(TRIGGERS)


def test_the_script_makes_the_committed_outputs():
    make = runpy.run_path(str(EXAMPLE / "make_outputs.py"))
    made = [
        make["make_output"](make["read_passages"](question), variant, trigger, model)
        for question, variant, trigger, model in product(QUESTIONS, VARIANTS, TRIGGERS, MODELS)
    ]
    assert made == [json.loads(line) for line in SETTINGS.samples_path.read_text("utf-8").splitlines()]


def test_the_script_of_the_support_bot_makes_its_committed_table():
    folder = EXAMPLE.parent / "support"
    made = runpy.run_path(str(folder / "make_outputs.py"))["make_table"]()
    assert made.encode() == (folder / "outputs.csv").read_bytes()


def test_one_output_names_its_own_model():
    leaking = [each.output_id for each in SAMPLES if find_leaks(each.text, [each.target_model])]
    assert leaking == ["q2-weak-implicit-birch-2"]


def test_hostile_outputs_are_among_the_samples():
    assert "ignore the rubric" in sample("q1-conflict-explicit-cedar-mini").text
    assert "<script>" in sample("q1-long-explicit-birch-2").text
    invisible = [each.output_id for each in SAMPLES if "⟨U+" in show_controls(each.text)]
    assert invisible == ["q3-weak-explicit-birch-2"]
    assert all(mark in show_controls(sample(invisible[0]).text) for mark in ("⟨U+200B⟩", "⟨U+202E⟩"))


def test_invisible_characters_are_written_as_escapes():
    assert "⟨U+" not in show_controls(SETTINGS.samples_path.read_text("utf-8"))


def test_all_replies_of_the_panel_are_valid(judgements):
    assert len(judgements) == 3 * 96
    assert {key: each.findings for key, each in judgements.items() if not each.valid} == {}


def test_the_judges_differ_in_leniency(mean_of):
    strict, balanced, lenient = (
        mean_of(lambda j, s, name=name: j.name == name) for name in ("strict", "balanced", "lenient")
    )
    assert strict + 1 < balanced < lenient - 1


def test_the_models_differ_in_quality(mean_of):
    alder, birch, cedar = (mean_of(lambda j, s, model=model: s.target_model == model) for model in MODELS)
    assert alder > birch + 0.5 > cedar + 1.5


def test_each_looser_prompt_costs_something(mean_of):
    means = [mean_of(lambda j, s, variant=variant: s.prompt_variant == variant) for variant in VARIANTS]
    assert means == sorted(means, reverse=True)
    implicit, explicit = (mean_of(lambda j, s, each=each: s.factors["trigger"] == each) for each in TRIGGERS)
    assert implicit + 0.5 < explicit


def test_one_slice_falls_off_a_cliff(mean_of):
    slices = {
        key: mean_of(lambda j, s, key=key: (s.target_model, s.prompt_variant, s.factors["trigger"]) == key)
        for key in product(MODELS, VARIANTS, TRIGGERS)
    }
    worst, second = sorted(slices, key=slices.__getitem__)[:2]
    assert worst == ("cedar-mini", "conflict", "implicit")
    assert slices[worst] < 1 < slices[second] - 1


def test_both_languages_are_judged_alike(mean_of):
    english, chinese = (mean_of(lambda j, s, each=each: s.factors["language"] == each) for each in ("en", "zh"))
    assert abs(english - chinese) < 0.75


@pytest.mark.parametrize("model", BUNDLED_MODELS)
def test_the_pdfs_hold_the_outputs_of_the_table(model):
    design = find_protocol("drift-bundle").design
    bundle = read_bundle(EXAMPLE / "bundle" / model, design, target_model=model)
    assert len(bundle.samples) == 16
    for each in bundle.samples:
        told = f"{each.question_id}-{each.prompt_variant}-{each.factors['trigger']}-{model}"
        assert each.text.split() != []
        assert "".join(each.text.split()) == "".join(sample(told).text.split())


def test_the_script_makes_the_committed_pdfs_and_they_are_small():
    make = runpy.run_path(str(EXAMPLE / "make_bundle.py"))
    files = sorted((EXAMPLE / "bundle").rglob("*.pdf"))
    assert [file.parent.name for file in files] == ["alder-1"] * 16 + ["cedar-mini"] * 16
    for file in files:
        told = "-".join([*file.stem.split(), file.parent.name])
        assert file.read_bytes() == make["make_page"](make["wrap"](sample(told).text))
    assert sum(file.stat().st_size for file in files) < 300_000


def test_the_bundles_are_judged_valid_and_tell_the_models_apart():
    settings = load_settings(EXAMPLE / "bundle.yaml")
    (judge,) = settings.judges
    totals = {}
    for model in BUNDLED_MODELS:
        bundle = read_bundle(settings.samples_path / model, settings.protocol.design, target_model=model)
        judgement = Checker(settings.protocol, blind=True).check(ask(judge, bundle, settings.protocol, "b"), bundle)
        assert judgement.valid, judgement.all_findings
        totals[model] = fmean(entry.overall for entry in judgement.entries)
    assert totals["alder-1"] > totals["cedar-mini"] + 1


def check_reply(name):
    """Check an example reply against the output that it names."""
    raw = (EXAMPLE / "replies" / name).read_bytes()
    told = next((each for each in SAMPLES if each.output_id.encode() in raw), None)
    return Checker(SETTINGS.protocol).check(raw, told)


def test_every_example_reply_is_named_after_its_damage():
    names = {file.name for file in (EXAMPLE / "replies").iterdir()}
    assert {name for name in names if not name.startswith("valid")} == {*DAMAGE, "unknown_sample.json"}


@pytest.mark.parametrize(("name", "rule"), DAMAGE.items())
def test_a_damaged_reply_is_invalid_for_its_damage(name, rule):
    judgement = check_reply(name)
    assert not judgement.valid
    assert rule in {finding.rule for finding in judgement.findings}


@pytest.mark.parametrize("name", sorted(file.name for file in (EXAMPLE / "replies").glob("valid*")))
def test_a_reply_that_is_called_valid_is_valid(name):
    judgement = check_reply(name)
    assert judgement.valid, judgement.findings
    assert (judgement.method is Method.SELF_JUDGE) == ("self_judge" in name)


def test_the_study_collects_the_very_outputs_of_the_table(tmp_path):
    keys = yaml.safe_load((EXAMPLE / "study.yaml").read_text("utf-8"))
    settings = load_settings(EXAMPLE / "study.yaml")
    settings = replace(settings, config=replace(settings.config, ledger=str(tmp_path / "study.sqlite")))
    asyncio.run(collect(settings))
    collected = {sample.output_id: sample for sample in read_collected(settings)}
    assert set(keys["collect"]["targets"]) == set(MODELS)
    assert {name: (each.text, each.task, each.factors) for name, each in collected.items()} == {
        each.output_id: (each.text, each.task, each.factors) for each in SAMPLES
    }
