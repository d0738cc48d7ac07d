"""The house in order: what no single module can promise."""

import ast
from collections import Counter
from pathlib import Path

import venire

SOURCE = Path(venire.__file__).parent
SUBJECTS = {"Sample", "Bundle", "PreparedSample", "PreparedBundle"}


def test_no_two_classes_share_a_name():
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py"))
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} == set()


def test_no_folder_has_more_than_twenty_modules():
    folders = Counter(path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    assert {str(folder): count for folder, count in folders.items() if count > 20} == {}


def test_nobody_but_the_forms_of_reply_asks_whether_a_subject_is_a_sample_or_a_bundle():
    """What differs between them, they answer themselves: so that a third kind needs no search for ladders."""
    asking = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        if path.parent != SOURCE / "shapes"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
        if SUBJECTS & {getattr(each, "id", "") for each in ast.walk(node.args[1])}
    ]
    assert asking == []


def test_workflows_ask_the_form_of_reply_and_not_the_protocol_what_is_judged():
    """A protocol's design is read where bundles are; elsewhere its absence would stand for "judges samples"."""
    reading = {
        str(path.relative_to(SOURCE / "workflows"))
        for path in (SOURCE / "workflows").rglob("*.py")
        if ".protocol.design" in path.read_text(encoding="utf-8")
    }
    assert reading == {"judge.py", "checking/sources.py", "evidence/from_ledger.py"}
