"""The judged texts that replies are held against: the samples of a table or folder, or bundles in folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, reduce
from pathlib import Path
from typing import Protocol

import msgspec

from venire.domain.design import BundleDesign
from venire.domain.judge import fold_name
from venire.domain.sample import Bundle, Sample
from venire.errors import InputError, UsageError
from venire.inputs.artifacts.replies import Artifact
from venire.inputs.bundles import find_bundle_folder, folder_names, read_bundle, similar_names
from venire.inputs.sample_index import SampleIndex
from venire.inputs.tables.materials import MaterialTerms
from venire.shapes.registry import shape_of
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.words.said import say
from venire.workflows.checking.options import CheckOptions

_STATED_OUTPUT_ID = re.compile(rb'"output_id"\s*:\s*("(?:[^"\\]|\\.)*")')
_FILE_ENDING = re.compile(r"\.[A-Za-z]{1,5}$")


class JudgedTexts(Protocol):
    """Finds what a reply is about."""

    @property
    def is_list(self) -> bool:
        """Whether the sources list every sample, so that a reply on any other is on one that was not planned."""

    def find(self, artifact: Artifact, category: str) -> PreparedSample | PreparedBundle | None:
        """Return what a reply is about, in a category unless it says one itself; None if its text is not at hand."""

    def problem(self, artifact: Artifact) -> str:
        """Return why the text that a reply is about could not be read; empty if it could, or is not there."""

    def missing(self) -> tuple[str, ...]:
        """Return the ids of listed samples that no reply was about so far."""


def open_texts(options: CheckOptions, on_problem: Callable[[InputError], None]) -> JudgedTexts:
    """Open the sources of a check; raises `UsageError` for names of folders that are not there."""
    kinds: dict[str, type[SampleTexts] | type[BundleTexts]] = {"sample": SampleTexts, "bundle": BundleTexts}
    judged = shape_of(options.protocol).judges
    if judged not in kinds:
        raise UsageError("error.check.pairs", protocol=options.protocol.id)
    return kinds[judged](options, on_problem)


class SampleTexts:
    """The samples of a table or a folder."""

    def __init__(self, options: CheckOptions, on_problem: Callable[[InputError], None]) -> None:
        if options.source_names and options.sources is not None:
            raise UsageError("error.artifact.no_bundles", protocol=options.protocol.id)
        self._options = options
        self._on_problem = on_problem
        self._unread: dict[str, str] = {}
        self._judged_ids: set[str] = set()
        self._prepared: tuple[tuple[str, str], PreparedSample] | None = None
        self._index = self._open_index()

    @property
    def is_list(self) -> bool:
        """Whether sources are given at all."""
        return self._index is not None

    def find(self, artifact: Artifact, category: str) -> PreparedSample | None:
        """Return the sample that a reply is about; see `JudgedTexts`."""
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

    def problem(self, artifact: Artifact) -> str:
        """Return why the sample's text could not be read."""
        return next((self._unread[name] for name in _possible_ids(artifact) if name in self._unread), "")

    def missing(self) -> tuple[str, ...]:
        """Return the ids of samples that no reply was about so far."""
        if self._index is None:
            return ()
        return tuple(output_id for output_id in self._index.ids() if output_id not in self._judged_ids)

    def _open_index(self) -> SampleIndex | None:
        options = self._options
        if options.sources is None:
            return None
        return SampleIndex.open(
            options.sources,
            columns=options.columns,
            pattern=options.pattern,
            factors=options.protocol.own_factors,
            pdf_limits=options.pdf_limits,
            materials=MaterialTerms(
                options.protocol.shown_kinds, options.judged, options.documents, options.pdf_limits
            ),
            on_problem=self._on_problem,
        )

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
        if not category or not shape_of(self._options.protocol).is_read_without_text:
            return None
        sample = Sample(artifact.output_id or artifact.name, "", target_model=artifact.target)
        return PreparedSample(sample.in_category(category))


class BundleTexts:
    """The bundles in the folders of a folder, each named like its model."""

    is_list = False

    def __init__(self, options: CheckOptions, on_problem: Callable[[InputError], None]) -> None:
        self._options = options
        self._on_problem = on_problem
        self._folder_of = self._folders_by_target()
        self._bundle = lru_cache(maxsize=8)(self._read_bundle)

    def find(self, artifact: Artifact, category: str) -> PreparedBundle | None:  # noqa: ARG002
        """Return the bundle that a reply is about, without texts if there is no such folder; see `JudgedTexts`."""
        return self._bundle(artifact.target)

    def problem(self, artifact: Artifact) -> str:  # noqa: ARG002
        """Return nothing: a bundle itself says why it holds no text."""
        return ""

    def missing(self) -> tuple[str, ...]:
        """Return nothing: which models were to be judged is not known."""
        return ()

    def _folders_by_target(self) -> dict[str, str]:
        """Return the folders of targets whose texts lie under another name; raises `UsageError` for ones not there."""
        options = self._options
        if not options.source_names or options.sources is None:
            return {}
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
        options, design = self._options, self._options.protocol.design
        if design is None or options.sources is None:
            return None
        folder = find_bundle_folder(options.sources, self._folder_of.get(fold_name(generator), generator), design)
        if folder is None:
            return self._without_texts(generator, options.sources, design)
        read = read_bundle(
            folder, design, target_model=generator, pdf_limits=options.pdf_limits, on_problem=self._on_problem
        )
        return PreparedBundle(read)

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
