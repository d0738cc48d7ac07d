"""A voir dire from the configuration to the ledger: real probes, the real runner, judges with known faults."""

import json

import msgspec
import pytest
from bench.planted_judges import FAULTS, PAIR_FAULTS, PlantedComparer, PlantedJudge

from experiment import contents, reading, venire, write_config, write_samples
from venire.domain.canonical import canonical_json
from venire.domain.sample import Sample
from venire.judges import registry
from venire.judges.probes.making import bundled_outputs
from venire.judges.probes.qualification import Qualification
from venire.ledger.entry import Kind
from venire.workflows.instruments.recorded import find_difference

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
        if kind == "comparing":
            return PlantedComparer(PAIR_FAULTS[options["fault"]], answers)
        return Counted(FAULTS[options["fault"]][0], answers, seed=options.get("seed", 0))

    monkeypatch.setattr("venire.workflows.open_engine.create_provider", create)
    monkeypatch.setattr("venire.config.settings.known_kinds", lambda: (*registry.known_kinds(), "planted", "comparing"))
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
    assert "awed is disqualified: an authority's name at least" in said


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


def test_all_kinds_of_asking_share_one_budget(tmp_path, planted):
    for name, calls in (("whole", None), ("short", -1)):
        (tmp_path / name).mkdir()
        runner = {"reask_share": 0, "budget": {"calls": len(planted) + calls}} if calls else {"reask_share": 0}
        config = _configure(tmp_path / name, {"fair": "sound but noisy"}, runner=runner)
        assert venire("voir-dire", config, "--quiet") == (3 if calls else 0)
    assert len(planted) % 2 == 1  # One less than twice the whole.


def test_judges_are_not_told_that_they_are_probed(tmp_path, planted):
    venire("voir-dire", _configure(tmp_path, {"fair": "sound but noisy"}), "--quiet")
    told = " ".join(request.user + request.system for request in planted)
    assert all(request.subject.probe == "" for request in planted)
    assert "voir" not in told.lower()
    assert "/authority/" not in told


def test_a_report_and_an_archive_count_no_probe(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"})
    planted_answers = {each.task: each.text for each in bundled_outputs()}
    task, text = next(iter(planted_answers.items()))
    write_samples(tmp_path, [Sample("s1", text, question_id="q1", target_model="oak", task=task)])
    assert venire("judge", config, "--quiet") == 0
    capsys.readouterr()
    venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "before.json")
    venire("voir-dire", config, "--quiet")
    assert venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "after.json") == 0
    assert venire("export", tmp_path / "ledger.sqlite", tmp_path / "archive") == 0
    assert [each.name.split(".")[0] for each in (tmp_path / "archive").rglob("*.record.json")] == ["s1"]
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


def _judged(folder, judges, **keys):
    config = _configure(folder, judges, **keys)
    outputs = [
        Sample(f"s{place}", each.text, question_id=f"q{place}", target_model="oak", task=each.task)
        for place, each in enumerate(bundled_outputs()[:4])
    ]
    write_samples(folder, outputs)
    venire("judge", config, "--quiet")
    return config


def _report(folder, *options):
    venire("report", folder / "ledger.sqlite", "--json", folder / "report.json", *options)
    return json.loads((folder / "report.json").read_text())


def _section(report, name):
    return next((each for each in report["sections"] if each["id"] == name), None)


def test_where_a_voir_dire_is_required_only_qualified_judges_count(tmp_path, planted, capsys):
    config = _judged(tmp_path, {"fair": "sound but noisy", "awed": "follows authority"}, require="voir-dire")
    unexamined = _report(tmp_path)
    venire("report", tmp_path / "ledger.sqlite")
    assert "fair (not examined), awed (not examined)" in " ".join(capsys.readouterr().out.split())
    assert _section(unexamined, "leaderboard")["tables"] == []
    venire("voir-dire", config, "--quiet")
    capsys.readouterr()
    report = _report(tmp_path)
    venire("report", tmp_path / "ledger.sqlite")
    said = " ".join(capsys.readouterr().out.split())
    assert "Only judges that passed their voir dire count. Kept out: awed (disqualified)." in said
    assert {line["rater"] for line in report["lines"] if line["counted"]} == {"fair"}
    venire("report", tmp_path / "ledger.sqlite", "--lang", "zh", "--full")
    assert "评审未通过准入测试" in capsys.readouterr().out
    tables = {each["id"]: each for each in _section(report, "voir_dire")["tables"]}
    worst = tables["worst_probes"]["rows"]
    assert len(worst) == 3
    assert all(row["names"][0] == "awed" and "authority" in row["names"][1] for row in worst)
    assert all(row["cells"][1]["text"] and "scores" in row["cells"][2]["text"] for row in worst)


def test_without_the_requirement_every_judge_counts_and_the_certificates_are_shown(tmp_path, planted):
    venire("voir-dire", _judged(tmp_path, {"awed": "follows authority"}), "--quiet")
    report = _report(tmp_path, "--lang", "zh")
    assert {line["rater"] for line in report["lines"] if line["counted"]} == {"awed"}
    assert _section(report, "voir_dire")


def test_a_qualification_ends_with_another_version_of_the_judge(tmp_path, planted, capsys):
    venire("voir-dire", _judged(tmp_path, {"fair": "sound but noisy"}, require="voir-dire"), "--quiet")
    assert {line["counted"] for line in _report(tmp_path)["lines"]} == {True}
    config = json.loads((tmp_path / "venire.yaml").read_text())
    config["judges"]["fair"]["temperature"] = 0.9
    (tmp_path / "venire.yaml").write_text(json.dumps(config))
    venire("judge", tmp_path / "venire.yaml", "--quiet")
    with reading(tmp_path / "ledger.sqlite") as ledger:
        digest = contents(ledger, Kind.RUN_OPENED)[-1]["judges"][0]["digest"]
    report = _report(tmp_path, "--judge-version", f"fair={digest}")
    assert {line["counted"] for line in report["lines"]} == {False}


def test_an_audit_derives_a_qualification_again(tmp_path, planted, capsys):
    venire("voir-dire", _configure(tmp_path, {"awed": "follows authority"}), "--quiet")
    capsys.readouterr()
    assert venire("audit", tmp_path / "ledger.sqlite") == 0
    assert "1 of 1 qualification derived again" in capsys.readouterr().out
    with reading(tmp_path / "ledger.sqlite") as ledger:
        kept = next(ledger.read(kinds=[Kind.QUALIFICATION]))
        content = msgspec.convert(kept.content, Qualification)
        for damaged in (
            msgspec.structs.replace(content, outcome="qualified"),
            msgspec.structs.replace(content, replies=content.replies[1:]),
            msgspec.structs.replace(
                content, replies=(msgspec.structs.replace(content.replies[0], place=0.123), *content.replies[1:])
            ),
        ):
            entry = msgspec.structs.replace(kept, payload=canonical_json(damaged))
            assert find_difference(entry, ledger)
        assert not find_difference(kept, ledger)


def test_the_plan_prices_the_voir_dire(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"})
    assert venire("plan", config) == 0
    said = capsys.readouterr().out
    assert "Voir dire with the battery short.yaml" in said
    venire("voir-dire", config, "--quiet")
    capsys.readouterr()
    venire("plan", config)
    again = capsys.readouterr().out
    assert str(len(planted)) in said.split("Voir dire")[1]
    assert "0 tasks" in again.split("Voir dire")[1]


def test_a_voir_dire_cannot_be_required_of_judges_of_bundles(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"}, protocol="drift-bundle", require="voir-dire")
    assert venire("plan", config) == 2
    assert "drift-bundle" in capsys.readouterr().err


PAIR_BATTERY = {"id": "pairs", "families": {"valid": {}, "repeats": {}, "order": {}, "authority": {}, "cut": {}}}


def _comparing(folder, judges, **keys):
    outputs = [
        Sample(f"{model}-{place}", each.text, question_id=f"q{place}", target_model=model, task=each.task)
        for place, each in enumerate(bundled_outputs()[:3])
        for model in ("oak", "elm")
    ]
    write_samples(folder, outputs)
    (folder / "pairs.yaml").write_text(json.dumps(PAIR_BATTERY))
    given = {name: {"type": "comparing", "options": {"fault": fault}} for name, fault in judges.items()}
    voir_dire = {"battery": "pairs.yaml", "samples": "bundled"}
    return write_config(folder, given, protocol="preference", voir_dire=voir_dire, **keys)


def test_judges_that_compare_are_examined_by_pairs_and_one_that_loves_the_first_is_struck(tmp_path, planted, capsys):
    judges = {"fair": "sound but noisy", "hasty": "loves the first", "awed": "follows authority"}
    config = _comparing(tmp_path, judges, require="voir-dire")
    assert venire("judge", config, "--quiet") == 0
    assert venire("plan", config) == 0
    assert "Voir dire with the battery pairs.yaml" in capsys.readouterr().out
    assert venire("voir-dire", config, "--quiet") == 1
    found = _outcomes(tmp_path)
    assert {name: each["outcome"] for name, each in found.items()} == {
        "fair": "qualified", "hasty": "struck", "awed": "struck",
    }  # fmt: skip
    beyond = {name: {each["family"] for each in found[name]["rates"] if each["standing"] == "beyond"} for name in found}
    assert "order" in beyond["hasty"]
    assert beyond["awed"] == {"authority"}
    capsys.readouterr()
    assert venire("audit", tmp_path / "ledger.sqlite") == 0
    assert "3 of 3 qualifications derived again" in capsys.readouterr().out
    report = _report(tmp_path)
    assert {line["rater"] for line in report["lines"] if line["counted"]} == {"fair"}
    venire("report", tmp_path / "ledger.sqlite", "--lang", "zh", "--full")
    assert "评审未通过准入测试" in capsys.readouterr().out
    worst = next(each for each in _section(report, "voir_dire")["tables"] if each["id"] == "worst_probes")["rows"]
    assert all("first: " in row["cells"][1]["text"] and "second: " in row["cells"][1]["text"] for row in worst)


def test_a_ranking_counts_no_probe_of_a_pair(tmp_path, planted, capsys):
    config = _comparing(tmp_path, {"fair": "sound but noisy"})
    venire("judge", config, "--quiet")
    capsys.readouterr()
    venire("rank", tmp_path / "ledger.sqlite")
    before = capsys.readouterr().out
    venire("voir-dire", config, "--quiet")
    capsys.readouterr()
    venire("rank", tmp_path / "ledger.sqlite")
    assert capsys.readouterr().out == before


def test_judges_of_single_outputs_are_not_asked_about_an_order_of_two(tmp_path, planted, capsys):
    config = _configure(tmp_path, {"fair": "sound but noisy"})
    (tmp_path / "short.yaml").write_text(json.dumps({"id": "short", "families": {"valid": {}, "order": {}}}))
    venire("voir-dire", config, "--quiet")
    assert "Not tested: order of the two outputs, because the protocol judges one output at a time." in (
        capsys.readouterr().out
    )
    venire("judge", config, "--quiet")
    capsys.readouterr()
    venire("report", tmp_path / "ledger.sqlite", "--lang", "zh", "--full")
    said = capsys.readouterr().out.replace("\n", "")
    assert "没有向 fair 测试的类别：两份输出的先后顺序，因为评测协议每次只评一份输出。" in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_and_a_terminal_show_who_was_struck_for_what_with_the_worst_probes(tmp_path, planted, capsys, language):
    venire("voir-dire", _judged(tmp_path, {"awed": "follows authority"}), "--quiet")
    capsys.readouterr()
    page = tmp_path / "report.html"
    assert venire("report", tmp_path / "ledger.sqlite", "--lang", language, "--full", "--html", page) == 0
    struck = {"en": "of the battery short: an authority's name.", "zh": "超限的类别：权威署名。"}[language]
    assert struck in page.read_text(encoding="utf-8").replace("&#39;", "'")
    assert "authority-" in page.read_text(encoding="utf-8")
    assert '<td class="long text">{' in page.read_text(encoding="utf-8")  # A reply in full has room.
    venire("report", tmp_path / "ledger.sqlite", "--lang", language, "--full")
    assert "".join(struck.split()) in "".join(capsys.readouterr().out.split())
