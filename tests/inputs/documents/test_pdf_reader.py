"""Hostile PDFs, each a named problem while the other files go on; and the child process that parses them."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hostile_pdfs import deep_tree, giant_page, many_pages, memory_bomb, nested_forms, time_bomb
from making_pdfs import make_pdf
from venire.errors import InputError
from venire.inputs.documents.pdf import PdfLimits, read_pdf
from venire.inputs.documents.pdf_reader import PdfReader
from venire.inputs.reader import read_samples

SMALL = PdfLimits(memory_mib=64, characters=100_000)
BRIEF = PdfLimits(seconds=1)


@pytest.fixture
def reader() -> Iterator[PdfReader]:
    reader = PdfReader()
    yield reader
    reader.close()


@pytest.mark.parametrize(
    ("make", "limits", "problem"),
    [
        (lambda: memory_bomb(512), SMALL, "memory allowed"),
        (lambda: giant_page(200_000), SMALL, "memory allowed"),
        (nested_forms, SMALL, "memory allowed"),
        (time_bomb, BRIEF, "takes more than the 1 seconds of processor time allowed"),
        (lambda: many_pages(5_001), SMALL, "has 5001 pages, more than the 5000 allowed"),
        (lambda: giant_page(10_001), SMALL, "has more than the 100000 characters allowed, by page 1 of 1"),
        (lambda: deep_tree(20_000), SMALL, "page 1 of 1 is damaged"),
    ],
)
def test_a_hostile_pdf_is_a_named_problem_and_the_others_are_read(
    tmp_path: Path, make: Callable[[], bytes], limits: PdfLimits, problem: str
) -> None:
    make_pdf(tmp_path / "a.pdf", ["first"])
    (tmp_path / "b.pdf").write_bytes(make())
    make_pdf(tmp_path / "c.pdf", ["last"])
    problems: list[InputError] = []
    samples = list(read_samples(tmp_path, pdf_limits=limits, on_problem=problems.append))
    assert [sample.text for sample in samples] == ["first", "last"]
    (found,) = problems
    assert found.where == str(tmp_path / "b.pdf")
    assert problem in found.message


def test_what_the_default_limits_allow_is_read(reader: PdfReader) -> None:
    assert len(reader.read(many_pages(500), PdfLimits()).pages) == 500
    assert len(reader.read(giant_page(10_000), PdfLimits()).pages[0]) == 100_000


def test_a_file_that_is_larger_than_the_memory_allowed_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.pdf"
    with path.open("wb") as file:
        file.truncate(2 << 20)
    with pytest.raises(InputError, match="has 2 MiB, more than the 1 MiB of memory allowed"):
        read_pdf(path, PdfLimits(memory_mib=1))


def test_the_child_is_kept_from_file_to_file(reader: PdfReader) -> None:
    assert reader.read(many_pages(1), SMALL).pages == ("page",)
    child = reader.child_id
    assert reader.read(many_pages(2), SMALL).pages == ("page", "page")
    assert child is not None
    assert reader.child_id == child


def test_a_child_that_has_grown_is_not_used_again(reader: PdfReader) -> None:
    generous = PdfLimits(memory_mib=1024)
    assert len(reader.read(giant_page(60_000), generous).pages[0]) == 600_000
    assert reader.child_id is None
    assert reader.read(many_pages(1), generous).pages == ("page",)


def test_a_child_that_is_killed_at_work_is_a_problem_of_that_file_alone(reader: PdfReader) -> None:
    answers = []
    at_work = threading.Thread(target=lambda: answers.append(reader.read(time_bomb(), PdfLimits())))
    at_work.start()
    while reader.child_id is None:
        os.sched_yield()
    os.kill(reader.child_id, signal.SIGKILL)
    at_work.join()
    assert answers[0].problem == "error.pdf.killed"
    assert reader.read(many_pages(1), SMALL).pages == ("page",)


@pytest.mark.parametrize("end", [signal.SIGSEGV, signal.SIGABRT])
def test_a_child_that_crashes_says_by_which_signal(reader: PdfReader, end: signal.Signals) -> None:
    answers = []
    at_work = threading.Thread(target=lambda: answers.append(reader.read(time_bomb(), PdfLimits())))
    at_work.start()
    while reader.child_id is None:
        os.sched_yield()
    os.kill(reader.child_id, end)
    at_work.join()
    assert answers[0].values["how"] == end.name


def test_a_child_that_is_killed_between_two_files_costs_no_file(reader: PdfReader) -> None:
    reader.read(many_pages(1), SMALL)
    assert reader.child_id is not None
    os.kill(reader.child_id, signal.SIGKILL)
    os.waitid(os.P_PID, reader.child_id, os.WEXITED | os.WNOWAIT)
    assert reader.read(many_pages(1), SMALL).pages == ("page",)


def test_the_child_gets_no_open_file_socket_or_secret(
    reader: PdfReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    with (tmp_path / "ledger.lock").open("w") as lock, socket.socket() as listener:
        os.set_inheritable(lock.fileno(), True)
        os.set_inheritable(listener.fileno(), True)
        reader.read(many_pages(1), SMALL)
    held = {str(link.readlink()).partition(":")[0] for link in Path(f"/proc/{reader.child_id}/fd").iterdir()}
    assert held <= {"pipe", "/dev/null", "/dev/urandom"}
    assert b"secret" not in Path(f"/proc/{reader.child_id}/environ").read_bytes()


PARENT = """
import os, sys, threading
from hostile_pdfs import time_bomb
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.documents.pdf_reader import PDF_READER
threading.Thread(target=PDF_READER.read, args=(time_bomb(), PdfLimits(seconds=3600)), daemon=True).start()
while PDF_READER.child_id is None:
    os.sched_yield()
print(PDF_READER.child_id, flush=True)
sys.stdin.read()
"""


def test_the_child_ends_with_its_parent_even_at_work() -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert parent.stdout is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    parent.kill()
    parent.communicate()
    assert select.select([child], [], [], 60)[0]  # a process that has ended can be read
    os.close(child)


FORKED = """
import os
from hostile_pdfs import many_pages
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.documents.pdf_reader import PDF_READER
PDF_READER.read(many_pages(1), PdfLimits())
before = PDF_READER.child_id
fork = os.fork()
if not fork:
    read = PDF_READER.read(many_pages(2), PdfLimits())
    os._exit(0 if read.pages == ("page", "page") and PDF_READER.child_id != before else 1)
assert os.waitpid(fork, 0)[1] == 0
assert PDF_READER.read(many_pages(3), PdfLimits()).pages == ("page",) * 3
assert PDF_READER.child_id == before
"""


def test_a_forked_process_starts_a_child_of_its_own() -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORKED],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_several_threads_share_the_child(reader: PdfReader) -> None:
    counts = list(range(1, 13))
    found: dict[int, int] = {}
    threads = [
        threading.Thread(target=lambda n=count: found.update({n: len(reader.read(many_pages(n), SMALL).pages)}))
        for count in counts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {count: count for count in counts}
