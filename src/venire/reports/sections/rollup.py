"""The roll-up: tests to dimensions to one overall score, by the weights of the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where, word_cell
from venire.reports.report import Column, Note, ReportSection
from venire.stats.ratings.panel_rollup import GroupRollup, roll_up_panel
from venire.stats.ratings.panel_scores import panel_scores
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.stats.ratings.rollup import RollupPlan

_SCALE = (0.0, 10.0)


def rollup(evidence: ReportEvidence, plan: RollupPlan) -> ReportSection:
    """Give each target model's overall score by dimensions, and the tests that these are made of."""
    tests = evidence.levels(plan.by)
    if not tests:
        return ReportSection("rollup", (Note("rollup.no_tests", {"factor": plan.by}, warning=True),))
    groups = roll_up_panel(panel_scores(evidence.primary, renormalise=True), plan, level=evidence.choices.level)
    listed = tuple(groups[0].tests) if groups else ()
    columns: list[Column | str] = ["score", "grade", *(Column(name, name) for name in plan.dimensions), "coverage"]
    tables = (
        make_table("rollup", ("target_model",), columns, [_row(group) for group in groups]),
        make_table(
            "rollup_tests", ("target_model",), [Column(test, test) for test in listed],
            [_tests(group, plan.by) for group in groups],
        ),
    )  # fmt: skip
    return ReportSection("rollup", tuple(_notes(plan, groups, tests)), tables)


def _row(group: GroupRollup) -> Draft:
    rows = where(group.where)
    cells = [
        estimate_cell(group.overall, rows, "score", _SCALE),
        word_cell(f"grade.{group.grade.id}" if group.grade else "", rows, reason=group.overall.reason),
        *(estimate_cell(each, rows, "score", _SCALE) for each in group.dimensions.values()),
        number_cell(group.coverage, rows, "share", method=say("method.tests_present")),
    ]
    return (group.where["target_model"],), cells


def _tests(group: GroupRollup, factor: str) -> Draft:
    cells = [
        estimate_cell(each, where(group.where, {factor: test}), "score", _SCALE) for test, each in group.tests.items()
    ]
    return (group.where["target_model"],), cells


def _notes(plan: RollupPlan, groups: tuple[GroupRollup, ...], tests: tuple[str, ...]) -> Iterator[Note]:
    yield Note("rollup.read")
    for name, weight in plan.weights.items():
        parts = tuple(f"{test} {share:.3g}" for test, share in plan.dimensions[name].test_weights.items())
        yield Note("rollup.dimension", {"name": name, "weight": f"{weight:.3g}", "tests": parts})
    for group in groups:
        if group.missing:
            yield Note(
                "rollup.incomplete", {"model": group.where["target_model"], "tests": group.missing}, warning=True
            )
    used = {test for dimension in plan.dimensions.values() for test in dimension.test_weights}
    if unused := tuple(test for test in tests if test not in used):
        yield Note("rollup.unused", {"tests": unused}, warning=True)
