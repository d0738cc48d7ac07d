"""What sections ask of their evidence: scales, levels in order, factors to slice by, and whose labels count."""

import msgspec

from rating_rows import judgement_rows, overall_row
from venire.domain.label import Label, LabelMaker
from venire.protocols.catalogue import find_protocol
from venire.reports.evidence import ReportEvidence
from venire.reports.report import Choices
from venire.stats.ratings.rollup import RollupDimension, RollupPlan
from venire.stats.ratings.table import RatingsTable


def evidence(rows, *, factors=(), **fields):
    table = RatingsTable.from_rows(rows, factors=factors)
    usual = {"choices": Choices(), "table": table, "primary": table.primary()}
    return ReportEvidence(**usual | fields)


def scored(**more):
    return [row for number in range(4) for judge in ("a", "b") for row in judgement_rows(
        f"u{number}", judge, {"STRUCTURE": number % 2, "STYLE": 1.0}, question_id=f"q{number // 2}",
        prompt_variant="v2" if number % 2 else "v1", target_model="m", **{
            name: value(number) if callable(value) else value for name, value in more.items()})]  # fmt: skip


def test_labels_of_people_and_models_are_kept_apart():
    person, model = Label(output_id="a", score=1.0), Label(output_id="a", score=2.0, made_by=LabelMaker.MODEL)
    bare = evidence(scored(), undrawn_labels=3)
    assert bare.with_labels(()) is bare
    found = bare.with_labels((person, model))
    assert (found.labels, found.model_labels, found.undrawn_labels) == ((person,), (model,), 0)


def test_scales_are_known_where_all_judges_share_one():
    found = evidence(scored())
    assert found.scale() == (0.0, 4.0)
    assert found.scale("STYLE") == (0.0, 2.0)
    assert found.scale("NOTHING") is None
    mixed = evidence([overall_row("u", "a", 5.0), overall_row("u", "b", 5.0, overall_maximum=5.0)])
    assert mixed.scale() is None


def test_the_structure_is_what_was_chosen_or_what_the_protocol_gates_or_what_is_called_so():
    rows = scored()
    assert evidence(rows).structure_dimension == "STRUCTURE"
    assert evidence(rows, choices=Choices(structure_dimension="STYLE")).structure_dimension == "STYLE"
    gated = evidence(rows, protocol=find_protocol("drift-bundle"))
    assert gated.structure_dimension == "A_structure"
    plain = [row for number in range(2) for row in judgement_rows(f"u{number}", "a", {"STYLE": 1.0})]
    assert evidence(plain).structure_dimension is None


def test_a_structure_of_unknown_scale_counts_where_somebody_scored_nothing():
    def unscaled(score):
        return [overall_row("u", "a", 5.0, dimension="FORMAT", score=score, minimum=None, maximum=None)]

    assert evidence(unscaled(0.0)).structure_dimension == "FORMAT"
    assert evidence(unscaled(1.0)).structure_dimension is None


def test_a_roll_up_is_the_chosen_one_or_that_of_the_last_run():
    plan = RollupPlan({"core": RollupDimension(("x",), 1.0)})
    recorded = {"settings": {"rollup": msgspec.to_builtins(plan)}}
    assert evidence(scored()).rollup is None
    assert evidence(scored(), runs=({}, recorded)).rollup == plan
    assert evidence(scored(), runs=(recorded, {})).rollup is None
    assert evidence(scored(), choices=Choices(rollup=plan)).rollup == plan


def test_tools_whose_records_were_imported_are_named_once():
    def run(version):
        return {"settings": {"imported": {"tool": "inspect", "version": version}}}

    found = evidence(scored(), runs=(run("1"), {}, run("1"), run("2"))).imported_from
    assert len(found) == 2
    assert all("inspect" in name for name in found)


def test_verdicts_without_scores_are_told_from_scores():
    bare = [overall_row("u", "a", None, verdict="PASS")]
    assert evidence(bare).has_verdicts_only
    assert not evidence(scored()).has_verdicts_only
    assert not evidence([overall_row("u", "a", None)]).has_verdicts_only
    assert not evidence([overall_row("u", "a", 5.0, verdict="PASS")]).has_verdicts_only


def test_dimensions_stand_in_the_protocols_order():
    protocol = find_protocol("drift-sample")
    last, first = protocol.dimension_ids[-1], protocol.dimension_ids[0]
    rows = list(judgement_rows("u", "a", {"EXTRA": 1.0, last: 1.0, first: 1.0}))
    assert evidence(rows, protocol=protocol).dimensions == (first, last, "EXTRA")
    assert evidence(rows).dimensions == evidence(rows).primary.dimensions


def test_a_run_that_stopped_when_it_was_decided_names_its_sides():
    decided = {"settings": {"until_decided": {"sides": {"first": "m1", "second": "m2"}}}}
    assert evidence(scored(), runs=({}, decided)).stopped_when_decided == ("m1", "m2")
    assert evidence(scored(), runs=({},)).stopped_when_decided is None


def test_levels_are_those_that_count_and_what_has_none_is_named():
    rows = [*scored(), *judgement_rows("u9", "a", {"STYLE": 1.0}, target_model="broken", status="invalid")]
    found = evidence(rows, missing_files={"absent": ("x",)})
    assert found.levels("target_model") == ("m",)
    assert found.levels("nothing") == ()
    assert found.without_scores("target_model") == ("broken", "absent")
    assert found.without_scores("prompt_variant") == ()


def test_levels_stand_in_the_order_that_the_design_declares():
    protocol = find_protocol("drift-bundle")
    declared = protocol.design.factors[protocol.design.variant_factor]
    shown = [declared[2], "unknown", declared[0]]
    rows = [overall_row(f"u{n}", "a", 5.0, prompt_variant=name) for n, name in enumerate(shown)]
    assert evidence(rows, protocol=protocol).ordered_levels("prompt_variant") == (declared[0], declared[2], "unknown")
    assert evidence(rows).ordered_levels("prompt_variant") == tuple(shown)


def test_factors_to_slice_by_vary_and_are_not_names_of_samples():
    def rows(count, **factors):
        return [overall_row(f"u{n}", "a", 5.0, question_id=f"q{n}", factors={k: f(n) for k, f in factors.items()})
                for n in range(count)]  # fmt: skip

    found = evidence(rows(8, language=lambda n: str(n % 2), same=lambda _: "x", each=str, half=lambda n: str(n // 2)))
    assert set(found.further) == {"language", "half"}
    asked = evidence(
        rows(8, language=lambda n: str(n % 2), half=lambda n: str(n // 2)), choices=Choices(factors=("half",))
    )
    assert asked.further == ("half",)
