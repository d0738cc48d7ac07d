"""Check judges' replies as they are found: which are admissible, which rule the others break, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import Judgement, Quotes, Status
from venire.domain.protocol import EvalProtocol
from venire.errors import InputError, UsageError
from venire.inputs.artifacts.replies import Artifact, read_artifacts
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.reports.archive.manifest import INVALID_FOLDERS, VALID_FOLDERS
from venire.reports.formats.check_record import Identity, stated_identity
from venire.shapes.check import Checker, with_end
from venire.shapes.recognise import recognise
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.terms import Occasion
from venire.words.said import say
from venire.workflows.checking.options import CheckOptions
from venire.workflows.checking.sources import open_texts

_LOOKED_AT = 1_000


class Checked(msgspec.Struct, frozen=True):
    """One reply and what became of it."""

    name: str
    """Where the reply was found."""
    sha256: str
    """The digest of the reply's bytes; empty if it could not be read."""
    raw: bytes | None
    """The reply's bytes; None if it could not be read."""
    judgement: Judgement | None
    """The judgement; None if the reply could not be read."""
    problem: str = ""
    """Why the reply could not be read; empty if it was."""
    judge: str = ""
    """The judge, as far as the file's name or its surroundings tell."""
    target: str = ""
    """The judged model, as far as the file's name or its surroundings tell."""
    quotes: Quotes = Quotes.NONE
    """Whether the quotes were compared with the judged text; `none` also where the protocol asks for none."""
    identity: Identity = Identity()
    """Which output was judged, by which model and when, as the sources or the reply itself tell."""
    finish_reason: str = ""
    """Why the model stopped, as far as what surrounds the reply tells."""
    output_tokens: int | None = None
    """How many tokens the reply has, as far as what surrounds it tells."""
    is_reply: bool = True
    """Whether it is a reply; files beside replies, such as prompts, are named and not counted."""
    about: dict[str, Any] = {}
    """What reports need beside the judgement: `judge_version`, and of a sample its `subject`, as far as known."""


class CheckSummary:
    """Counts over a stream of checked replies; what it holds does not grow with their number."""

    def __init__(self) -> None:
        self.total = 0
        self.by_status: Counter[Status] = Counter()
        self.unread = 0
        self.by_rule: Counter[str] = Counter()
        self.replies_by_rule: Counter[str] = Counter()
        self.entries = 0
        self.valid_entries = 0
        self.self_judged = 0
        self.misfiled = 0
        self.quotes: Counter[Quotes] = Counter()
        self.not_replies: list[str] = []

    def add(self, checked: Checked) -> None:
        """Count one reply, or note a file that is none."""
        if not checked.is_reply:
            self.not_replies.append(checked.name)
            return
        self.total += 1
        if checked.judgement is None:
            self.unread += 1
            return
        judgement = checked.judgement
        self.by_status[judgement.status] += 1
        self.entries += len(judgement.entries)
        self.valid_entries += sum(entry.valid for entry in judgement.entries)
        self.self_judged += judgement.method == "self_judge"
        self.quotes[checked.quotes] += 1
        self.misfiled += _filed_as_valid(checked.name) is (not judgement.valid)
        rules = [finding.rule for finding in judgement.all_findings]
        self.by_rule.update(rules)
        self.replies_by_rule.update(set(rules))

    @property
    def all_valid(self) -> bool:
        """Whether every reply was read and is valid."""
        return self.total == self.by_status[Status.VALID]


def recognised_protocol(paths: Sequence[Path]) -> EvalProtocol:
    """Return the bundled protocol that replies were given to, by the first thousand of them.

    Raises `UsageError` if none can be told, or more than one: replies to different protocols are never mixed.
    """
    known = tuple(find_protocol(name) for name in bundled_ids())
    examples: dict[str, str] = {}
    for artifact in islice(read_artifacts(paths), _LOOKED_AT):
        protocol = recognise(artifact.raw, known) if artifact.raw is not None else None
        if protocol is not None:
            examples.setdefault(protocol.id, artifact.name)
    if len(examples) == 1:
        return next(protocol for protocol in known if protocol.id in examples)
    if not examples:
        raise UsageError("error.plan.no_protocol")
    found = tuple(f"{name} ({example})" for name, example in examples.items())
    raise UsageError("error.plan.several_protocols", found=found)


class CheckRun:
    """Checks the replies at some paths, one after another, in constant memory."""

    def __init__(self, options: CheckOptions, on_problem: Callable[[InputError], None]) -> None:
        self.options = options
        self.summary = CheckSummary()
        self._checker = Checker(
            options.protocol,
            profile=options.profile,
            evidence=options.evidence,
            scale=options.scale,
            aliases=options.aliases,
        )
        self._texts = open_texts(options, on_problem)

    def check(self, paths: Sequence[Path], on_progress: Callable[[int], None] | None = None) -> Iterator[Checked]:
        """Yield each reply with its judgement; a reply that cannot be read is yielded with the reason."""
        for artifact in read_artifacts(paths, on_progress=on_progress):
            checked = self.check_artifact(artifact)
            self.summary.add(checked)
            yield checked
        if not self.summary.total:
            raise InputError("error.artifact.no_replies", names=tuple(self.summary.not_replies))

    def missing_samples(self) -> tuple[str, ...]:
        """Return the ids of planned samples that no reply has judged, once all replies have been checked."""
        return self._texts.missing()

    def check_artifact(self, artifact: Artifact) -> Checked:
        """Check one reply that has been found."""
        judge = JudgeIdentity(artifact.judge, artifact.judge) if artifact.judge else None
        if not artifact.is_reply:
            return Checked(artifact.name, "", None, None, is_reply=False)
        if artifact.raw is None:
            return Checked(
                artifact.name, artifact.sha256, None, None, artifact.problem, artifact.judge, artifact.target
            )
        subject = self.subject_of(artifact)
        judgement = self._checker.check(artifact.raw, subject, judge=judge)
        judgement = with_end(judgement, artifact.finish_reason, artifact.output_tokens)
        judgement = self.flag_unplanned(judgement, subject, artifact)
        return Checked(
            artifact.name,
            artifact.sha256,
            artifact.raw,
            judgement,
            judge=artifact.judge,
            target=artifact.target,
            quotes=judgement.quotes if self.options.protocol.asks_for_quotes else Quotes.NONE,
            about=_about(artifact, subject),
            identity=identity_of(subject, artifact),
            finish_reason=artifact.finish_reason,
            output_tokens=artifact.output_tokens,
        )

    def subject_of(self, artifact: Artifact, category: str = "") -> PreparedSample | PreparedBundle | None:
        """Find what a reply is about, in a category unless it says one itself; None if its text is not at hand."""
        return self._texts.find(artifact, category or self.options.category)

    def flag_unplanned(
        self, judgement: Judgement, subject: PreparedSample | PreparedBundle | None, artifact: Artifact
    ) -> Judgement:
        """Return the judgement, invalid if it is on a sample that is not among the sources or cannot be read there."""
        if subject is not None:
            return judgement
        judgement = self._with_method(judgement, artifact)
        if not self._texts.is_list:
            return judgement
        findings = judgement.findings
        problem = self._texts.problem(artifact)
        if not problem and judgement.sample:
            planned = rule.COVERAGE_UNPLANNED
            findings += (planned.finding("/meta/output_id", say("finding.sample_of_sources"), repr(judgement.sample)),)
        elif judgement.quotes is Quotes.NOT_COMPARED and self.options.protocol.asks_for_quotes:
            findings = tuple(each for each in findings if each.rule != rule.EVIDENCE_UNCHECKED.id)
            found = problem or say("finding.no_such_sample", name=artifact.name)
            findings += (rule.EVIDENCE_NO_SOURCE.finding("/evidence", say("finding.judged_text"), found),)
        if findings == judgement.findings:
            return judgement
        return msgspec.structs.replace(judgement, findings=findings, status=Status.INVALID)

    def _with_method(self, judgement: Judgement, artifact: Artifact) -> Judgement:
        """Tell self-judging by the names around a reply where its sample is not at hand."""
        if judgement.method is not None or not artifact.judge:
            return judgement
        judge = JudgeIdentity(artifact.judge, artifact.judge)
        method = Occasion(judge, aliases=self.options.aliases).method(artifact.target)
        entries = tuple(msgspec.structs.replace(entry, method=method) for entry in judgement.entries)
        return msgspec.structs.replace(judgement, method=method, entries=entries)


def _about(artifact: Artifact, subject: PreparedSample | PreparedBundle | None) -> dict[str, Any]:
    """Return the version of the judge and the place of the sample in its experiment, as far as they are known."""
    about: dict[str, Any] = {"judge_version": artifact.judge_version} if artifact.judge_version else {}
    stated = stated_identity(artifact.raw or b"")
    names = ("question_id", "prompt_variant", "target_model", "judge_model")
    place: dict[str, Any] = {name: getattr(stated, name) for name in names if getattr(stated, name)}
    if subject is not None and subject.sample is not None:
        place = {**subject.sample.place, **{name: place[name] for name in place if name == "judge_model"}}
    return {**about, "subject": place} if place else about


def identity_of(subject: PreparedSample | PreparedBundle | None, artifact: Artifact) -> Identity:
    """Tell which output was judged: by the sources if it is among them, else by the reply's own words."""
    stated = stated_identity(artifact.raw or b"")
    if subject is None:
        return stated
    sample = subject.sample
    if sample is None:
        return Identity(target_model=artifact.target, known_from="sources" if subject.has_text else "")
    if not subject.has_text:
        return stated
    return Identity(
        question_id=sample.question_id,
        prompt_variant=sample.prompt_variant,
        target_model=sample.target_model,
        judge_model=stated.judge_model,
        time=stated.time,
        known_from="sources",
    )


def _filed_as_valid(name: str) -> bool | None:
    """Tell whether the folder of a reply calls it valid or invalid; None for any other folder."""
    folders = set(name.split("/")[:-1])
    if folders.intersection(VALID_FOLDERS):
        return True
    return False if folders.intersection(INVALID_FOLDERS) else None
