"""The house in order: what no single module can promise."""

import ast
import re
from collections import Counter
from pathlib import Path

import venire

SOURCE = Path(venire.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
SUBJECTS = {"Sample", "Bundle", "PreparedSample", "PreparedBundle"}


def test_no_two_classes_share_a_name():
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    names = Counter(name for text in texts for name in re.findall(r"^ *class (\w+)[(:\[]", text, re.MULTILINE))
    assert "RayOptions" in names
    assert {name for name, times in names.items() if times > 1} == set()


def test_no_folder_has_more_than_twenty_modules():
    folders = Counter(path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    assert {str(folder): count for folder, count in folders.items() if count > 20} == {}


def test_nobody_but_the_forms_of_reply_asks_whether_a_subject_is_a_sample_or_a_bundle():
    """What differs between them, they answer themselves: so that a third kind needs no search for ladders."""
    texts = {
        path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py") if path.parent != SOURCE / "shapes"
    }
    asking = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path, text in texts.items()
        if "isinstance" in text and any(name in text for name in SUBJECTS)
        for node in ast.walk(ast.parse(text))
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


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def test_no_module_is_so_small_that_its_neighbour_could_hold_it_or_so_large_that_it_has_two_reasons():
    """A dozen lines are no reason for a file; those that are longer than 350 were looked at and have one reason."""
    small = {str(path.relative_to(SOURCE)) for path in MODULES if lines_of(path) <= 12}
    assert small == {"version.py", "__main__.py"}
    large = {str(path.relative_to(SOURCE)) for path in MODULES if lines_of(path) > 350}
    assert large <= {"shapes/bundle_reader.py", "shapes/sample_reader.py", "validation/evidence.py"}


def test_no_module_is_named_after_nothing_in_particular():
    vague = {"utils", "util", "helpers", "helper", "common", "core", "manager", "misc"}
    named = {part for path in MODULES for part in (*path.relative_to(SOURCE).parent.parts, path.stem)}
    assert named & vague == set()


def test_each_public_name_is_listed_once():
    """Packages that offer names have a stub; what it imports is their public face."""
    stubs = sorted(SOURCE.rglob("*.pyi"))
    assert [str(path.parent.relative_to(SOURCE)) for path in stubs] == [".", "stats", "votes"]
    for stub in stubs:
        nodes = ast.walk(ast.parse(stub.read_text(encoding="utf-8")))
        names = Counter(alias.asname for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names)
        assert {name for name, times in names.items() if times > 1} == set()


def test_tests_stand_where_their_modules_stand():
    """For at least 70 of 100 modules there is a test file at the same place, by the same name."""
    own = [path for path in MODULES if (TESTS / path.relative_to(SOURCE)).with_name(f"test_{path.name}").exists()]
    assert len(own) / len(MODULES) >= 0.7


def test_all_tests_on_ray_clusters_run_in_one_process():
    """Two clusters at once would take the memory and the processors of a small machine."""
    from conftest import ON_RAY

    asking = {
        str(path.relative_to(TESTS.parent))
        for path in TESTS.rglob("test_*.py")
        if "shared_cluster" in (text := path.read_text(encoding="utf-8")) or "RayCluster(" in text
    }
    assert [name for name in asking - {"tests/test_house.py"} if not name.startswith(ON_RAY)] == []
