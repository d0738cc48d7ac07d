"""`venire judge --until decided`: a run ends as soon as two models can be told apart, and goes on if they cannot."""

import random

import pytest

from experiment import contents, reading, venire, write_config, write_samples
from venire.domain.sample import Sample
from venire.ledger.entry import Kind
from venire.ledger.subjects import subject_of

RULES = {
    "oak": {
        "type": "rules",
        "rules": {
            "dimensions": {
                "*": [{"check": "length", "minimum": 1}],
                "COMPLETENESS": [{"check": "matches", "pattern": "first"}, {"check": "matches", "pattern": "second"}],
                "SEMANTIC_FIDELITY": [{"check": "matches", "pattern": "third"}],
            }
        },
    }
}


def outputs(questions, chances, models=("alder-1", "birch-1")):
    """Return outputs of models that have each of three parts with the chance of their model."""
    generator = random.Random(5)
    made = []
    for number in range(questions):
        for model, chance in zip(models, chances, strict=True):
            parts = [part for part in ("first", "second", "third") if generator.random() < chance]
            text = f"Output {number} of a model has {' and '.join(parts) or 'nothing'}."
            made.append(Sample(f"{model}-{number}", text, question_id=f"q{number}", target_model=model))
    return made


@pytest.fixture
def configured(tmp_path):
    def configure(questions, chances, **keys):
        models = keys.pop("models", ("alder-1", "birch-1"))
        write_samples(tmp_path, outputs(questions, chances, models))
        return write_config(tmp_path, RULES, **keys)

    return configure


def judged(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return len(contents(ledger, Kind.JUDGEMENT))


def judged_samples(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return [sample for entry in ledger.read(kinds=[Kind.SAMPLE]) for sample in subject_of(entry, ledger).samples]


def opened(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return contents(ledger, Kind.RUN_OPENED)


def test_a_large_difference_ends_the_run_early_and_is_not_asked_about_again(configured, tmp_path, capsys):
    config = configured(60, (0.2, 0.9))
    assert venire("judge", config, "--quiet", "--until", "decided") == 0
    shown = " ".join(capsys.readouterr().out.split())
    count = judged(tmp_path)
    assert 20 <= count < 60
    assert f"birch-1 against alder-1: {count // 2} of 60 questions compared" in shown
    assert "stop: decided at 95%" in shown
    assert venire("judge", config, "--quiet", "--until", "decided") == 0
    assert judged(tmp_path) == count
    assert "stop: decided" in capsys.readouterr().out


def test_equal_models_are_judged_to_the_end_and_stay_undecided(configured, tmp_path, capsys):
    assert venire("judge", configured(24, (0.5, 0.5)), "--quiet", "--until", "decided") == 1
    assert judged(tmp_path) == 48
    assert "not decided yet" in capsys.readouterr().out


def test_evidence_goes_on_from_what_earlier_runs_recorded(configured, tmp_path, capsys):
    config = configured(60, (0.45, 0.75), runner={"reask_share": 0, "budget": {"calls": 24}})
    assert venire("judge", config, "--quiet", "--until", "decided") == 3
    before = judged(tmp_path)
    config = configured(60, (0.45, 0.75))
    assert venire("judge", config, "--quiet", "--until", "decided") == 0
    shown = " ".join(capsys.readouterr().out.split())
    after = judged(tmp_path)
    assert before == 24 < after
    assert f"{after // 2} of 60 questions compared" in shown


def test_questions_are_taken_in_an_order_that_the_file_does_not_decide(configured, tmp_path):
    venire("judge", configured(60, (0.2, 0.9)), "--quiet", "--until", "decided")
    names = {sample.question_id for sample in judged_samples(tmp_path)}
    assert len(names) < 60
    assert not names <= {f"q{number}" for number in range(len(names))}


def test_each_round_says_in_the_ledger_that_it_is_looked_at_until_decided(configured, tmp_path):
    venire("judge", configured(60, (0.2, 0.9)), "--quiet", "--until", "decided")
    sides = {"factor": "target_model", "first": "alder-1", "second": "birch-1"}
    looked = [each["settings"]["until_decided"] for each in opened(tmp_path)]
    assert looked == [{"sides": sides, "of_questions": 60}] * len(looked) != []


def test_only_the_two_models_that_are_named_are_judged(configured, tmp_path, capsys):
    models, chances = ("alder-1", "birch-1", "cedar-1"), (0.2, 0.5, 0.9)
    config = configured(40, chances, models=models)
    assert venire("judge", config, "--quiet", "--until", "decided") == 2
    assert "--models A B" in capsys.readouterr().err
    assert venire("judge", config, "--quiet", "--until", "decided", "--models", "cedar-1", "alder-1") == 0
    assert {sample.target_model for sample in judged_samples(tmp_path)} == {"alder-1", "cedar-1"}
    assert "alder-1 against cedar-1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--models", "alder-1", "birch-1"), "--until decided"),
     (("--until", "decided", "--models", "alder-1", "elm"), "elm"),
     (("--until", "decided", "--models", "alder-1", "alder-1"), "twice"),
     (("--until", "decided", "--models", "alder-1", "birch-1", "--variants", "a", "b"), "one of them")],
)  # fmt: skip
def test_what_cannot_be_compared_is_said_before_anything_is_asked(configured, tmp_path, capsys, options, said):
    assert venire("judge", configured(12, (0.2, 0.9)), "--quiet", *options) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_report_and_a_comparison_say_that_judging_ended_early(configured, tmp_path, capsys):
    venire("judge", configured(60, (0.2, 0.9)), "--quiet", "--until", "decided")
    ledger = tmp_path / "ledger.sqlite"
    shown = {}
    for name, command in {
        "report": ("report", ledger),
        "once": ("compare", ledger, "--models", "alder-1", "birch-1"),
        "always": ("compare", ledger, "--models", "alder-1", "birch-1", "--sequential"),
    }.items():
        capsys.readouterr()
        venire(*command)
        shown[name] = " ".join(capsys.readouterr().out.split())
    said = "was to end as soon as birch-1 against alder-1 was decided"
    assert {name: said in text for name, text in shown.items()} == {"report": True, "once": True, "always": False}
