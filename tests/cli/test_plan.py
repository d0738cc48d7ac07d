"""`venire plan` on samples with materials: what was recognised is shown, and what cannot be judged is named."""

import json

import pytest

from experiment import served_judge, serving, venire, write_config, write_samples
from making_pdfs import make_pdf
from valid_replies import DRIFT_BUNDLE
from venire.config import load_settings
from venire.domain.sample import Sample
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.workflows.judge import read_subjects, show_question

RULES = {"oak": {"type": "rules", "rules": {"dimensions": {"*": [{"check": "length", "minimum": 1}]}}}}
PROTOCOL = """
extends: drift-sample
id: with-documents
materials: {shown: [document, reference], quoted: [document], must_have: [document]}
"""
TABLE = """id,user_input,response,retrieved_contexts,ground_truth
s1,When does it close?,It closes at six o'clock.,"[""The shop closes at six."", ""It opens at nine.""]",At six.
s2,Where?,In Oslo.,[],Oslo
s3,Who?,Ada.,"['not', 'json'",Ada
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "protocol.yaml").write_text(PROTOCOL)
    (tmp_path / "rows.csv").write_text(TABLE)
    return tmp_path


def test_what_was_recognised_is_shown_with_an_example(folder, capsys):
    config = write_config(folder, RULES, samples="rows.csv", protocol="protocol.yaml")
    assert venire("plan", config) == 1
    shown = capsys.readouterr()
    assert "documents from 'retrieved_contexts'" in shown.out
    assert "references from 'ground_truth'" in shown.out
    assert "document-2: It opens at nine." in shown.out
    assert "1 task to ask" in shown.out
    assert "sample 's2' has no document, which protocol 'with-documents' needs" in shown.err
    assert "rows.csv:4: column 'retrieved_contexts' should hold a list as JSON" in shown.err


def test_a_plan_says_what_no_judge_sees_and_by_what_outputs_cannot_be_compared(folder, capsys):
    config = write_config(folder, RULES, samples="rows.csv")
    assert venire("plan", config) == 0
    shown = capsys.readouterr().out
    assert "documents from" not in shown
    assert "Kept as notes, which judges are not shown: 'retrieved_contexts', 'ground_truth'" in shown
    assert "(target_model): models cannot be compared" in shown
    assert "(question_id): each counts as a question of its own" in shown
    assert "samples: {path: rows.csv, columns: {target_model: your_column}}" in shown
    assert "3 tasks to ask" in shown


def test_a_run_over_http_shows_documents_and_keeps_them(folder):
    with serving() as server:
        judges = {"oak": served_judge(server.base_url)}
        config = write_config(folder, judges, samples="rows.csv", protocol="protocol.yaml")
        assert venire("judge", config, "--quiet") == 1
    (request,) = server.requests
    assert 'Document "document-1":' in json.dumps(request, ensure_ascii=False).replace('\\"', '"')
    ledger = open_ledger(str(folder / "ledger.sqlite"), read_only=True)
    assert sorted(entry.blob.decode() for entry in ledger.read(kinds=[Kind.MATERIAL])) == [
        "At six.",
        "It opens at nine.",
        "The shop closes at six.",
    ]
    ledger.close()
    assert venire("audit", folder / "ledger.sqlite") == 0


def test_the_category_of_conversations_is_judged_on_real_turns(tmp_path):
    turns = [("user", "Name a tree."), ("assistant", "An oak."), ("user", "Another?"), ("assistant", "An elm.")]
    row = {"id": "c1", "messages": [{"role": role, "content": text} for role, text in turns]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    for judged, ids in (("last", ["c1"]), ("each", ["c1/1", "c1/2"]), ("whole", ["c1"])):
        samples = {"path": "rows.jsonl", "category": "multi_turn", "judged": judged}
        settings = load_settings(write_config(tmp_path, RULES, samples=samples, protocol="quality"))
        assert [subject.name for subject in read_subjects(settings)] == ids
        sent = show_question(settings, "oak", ids[-1]).request.user
        assert "user: Name a tree.\n\nassistant: An oak.\n\nuser: Another?" in sent
        assert ("assistant: An elm." in sent) == (judged == "whole")


@pytest.mark.parametrize("judged", ["last", "each", "whole"])
def test_a_protocol_that_needs_turns_takes_conversations_in_every_way(tmp_path, judged):
    turns = [{"role": "user", "content": "Name a tree."}, {"role": "assistant", "content": "An oak."}]
    (tmp_path / "rows.jsonl").write_text(json.dumps({"id": "c1", "messages": turns}) + "\n")
    samples = {"path": "rows.jsonl", "judged": judged}
    assert venire("plan", write_config(tmp_path, RULES, samples=samples, protocol="conversation")) == 0


def compared(folder, questions=12, models=("alder-1", "birch-1")):
    outputs = [
        Sample(f"{model}-{number}", "word " * (1 + (number * place) % 5), question_id=f"q{number}", target_model=model)
        for number in range(questions)
        for place, model in enumerate(models, start=1)
    ]
    write_samples(folder, outputs)
    checks = [{"check": "length", "minimum": 1}, {"check": "length", "minimum": 3}]
    return write_config(folder, {"oak": {"type": "rules", "rules": {"dimensions": {"*": checks}}}})


def test_a_plan_says_which_difference_its_questions_find_and_how_many_one_needs(tmp_path, capsys):
    config = compared(tmp_path)
    assert venire("plan", config, "--difference", "0.5") == 0
    before = " ".join(capsys.readouterr().out.split())
    assert "With 12 questions, a comparison of two models finds a true difference of about 1.8 on 0–10" in before
    assert "That is a first guess, as the ledger holds no differences that vary yet" in before
    assert "By the same guess, a difference of 0.5 needs about 128 questions." in before
    assert venire("plan", config, "--difference", "0.5", "--spread", "1") == 0
    given = " ".join(capsys.readouterr().out.split())
    assert (
        "finds a true difference of 0.89 on 0–10 with 80% probability (differences spread by 1.00, as given)" in given
    )
    assert "A difference of 0.5 needs 34 questions." in given


def test_a_plan_of_too_few_questions_says_that_they_show_no_difference(tmp_path, capsys):
    assert venire("plan", compared(tmp_path, questions=2)) == 0
    assert "2 questions are too few to find any difference between two models" in capsys.readouterr().out


def test_a_plan_takes_the_spread_from_what_the_ledger_holds(tmp_path, capsys):
    config = compared(tmp_path)
    venire("judge", config, "--quiet")
    capsys.readouterr()
    assert venire("plan", config, "--difference", "0.5") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "by 12 judged questions" in shown
    assert "A difference of 0.5 needs" in shown


def test_a_plan_of_one_model_says_nothing_of_differences(tmp_path, capsys):
    assert venire("plan", compared(tmp_path, models=("alder-1",))) == 0
    assert "difference" not in capsys.readouterr().out


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf"])
def test_a_difference_that_is_none_is_refused(tmp_path, capsys, given):
    assert venire("plan", compared(tmp_path), "--difference", given) == 2
    assert "above 0" in capsys.readouterr().err


def test_a_judge_that_a_run_would_refuse_is_refused_by_the_plan(tmp_path, capsys):
    write_samples(tmp_path, [Sample("s1", "Paris.")])
    config = write_config(tmp_path, {"oak": {"type": "rules"}})
    assert venire("plan", config) == 2
    assert (
        "judge 'oak': the options of this judge are wrong: the key 'dimensions' is missing" in capsys.readouterr().err
    )


def test_a_plan_names_the_key_that_is_not_set_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ELM_KEY", raising=False)
    write_samples(tmp_path, [Sample("s1", "Paris.")])
    judges = {"elm": {"type": "deepseek", "model": "m", "api_key_env": "ELM_KEY", "weight": 0.5}}
    config = write_config(tmp_path, judges | {"oak": RULES["oak"] | {"weight": 0.5}})
    assert venire("plan", config) == 0
    shown = capsys.readouterr().out
    assert "elm cannot be asked yet: ELM_KEY is not set." in shown
    assert "oak cannot be asked" not in shown
    monkeypatch.setenv("ELM_KEY", "k")
    assert venire("plan", config) == 0
    assert "cannot be asked yet" not in capsys.readouterr().out


@pytest.mark.parametrize("pattern", [None, "{model}_q{question}.txt"])
def test_a_folder_without_a_pattern_cannot_tell_models_apart_and_the_plan_says_so(tmp_path, capsys, pattern):
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / "alder_q1.txt").write_text("Paris.")
    samples = {"path": "answers"} | ({"pattern": pattern} if pattern else {})
    config = write_config(tmp_path, RULES, samples=samples)
    assert venire("plan", config) == 0
    shown = capsys.readouterr().out
    assert ("nothing says what the file names mean" in shown) == (pattern is None)
    assert ('samples: {path: answers, pattern: "{model}_q{question}.pdf"}' in shown) == (pattern is None)


def test_a_folder_of_bundles_needs_no_pattern_and_the_plan_asks_for_none(tmp_path, capsys):
    bundle = tmp_path / "bundles" / "alder-1"
    bundle.mkdir(parents=True)
    for cell in DRIFT_BUNDLE.design.cells:
        make_pdf(bundle / cell.label, ["[Snapshot] few words"])
    assert venire("plan", write_config(tmp_path, RULES, samples="bundles", protocol="drift-bundle")) == 0
    assert "nothing says what the file names mean" not in capsys.readouterr().out


@pytest.mark.parametrize(("question", "said"), [("q1", True), ("Why does it boil?", False)])
def test_a_plan_says_when_judges_do_not_see_what_was_asked(tmp_path, capsys, question, said):
    (tmp_path / "rows.csv").write_text(f"id,question,model,output\n1,{question},oak,It boils.\n")
    assert venire("plan", write_config(tmp_path, RULES, samples="rows.csv")) == 0
    shown = capsys.readouterr().out
    assert ("(task): judges see only the output" in shown) == said
    assert ("columns: {task: your_column}" in shown) == said
    assert (f"  task: {question}" in shown) != said
