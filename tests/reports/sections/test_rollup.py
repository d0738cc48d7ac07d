"""The report rolls tests up to dimensions and these to one score, beside z-scores, by weights of the configuration."""

from __future__ import annotations

import html
import io
import math

import msgspec
import pytest
from rich.console import Console

from experiment import make_samples, venire, write_config, write_samples
from report_ledger import rating, ten_categories, write_ledger
from venire.config.settings import load_settings
from venire.errors import ConfigError
from venire.protocols.catalogue import find_protocol
from venire.reports.page.html_page import html_page
from venire.reports.report import Choices
from venire.reports.terminal.report import print_report
from venire.reports.words import ReportWords
from venire.stats.ratings.rollup import RollupDimension, RollupPlan
from venire.workflows.analyse import analyse

FOUR = {
    "基础性能": ("qa_simple", "summarization", "translation"),
    "核心能力": ("reasoning_complex", "math_reasoning", "code_generation"),
    "实用场景": ("generation_long", "multi_turn"),
    "高级特性": ("creative_writing", "factual_accuracy"),
}
PLAN = RollupPlan({name: RollupDimension(tests) for name, tests in FOUR.items()})
CHECKS = {"dimensions": {"*": [{"check": "length", "minimum": 3}]}}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    answers = {"oak": rating(), "elm": rating(lambda worth: worth - 0.5)}
    file = tmp_path_factory.mktemp("rollup") / "l.sqlite"
    return write_ledger(file, ten_categories(per_category=3), answers, protocol="quality")


def cells_of(report):
    return {cell.id: cell for cell in report.cells()}


def test_tests_make_dimensions_and_dimensions_one_score_by_the_weights_of_the_source(path):
    cells = cells_of(analyse(path, Choices(rollup=PLAN)))
    tests = {name: cells[f"rollup_tests.alder-1.{name}"] for names in FOUR.values() for name in names}
    dimensions = {name: cells[f"rollup.alder-1.{name}"] for name in FOUR}
    for name, parts in FOUR.items():
        assert dimensions[name].value == pytest.approx(sum(tests[part].value for part in parts) / len(parts))
    weights = {"基础性能": 0.25, "核心能力": 0.35, "实用场景": 0.25, "高级特性": 0.15}
    overall = cells["rollup.alder-1.score"]
    assert overall.value == pytest.approx(sum(dimensions[name].value * weight for name, weight in weights.items()))
    assert overall.low < overall.value < overall.high
    assert cells["rollup.alder-1.coverage"].value == pytest.approx(1)
    assert cells["rollup.alder-1.grade"].word.startswith("grade.")


def test_the_interval_combines_the_errors_of_the_tests(path):
    plan = RollupPlan({"d": RollupDimension({"qa_simple": 3.0, "translation": 1.0}, 1.0)})
    cells = cells_of(analyse(path, Choices(rollup=plan)))
    parts = [cells[f"rollup_tests.birch-2.{name}"] for name in ("qa_simple", "translation")]
    errors = [(part.high - part.value) / 4.302652729749462 for part in parts]  # t of 2 degrees of freedom, 95 %
    shares = [(share * error) ** 2 for share, error in zip((0.75, 0.25), errors, strict=True)]
    degrees = sum(shares) ** 2 / sum(each**2 / 2 for each in shares)
    overall = cells["rollup.birch-2.score"]
    assert 2 < degrees < 4
    assert 2.776 < (overall.high - overall.value) / math.sqrt(sum(shares)) < 4.303


def test_a_test_without_scores_is_named_and_its_weight_shared(path):
    plan = msgspec.structs.replace(PLAN, dimensions={**PLAN.dimensions, "高级特性": RollupDimension(("chess",))})
    report = analyse(path, Choices(rollup=plan))
    cells = cells_of(report)
    assert cells["rollup.alder-1.coverage"].value == pytest.approx(0.85)
    assert cells["rollup.alder-1.高级特性"].value is None
    notes = {note.key: note for note in report.section("rollup").notes}
    assert notes["rollup.incomplete"].arguments["tests"] == ("chess",)
    assert notes["rollup.unused"].arguments["tests"] == ("creative_writing", "factual_accuracy")


def test_a_roll_up_by_a_factor_that_no_output_has_says_so(path):
    report = analyse(path, Choices(rollup=msgspec.structs.replace(PLAN, by="level")))
    assert [note.key for note in report.section("rollup").notes] == ["rollup.no_tests"]


def test_without_a_plan_there_is_no_such_section(path):
    assert analyse(path, Choices()).section("rollup") is None


def configured(folder, dimensions, **keys):
    category = {"path": "outputs.jsonl", "category": "qa_simple"}
    judges = {"oak": {"type": "rules", "rules": CHECKS}}
    write_samples(folder, make_samples(3))
    return write_config(folder, judges, protocol="quality", samples=category, rollup={"dimensions": dimensions, **keys})


def test_the_plan_of_the_configuration_is_in_the_ledger_and_the_configuration_comes_first(tmp_path, capsys):
    config = configured(tmp_path, {"one": {"weight": 1, "tests": ["qa_simple"]}})
    assert venire("judge", config) == 0
    configured(tmp_path, {"two": {"weight": 1, "tests": ["qa_simple"]}})
    for source, name in ((tmp_path / "ledger.sqlite", "one"), (config, "two")):
        capsys.readouterr()
        assert venire("report", source) == 0
        assert f"{name} counts 1: qa_simple 1." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("dimensions", "message"),
    [
        ({"a": {"weight": 0.5, "tests": ["qa_simple"]}}, "expected weights that sum to 1"),
        ({"a": {"tests": ["qa_simple"]}}, "expected a weight of the dimension 'a'"),
        ({"a": {"weight": 1, "tests": ["chess"]}}, "the test 'chess' is no category of protocol 'quality'"),
        ({"a": {"weight": 1, "tests": []}}, "expected weights that sum to 1, found a sum of 0"),
    ],
)
def test_a_plan_that_does_not_add_up_is_an_error_with_its_line(tmp_path, dimensions, message):
    with pytest.raises(ConfigError, match=message) as caught:
        load_settings(configured(tmp_path, dimensions))
    assert caught.value.where.startswith(f"{tmp_path / 'venire.yaml'}:")


def test_z_scores_stand_beside_the_panel_score(path):
    cells = cells_of(analyse(path, Choices()))
    better, worse = (cells[f"leaderboard.{name}.z"] for name in ("alder-1", "birch-2"))
    # Both models have as many outputs, so that their distances from the judges' means are equal.
    assert better.value == pytest.approx(-worse.value)
    assert (better.value > 0) == (cells["leaderboard.alder-1.score"].value > cells["leaderboard.birch-2.score"].value)
    assert better.low < better.value < better.high


@pytest.mark.parametrize("language", ["en", "zh"])
def test_bands_of_correlations_and_of_alpha_are_words_on_screen_and_page(path, language):
    report = analyse(path, Choices())
    words, console = ReportWords(language, report.names), Console(file=io.StringIO(), width=200)
    print_report(console, report, language)
    page = html.unescape(html_page(report, language))
    cells = cells_of(report)
    alpha = cells["alpha.overall.band"].word
    for shown in (console.file.getvalue(), page):
        assert words("correlation.very-high") in shown
        assert words(alpha) in shown
    assert cells["pairs.oak.elm"].word == "correlation.very-high"


def test_every_category_of_quality_is_a_test_of_the_plan():
    assert {test for tests in FOUR.values() for test in tests} == {
        each.id for each in find_protocol("quality").categories
    }
