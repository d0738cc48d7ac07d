"""One function over many tasks, whoever does the work."""

import math
import multiprocessing
import operator
import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from venire.distributed.shards import Engine, open_workers
from venire.errors import ConfigError, UsageError

pytestmark = pytest.mark.usefixtures("joined_cluster")


@pytest.fixture(scope="module", params=list(Engine))
def workers(request):
    with open_workers(request.param, count=2) as opened:
        yield opened


def tasks(count):
    return [(f"task {number}", number) for number in range(count)]


def test_every_task_gives_its_result_once(workers):
    assert sorted(workers.map(math.factorial, tasks(9))) == [(number, math.factorial(number)) for number in range(9)]


def test_no_tasks_give_no_results(workers):
    assert list(workers.map(math.factorial, [])) == []


def test_tasks_are_taken_only_as_workers_are_free(workers):
    taken = []

    def taking():
        for task in tasks(50):
            taken.append(task)
            yield task

    results = workers.map(math.factorial, taking())
    next(results)
    assert len(taken) <= 2 * workers.count + 1
    results.close()


def test_an_error_of_ours_arrives_as_it_was_raised(workers):
    # Any function of the package that refuses its argument; workers must be able to import it.
    from venire.votes.reading.shards import find_sources

    with pytest.raises(UsageError, match="no file matches '/nowhere/\\*'") as caught:
        list(workers.map(find_sources, [("nowhere", ["/nowhere/*"])]))
    assert caught.value.hint.startswith("Quote the pattern")


def test_any_other_error_names_its_task(workers):
    with pytest.raises(ZeroDivisionError) as caught:
        list(workers.map(partial(operator.truediv, 1), [("the third file", 0)]))
    if workers.count > 1:
        assert "the third file" in "".join(caught.value.__notes__)


def test_the_next_work_can_be_done_after_an_error(workers):
    with pytest.raises(ZeroDivisionError):
        list(workers.map(partial(operator.truediv, 1), tasks(5)))
    assert dict(workers.map(partial(operator.add, 1), tasks(3))) == {0: 1, 1: 2, 2: 3}


def test_a_process_that_is_killed_is_told_with_its_task():
    with (
        pytest.raises(ConfigError, match="was killed") as caught,
        open_workers(Engine.PROCESSES, count=1) as at_work,
    ):
        list(at_work.map(os._exit, [("votes-7.parquet", 1)]))
    assert caught.value.where == "votes-7.parquet"
    assert "--workers 1" in caught.value.hint
    assert '`if __name__ == "__main__":`' in caught.value.hint


def test_a_task_whose_worker_on_the_cluster_is_lost_is_done_again(tmp_path):
    seen = f"import os, pathlib; seen = pathlib.Path({str(tmp_path / 'seen')!r})"
    die_once = f"{seen}\nif not seen.exists():\n seen.touch()\n os._exit(1)"
    with open_workers(Engine.RAY, count=2) as at_work:
        assert list(at_work.map(exec, [("votes-7.parquet", die_once)])) == [(0, None)]
    assert (tmp_path / "seen").exists()


def test_a_task_whose_worker_is_lost_every_time_is_told():
    with (
        pytest.raises(ConfigError, match="its worker exited unexpectedly 4 times") as caught,
        open_workers(Engine.RAY) as at_work,
    ):
        list(at_work.map(exec, [("votes-7.parquet", "import os; os._exit(1)")]))
    assert caught.value.where == "votes-7.parquet"


def test_processes_are_gone_when_work_ends():
    before = set(multiprocessing.active_children())
    with open_workers(Engine.PROCESSES, count=2) as at_work:
        list(at_work.map(math.factorial, tasks(4)))
    assert set(multiprocessing.active_children()) <= before


def test_an_interrupt_ends_processes_in_the_midst_of_their_work():
    script = """
import multiprocessing, os, time
from venire.distributed.shards import Engine, open_workers
if __name__ == "__main__":
    with open_workers(Engine.PROCESSES, count=1) as workers:
        list(workers.map(os.getpgid, [("own", 0)]))
        print(multiprocessing.active_children()[0].pid, flush=True)
        list(workers.map(time.sleep, [("long", 600)]))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    child = int(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_only_ray_has_an_address():
    with (
        pytest.raises(UsageError, match="the engine processes has no address"),
        open_workers(Engine.PROCESSES, address="auto"),
    ):
        pass


def test_an_engine_that_does_not_exist_is_told_with_those_that_do():
    with (
        pytest.raises(UsageError, match="expected an engine of local, processes, ray, found 'dask'"),
        open_workers("dask"),
    ):
        pass


def test_an_engine_can_be_named_as_a_word():
    with open_workers("local") as at_work:
        assert list(at_work.map(math.factorial, [("four", 4)])) == [(0, 24)]


def test_without_ray_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="not installed") as caught, open_workers(Engine.RAY):
        pass
    assert "venire[ray]" in caught.value.hint


def test_a_cluster_that_does_not_answer_is_told():
    with pytest.raises(ConfigError, match="no Ray cluster answers"), open_workers(Engine.RAY, address="127.0.0.1:1"):
        pass
