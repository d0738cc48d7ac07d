"""Bring what another tool judged into a ledger: samples with their materials, and every judgement as recorded."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from venire.domain.canonical import canonical_json, digest
from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.errors import InputError
from venire.inputs.foreign.recognise import READERS, read_foreign
from venire.inputs.foreign.results import ForeignJudgement, ForeignResults, ForeignSample
from venire.inputs.problems import OnProblem
from venire.judges.panel import Judge
from venire.ledger.entry import Draft, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import subject_drafts
from venire.protocols.recorded import holds, recorded_protocol, tool_and_version
from venire.runner.options import RunnerOptions
from venire.runner.plan import planned_tasks
from venire.runner.records import (
    ReplyRecord,
    derive_judgement,
    judgement_draft,
    judgement_key,
    late_reply_draft,
    not_asked_draft,
    reply_draft,
    terms_digest,
)
from venire.runner.run import judge_record
from venire.runner.task import Task, make_task
from venire.shapes.check import Checker
from venire.stats.ratings.repeats import REASK
from venire.validation.evidence import PreparedSample
from venire.version import __version__
from venire.workflows.foreign.survey import AskedOf, FoundScorer, Named, assigned, survey_results

TOOLS = tuple(sorted(READERS))
"""The tools whose files are read."""
PROMPT_NOT_KNOWN = digest("prompt", ["recorded"])
"""What stands for the template of a prompt that another tool wrote."""
_DRAFTS_AT_ONCE = 500


class ImportedScorer(msgspec.Struct):
    """What an import found of one scorer."""

    protocol: EvalProtocol
    """The protocol that its judgements are filed under."""
    judges: tuple[str, ...]
    """Who judged."""
    judgements: int = 0
    """How many judgements the file holds."""
    invalid: int = 0
    """How many of them have no score that counts."""
    missing: int = 0
    """How many outputs have no judgement, since the tool never came to it."""
    added: int = 0
    """How many judgements are new in the ledger."""
    changed: int = 0
    """How many differ from the one that was imported under the same name before, which goes on counting."""


class ResultsImport(msgspec.Struct, frozen=True):
    """What the import of one file did."""

    tool: str
    """The tool that wrote it."""
    version: str
    """The version of the tool, or what the file says instead of it."""
    samples: int
    """How many outputs the file holds."""
    scorers: tuple[ImportedScorer, ...]
    """What was found of each scorer."""

    @property
    def written_by(self) -> str:
        """The tool and its version, for a reader."""
        return tool_and_version(self.tool, self.version)


def import_results(ledger: Ledger, path: Path, tool: str = "", on_problem: OnProblem = None) -> ResultsImport:
    """Append what a file of another tool holds; importing it twice adds nothing the second time.

    The file is read twice: first to learn who judged what, on which scale. Raises `InputError` if it is not known, and
    for what is not understood unless somebody takes problems.
    """
    results = read_foreign(path, tool, on_problem)
    survey = survey_results(results)
    if not survey.samples:
        raise InputError("error.foreign.empty", where=str(path), tool=results.tool)
    sha256 = _sha256(path)
    runs = {named: _RecordedRun(ledger, results, found, path.name, sha256) for named, found in survey.found.items()}
    if not runs or not all(run.is_done for run in runs.values()):
        _append(ledger, (draft for run in runs.values() for draft in run.opening()))
        _append(ledger, (draft for sample in results.samples() for draft in _drafts(sample, results, runs)))
        _append(ledger, (draft for run in runs.values() for draft in run.closing()))
    return ResultsImport(results.tool, results.version, survey.samples, tuple(run.imported for run in runs.values()))


class _RecordedRun:
    """One scorer of one file, as a run in the ledger."""

    def __init__(self, ledger: Ledger, results: ForeignResults, found: FoundScorer, name: str, sha256: str) -> None:
        self._ledger, self._results, self._found = ledger, results, found
        scorer, by = found.named
        scores = found.scores or (0.0, 1.0)
        made = recorded_protocol(
            results.tool, results.version, scorer, by, tuple(found.dimensions) or (scorer,), *scores
        )
        held = (msgspec.convert(entry.content, EvalProtocol) for entry in ledger.read(kinds=[Kind.PROTOCOL]))
        self.protocol = next((protocol for protocol in held if holds(protocol, made, *scores)), made)
        told = {"tool": results.tool, "version": results.version, "run": results.run, "created": results.created}
        self._file = {"name": name, "sha256": sha256, **told}
        self.id = digest("import", [sha256, self.protocol.digest])[:16]
        self.is_opened = ledger.find(Kind.RUN_OPENED, self.id) is not None
        self.is_done = ledger.find(Kind.RUN_CLOSED, self.id) is not None
        self._checker = Checker(self.protocol, evidence=EvidenceLevel.OFF)
        names = tuple(dict.fromkeys(judge.name for judge in found.judges.values()))
        judged = len(found.asked) - found.missing
        self.imported = ImportedScorer(self.protocol, names, judged, found.invalid, found.missing)

    def task(self, asked: AskedOf) -> Task:
        """Make a task of this scorer."""
        name, protocol = self._found.judges[asked.judge].name, self.protocol.digest
        return make_task(name, asked.judge, protocol, PROMPT_NOT_KNOWN, asked.sample, asked.repeat)

    def opening(self) -> Iterator[Draft]:
        """Yield what is recorded before the first judgement: protocol, plan and how the run came about."""
        if self.is_opened:
            return
        plan = {}
        for judge in self._found.judges.values():
            # A further try follows from an invalid judgement, and was not planned.
            own = [asked for asked in self._found.asked if asked.judge == judge.digest and REASK not in asked.repeat]
            ids = [bytes.fromhex(self.task(asked).id) for asked in own]
            plan[judge.name], parts = planned_tasks(ids)
            yield from (part for part in parts if self._ledger.find(Kind.PLAN, part.key) is None)
        yield Draft(Kind.PROTOCOL, self.protocol, self.protocol.digest)
        opened = {
            "run": self.id,
            "plan": plan,
            "protocol": self.protocol.digest,
            "protocol_id": self.protocol.id,
            "profile": "contract",
            "evidence": EvidenceLevel.OFF.value,
            "judges": [judge_record(judge) for judge in self._found.judges.values()],
            "templates": {},
            "runner": RunnerOptions(),
            "settings": {"imported": self._file},
            "software": {"venire": __version__, "python": platform.python_version()},
        }
        yield Draft(Kind.RUN_OPENED, opened, self.id)

    def judgement(self, judge: Judge, repeat: str, judgement: ForeignJudgement, source: PreparedSample) -> list[Draft]:
        """Return what is recorded of a judgement: the tool's record, and the judgement that follows from it."""
        task = self.task(AskedOf(judge.digest, source.digest, repeat))
        text = canonical_json(_record(judgement, self._results)).decode()
        record = ReplyRecord(
            task=task,
            text=text,
            asked_model=judge.model,
            handle="",
            masked=False,
            request_sha256="",
            input_tokens=judgement.input_tokens,
            output_tokens=judgement.output_tokens,
            run=self.id,
        )
        body = canonical_json(judgement.record)
        earlier = self._ledger.find(Kind.REPLY, task.id)
        if earlier is not None and earlier.content["text"] != text:
            self.imported.changed += 1
            return [late_reply_draft(record, body)]
        key = judgement_key(task.id, terms_digest(self._checker.terms, judge.identity))
        if earlier is not None and self._ledger.find(Kind.JUDGEMENT, key) is not None:
            return []
        self.imported.added += 1
        derived = derive_judgement(record, self._checker, source, judge.identity)
        return [reply_draft(record, body), judgement_draft(record, derived, key, self.id)]

    def unjudged(self, sample: str, reason: str) -> Iterator[Draft]:
        """Yield that judges were never asked about a sample."""
        for judge in self._found.judges:
            task = self.task(AskedOf(judge, sample))
            if self._ledger.find(Kind.ATTEMPT, task.id) is None:
                yield not_asked_draft(task, self.id, reason)

    def closing(self) -> Iterator[Draft]:
        """Yield that the run is in the ledger whole."""
        if not self.is_done:
            counts = {name: getattr(self.imported, name) for name in ("judgements", "invalid", "missing")}
            yield Draft(Kind.RUN_CLOSED, {"run": self.id, "stopped": "", "counts": counts, "spent": {}}, self.id)


def _drafts(each: ForeignSample, results: ForeignResults, runs: dict[Named, _RecordedRun]) -> Iterator[Draft]:
    yield from subject_drafts(each.sample)
    source = PreparedSample(each.sample)
    for named, judge, repeat, judgement in assigned(each, results):
        yield from runs[named].judgement(judge, repeat, judgement, source)
    for scorer, reason in each.unjudged.items():
        for (name, _), run in runs.items():
            if name == scorer:
                yield from run.unjudged(each.sample.digest, reason)


def _record(judgement: ForeignJudgement, results: ForeignResults) -> dict[str, object]:
    """Return the record as the shape `recorded` reads it; what there is nothing of is left out."""
    by = {"by": judgement.by} if judgement.by else {}
    told: dict[str, object] = {
        "scores": dict(judgement.scores),
        "verdict": judgement.verdict,
        "not_scored": {"reason": judgement.not_scored, "detail": judgement.detail} if judgement.not_scored else {},
        "explanation": judgement.explanation,
        "reply": judgement.reply,
        "time": judgement.time,
    }
    recorded_by = {"tool": results.tool, "version": results.version, "scorer": judgement.scorer, **by}
    return {"recorded_by": recorded_by, **{name: value for name, value in told.items() if value}}


def _append(ledger: Ledger, drafts: Iterable[Draft]) -> None:
    waiting: list[Draft] = []
    for draft in drafts:
        waiting.append(draft)
        if len(waiting) >= _DRAFTS_AT_ONCE:
            ledger.append(waiting)
            waiting = []
    if waiting:
        ledger.append(waiting)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
