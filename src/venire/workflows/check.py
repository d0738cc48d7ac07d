"""Check judges' replies as they are found: which are admissible, which rule the others break, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from venire.domain import rule
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import EvidenceLevel, Judgement, Status
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.errors import InputError
from venire.inputs.artifacts import Artifact, read_artifacts
from venire.inputs.bundles import find_bundle_folder, read_bundle
from venire.inputs.sample_index import SampleIndex
from venire.reports.archive import INVALID_FOLDERS, VALID_FOLDERS
from venire.validation.check import Checker, prepare
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.terms import Profile

_STATED_OUTPUT_ID = re.compile(rb'"output_id"\s*:\s*("(?:[^"\\]|\\.)*")')
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

    def add(self, checked: Checked) -> None:
        """Count one reply."""
        self.total += 1
        if checked.judgement is None:
            self.unread += 1
            return
        judgement = checked.judgement
        self.by_status[judgement.status] += 1
        self.entries += len(judgement.entries)
        self.valid_entries += sum(entry.valid for entry in judgement.entries)
        self.self_judged += judgement.method == "self_judge"
        self.misfiled += _filed_as_valid(checked.name) is (not judgement.valid)
        rules = [finding.rule for finding in judgement.all_findings]
        self.by_rule.update(rules)
        self.replies_by_rule.update(set(rules))

    @property
    def all_valid(self) -> bool:
        """Whether every reply was read and is valid."""
        return self.total == self.by_status[Status.VALID]


class CheckRun:
    """Checks the replies at some paths, one after another, in constant memory."""

    def __init__(self, options: CheckOptions, on_problem: Callable[[InputError], None]) -> None:
        self.options = options
        self.summary = CheckSummary()
        self._on_problem = on_problem
        self._checker = Checker(
            options.protocol, profile=options.profile, evidence=options.evidence, scale=options.scale
        )
        self._index = self._open_index()
        self._judged_ids: set[str] = set()
        self._bundle = lru_cache(maxsize=8)(self._read_bundle)
        self._prepared: tuple[tuple[str, str], PreparedSample] | None = None

    def check(self, paths: Sequence[Path], on_progress: Callable[[int], None] | None = None) -> Iterator[Checked]:
        """Yield each reply with its judgement; a reply that cannot be read is yielded with the reason."""
        for artifact in read_artifacts(paths, on_progress=on_progress):
            checked = self.check_artifact(artifact)
            self.summary.add(checked)
            yield checked

    def missing_samples(self) -> tuple[str, ...]:
        """Return the ids of planned samples that no reply has judged, once all replies have been checked."""
        if self._index is None:
            return ()
        return tuple(output_id for output_id in self._index.ids() if output_id not in self._judged_ids)

    def check_artifact(self, artifact: Artifact) -> Checked:
        """Check one reply that has been found."""
        judge = JudgeIdentity(artifact.judge, artifact.judge) if artifact.judge else None
        if artifact.raw is None:
            return Checked(
                artifact.name, artifact.sha256, None, None, artifact.problem, artifact.judge, artifact.target
            )
        subject = self.subject_of(artifact)
        judgement = self.held_to_plan(self._checker.check(artifact.raw, subject, judge=judge), subject)
        return Checked(
            artifact.name, artifact.sha256, artifact.raw, judgement, judge=artifact.judge, target=artifact.target
        )

    def subject_of(self, artifact: Artifact, category: str = "") -> PreparedSample | PreparedBundle | None:
        """Find what a reply is about, in a category unless it says one itself; None if its text is not at hand."""
        if self.options.protocol.design:
            return self._bundle(artifact.target)
        return self._find_sample(artifact, category or self.options.category)

    def held_to_plan(self, judgement: Judgement, subject: PreparedSample | PreparedBundle | None) -> Judgement:
        """Return the judgement, marked if it is on a sample that is not among the sources."""
        if self._index is None or subject is not None or not judgement.sample:
            return judgement
        found = rule.COVERAGE_UNPLANNED.finding("/meta/output_id", "a sample of the sources", repr(judgement.sample))
        return msgspec.structs.replace(judgement, findings=(*judgement.findings, found), status=Status.INVALID)

    def _open_index(self) -> SampleIndex | None:
        options = self.options
        if options.sources is None or options.protocol.design:
            return None
        return SampleIndex.open(
            options.sources,
            columns=options.columns,
            pattern=options.pattern,
            factors=options.protocol.own_factors,
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
            self._on_problem(problem)
            return None

    def _without_text(self, artifact: Artifact, category: str) -> PreparedSample | None:
        """Stand in for a sample that is not at hand, for protocols that need no more than its category."""
        if self.options.protocol.shape != "criteria" or not category:
            return None
        sample = Sample(artifact.output_id or artifact.name, "", target_model=artifact.target)
        return PreparedSample(sample.in_category(category))

    def _read_bundle(self, generator: str) -> PreparedBundle | None:
        design, sources = self.options.protocol.design, self.options.sources
        if design is None or sources is None:
            return None
        folder = find_bundle_folder(sources, generator, design)
        if folder is None:
            named = f"a folder named like {generator!r}" if generator else "a reply whose file name tells its target"
            message = f"expected {named}, or files such as {design.cells[0].label!r} here, found neither"
            hint = "Name replies as judge_JUDGE_bundle_TARGET.json and --sources the folder that holds a folder TARGET."
            self._on_problem(InputError(message, where=str(sources), hint=f"{hint} Quotes cannot be checked now."))
            return None
        bundle = read_bundle(folder, design, target_model=generator, on_problem=self._on_problem)
        prepared = prepare(bundle)
        return prepared if isinstance(prepared, PreparedBundle) else None


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
