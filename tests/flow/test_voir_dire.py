"""A voir dire from the configuration to the ledger: real probes, the real runner, judges with known faults."""

import json

import pytest
from bench.planted_judges import FAULTS, PlantedJudge

from experiment import contents, reading, venire, write_config, write_samples
from venire.domain.sample import Sample
from venire.judges import registry
from venire.judges.probes.making import bundled_outputs
from venire.ledger.entry import Kind

BATTERY = {
    "id": "short",
    "families": {"valid": {}, "repeats": {}, "keys": {}, "authority": {}, "prompt_language": {}, "dimension_order": {}},
}
"""A battery that takes a second: of each kind of asking one family."""


@pytest.fixture
def planted(monkeypatch):
    """Let configurations name judges with planted faults, as a plugin would."""
    answers = {each.task: each.text for each in bundled_outputs()}
    asked = []

    class Counted(PlantedJudge):
        async def ask(self, request):
            asked.append(request)
            return await super().ask(request)

    def create(kind, options):
        return Counted(FAULTS[options["fault"]][0], answers, seed=options.get("seed", 0))

    monkeypatch.setattr("venire.workflows.open_engine.create_provider", create)
    monkeypatch.setattr("venire.config.settings.known_kinds", lambda: (*registry.known_kinds(), "planted"))
    return asked


def _configure(folder, judges, **keys):
    write_samples(folder, [Sample("s1", "Too short.", question_id="q1", target_model="oak", task="Say it.")])
    (folder / "short.yaml").write_text(json.dumps(BATTERY))
    given = {name: {"type": "planted", "options": {"fault": fault}} for name, fault in judges.items()}
    return write_config(folder, given, voir_dire={"battery": "short.yaml", "samples": "bundled"}, **keys)


def _outcomes(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return {each["judge"]: each for each in contents(ledger, Kind.QUALIFICATION)}


def test_a_sound_judge_qualifies_and_faulty_ones_are_struck_for_their_fault(tmp_path, planted, capsys):
    judges = {"fair": "sound but noisy", "awed": "follows authority", "fickle": "drifts in Chinese"}
    assert venire("voir-dire", _configure(tmp_path, judges), "--quiet") == 1
    found = _outcomes(tmp_path)
    assert {name: each["outcome"] for name, each in found.items()} == {
        "fair": "qualified", "awed": "struck", "fickle": "struck",
    }  # fmt: skip
    beyond = {name: [each["family"] for each in found[name]["rates"] if each["standing"] == "beyond"] for name in found}
    assert beyond == {"fair": [], "awed": ["authority"], "fickle": ["prompt_language"]}
    assert all(each.startswith("authority/") for each in found["awed"]["worst"])
    said = capsys.readouterr().out
    assert "fair qualifies" in said
    assert "awed is struck for cause: an authority's name at least" in said


def test_nothing_is_asked_twice(tmp_path, planted):
    config = _configure(tmp_path, {"fair": "sound but noisy"})
    venire("voir-dire", config, "--quiet")
    first = len(planted)
    venire("voir-dire", config, "--quiet")
    assert len(planted) == first > 100


def test_a_voir_dire_that_its_budget_ends_goes_on_and_comes_to_the_same(tmp_path, planted, capsys):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
    venire("voir-dire", _configure(whole, {"fair": "sound but noisy"}), "--quiet")
    runner = {"reask_share": 0, "budget": {"calls": 90}}
    codes = [venire("voir-dire", _configure(parts, {"fair": "sound but noisy"}, runner=runner), "--quiet")]
    assert codes == [3]
    assert _outcomes(parts) == {}
    while codes[-1] == 3:
        codes.append(venire("voir-dire", _configure(parts, {"fair": "sound but noisy"}, runner=runner), "--quiet"))
    assert codes[-1] == 0
    assert _outcomes(parts) == _outcomes(whole)


def test_judges_are_not_told_that_they_are_probed(tmp_path, planted):
    venire("voir-dire", _configure(tmp_path, {"fair": "sound but noisy"}), "--quiet")
    told = " ".join(request.user + request.system for request in planted)
    assert all(request.subject.probe == "" for request in planted)
    assert "voir" not in told.lower()
    assert "/authority/" not in told


def test_a_report_counts_no_probe(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"})
    planted_answers = {each.task: each.text for each in bundled_outputs()}
    task, text = next(iter(planted_answers.items()))
    write_samples(tmp_path, [Sample("s1", text, question_id="q1", target_model="oak", task=task)])
    assert venire("judge", config, "--quiet") == 0
    capsys.readouterr()
    venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "before.json")
    venire("voir-dire", config, "--quiet")
    assert venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "after.json") == 0
    before, after = (json.loads((tmp_path / name).read_text()) for name in ("before.json", "after.json"))
    assert [each for each in before["sections"] if each["id"] in ("summary", "leaderboard", "judges", "cost")] == [
        each for each in after["sections"] if each["id"] in ("summary", "leaderboard", "judges", "cost")
    ]


def test_a_protocol_for_bundles_is_refused_before_anything_is_asked(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"}, protocol="drift-bundle")
    assert venire("voir-dire", config, "--quiet") == 2
    assert "drift-bundle" in capsys.readouterr().err
    assert planted == []


def test_an_unknown_probe_is_refused_before_anything_is_asked(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"})
    (tmp_path / "short.yaml").write_text("id: x\nprobes: [en-keys-colom]\n")
    assert venire("voir-dire", config, "--quiet") == 2
    assert "en-keys-colon" in capsys.readouterr().err
    assert planted == []
