"""From a task to a request: what this judge is told about this sample, and nothing more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from venire.domain.judgement import EvidenceLevel, Method
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.blinding import fence_for, find_leaks, mask_leaks, mask_materials, names_of, sample_handle
from venire.judges.panel import Judge
from venire.judges.prompt import Known, PromptWriter
from venire.judges.provider import Attachment, Request
from venire.runner.task import Task
from venire.shapes.check import Checker, prepare
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.terms import Profile

Documents = Callable[[Sample | Bundle], Mapping[str, Attachment]]
"""Reads the files behind a subject, by the output_id of the sample that each one is."""


class PreparedRequest(msgspec.Struct, frozen=True):
    """A request that is ready to be sent, with what its reply will be held against."""

    request: Request
    """What is sent."""
    subject: PreparedSample | PreparedBundle
    """The text as the judge sees it."""
    fence: str
    """The mark around the judged text."""
    leaks: int
    """How often the judged text names its own model."""


class RequestBuilder:
    """Puts questions to one judge under one protocol."""

    def __init__(
        self,
        judge: Judge,
        protocol: EvalProtocol,
        *,
        seed: int,
        profile: Profile = "contract",
        evidence: EvidenceLevel = EvidenceLevel.NFKC,
        documents: Documents | None = None,
    ) -> None:
        self.judge = judge
        self.checker = Checker(protocol, profile=profile, evidence=evidence, scale=judge.scale, blind=judge.blind)
        self._protocol = protocol
        self._prompts = PromptWriter(protocol, self.checker.terms.scale, judge.language)
        self._seed = seed
        self._documents = documents
        self._schemas: dict[str, dict[str, Any]] = {}
        self._method = lru_cache(maxsize=256)(self._method_on)

    def build(self, task: Task, subject: Sample | Bundle) -> PreparedRequest:
        """Make the request of a task."""
        judge = self.judge
        seen, leaks = self.as_seen(subject)
        fence = fence_for(self._seed, task.id)
        documents = self._documents(subject) if judge.attach_files and self._documents else {}
        handle = self.handle(subject)
        prompt = self._prompts.write(seen, self._known(subject, handle), fence, frozenset(documents))
        request = Request(
            model=judge.model,
            system=prompt.system,
            user=prompt.user,
            decoding=judge.decoding,
            reply_schema=self._schema(seen),
            attachments=tuple(documents.values()),
            protocol=self._protocol,
            subject=_untold(seen) if seen.probe else seen,
            task_id=task.id,
            handle=handle,
            language=judge.language,
            not_ascii=prompt.not_ascii,
        )
        return PreparedRequest(request, self.prepared(seen), fence, leaks)

    def prepared(self, seen: Sample | Bundle) -> PreparedSample | PreparedBundle:
        """Prepare a subject as the judge sees it for being quoted from."""
        return prepare(seen)

    def handle(self, subject: Sample | Bundle) -> str:
        """Return the opaque name of a subject for a blind judge, and nothing for one that is not."""
        return sample_handle(subject.digest) if self.judge.blind else ""

    def as_seen(self, subject: Sample | Bundle) -> tuple[Sample | Bundle, int]:
        """Return the subject as the judge sees it, and how often it names its own model."""
        names = _names_of(subject.target_models)
        if not self.judge.blind or not names:
            return subject, 0
        masked = [self._masked(sample, names) for sample in subject.samples]
        leaks = sum(count for _, count in masked)
        if not self.judge.mask_identity or not leaks:
            return subject, leaks
        return subject.with_samples(tuple(sample for sample, _ in masked)), leaks

    def _masked(self, sample: Sample, names: tuple[str, ...]) -> tuple[Sample, int]:
        in_text, in_task = find_leaks(sample.text, names), find_leaks(sample.task, names)
        materials, in_materials = mask_materials(sample.materials, self._protocol.shown_kinds, names)
        count = len(in_text) + len(in_task) + in_materials
        if not count or not self.judge.mask_identity:
            return sample, count
        text, task = mask_leaks(sample.text, in_text), mask_leaks(sample.task, in_task)
        return msgspec.structs.replace(sample, text=text, task=task, materials=materials), count

    def _known(self, subject: Sample | Bundle, handle: str) -> Known:
        return Known(handle, self.judge.model or self.judge.name, self._method(subject.target_models))

    def _method_on(self, target_models: tuple[str, ...]) -> Method:
        is_self = any(map(self.judge.identity.is_judging_itself, target_models))
        return Method.SELF_JUDGE if is_self else Method.CROSS_JUDGE

    def _schema(self, subject: Sample | Bundle) -> dict[str, Any]:
        known = subject.category if self._protocol.category(subject.category) else ""
        if self._protocol.quoted_kinds or self._protocol.evidence.cite == "sentences":
            return self.checker.schema(known or None, subject)
        if known not in self._schemas:
            self._schemas[known] = self.checker.schema(known or None)
        return self._schemas[known]


@lru_cache(maxsize=256)  # A run has few targets.
def _names_of(models: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for model in models if model for name in names_of(model))


def _untold(probe: Sample | Bundle) -> Sample | Bundle:
    """Return a probe as an ordinary subject: nobody is told of probes."""
    return probe.with_samples(tuple(msgspec.structs.replace(sample, probe="") for sample in probe.samples))
