"""A run on samples with materials, from the prompt to the archive, on every kind of ledger."""

import asyncio
import json
from contextlib import closing

import msgspec
import pytest

from experiment import QUICK, FakeProvider, contents, good_reply, make_judge, make_samples
from venire.domain.canonical import canonical_json
from venire.domain.judgement import Status
from venire.domain.material import Material, MaterialKind
from venire.domain.protocol import EvalProtocol, MaterialPolicy
from venire.judges.provider import Reply
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.reports.report import Choices
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import run_panel
from venire.workflows.analyse import analyse, analyse_ledger
from venire.workflows.audit import audit
from venire.workflows.copy_ledger import copy_ledger
from venire.workflows.export import export_archive
from venire.workflows.trace import trace

DOCUMENT, TURN = MaterialKind.DOCUMENT, MaterialKind.TURN
POLICY = MaterialPolicy((DOCUMENT, TURN), quoted=(DOCUMENT,))
EXTENDED = msgspec.structs.replace(find_protocol("drift-sample"), id="with-materials", materials=POLICY)
PROTOCOL = msgspec.json.decode(canonical_json(EXTENDED), type=EvalProtocol)  # With its keys sorted, as ledgers have it.
SHARED = Material("shared", DOCUMENT, "A passage that alder-1 and everybody else shares.")
SAMPLES = [
    msgspec.structs.replace(each, materials=(SHARED, Material("own", DOCUMENT, f"A passage of sample {n}.")))
    for n, each in enumerate(make_samples(6))
]


def quoting_documents(request):
    """Quote the shared document for the first dimension, and the sample's own for the second."""
    reply = json.loads(good_reply(request).text)
    reply["evidence"][0] |= {"source": "shared", "quote": "everybody else shares"}
    reply["evidence"][1] |= {"source": "own", "quote": "A passage of sample"}
    text = json.dumps(reply)
    return Reply(text, text.encode(), 200, input_tokens=10, output_tokens=5, finish_reason="stop", model=request.model)


def run(ledger, answer=quoting_documents, samples=SAMPLES, **judge):
    provider = FakeProvider(answer)
    judges = (make_judge("oak", mask_identity=True, **judge), make_judge("elm", **judge))
    spec = RunSpec(PROTOCOL, judges, lambda: iter(samples), RunnerOptions(**QUICK))
    asyncio.run(run_panel(spec, ledger, LocalEngine({"oak": provider, "elm": provider})))
    return provider


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def location(request, tmp_path):
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        return server.url(server.new_ledger(), "app")
    return "memory:" if request.param == "memory" else str(tmp_path / "ledger.sqlite")


def test_quotes_of_documents_are_kept_with_their_source_and_audited(location):
    with closing(open_ledger(location)) as ledger:
        run(ledger)
        judgements = [each["judgement"] for each in contents(ledger, Kind.JUDGEMENT)]
        assert {each["status"] for each in judgements} == {"valid"}
        assert all(
            [item.get("source") for item in each["evidence"]][:3] == ["shared", "own", None] for each in judgements
        )
        assert len(contents(ledger, Kind.MATERIAL)) == 1 + len(SAMPLES)
        assert len(contents(ledger, Kind.SAMPLE)) == len(SAMPLES)
        found = audit(ledger)
        assert found.intact
        assert found.judged_again == 2 * len(SAMPLES)


def test_a_second_run_asks_nothing_and_stores_nothing_twice(tmp_path):
    with closing(open_ledger(str(tmp_path / "ledger.sqlite"))) as ledger:
        run(ledger)
        head = ledger.head().sequence
        again = run(ledger)
        assert not again.requests
        kinds = {entry.kind for entry in ledger.read(after=head)}
        assert kinds == {Kind.RUN_OPENED, Kind.RUN_CLOSED}
        other = [msgspec.structs.replace(SAMPLES[0], materials=(SHARED,))]
        assert len(run(ledger, good_reply, other).requests) == 2  # Other materials make it another sample.


def test_a_copy_an_archive_and_a_trace_show_what_was_quoted(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    with closing(open_ledger(path)) as ledger:
        run(ledger)
        copy = MemoryLedger()
        copy_ledger(ledger, copy)
        assert audit(copy).intact
        assert export_archive(copy, tmp_path / "archive") == 2 * len(SAMPLES)
    prompts = [each.read_text() for each in (tmp_path / "archive" / "prompts").glob("[0-9a-f]*.txt")]
    assert len(prompts) == 2 * len(SAMPLES)
    assert all('Document "shared":' in prompt for prompt in prompts)
    assert sum("■" in prompt for prompt in prompts) == len(SAMPLES)  # One judge sees the name masked.
    report = analyse(path, Choices())
    cell = next(each for each in report.cells() if each.rows.among == "counted" and each.value is not None)
    (first, *_) = trace(report, cell.id, path).judgements
    quote = next(each for each in first.evidence if each.source == "shared")
    text = next(each.text for each in first.materials if each.id == "shared")
    assert text[quote.start : quote.end] == "everybody else shares"


def test_a_document_that_is_gone_or_another_is_found_by_an_audit():
    ledger = MemoryLedger()
    run(ledger)
    for change in (lambda _: None, lambda _: b"other words"):
        forged = MemoryLedger()
        for entry in ledger.read():
            is_shared = entry.blob == SHARED.text.encode()
            blob = change(entry) if is_shared else entry.blob
            if blob is not None:
                forged.append([Draft(entry.kind, entry.content, entry.key, blob)])
        found = audit(forged)
        assert found.chain.intact
        assert not found.intact
        assert len(found.underived) == 2 * len(SAMPLES)
        assert len(found.storage) >= len(SAMPLES)


def test_a_quote_of_the_wrong_document_is_invalid_in_the_report():
    def misplaced(request):
        reply = quoting_documents(request)
        return msgspec.structs.replace(reply, text=reply.text.replace('"source": "own"', '"source": "shared"'))

    ledger = MemoryLedger()
    run(ledger, misplaced)
    judgements = [each["judgement"] for each in contents(ledger, Kind.JUDGEMENT)]
    assert {each["status"] for each in judgements} == {Status.INVALID}
    assert all("misplaced: it is from 'own'" in each["findings"][0]["found"] for each in judgements)
    assert analyse_ledger(ledger, Choices(), name="ledger")
