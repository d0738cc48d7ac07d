"""Runs, models, variants and versions of judges are compared on what they have in common, and on nothing else."""

import json

import msgspec
import pytest

from experiment import make_judge
from report_ledger import design, scoring, write_ledger
from venire.cli.decide.compare import compare
from venire.errors import PoolingError, UsageError
from venire.reports.report import Choices
from venire.workflows.compare import compare_levels, compare_runs
from venire.workflows.comparison.judges import compare_judges
from venire.workflows.evidence.from_source import read_anchors

OLD = make_judge("oak", prompt_version="v1")


NEW = make_judge("oak", prompt_version="v2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Hold an old run, a run of a worse system, and a run of a worse system before a severer judge."""
    path = tmp_path_factory.mktemp("compare")
    samples = design(questions=8)
    frozen = [msgspec.structs.replace(sample, output_id=f"anchor-{sample.output_id}") for sample in samples[:16]]
    worse = [msgspec.structs.replace(sample, text=fallen(sample.text)) for sample in samples]
    write_ledger(path / "old.sqlite", [*samples, *frozen], {"oak": scoring()}, [OLD])
    write_ledger(path / "worse.sqlite", [*worse, *frozen], {"oak": scoring()}, [OLD])
    write_ledger(path / "other.sqlite", [*worse, *frozen], {"oak": scoring(severity=1)}, [NEW])
    write_ledger(path / "both.sqlite", samples, {"oak": scoring()}, [OLD])
    write_ledger(path / "both.sqlite", samples[:40], {"oak": scoring(severity=1)}, [NEW])
    (path / "anchors.txt").write_text("\n".join(sample.output_id for sample in frozen), encoding="utf-8")
    return path


def fallen(text):
    """Make an output worth two points less."""
    for worth in range(9):
        if f"worth {worth}." in text:
            return text.replace(f"worth {worth}.", f"worth {max(0, worth - 2)}.")
    raise AssertionError(text)


def run_compare(*args):
    return compare.main([str(arg) for arg in args], standalone_mode=False)


def test_two_runs_are_compared_in_pairs_by_output(folder):
    found = compare_runs(folder / "old.sqlite", folder / "worse.sqlite", Choices())
    overall = found.scores[0]
    assert overall.name == "overall"
    assert overall.difference.paired_by == ("output_id",)
    assert overall.difference.test.difference.value < -1
    assert overall.adjusted_p >= overall.difference.test.p_value
    assert overall.difference.effect.value < 0


def test_a_latency_does_not_keep_two_runs_from_being_paired(tmp_path):
    def measured(run, delay):
        samples = [
            msgspec.structs.replace(each, output_id=f"{run}-{n}", notes={"latency_ms": str(delay + n)})
            for n, each in enumerate(design(questions=4))
        ]
        return write_ledger(tmp_path / f"{run}.sqlite", samples, {"oak": scoring()}, [OLD])

    first, second = measured("monday", 300), measured("tuesday", 900)
    overall = compare_runs(first, second, Choices()).scores[0].difference
    assert overall.pairs == len(design(questions=4))
    assert "factor.latency_ms" not in overall.paired_by


def test_runs_before_different_judges_are_not_compared_without_anchors(folder):
    with pytest.raises(PoolingError, match="judge 'oak'") as caught:
        compare_runs(folder / "old.sqlite", folder / "other.sqlite", Choices())
    assert "--anchors" in caught.value.hint


def test_anchors_split_a_change_into_the_systems_and_the_judges_part(folder):
    anchors = read_anchors(folder / "anchors.txt")
    found = compare_runs(folder / "old.sqlite", folder / "other.sqlite", Choices(), anchors=anchors)
    [part] = found.attribution
    assert part.judge.value == pytest.approx(-1, abs=0.3)  # a severity of 1, but where 0 is the lowest score
    assert part.system.value == pytest.approx(part.observed.value - part.judge.value)
    assert part.system.high < 0
    assert found.scores[0].difference.pairs == 64  # anchors are not among the scores


def test_versions_of_a_judge_are_compared_on_identical_outputs_only(folder):
    [found] = compare_judges(folder / "both.sqlite", "v1", "v2", Choices())
    assert (found.migration.outputs, found.migration.only_old) == (40, 24)
    assert found.migration.overall.raised == 0
    assert found.scores[0].first.n["values"] == found.scores[0].second.n["values"] == 40
    assert found.scores[0].difference.test.difference.value == pytest.approx(
        found.migration.overall.difference.difference.value
    )


def test_versions_may_be_named_by_the_beginning_of_their_digests(folder):
    [by_label] = compare_judges(folder / "both.sqlite", "v1", "v2", Choices())
    [by_digest] = compare_judges(folder / "both.sqlite", OLD.digest[:8], NEW.digest[:8], Choices())
    assert by_label.migration.overall == by_digest.migration.overall


@pytest.mark.parametrize(("old", "new"), [("v1", "v9"), ("v1", "v1")])
def test_versions_that_are_not_two_are_an_error_that_lists_what_there_is(folder, old, new):
    with pytest.raises(UsageError) as caught:
        compare_judges(folder / "both.sqlite", old, new, Choices())
    assert OLD.digest[:12] in caught.value.hint
    assert "(v2)" in caught.value.hint


def test_models_are_compared_on_the_same_questions_and_factors(folder):
    found = compare_levels(folder / "worse.sqlite", "target_model", "birch-2", "alder-1", Choices())
    assert found.scores[0].difference.test.difference.low > 0
    assert "question_id" in found.scores[0].difference.paired_by
    with pytest.raises(UsageError, match="nobody") as caught:
        compare_levels(folder / "old.sqlite", "target_model", "nobody", "alder-1", Choices())
    assert "birch-2" in caught.value.hint


def test_the_command_prints_each_comparison_and_writes_it(folder, tmp_path, capsys):
    path = tmp_path / "found.json"
    assert run_compare(folder / "old.sqlite", folder / "worse.sqlite", "--json", path) == 0
    assert "80 pairs by output_id" in capsys.readouterr().out
    assert json.loads(path.read_text())["scores"][0]["name"] == "overall"
    assert run_compare(folder / "old.sqlite", folder / "other.sqlite", "--anchors", folder / "anchors.txt") == 0
    assert "system's" in capsys.readouterr().out
    assert run_compare(folder / "both.sqlite", "--judge-versions", "v1", "v2") == 0
    assert "40 outputs that both judged" in capsys.readouterr().out
    assert run_compare(folder / "old.sqlite", "--variants", "baseline", "conflict") == 0
    assert "Hedges' g" in capsys.readouterr().out


def test_all_models_are_compared_pairwise(folder, tmp_path, capsys):
    path = tmp_path / "found.json"
    assert run_compare(folder / "old.sqlite", "--pairwise", "--json", path) == 0
    found = json.loads(path.read_text())
    assert found["models"] == ["alder-1", "birch-2"]
    assert found["elo"]["alder-1"] > found["elo"]["birch-2"]
    assert "alder-1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "args",
    [
        ["a.sqlite", "b.sqlite", "c.sqlite"],
        ["a.sqlite", "b.sqlite", "--pairwise"],
        ["a.sqlite", "--pairwise", "--models", "a", "b"],
        ["a.sqlite", "--pairwise", "--anchors", "anchors.txt"],
    ],
)
def test_a_comparison_of_nothing_or_of_too_much_is_wrong_usage(args):
    with pytest.raises(UsageError, match="expected"):
        run_compare(*args)


def test_one_ledger_of_scores_alone_is_wrong_usage(folder):
    with pytest.raises(UsageError, match="expected two ledgers to compare, found 1"):
        run_compare(folder / "old.sqlite")
