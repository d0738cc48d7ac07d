"""Anchors from the configuration to the dashboard: the real runner, ledger and audit, and a judge that changes."""

import hashlib
import json

import msgspec
import pytest
from litestar.testing import TestClient

from courthouse import as_a
from experiment import contents, reading, venire, write_config, write_samples
from venire.domain.sample import Sample
from venire.judges import registry
from venire.judges.provider import Reply
from venire.ledger.entry import Draft, Kind
from venire.runner.canaries.evidence import CanaryRecord
from venire.server.app import create_app
from venire.server.court.court import Court
from venire.server.options import ServerOptions
from venire.server.people.person import Role
from venire.shapes.registry import shape_of
from venire.shapes.shape import DimensionScore, Signature
from venire.workflows.ledgers import opened_ledger
from venire.workflows.outputs.opening import opened_outputs

ANCHORS = 60


class Changing:
    """A judge by the text alone, which from some moment on is harsher with some texts."""

    def __init__(self):
        self.asked = []
        self.harsher_with = lambda text: False
        self.fails_after = None

    async def ask(self, request):
        if self.fails_after is not None and len(self.asked) >= self.fails_after:
            return Reply(error="gone", error_kind="network")
        self.asked.append(request)
        text = request.subject.text
        score = hashlib.sha256(text.encode()).digest()[0] % 2 + 1 - self.harsher_with(text)

        def give(_, dimensions):
            return tuple(DimensionScore(name, score, text, "So it is.", passed=True) for name in dimensions)

        signed = Signature("changing", request.handle, "2026-01-31")
        reply = json.dumps(shape_of(request.protocol).compose(request.subject, request.protocol, give, signed))
        return Reply(reply, reply.encode(), finish_reason="stop")

    async def close(self):
        pass


@pytest.fixture
def judge(monkeypatch):
    """Let configurations name a judge that can be changed, as a plugin would."""
    made = Changing()
    monkeypatch.setattr("venire.workflows.open_engine.create_provider", lambda kind, options: made)
    monkeypatch.setattr("venire.config.settings.known_kinds", lambda: (*registry.known_kinds(), "changing"))
    return made


def _anchor(number, **notes):
    return {"output_id": f"anchor-{number}", "text": f"Anchor {number} stays as it is.", "task": "Say it.", **notes}


def _write_anchors(folder, rows):
    (folder / "anchors.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _configure(folder, run=1, outputs=20, anchors=None, share=1.0, **keys):
    """Write a configuration whose outputs are new in each run."""
    names = [f"r{run}-{number}" for number in range(outputs)]
    samples = [
        Sample(name, f"Output {name}.", question_id=f"q{place}", target_model="oak", task="Say it.")
        for place, name in enumerate(names)
    ]
    write_samples(folder, samples)
    _write_anchors(folder, anchors or [_anchor(number) for number in range(ANCHORS)])
    canaries = {"path": "anchors.jsonl", "share": share}
    return write_config(folder, {"changing": {"type": "changing"}}, canaries=canaries, **keys)


def _anchors_of(judge):
    return [request for request in judge.asked if request.subject.text.startswith("Anchor")]


def _records(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return [msgspec.convert(each, CanaryRecord) for each in contents(ledger, Kind.CANARIES)]


def test_the_first_run_judges_each_anchor_twice_and_later_ones_a_share_of_their_tasks(tmp_path, judge):
    assert venire("judge", _configure(tmp_path, share=0.3), "--quiet") == 0
    assert len(_anchors_of(judge)) == 2 * ANCHORS
    venire("judge", _configure(tmp_path, 2, share=0.3), "--quiet")
    assert len(_anchors_of(judge)) == 2 * ANCHORS + 6
    venire("judge", _configure(tmp_path, 3, share=0.3), "--quiet")
    later = [request.subject.output_id for request in _anchors_of(judge)[2 * ANCHORS :]]
    assert len(set(later)) == 12  # Those that were asked least often come first.


def test_a_run_with_nothing_new_asks_nothing_and_one_that_was_cut_short_goes_on_with_the_same(tmp_path, judge):
    config = _configure(tmp_path)
    judge.fails_after = 50
    assert venire("judge", config, "--quiet") in (1, 3)
    judge.fails_after = None
    assert venire("judge", config, "--quiet") == 0
    assert len(judge.asked) == len({request.task_id for request in judge.asked}) == 20 + 2 * ANCHORS
    venire("judge", config, "--quiet")
    assert len(judge.asked) == 20 + 2 * ANCHORS
    with reading(tmp_path / "ledger.sqlite") as ledger:
        opened = contents(ledger, Kind.RUN_OPENED)
    assert len({each["run"] for each in opened}) == 3
    assert len({each["settings"]["canaries"]["round"] for each in opened}) == 1
    repeats = {each["task"]["repeat"] for each in _judgements(tmp_path) if "canary" in each["task"]["repeat"]}
    first = opened[0]["run"]
    assert repeats == {f"canary-{first}", f"canary-{first}-2"}


def _judgements(folder):
    with reading(folder / "ledger.sqlite") as ledger:
        return contents(ledger, Kind.JUDGEMENT)


def test_judges_are_not_told_which_outputs_are_anchors(tmp_path, judge):
    rows = [_anchor(number, label=number % 9) for number in range(ANCHORS)]
    venire("judge", _configure(tmp_path, anchors=rows), "--quiet")
    asked = [request.subject.text.startswith("Anchor") for request in judge.asked]
    assert asked.index(False) + asked[::-1].index(False) > 3  # They stand among the others, not before or behind.
    told = " ".join(request.user + request.system for request in judge.asked).lower()
    assert "canary" not in told
    assert "anchor-" not in told
    assert all(request.subject.probe == "" and request.subject.notes == {} for request in judge.asked)


def test_anchors_count_in_no_number_about_outputs(tmp_path, judge, capsys):
    venire("judge", _configure(tmp_path), "--quiet")
    out = capsys.readouterr().out
    assert "anchors" in out
    venire("report", tmp_path / "ledger.sqlite", "--json", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    listed = json.dumps(report["sections"][1:])
    assert "Anchor 1 stays" not in listed
    board = next(table for section in report["sections"] for table in section["tables"] if table["id"] == "leaderboard")
    counted = [cell for row in board["rows"] for cell in row["cells"] if cell["id"].endswith(".outputs")]
    assert [row["names"] for row in board["rows"]] == [["oak"]]
    assert all(cell["value"] == 20 for cell in counted)
    venire("export", tmp_path / "ledger.sqlite", tmp_path / "archive")
    assert not [path for path in (tmp_path / "archive").rglob("*") if "anchor" in path.name]


def test_anchors_need_no_factors_of_the_design(tmp_path, judge):
    config = _configure(tmp_path, factors=["trigger"])
    rows = [
        json.loads(line) | {"trigger": "implicit"} for line in (tmp_path / "outputs.jsonl").read_text().splitlines()
    ]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert venire("judge", config, "--quiet") == 0
    assert len(_anchors_of(judge)) == 2 * ANCHORS


def test_the_viewer_lists_no_anchor(tmp_path, judge):
    venire("judge", _configure(tmp_path), "--quiet")
    with opened_outputs(str(tmp_path / "ledger.sqlite")) as outputs:
        while outputs.catch_up():
            pass
        listed = outputs.index.rows("SELECT output_id, judgements FROM output")
        outputs.close()
    assert sorted(listed) == sorted((f"r1-{number}", 1) for number in range(20))


def test_a_judge_that_changes_is_found_and_blamed(tmp_path, judge, capsys):
    for run in range(1, 4):
        venire("judge", _configure(tmp_path, run), "--quiet")
    capsys.readouterr()
    assert venire("canaries", tmp_path / "ledger.sqlite") == 0
    assert "changing: no sign of a change in 3 runs" in capsys.readouterr().out
    judge.harsher_with = lambda text: hashlib.sha256(text.encode()).digest()[1] % 3 == 0
    for run in range(4, 7):
        venire("judge", _configure(tmp_path, run), "--quiet")
    capsys.readouterr()
    assert venire("canaries", tmp_path / "ledger.sqlite") == 1
    out = capsys.readouterr().out
    assert "changing changed between runs 3 and 4 (e = " in out
    assert "of anchors differently, harsher by" in out
    assert "The judge changed (" in out
    assert [bool(each.judges[0].alarm) for each in _records(tmp_path)][:3] == [False, False, False]


def test_a_system_that_changes_is_blamed_and_the_judge_is_not_accused(tmp_path, judge, capsys):
    for run in range(1, 3):
        venire("judge", _configure(tmp_path, run, outputs=60), "--quiet")
    judge.harsher_with = lambda text: text.startswith("Output")
    venire("judge", _configure(tmp_path, 3, outputs=60), "--quiet")
    capsys.readouterr()
    assert venire("canaries", tmp_path / "ledger.sqlite") == 0
    assert "The system changed (" in capsys.readouterr().out


def test_an_audit_derives_the_evidence_again(tmp_path, judge, capsys):
    for run in range(1, 3):
        venire("judge", _configure(tmp_path, run), "--quiet")
    assert venire("audit", tmp_path / "ledger.sqlite") == 0
    assert "2 of 2 records of anchors derived again" in capsys.readouterr().out
    record = _records(tmp_path)[-1]
    forged = msgspec.structs.replace(record.judges[0], peak=1.25)
    with opened_ledger(str(tmp_path / "ledger.sqlite")) as ledger:
        ledger.append([Draft(Kind.CANARIES, msgspec.structs.replace(record, judges=(forged,)), record.run)])
    assert venire("audit", tmp_path / "ledger.sqlite") == 1
    assert "what it says about changing does not follow" in capsys.readouterr().out


def test_distance_to_people_is_watched_where_they_scored_anchors(tmp_path, judge, capsys):
    rows = [_anchor(number) for number in range(ANCHORS)]
    for row in rows:
        row["label"] = 4 * (hashlib.sha256(row["text"].encode()).digest()[0] % 2 + 1)
    venire("judge", _configure(tmp_path, 1, anchors=rows), "--quiet")
    judge.harsher_with = lambda text: True
    venire("judge", _configure(tmp_path, 2, outputs=60, anchors=rows), "--quiet")
    streams = _records(tmp_path)[-1].judges[0].streams
    farther = next(each for each in streams if each.watched == "distance" and not each.dimension)
    assert farther.e_value > 25
    venire("canaries", tmp_path / "ledger.sqlite")
    out = capsys.readouterr().out
    assert "overall, away from people" in out
    assert out.count("away from people") == 1  # People gave an overall score only: nothing else is bet on.


def test_a_gate_closes_when_a_judge_has_changed(tmp_path, judge, capsys):
    rules = tmp_path / "rules.yaml"
    rules.write_text("rules:\n  - check: judges_unchanged\n")
    venire("judge", _configure(tmp_path, 1), "--quiet")
    assert venire("gate", rules, tmp_path / "ledger.sqlite") == 1
    assert "anchors were not judged again yet" in capsys.readouterr().out
    venire("judge", _configure(tmp_path, 2, outputs=60), "--quiet")
    assert venire("gate", rules, tmp_path / "ledger.sqlite") == 0
    judge.harsher_with = lambda text: True
    venire("judge", _configure(tmp_path, 3, outputs=60), "--quiet")
    capsys.readouterr()
    assert venire("gate", rules, tmp_path / "ledger.sqlite") == 1
    assert "changing changed" in capsys.readouterr().out


def test_a_report_says_it_first_when_a_judge_has_changed(tmp_path, judge, capsys):
    venire("judge", _configure(tmp_path, 1), "--quiet")
    judge.harsher_with = lambda text: True
    venire("judge", _configure(tmp_path, 2, outputs=60), "--quiet")
    capsys.readouterr()
    venire("report", tmp_path / "ledger.sqlite")
    out = capsys.readouterr().out
    assert "Anchors show that a judge has changed: changing" in " ".join(out.split())


def test_a_plan_prices_anchors(tmp_path, judge, capsys):
    config = _configure(tmp_path)
    assert venire("plan", config) == 0
    out = capsys.readouterr().out
    assert "anchors" in out
    assert f"{2 * ANCHORS}" in out
    assert "140 tasks" in out
    assert judge.asked == []


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([_anchor(number) for number in range(19)], "expected at least 20 anchors, found 19"),
        ([_anchor(number, label=5) for number in range(20)], "for every anchor"),
        ([_anchor(number, label=number) for number in range(20)], "expected a score from 0 to 8"),
        ([_anchor(number, **{"label.TONE": 1}) for number in range(20)], "names no dimension"),
        (
            [*(_anchor(number) for number in range(20)), {"output_id": "x", "text": "Output r1-3.", "task": "Say it."}],
            "the anchor x is the same output as the sample r1-3",
        ),
    ],
)
def test_anchors_that_are_of_no_use_are_an_error_before_anything_is_asked(tmp_path, judge, capsys, rows, expected):
    assert venire("judge", _configure(tmp_path, anchors=rows), "--quiet") == 2
    assert expected in capsys.readouterr().err
    assert judge.asked == []
    assert not (tmp_path / "ledger.sqlite").exists()


def test_unknown_keys_missing_files_and_other_protocols_are_errors(tmp_path, judge, capsys):
    config = _configure(tmp_path)
    text = config.read_text()
    config.write_text(text.replace('"share": 1.0', '"rate": 1.0'))
    assert venire("judge", config, "--quiet") == 2
    assert "canaries" in capsys.readouterr().err
    config.write_text(text.replace("anchors.jsonl", "none.jsonl"))
    assert venire("judge", config, "--quiet") == 2
    assert "found no anchors" in capsys.readouterr().err
    config.write_text(text.replace('"share": 1.0', '"share": 0'))
    assert venire("judge", config, "--quiet") == 2
    _configure(tmp_path, protocol="preference")
    assert venire("judge", config, "--quiet") == 2
    assert "one output at a time" in capsys.readouterr().err


def test_a_ledger_without_anchors_is_an_error_that_says_what_to_do(tmp_path, judge, capsys):
    _configure(tmp_path)
    config = write_config(tmp_path, {"changing": {"type": "changing"}})
    venire("judge", config, "--quiet")
    capsys.readouterr()
    assert venire("canaries", tmp_path / "ledger.sqlite") == 2
    assert "no run of this ledger judged anchors" in capsys.readouterr().err


def test_the_dashboard_draws_the_evidence_and_begins_with_an_alarm(tmp_path, judge):
    def page():
        options = ServerOptions(ledger=str(tmp_path / "ledger.sqlite"), host="testserver.local", port=80)
        court = Court(options)
        with TestClient(create_app(options, court), base_url="http://testserver.local") as client:
            return client.get("/", headers=as_a(Role.READER, court)).text

    venire("judge", _configure(tmp_path, 1), "--quiet")
    venire("judge", _configure(tmp_path, 2, outputs=60), "--quiet")
    quiet = page()
    assert 'id="judges-over-time"' in quiet
    assert 'role="alert"' not in quiet
    judge.harsher_with = lambda text: True
    venire("judge", _configure(tmp_path, 3, outputs=60), "--quiet")
    loud = page()
    assert loud.index('role="alert"') < loud.index("<section")
    assert "changing has changed, as anchors show" in loud
    assert "run 3" in loud
