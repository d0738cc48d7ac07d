"""Completeness: what runs planned, held against what was answered, from the ledger alone."""

from __future__ import annotations

import hashlib
from collections import Counter

from experiment import FakeProvider, contents, make_judge, make_samples, run_fakes
from venire.judges.provider import Reply
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.runner.options import Budget
from venire.words.said import say
from venire.workflows.evidence.completeness import CompletenessReader


def completeness(ledger, **keys):
    reader = CompletenessReader(ledger)
    for entry in ledger.read():
        reader.take(entry)
    return reader.result(**keys)


def counted(ledger):
    return {each.judge: (each.answered, each.planned) for each in completeness(ledger).judges}


def run(ledger, samples, judge=None, providers=None, **options):
    names = providers or {"oak": FakeProvider()}
    return run_fakes(names, samples, judges=[judge] if judge else (), ledger=ledger, **options)[0]


def test_a_run_records_its_plan_before_it_asks_and_everything_carries_its_id():
    ledger = MemoryLedger()
    run(ledger, make_samples(30), reask_share=0.5)
    (opened,), (closed,) = contents(ledger, Kind.RUN_OPENED), contents(ledger, Kind.RUN_CLOSED)
    kinds = [entry.kind for entry in ledger.read()]
    assert kinds.index(Kind.PLAN) < kinds.index(Kind.RUN_OPENED) < kinds.index(Kind.REPLY)

    replies = contents(ledger, Kind.REPLY)
    ids = {reply["task"]["id"] for reply in replies}
    (part,) = ledger.read(kinds=[Kind.PLAN])
    planned = opened["plan"]["oak"]
    assert {part.blob[start : start + 32].hex() for start in range(0, len(part.blob), 32)} == ids
    assert (planned["tasks"], planned["parts"]) == (len(ids), [part.key])
    assert planned["digest"] == hashlib.sha256(part.blob).hexdigest()

    assert opened["run"]
    assert {each["run"] for each in (closed, *replies, *contents(ledger, Kind.JUDGEMENT))} == {opened["run"]}


def test_failed_attempts_and_tasks_that_were_not_asked_carry_the_run_too():
    ledger = MemoryLedger()
    refusing = FakeProvider(lambda _: Reply(None, error="HTTP 401", error_kind="auth"))
    run(ledger, make_samples(5), providers={"oak": refusing})
    attempts = contents(ledger, Kind.ATTEMPT)
    assert {each["outcome"] for each in attempts} == {"auth", "not_asked"}
    assert {each["run"] for each in attempts} == {contents(ledger, Kind.RUN_OPENED)[0]["run"]}


def test_two_runs_of_the_same_have_two_ids_and_the_same_tasks():
    first, second = MemoryLedger(), MemoryLedger()
    for ledger in (first, second):
        run(ledger, make_samples(3))
    runs = [contents(ledger, Kind.RUN_OPENED)[0] for ledger in (first, second)]
    assert runs[0]["run"] != runs[1]["run"]
    assert runs[0]["plan"] == runs[1]["plan"]


def test_a_run_that_stopped_early_is_incomplete_and_its_resumption_completes_it():
    ledger = MemoryLedger()
    run(ledger, make_samples(10), budget=Budget(calls=4))
    assert counted(ledger) == {"oak": (4, 10)}

    run(ledger, make_samples(10))
    assert counted(ledger) == {"oak": (10, 10)}
    assert Counter(entry.kind for entry in ledger.read())[Kind.PLAN] == 1  # the second run planned the same
    assert [each["plan"]["oak"]["tasks"] for each in contents(ledger, Kind.RUN_OPENED)] == [10, 10]


def test_invalid_replies_are_answers_and_failed_tasks_are_not():
    ledger = MemoryLedger()
    answers = iter([Reply("no", b"no"), Reply(None, error="HTTP 400", error_kind="bad_request")] * 2)
    run(ledger, make_samples(4), providers={"oak": FakeProvider(lambda _: next(answers))})
    assert counted(ledger) == {"oak": (2, 4)}


def test_a_plan_that_a_larger_one_replaced_leaves_nothing_open():
    ledger = MemoryLedger()
    run(ledger, make_samples(10), budget=Budget(calls=4))
    run(ledger, make_samples(12))
    assert counted(ledger) == {"oak": (12, 12)}


def test_a_plan_of_other_samples_counts_as_long_as_its_answers_are_in_the_ledger():
    ledger = MemoryLedger()
    run(ledger, make_samples(10), budget=Budget(calls=4))
    run(ledger, make_samples(20)[15:])
    assert counted(ledger) == {"oak": (9, 15)}


def test_a_judge_that_was_never_reached_counts_with_nothing_answered():
    ledger = MemoryLedger()
    run(ledger, make_samples(5), providers={"oak": FakeProvider(), "elm": FakeProvider()},
        mode="sequential", budget=Budget(calls=5))  # fmt: skip
    assert counted(ledger) == {"oak": (5, 5), "elm": (0, 5)}


def test_a_judge_that_left_the_panel_without_an_answer_does_not_count():
    ledger = MemoryLedger()
    both = {"oak": FakeProvider(), "elm": FakeProvider()}
    run(ledger, make_samples(5), providers=both, mode="sequential", budget=Budget(calls=5))
    run(ledger, make_samples(5))
    assert counted(ledger) == {"oak": (5, 5)}


def test_a_chosen_version_of_a_judge_is_held_against_its_own_plan():
    ledger = MemoryLedger()
    old, new = make_judge(model="oak-1"), make_judge(model="oak-2")
    run(ledger, make_samples(10), old, budget=Budget(calls=4))
    run(ledger, make_samples(3), new)
    (chosen,) = completeness(ledger, versions={"oak": new.digest}).judges
    assert (chosen.answered, chosen.planned) == (3, 3)
    (chosen,) = completeness(ledger, versions={"oak": old.digest}).judges
    assert (chosen.answered, chosen.planned) == (4, 10)


def without_plans(full):
    """Return the ledger as versions that recorded no plans would have written it."""
    ledger = MemoryLedger()
    for entry in full.read():
        content = {name: value for name, value in entry.content.items() if name not in ("run", "plan")}
        if entry.kind is not Kind.PLAN:
            ledger.append([Draft(entry.kind, content, entry.key, entry.blob)])
    return ledger


def test_the_completeness_of_a_ledger_without_plans_is_not_known():
    ledger = MemoryLedger()
    run(ledger, make_samples(3))
    assert completeness(without_plans(ledger)).unknown == say("problem.plan.none")


def test_answers_that_no_plan_covers_are_said_to_be_so():
    ledger = MemoryLedger()
    run(ledger, make_samples(3))
    older = without_plans(ledger)
    run(older, make_samples(6)[4:])
    found = completeness(older)
    assert [(each.answered, each.planned) for each in found.judges] == [(2, 2)]
    assert found.unknown == say("problem.plan.none_of", judges=("oak",))


def test_a_plan_is_stored_in_parts_and_its_digest_is_over_all_of_them(monkeypatch):
    monkeypatch.setattr("venire.runner.plan.IDS_IN_A_PART", 4)
    ledger = MemoryLedger()
    run(ledger, make_samples(10))
    parts = {entry.key: entry.blob for entry in ledger.read(kinds=[Kind.PLAN])}
    planned = contents(ledger, Kind.RUN_OPENED)[0]["plan"]["oak"]
    assert [len(parts[key]) // 32 for key in planned["parts"]] == [4, 4, 2]
    assert planned["digest"] == hashlib.sha256(b"".join(parts[key] for key in planned["parts"])).hexdigest()
    assert counted(ledger) == {"oak": (10, 10)}
