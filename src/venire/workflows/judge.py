"""Put samples before a panel: run it, resume it, and show what is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cached_property, partial
from itertools import chain, takewhile
from pathlib import Path

import msgspec

from venire.config import Settings, load_settings
from venire.domain.canonical import sha256_hex
from venire.domain.design import BundleDesign
from venire.domain.judgement import EvidenceLevel
from venire.domain.sample import Bundle, Pair, Sample
from venire.errors import ConfigError, InputError
from venire.event_loop import run_async
from venire.inputs.bundles import find_bundle_folder, read_bundle
from venire.inputs.folder import walk_files
from venire.inputs.kept_subjects import KeptSubjects
from venire.inputs.pairs import read_pairs
from venire.inputs.problems import OnProblem, tell, unreadable
from venire.inputs.reader import read_samples
from venire.inputs.tables.conversation import STEPS
from venire.judges.panel import Judge
from venire.judges.provider import Attachment
from venire.ledger.entry import Kind
from venire.ledger.location import is_missing_file
from venire.ledger.subjects import subject_of
from venire.runner.context import RunSpec
from venire.runner.loop import OnEvent, not_begun
from venire.runner.plan import RunPlan, make_plan
from venire.runner.request import PreparedRequest
from venire.runner.run import PanelJob, RunResult, run_panel
from venire.runner.stop import StoppedError, StopSignal
from venire.runner.task import plan_tasks
from venire.shapes.registry import shape_of
from venire.shapes.shape import Shape
from venire.words.said import say
from venire.workflows.collecting.collected import outputs_in, read_collected
from venire.workflows.instruments.anchors import Anchors, apart_from, read_anchors, with_canaries
from venire.workflows.ledgers import opened_ledger, run_ledger
from venire.workflows.open_engine import open_engine


def read_subjects(settings: Settings, on_problem: OnProblem = None) -> Iterator[Sample | Bundle]:
    """Read the samples that a configuration names, or its bundles: one for each folder that holds one."""
    settings.need_samples()
    shape = shape_of(settings.protocol)
    if shape.judges == "pair":
        yield from _read_pairs(settings, on_problem)
    elif settings.judges_collected:
        yield from _in_categories(read_collected(settings, on_problem), settings, on_problem)
    elif settings.samples_ledger:
        yield from _read_again(settings, shape, on_problem)
    else:
        yield from _READERS[shape.judges](settings, on_problem)


def read_outputs(settings: Settings, on_problem: OnProblem = None) -> Iterator[Sample]:
    """Read all outputs that a configuration names, those of bundles too, whether or not each gets into a pair."""
    settings.need_samples()
    if shape_of(settings.protocol).judges != "pair":
        for subject in read_subjects(settings, on_problem):
            yield from subject.samples
    elif settings.judges_collected:
        yield from _in_categories(read_collected(settings, on_problem), settings, on_problem)
    elif settings.samples_ledger:
        for subject in _read_again(settings, shape_of(settings.protocol), on_problem):
            yield from subject.samples
    else:
        yield from _read_samples(settings, on_problem)


def _read_pairs(settings: Settings, on_problem: OnProblem) -> Iterator[Pair]:
    """Put the outputs of each question side by side."""
    outputs, seed = read_outputs(settings, on_problem), settings.config.runner.seed
    yield from read_pairs(outputs, settings.pairs, seed=seed, where=settings.samples_shown, on_problem=on_problem)


def _read_samples(settings: Settings, on_problem: OnProblem) -> Iterator[Sample]:
    samples = settings.samples
    found = read_samples(
        settings.samples_path,
        columns=samples.columns,
        pattern=samples.pattern,
        factors=settings.factors,
        pdf_limits=samples.pdf_limits,
        encoding=samples.encoding,
        id_from_row=samples.id_from_row,
        materials=settings.material_terms,
        on_problem=on_problem,
    )
    yield from _in_categories(found, settings, on_problem)


def _in_categories(found: Iterable[Sample], settings: Settings, on_problem: OnProblem) -> Iterator[Sample]:
    category = settings.samples.category
    for sample in found:
        categorised = sample.in_category(category)
        if problem := _category_problem(categorised, settings) or _material_problem(categorised, settings):
            tell(problem, on_problem)
        else:
            yield categorised


def _read_again(settings: Settings, shape: Shape, on_problem: OnProblem) -> Iterator[Sample | Bundle]:
    """Read the outputs that a ledger holds, each once; it may be the ledger that the run writes to."""
    seen: set[str] = set()
    kind = "bundle" if shape.needs_design else "sample"
    with opened_ledger(settings.samples_ledger, read_only=True) as ledger:
        last = ledger.head().sequence
        entries = takewhile(lambda entry: entry.sequence <= last, ledger.read(kinds=[Kind.SAMPLE]))
        found = (subject_of(entry, ledger) for entry in entries)
        subjects = (subject for subject in found if subject.kind == kind and not subject.probe)
        samples = (sample for subject in subjects for sample in subject.samples)
        collected = () if shape.needs_design else outputs_in(ledger, settings, last)
        given = _in_categories(_given(chain(samples, collected), settings, on_problem), settings, on_problem)
        for subject in subjects if shape.needs_design else given:
            if subject.digest not in seen:  # A sample that was given a category stands beside itself.
                seen.add(subject.digest)
                yield subject


def _given(samples: Iterable[Sample], settings: Settings, on_problem: OnProblem) -> Iterator[Sample]:
    """Leave out outputs that were never given, such as those of an imported run that failed."""
    for sample in samples:
        if sample.text.strip():
            yield sample
        else:
            tell(InputError("error.sample.no_output", where=settings.samples_shown, name=sample.output_id), on_problem)


def _read_bundles(settings: Settings, on_problem: OnProblem) -> Iterator[Bundle]:
    samples, design = settings.samples, settings.protocol.design
    names = {folder: target for target, folder in samples.source_names.items()}
    if design is None:
        return
    for folder in _bundle_folders(settings.samples_path, design):
        yield read_bundle(
            folder,
            design,
            target_model=names.get(folder.name, folder.name),
            pdf_limits=samples.pdf_limits,
            on_problem=on_problem,
        )


_READERS: dict[str, Callable[[Settings, OnProblem], Iterator[Sample | Bundle]]] = {
    "sample": _read_samples,
    "bundle": _read_bundles,
}
"""How the subjects of a run are read, by what one reply is about."""


def spec_of(settings: Settings, on_problem: OnProblem = None) -> RunSpec:
    """Return what a run of this configuration is about."""
    config = settings.config
    return RunSpec(
        protocol=settings.protocol,
        judges=_knowing_targets(settings),
        subjects=partial(read_subjects, settings, on_problem),
        options=config.runner,
        profile=config.profile,
        evidence=EvidenceLevel(config.evidence),
        documents=_Shelf(settings.samples_path).documents,
        settings={
            "samples": settings.samples,
            "factors": settings.factors,
            "count_recovered": config.count_recovered,
            **({"rollup": config.rollup} if config.rollup else {}),
            **({"require": config.require} if config.require else {}),
            **({"pairs": settings.pairs} if shape_of(settings.protocol).judges == "pair" else {}),
        },
    )


def _knowing_targets(settings: Settings) -> tuple[Judge, ...]:
    """Return the judges; those whose model is behind a target of the ledger that is judged know it by its name."""
    if not settings.samples_ledger or is_missing_file(settings.samples_ledger):
        return settings.judges
    with opened_ledger(settings.samples_ledger, read_only=True) as ledger:
        opened = [entry.content for entry in ledger.read(kinds=[Kind.COLLECTION_OPENED])]
    targets = [(target["name"], target["model"]) for each in opened for target in each["targets"]]
    return tuple(judge.knowing(targets) for judge in settings.judges)


async def judge(
    settings: Settings,
    *,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
    on_problem: OnProblem = None,
) -> RunResult:
    """Run a configuration, going on where an earlier run has stopped.

    All samples are read before a judge is asked and before a ledger is made. Raises `InputError` if there is nothing to
    judge. What another run is asking at this moment is left to it, and its reply is found in the ledger at the end.
    """
    stop = stop or StopSignal()
    anchors = await asyncio.to_thread(read_anchors, settings)
    spec = spec_of(settings, on_problem)
    with KeptSubjects(spec.subjects) as kept:
        spec = apart_from(msgspec.structs.replace(spec, subjects=kept.subjects), anchors)
        try:
            return await _judge_planned(settings, spec, anchors, stop, on_event)
        except StoppedError as stopped:
            return not_begun(PanelJob(spec), stopped.reason)


async def _judge_planned(
    settings: Settings, spec: RunSpec, anchors: Anchors | None, stop: StopSignal, on_event: OnEvent
) -> RunResult:
    with closing(await asyncio.to_thread(make_plan, spec, stop)) as plan:
        _require_tasks(plan, settings)
        if settings.config.jury is not None:
            from venire.workflows.jury.rounds import ask_jury  # It imports NumPy, which most runs need not wait for.

            return await ask_jury(settings, settings.config.jury, spec, anchors, stop, on_event)
        if settings.pairs.is_active:
            from venire.workflows.comparison.active_rounds import judge_in_rounds

            return await judge_in_rounds(settings, spec, stop, on_event)
        async with open_engine(settings) as engine, run_ledger(settings, stop, on_event) as ledger:
            watched = await asyncio.to_thread(with_canaries, spec, anchors, plan, ledger, settings.canary_share)
            result = await run_panel(watched, ledger, engine, plan=plan, stop=stop, on_event=on_event)
            if watched.canaries:
                from venire.workflows.instruments.canary_record import record_evidence

                await asyncio.to_thread(record_evidence, ledger, watched)
            return result


def _require_tasks(plan: RunPlan, settings: Settings) -> None:
    if not plan.tasks:
        raise InputError("error.plan.nothing", where=settings.samples_shown)


def show_question(settings: Settings, judge_name: str, sample_name: str) -> PreparedRequest:
    """Return exactly what would be sent to a judge about a sample."""
    each = next((each for each in settings.judges if each.name == judge_name), None)
    if each is None:
        known = tuple(each.name for each in settings.judges)
        raise ConfigError("error.plan.no_judge", name=judge_name, known=known)
    spec = spec_of(settings, lambda _: None)
    builder = spec.builder(each)
    for subject in spec.subjects():
        name = subject.name
        if name == sample_name:
            task, _ = next(plan_tasks(each, spec.protocol, [subject], 0.0))
            return builder.build(task, subject)
    raise InputError("error.plan.no_sample", where=settings.samples_shown, name=sample_name)


def _category_problem(sample: Sample, settings: Settings) -> InputError | None:
    """Say why a sample cannot be judged by criteria; no reply about it could be valid, so none is paid for."""
    categories, named = settings.protocol.categories, sample.factors.get("category", "")
    if not categories or settings.protocol.category(named):
        return None
    return InputError(
        "error.sample.category",
        where=settings.samples_shown,
        name=sample.output_id,
        found=say("problem.category", name=named) if named else say("problem.no_category"),
        protocol=settings.protocol.id,
        known=tuple(category.id for category in categories),
    )


def _bundle_folders(path: Path, design: BundleDesign) -> list[Path]:
    try:
        inside = sorted(entry for entry in path.iterdir() if entry.is_dir())
    except OSError as error:
        raise unreadable(error, str(path)) from None
    folders = [entry for entry in inside if find_bundle_folder(entry, "", design)]
    if folders:
        return folders
    if find_bundle_folder(path, "", design):
        return [path]
    raise InputError("error.plan.no_bundle", where=str(path), example=design.cells[0].label)


def _material_problem(sample: Sample, settings: Settings) -> InputError | None:
    """Say which kind of material a sample lacks that the protocol needs; nobody is asked about it."""
    policy = settings.protocol.materials
    if not policy or not policy.must_have:
        return None
    held = {each.kind for each in sample.materials}
    if settings.samples.judged == "whole":
        held |= STEPS  # They are the judged text itself.
    missing = next((kind for kind in policy.must_have if kind not in held), None)
    if missing is None:
        return None
    return InputError(
        "error.sample.no_material",
        where=settings.samples_shown,
        hint="error.sample.no_material_recorded.hint" if settings.samples_ledger else "",
        name=sample.output_id,
        kind=say(f"material.{missing.value}"),
        protocol=settings.protocol.id,
    )


class _Shelf:
    """The PDF files behind the samples, found again by their digests; the folder is gone through once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _paths(self) -> dict[str, Path]:
        found = walk_files(self._folder, (".pdf",)) if self._folder.is_dir() else (self._folder,)
        files = [file for file in found if isinstance(file, Path) and file.suffix.lower() == ".pdf"]
        return {sha256_hex(file.read_bytes()): file for file in files}

    def documents(self, subject: Sample | Bundle) -> dict[str, Attachment]:
        """Read the files of a sample or bundle; texts that did not come from a PDF have none."""
        samples = subject.samples
        found: dict[str, Attachment] = {}
        for sample in samples:
            path = self._paths.get(sample.source.sha256) if sample.source else None
            if path is not None:
                name = "document.pdf" if sample is subject else sample.output_id
                found[sample.output_id] = Attachment(name, "application/pdf", path.read_bytes())
        return found


def run(config: str | Path) -> RunResult:
    """Put the samples of a configuration before its panel and return how it went.

    Goes on where an earlier run has stopped. It may be called where an event loop is running, as in a notebook.
    """
    settings = load_settings(Path(config))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_async(judge(settings))
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(run_async, judge(settings)).result()
