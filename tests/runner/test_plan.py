"""What a run plans is counted and recorded before anything is asked."""

from contextlib import closing

import pytest

from experiment import make_judge, make_samples
from venire.ledger.entry import Kind
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.options import RunnerOptions
from venire.runner.plan import IDS_IN_A_PART, ids_of, make_plan, planned_tasks
from venire.runner.stop import StoppedError, StopSignal


def spec_of(samples, share=0.0):
    judges = (make_judge("oak"), make_judge("elm"))
    return RunSpec(find_protocol("drift-sample"), judges, lambda: iter(samples), RunnerOptions(reask_share=share))


def test_a_plan_counts_tasks_and_records_their_ids_once():
    ledger = MemoryLedger()
    with closing(make_plan(spec_of(make_samples(3), share=1.0), StopSignal())) as plan:
        assert plan.tasks == 12
        plan.record(ledger)
        plan.record(ledger)
    parts = list(ledger.read(kinds=[Kind.PLAN]))
    assert [len(list(ids_of(part.blob))) for part in parts] == [6, 6]
    assert [part.key for part in parts] == [key for planned in plan.judges.values() for key in planned.parts]


def test_planning_ends_when_a_stop_is_asked_for():
    stop = StopSignal()
    stop.request("interrupted")
    with pytest.raises(StoppedError, match="interrupted"):
        make_plan(spec_of(make_samples(3)), stop)


def test_tasks_that_are_all_at_hand_are_planned_in_parts_that_can_be_read_back():
    ids = [bytes([place % 256, place // 256]) + bytes(30) for place in range(IDS_IN_A_PART + 3)]
    planned, parts = planned_tasks(ids)
    assert (planned.tasks, planned.parts) == (len(ids), tuple(part.key for part in parts))
    assert [each for part in parts for each in ids_of(part.blob)] == ids
    assert len(parts) == 2
