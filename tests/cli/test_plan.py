"""`venire plan` on samples with materials: what was recognised is shown, and what cannot be judged is named."""

import json

import pytest

from experiment import served_judge, serving, venire, write_config
from venire.config import load_settings
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


def test_a_table_without_materials_is_planned_as_before(folder, capsys):
    config = write_config(folder, RULES, samples="rows.csv")
    assert venire("plan", config) == 0
    shown = capsys.readouterr().out
    assert "Read as" not in shown
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
