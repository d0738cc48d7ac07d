"""Files that other programs read: they must be what these programs expect, and name what is there."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from doc_scripts import ROOT
from drawing import draws

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def targets():
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_what_the_makefile_has_and_may_write_nothing_by_default(path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    wanted = {word for line in commands if line.startswith("make ") for word in line.split()[1:]}
    assert wanted
    assert wanted <= targets()
    assert all(job["runs-on"] for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", [each for each in FORMS if each.stem != "config"], ids=lambda path: path.stem)
def test_an_issue_form_asks_something(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"]
    assert form["description"]
    assert all(each["attributes"]["label"] for each in form["body"])


def test_hooks_run_tools_that_the_project_installs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert {hook["entry"].split()[0] for hook in hooks} == {
        ".venv/bin/ruff",
        ".venv/bin/mypy",
        ".venv/bin/lint-imports",
    }


def test_no_constraint_is_below_what_the_package_asks_for():
    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(
        re.findall(r"^([A-Za-z0-9_.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    versions = {name.lower().replace("_", "-"): version for name, version in pinned.items()}
    asked = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    for requirement in map(Requirement, asked):
        version = versions.get(requirement.name.lower())
        assert version is None or requirement.specifier.contains(version), requirement


def test_the_short_and_the_long_tests_are_all_tests_and_ci_runs_both():
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = dict(re.findall(r"^(test|test-long): .*\n((?:\t.*\n)+)", made, re.MULTILINE))
    chosen = {name: re.search(r'-m "(.+)"', rule)[1] for name, rule in rules.items()}
    assert chosen == {"test": "not long", "test-long": "long or hypothesis"}
    assert [name for name, rule in rules.items() if "VENIRE_QUICK=1" in rule] == ["test"]
    commands = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert {"make test", "make test-long"} <= set(commands)


def test_examples_are_drawn_by_the_quarter_only_when_asked(monkeypatch):
    monkeypatch.delenv("VENIRE_QUICK", raising=False)
    assert draws(100) == 100
    monkeypatch.setenv("VENIRE_QUICK", "1")
    assert [draws(100), draws(3)] == [25, 1]
