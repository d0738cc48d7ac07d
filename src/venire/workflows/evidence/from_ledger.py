"""Reads what a report needs from a ledger, up to an entry, changing nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET

from venire.domain.completeness import Completeness
from venire.domain.flag import Severity
from venire.domain.judgement import Judgement, Preference, Status, Winner
from venire.domain.protocol import EvalProtocol
from venire.domain.rule import MATERIAL_NOT_GIVEN
from venire.domain.sample import PLACES, Bundle, Pair, Sample
from venire.errors import LedgerError, UsageError
from venire.judges.panel import Price
from venire.ledger.entry import Entry, Kind
from venire.ledger.labels import LedgerLabels
from venire.ledger.store import Ledger
from venire.ledger.subjects import outline_of
from venire.reports.evidence import ReportEvidence
from venire.reports.recorded.claims_read import ClaimsRead
from venire.reports.recorded.judge_fitness import CanaryRead
from venire.reports.recorded.judge_work import BrokenRule, StatedOverall
from venire.reports.recorded.outputs_read import CollectedForm, ShownPair
from venire.reports.report import Choices, Origin
from venire.runner.canaries.evidence import CanaryRecord
from venire.runner.collecting.records import OutputRecord
from venire.runner.records import is_voir_dire, read_judgement
from venire.runner.task import is_probe
from venire.stats.drift.text_form import form_of
from venire.stats.ratings.rating import Asked, Rating, ratings_of
from venire.stats.ratings.table import PrimarySet, RatingsTable
from venire.words.said import say
from venire.workflows.evidence.adaptive_jury import jury_labels, read_jury
from venire.workflows.evidence.asked_under import AskedUnder
from venire.workflows.evidence.collection import CollectionReader
from venire.workflows.evidence.completeness import CompletenessReader
from venire.workflows.evidence.ledger_protocols import protocols_in
from venire.workflows.evidence.primary_ratings import choose_primary
from venire.workflows.evidence.qualified_judges import QualifiedJudges
from venire.workflows.evidence.table_verdicts import TIE
from venire.workflows.evidence.work_reader import WorkReader


def read_ledger(
    ledger: Ledger, choices: Choices, name: str, *, until: Origin | None = None
) -> tuple[ReportEvidence, Origin]:
    """Read a ledger into the evidence of a report, and say up to which entry it was read.

    With `until` only the entries up to that one are read; raises `LedgerError` if the ledger does not hold it.
    """
    reading = _LedgerReader(ledger, choices)
    last = until.sequence if until else ledger.head().sequence
    rows = RatingsTable.from_rows(reading.ratings(last), factors=choices.factors, sliced_by=choices.sliced_by)
    table = rows.in_order(list(reading.judges))  # Judgements come as judges reply, which is never the same twice.
    origin = Origin(kind="ledger", name=name, sequence=reading.last.sequence if reading.last else 0,
                    digest=reading.last.hash if reading.last else "")  # fmt: skip
    if until and (origin.sequence, origin.digest) != (until.sequence, until.digest):
        raise LedgerError(
            "error.evidence.other_ledger",
            where=name,
            entry=until.sequence,
            digest=until.digest[:16],
            found=origin.sequence,
            other=origin.digest[:16] or say("problem.none"),
        )
    if reading.qualified.is_required:
        table = table.without_qualification(reading.qualified.left_out)
    jury = read_jury(ledger, reading.runs, reading.outputs, last)
    if jury is not None and jury.selected:
        table = table.without_selected(jury.selected)
    chosen, primary, rescaled = choose_primary(table, choices)
    evidence = ReportEvidence(
        table=chosen,
        primary=primary,
        choices=choices,
        protocol=reading.protocol,
        judges=reading.judges,
        runs=tuple(reading.runs),
        work=reading.work,
        broken=reading.broken,
        stated=reading.stated,
        times=reading.times,
        counts=reading.counts,
        completeness=reading.completeness(),
        outputs=reading.outputs,
        sides=reading.sides,
        without=reading.without,
        claims=reading.claims if reading.claims.counts else None,
        forms=tuple(form for _, form in reading.forms.values()),
        forbidden=reading.forbidden,
        collection=reading.collection.result(),
        voir_dire=reading.qualified.read(),
        canaries=reading.canaries,
        jury=jury,
        unqualified=reading.qualified.why_not if reading.qualified.is_required else None,
        pairs=tuple(reading.pairs[key] for key in _counted(primary) if key in reading.pairs) if reading.pairs else (),
        missing_files={model: missing for model, missing in reading.missing_files.items() if missing},
        rescaled=rescaled,
    )
    labels, undrawn = reading.labels.read()
    labels = labels or jury_labels(jury)
    return msgspec.structs.replace(evidence.with_labels(labels), undrawn_labels=undrawn), origin


class _LedgerReader:
    """One pass over a ledger."""

    def __init__(self, ledger: Ledger, choices: Choices) -> None:
        self._ledger = ledger
        self._choices = choices
        self._completeness = CompletenessReader(ledger)
        self._subjects = lru_cache(maxsize=1024)(self._read_subject)
        self.protocol = choose_protocol(ledger, choices.protocol)
        self.labels = LedgerLabels(self.protocol.digest if self.protocol else "")
        self._work = WorkReader(AskedUnder(ledger, self.protocol.digest if self.protocol else ""))
        self.judges: dict[str, Mapping[str, Any]] = {}
        self.runs: list[Mapping[str, Any]] = []
        self.work = self._work.found
        self.broken: dict[str, BrokenRule] = {}
        self.stated: dict[str, StatedOverall] = {}
        self.times: tuple[str, str] | None = None
        self.counts: dict[str, int] = {}
        self.outputs: dict[str, str] = {}
        self.claims = ClaimsRead()
        self.forms: dict[str, tuple[int, CollectedForm]] = {}
        self.forbidden: tuple[str, ...] = ()
        self.collection = CollectionReader(ledger)
        self.pairs: dict[str, ShownPair] = {}
        self.sides: dict[str, tuple[str, str]] = {}
        self.without: Counter[str] = Counter()
        self.missing_files: dict[str, tuple[str, ...]] = {}
        self.qualified = QualifiedJudges(ledger, None, (), 0)
        self.canaries: CanaryRead | None = None
        self.last: Entry | None = None

    def ratings(self, last: int) -> Iterator[Rating]:
        """Yield the ratings of all judgements, taking note of everything else on the way."""
        # Weights are those of the last run that has a judge, so they must be known before the first judgement.
        # Likewise the words that the last collection forbids, before the first output.
        for entry in self._ledger.read(kinds=[Kind.RUN_OPENED, Kind.COLLECTION_OPENED]):
            if entry.sequence <= last and entry.kind is Kind.COLLECTION_OPENED:
                self.forbidden = tuple(entry.content["settings"].get("forbidden", ()))
                self.collection.open(entry)
            elif entry.sequence <= last:
                self._open(entry)
        self.qualified = QualifiedJudges(self._ledger, self.protocol, self.runs, last)
        for entry in self._ledger.read():
            if entry.sequence > last:
                break
            self.last = entry
            self.counts[entry.kind.value] = self.counts.get(entry.kind.value, 0) + 1
            try:
                self._completeness.take(entry)
                yield from self._take(entry)
            except (KeyError, TypeError, msgspec.ValidationError) as error:
                raise LedgerError(
                    "error.evidence.other_form",
                    where=f"entry {entry.sequence}",
                    kind=entry.kind.value,
                    name=type(error).__name__,
                    error=error,
                ) from error

    def completeness(self) -> Completeness:
        """Return how much of what was planned was answered, by what was read."""
        return self._completeness.result(self.protocol.digest if self.protocol else "", self._choices.judge_versions)

    def _take(self, entry: Entry) -> Iterator[Rating]:
        if entry.kind in (Kind.ATTEMPT, Kind.REPLY):
            self._work.take(entry.kind, entry.content)
        elif entry.kind is Kind.SAMPLE:
            self._sample(entry)
        elif entry.kind is Kind.OUTPUT:
            self._output(entry)
        elif entry.kind is Kind.CANARIES:
            self._canaries(entry)
        elif entry.kind is Kind.JUDGEMENT:
            yield from self._judgement(entry)
        else:
            self.labels.take(entry)

    def _canaries(self, entry: Entry) -> None:
        """Take note of what anchors say of the judges in their last versions; the last record says it all."""
        record = msgspec.convert(entry.content, CanaryRecord)
        if self.protocol is not None and record.protocol == self.protocol.digest:
            last = {judge.get("digest") for judge in self.judges.values()}
            told = tuple(each for each in record.judges if each.judge_digest in last)
            self.canaries = CanaryRead(sequence=entry.sequence, judges=told) if told else None

    def _output(self, entry: Entry) -> None:
        """Take note of the form of an output that was collected; of several turns the last one counts."""
        record = msgspec.convert(entry.content, OutputRecord)
        self.collection.take(entry, record)
        place, turn = record.place, record.task.turn
        if turn < self.forms.get(place.output_id, (0,))[0]:
            return
        factors = tuple(sorted(place.factors.items()))
        form = form_of(record.text, self.forbidden)
        found = CollectedForm(place.case, place.variant, place.target, factors, place.repeat, form, record.state)
        self.forms[place.output_id] = (turn, found)

    def _sample(self, entry: Entry) -> None:
        """Take note of planned files that a bundle lacks; one that was recorded complete later lacks nothing."""
        design = self.protocol.design if self.protocol else None
        if design is None or "bundle" not in entry.content:
            return
        subject = outline_of(entry, self._ledger)
        held = {sample.output_id for sample in subject.samples}
        missing = tuple(cell.label for cell in design.cells if cell.label not in held)
        if held & {cell.label for cell in design.cells}:
            self.missing_files[subject.target_model or subject.name] = missing

    def _open(self, entry: Entry) -> None:
        content = entry.content
        is_other = self.protocol is not None and content["protocol"] != self.protocol.digest
        if is_other or is_voir_dire(content):
            return
        self.runs.append({**content, "recorded_at": entry.recorded_at, "sequence": entry.sequence})
        for judge in content["judges"]:
            self.judges[judge["name"]] = judge
            self._work.price(judge["name"], judge["kind"], msgspec.convert(judge["price"], Price))

    def _judgement(self, entry: Entry) -> Iterator[Rating]:
        record = read_judgement(entry)
        task, judgement = record.task, record.judgement
        if self.protocol is None or judgement.protocol != self.protocol.digest or is_probe(task.repeat):
            return
        self.times = (self.times[0] if self.times else entry.recorded_at, entry.recorded_at)
        if judgement.status is not Status.VALID:
            for finding in judgement.all_findings:
                if finding.severity is Severity.VIOLATION:
                    rule = self.broken.setdefault(finding.rule, BrokenRule())
                    rule.findings += 1
                    if entry.sequence not in rule.sequences[-1:]:
                        rule.sequences.append(entry.sequence)
        else:
            if judgement.claims is not UNSET:
                reply = self._ledger.find(Kind.REPLY, task.id) if record.words else None
                whole = record.with_words(reply.content["text"]) if reply else judgement
                self.claims.take(whole, entry.key, task.judge, entry.sequence)
            self.without.update(each.expected for each in judgement.findings if each.rule == MATERIAL_NOT_GIVEN.id)
        self._compare_overall(task.judge, judgement, entry.sequence)
        self.qualified.take(task.judge, task.judge_digest, entry)
        subject = self._subjects(task.sample_digest)
        samples: dict[str, Sample] = {}
        if judgement.preference is not UNSET and subject and (pair := subject.pair):
            judgement = self._pair(judgement, judgement.preference, pair, task.judge, entry.key)
            samples[pair.digest] = pair.outline
        for sample in subject.samples if subject else ():
            samples[sample.digest] = samples[sample.output_id] = sample
            self.outputs[sample.digest] = sample.output_id
        judge = self.judges.get(task.judge, {})
        asked = Asked(
            rater=task.judge,
            key=entry.key,
            rater_version=task.judge_digest,
            prompt_version=task.prompt_digest,
            repeat=task.repeat,
            weight=None if judge.get("kind") == "recorded" else judge.get("weight"),
            sequence=entry.sequence,
            target_model=subject.target_model if subject else "",
        )
        yield from ratings_of(judgement, self.protocol, samples, asked)

    def _pair(self, judgement: Judgement, said: Preference, pair: Pair, judge: str, key: str) -> Judgement:
        """Take note of two outputs that were compared; return the judgement with the winner's name as its verdict."""
        models = dict(zip(PLACES, pair.target_models, strict=True))
        self.outputs[pair.digest] = pair.either_order
        self.sides[pair.digest] = (models[Winner.FIRST], models[Winner.SECOND])
        self.pairs[key] = ShownPair(
            judge=judge, question=pair.question_id or pair.samples[0].task,
            first=models[Winner.FIRST], second=models[Winner.SECOND], outcome=said.winner.outcome,
            pair=pair.either_order, first_length=len(pair.samples[0].text), second_length=len(pair.samples[1].text),
        )  # fmt: skip
        return msgspec.structs.replace(judgement, verdict=models.get(said.winner, TIE))

    def _compare_overall(self, judge: str, judgement: Judgement, sequence: int) -> None:
        if self.protocol is None or self.protocol.overall.mismatch != "note" or judgement.status is Status.INVALID:
            return
        if not judgement.scores or judgement.stated_overall is None or judgement.overall is None:
            return
        stated = self.stated.setdefault(judge, StatedOverall())
        stated.compared += 1
        if judgement.misstates_overall:
            stated.largest = max(stated.largest, abs(judgement.stated_overall - judgement.overall))
            stated.sequences.append(sequence)

    def _read_subject(self, digest: str) -> Sample | Bundle | None:
        entry = self._ledger.find(Kind.SAMPLE, digest)
        return outline_of(entry, self._ledger) if entry else None


def _counted(primary: PrimarySet) -> list[str]:
    return primary.table.frame["judgement"].unique(maintain_order=True).cast(str).to_list()


def choose_protocol(ledger: Ledger, wanted: str) -> EvalProtocol | None:
    """Return the protocol that a report is about; None for a ledger without any."""
    held = protocols_in(ledger)
    matching = [protocol for protocol in held if protocol.digest.startswith(wanted) or protocol.id == wanted]
    if len(matching) == 1:
        return matching[0]
    if not held and not wanted:
        return None
    raise UsageError(
        "error.evidence.several_protocols",
        count=len(matching),
        known=tuple(f"{protocol.id} {protocol.digest[:12]}" for protocol in held) or say("problem.none"),
    )
