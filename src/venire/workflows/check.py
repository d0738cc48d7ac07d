"""Check judges' replies as they are found: which are admissible, which rule the others break, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.design import BundleDesign
from venire.domain.judge import JudgeIdentity, fold_name
from venire.domain.judgement import EvidenceLevel, Judgement, Quotes, Status
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import InputError, UsageError
from venire.inputs.artifacts.replies import Artifact, read_artifacts
from venire.inputs.bundles import find_bundle_folder, folder_names, read_bundle, similar_names
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.sample_index import SampleIndex
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.reports.archive.manifest import INVALID_FOLDERS, VALID_FOLDERS
from venire.reports.formats.check_record import Identity, stated_identity
from venire.shapes.check import Checker, with_end
from venire.shapes.recognise import recognise
from venire.shapes.registry import shape_of
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.terms import Occasion, Profile
from venire.words.said import say

_STATED_OUTPUT_ID = re.compile(rb'"output_id"\s*:\s*("(?:[^"\\]|\\.)*")')
_LOOKED_AT = 1_000
_FILE_ENDING = re.compile(r"\.[A-Za-z]{1,5}$")


class CheckOptions(msgspec.Struct, frozen=True):
    """How replies are checked."""

    protocol: EvalProtocol
    """The protocol they are held to."""
    profile: Profile = "contract"
    """How much of its contract is asked for."""
    evidence: EvidenceLevel = EvidenceLevel.NFKC
    """The most lenient level at which a quote counts as verbatim."""
    scale: str | None = None
    """The scale that the judges scored on; None for the protocol's default."""
    sources: Path | None = None
    """Where the judged outputs are: a table, a folder of texts, or folders of bundles; None if they are not at hand."""
    columns: dict[str, str] = {}
    """For tables, which column holds which field of a sample."""
    pattern: str | None = None
    """For folders, the pattern of file names."""
    category: str = ""
    """The category of samples that do not say one themselves."""
    pdf_limits: PdfLimits = PdfLimits()
    """What the parsing of one PDF may cost."""
    source_names: dict[str, str] = {}
    """For bundles, the folder that holds a target's texts, by the target's name, where the two names differ."""

    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of names that mean the same model, for telling whether a judge judges itself."""

    @property
    def compares_quotes(self) -> bool:
        """Whether quotes are held against the judged texts: the protocol asks for them and the texts are given."""
        is_on = self.evidence is not EvidenceLevel.OFF and self.sources is not None
        return is_on and self.protocol.asks_for_quotes

    @property
    def evidence_used(self) -> EvidenceLevel:
        """The level at which quotes are looked up, as each record says it; `off` if they are not."""
        return self.evidence if self.compares_quotes else EvidenceLevel.OFF


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
        self._on_problem = on_problem
        self._checker = Checker(
            options.protocol,
            profile=options.profile,
            evidence=options.evidence,
            scale=options.scale,
            aliases=options.aliases,
        )
        self._index = self._open_index()
        self._folder_of = self._folders_by_target()
        self._unread: dict[str, str] = {}
        self._judged_ids: set[str] = set()
        self._bundle = lru_cache(maxsize=8)(self._read_bundle)
        self._prepared: tuple[tuple[str, str], PreparedSample] | None = None

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
        if self._index is None:
            return ()
        return tuple(output_id for output_id in self._index.ids() if output_id not in self._judged_ids)

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
        if self.options.protocol.design:
            return self._bundle(artifact.target)
        return self._find_sample(artifact, category or self.options.category)

    def flag_unplanned(
        self, judgement: Judgement, subject: PreparedSample | PreparedBundle | None, artifact: Artifact
    ) -> Judgement:
        """Return the judgement, invalid if it is on a sample that is not among the sources or cannot be read there."""
        if subject is not None:
            return judgement
        judgement = self._with_method(judgement, artifact)
        if self._index is None:
            return judgement
        findings = judgement.findings
        problem = next((self._unread[name] for name in _possible_ids(artifact) if name in self._unread), "")
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

    def _open_index(self) -> SampleIndex | None:
        options = self.options
        if options.sources is None or options.protocol.design:
            return None
        return SampleIndex.open(
            options.sources,
            columns=options.columns,
            pattern=options.pattern,
            factors=options.protocol.own_factors,
            pdf_limits=options.pdf_limits,
            on_problem=self._on_problem,
        )

    def _find_sample(self, artifact: Artifact, category: str) -> PreparedSample | None:
        sample = None
        for output_id in _possible_ids(artifact):
            sample = self._look_up(output_id)
            if sample:
                break
        if sample is None:
            return self._without_text(artifact, category)
        self._judged_ids.add(sample.output_id)
        if self._prepared and self._prepared[0] == (sample.output_id, category):
            return self._prepared[1]
        prepared = PreparedSample(sample.in_category(category))
        self._prepared = ((sample.output_id, category), prepared)
        return prepared

    def _look_up(self, output_id: str) -> Sample | None:
        if self._index is None:
            return None
        try:
            return self._index.find(output_id)
        except InputError as problem:
            if output_id not in self._unread:
                self._on_problem(problem)
            self._unread[output_id] = str(problem)
            return None

    def _without_text(self, artifact: Artifact, category: str) -> PreparedSample | None:
        """Stand in for a sample that is not at hand, for protocols that need no more than its category."""
        if not category or not shape_of(self.options.protocol).is_read_without_text:
            return None
        sample = Sample(artifact.output_id or artifact.name, "", target_model=artifact.target)
        return PreparedSample(sample.in_category(category))

    def _folders_by_target(self) -> dict[str, str]:
        """Return the folders of targets whose texts lie under another name; raises `UsageError` for ones not there."""
        options = self.options
        if not options.source_names or options.sources is None:
            return {}
        if options.protocol.design is None:
            raise UsageError("error.artifact.no_bundles", protocol=options.protocol.id)
        there = folder_names(options.sources)
        for target, folder in options.source_names.items():
            if folder not in there:
                raise UsageError(
                    "error.artifact.no_source_folder",
                    where=str(options.sources),
                    target=target,
                    folder=folder,
                    known=tuple(map(repr, there)) or say("problem.none"),
                )
        return {fold_name(target): folder for target, folder in options.source_names.items()}

    def _read_bundle(self, generator: str) -> PreparedBundle | None:
        design, sources = self.options.protocol.design, self.options.sources
        if design is None or sources is None:
            return None
        folder = find_bundle_folder(sources, self._folder_of.get(fold_name(generator), generator), design)
        if folder is None:
            return self._without_texts(generator, sources, design)
        return PreparedBundle(
            read_bundle(
                folder, design, target_model=generator, pdf_limits=self.options.pdf_limits, on_problem=self._on_problem
            )
        )

    def _without_texts(self, generator: str, sources: Path, design: BundleDesign) -> PreparedBundle:
        """Stand in for a bundle that is not among the sources, so that the reply says what was looked for."""
        there = folder_names(sources)
        proposed = [f"--source-name {generator}={name}" for name in similar_names(generator, there)]
        absence = say("finding.no_target_in_name")
        if generator:
            code = "finding.no_folder_but" if there else "finding.no_folder"
            absence = say(code, name=generator, others=tuple(repr(name) for name in there))
        if generator and proposed:
            either = reduce(lambda one, other: say("finding.either", one=one, other=other), proposed)
            absence = say("finding.did_you_mean", found=absence, proposed=either)
        self._on_problem(
            InputError("error.artifact.no_texts", where=str(sources), example=design.cells[0].label, found=absence)
        )
        return PreparedBundle(Bundle(generator, (), generator), absence)


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


def _possible_ids(artifact: Artifact) -> Iterator[str]:
    """Yield what may name the judged sample, the surest first: the line around, the reply's own word, the file."""
    if artifact.output_id:
        yield artifact.output_id
        return
    stated = _STATED_OUTPUT_ID.search(artifact.raw or b"")
    if stated:
        yield _unquoted(stated.group(1))
    yield _FILE_ENDING.sub("", artifact.name.rsplit("/", 1)[-1])


def _unquoted(string: bytes) -> str:
    """Return what a JSON string says; one that is broken is taken as it stands."""
    try:
        return msgspec.json.decode(string, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return string[1:-1].decode("utf-8", "replace")
